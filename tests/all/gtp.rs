//! Sessions with the program by the Go Text Protocol.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use fairkomi::games::GameKind;
use serde_json::Value;

use crate::program::{command, folder};

/// The answers of a session to these lines, each without the empty line at its end.
fn session(line: &str, input: &[String]) -> Vec<String> {
    let folder = folder();
    let mut child = command(folder.path(), line).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text = input.join("\n") + "\n";
    // Written beside reading, or both might wait for room in a pipe.
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{line}");
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<String> = text.split_terminator("\n\n").map(str::to_string).collect();
    assert_eq!(answers.len(), input.len(), "{text}");
    answers
}

/// The transcripts in `tests/data/gtp`: the command line, then each line of input after `> `, followed by what is answered.
/// `FAIRKOMI_BLESS=1` writes them anew; read what has changed.
#[test]
fn transcripts_are_as_they_were() {
    for game in GameKind::ALL {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/gtp/{game}.txt"));
        let text = fs::read_to_string(&path).unwrap();
        let line = text.lines().next().and_then(|line| line.strip_prefix("$ fairkomi ")).unwrap();
        let input: Vec<String> = text.lines().filter_map(|line| line.strip_prefix("> ")).map(str::to_string).collect();
        assert!(input.len() > 15);
        let mut found = format!("$ fairkomi {line}\n");
        for (said, answer) in input.iter().zip(session(line, &input)) {
            found += &format!("> {said}\n{answer}\n");
        }
        if std::env::var_os("FAIRKOMI_BLESS").is_some() {
            fs::write(&path, &found).unwrap();
            continue;
        }
        assert_eq!(found, text, "{}", path.display());
    }
}

/// The oracle's games, step by step: the same turns are legal, each in its turn, and the boards and scores are the same.
#[test]
fn games_of_the_oracle_are_played_step_by_step() {
    let mut sessions: BTreeMap<(String, bool), Vec<Value>> = BTreeMap::new();
    for line in include_str!("../data/oracle/games.jsonl").lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let pie = record["options"]["pie"].as_bool().unwrap_or(false);
        sessions.entry((record["game"].as_str().unwrap().to_string(), pie)).or_default().push(record);
    }
    let (mut ended, mut repeated) = (0, 0);
    for ((game, pie), records) in sessions {
        let (mut input, mut expected) = (Vec::new(), Vec::new());
        let mut say = |line: String, answer: Option<String>| {
            input.push(line);
            expected.push(answer);
        };
        for record in &records {
            say(format!("boardsize {}", record["size"]), Some("=".to_string()));
            let plies: Vec<&str> =
                record["plies"].as_array().unwrap().iter().map(|ply| ply["move"].as_str().unwrap()).collect();
            let handicap = record["options"]["handicap"].as_u64().unwrap_or(0) as usize;
            if handicap > 0 {
                say(format!("set_free_handicap {}", plies[..handicap].join(" ")), Some("=".to_string()));
            }
            let mut colours = ["b", "w"].into_iter().cycle().skip(usize::from(handicap > 0));
            let mut colour = colours.next().unwrap();
            for ply in &plies[handicap..] {
                for step in ply.split(['-', ',']) {
                    // The protocol knows no button and no swap.
                    let vertex = if ["button", "swap"].contains(&step) { "pass" } else { step };
                    say(format!("play {colour} {vertex}"), Some("=".to_string()));
                }
                // After a swap White is to move again.
                if *ply != "swap" {
                    colour = colours.next().unwrap();
                }
            }
            let rows = record["rows"].as_array().unwrap().iter().map(|row| row.as_str().unwrap());
            let shown = |c: char| match c {
                'S' | '#' => "X".to_string(),
                '@' => "O".to_string(),
                c => c.to_string(),
            };
            let rows: Vec<String> = rows.map(|row| row.chars().map(shown).collect::<Vec<_>>().join(" ")).collect();
            say("gogui-rules_board".to_string(), Some(format!("= {}", rows.join("\n"))));
            let is_over = !record["cap"].as_bool().unwrap();
            say("gogui-rules_legal_moves".to_string(), is_over.then(|| "=".to_string()));
            ended += usize::from(is_over);
            let [black, white] = [0, 1].map(|player| record["score"][player].as_f64().unwrap());
            let score = match (game.as_str(), black - white) {
                ("fugo", lead) if is_over => Some(if lead > 0.0 { "= B+" } else { "= W+" }.to_string()),
                ("fugo", _) => None,
                (_, 0.0) => Some("= 0".to_string()),
                (_, lead) => Some(format!("= {}+{}", if lead > 0.0 { "B" } else { "W" }, lead.abs())),
            };
            say("final_score".to_string(), score);
        }
        let komi = if game == "fugo" { "" } else { " --komi 0" };
        let line = format!("gtp --game {game} --size 5{komi}{}", if pie { " --pie" } else { "" });
        let mut has_repeated = false;
        for ((said, answer), found) in input.iter().zip(&expected).zip(session(&line, &input)) {
            if said.starts_with("boardsize") {
                has_repeated = false;
            }
            // The oracle does not look for earlier boards; a session does, and its game is over then.
            if found == "? illegal move: the game is over" {
                assert!(["fugo", "sligo"].contains(&game.as_str()), "{said}");
                repeated += usize::from(!has_repeated);
                has_repeated = true;
            }
            if has_repeated {
                continue;
            }
            assert!(answer.as_ref().is_none_or(|answer| *answer == found), "{line}: {said}: {found}, not {answer:?}");
        }
    }
    assert!(ended > 40 && repeated < 20, "{ended} ended, {repeated} repeated");
}
