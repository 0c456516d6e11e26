//! Matches against other programs: good ones, and ones that hang, crash, lie and chatter.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use fairkomi::selfplay::game_rows;

use crate::program::{PROGRAM, Running, done, fairkomi, files, folder};

/// A program that speaks the protocol, and does `genmove` when it is asked for a move.
fn put_engine(folder: &Path, name: &str, genmove: &str) {
    let script = format!(
        "#!/bin/sh
echo started >&2
while read -r command rest; do
  case $command in
    list_commands) printf '= boardsize\\nclear_board\\nkomi\\nplay\\ngenmove\\n\\n';;
    name) printf '= {name}\\n\\n';;
    version) printf '= 7\\n\\n';;
    genmove) {genmove};;
    quit) printf '=\\n\\n'; exit;;
    *) printf '=\\n\\n';;
  esac
done
"
    );
    let path = folder.join(name);
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// How the games of a run ended.
fn endings(run: &Path) -> Vec<&'static str> {
    game_rows(run).unwrap().iter().map(|row| row.ending.name()).collect()
}

#[test]
fn whoever_fails_loses_the_game_and_the_match_goes_on() {
    let folder = folder();
    let path = folder.path();
    // A number that no other process sleeps for.
    let nap = format!("{}", 70_000_000 + std::process::id());
    for (name, genmove, ending) in [
        ("hang", format!("sleep {nap} & wait"), "timeout"),
        ("crash", "exit 3".to_string(), "crash"),
        ("liar", "printf '= A1\\n\\n'".to_string(), "illegal"),
        ("chatter", "printf 'I like it here\\n= A1\\n\\n'".to_string(), "protocol"),
        ("lost", "printf '= Z99\\n\\n'".to_string(), "protocol"),
        ("refuser", "printf '? no idea\\n\\n'".to_string(), "protocol"),
        ("resigner", "printf '= resign\\n\\n'".to_string(), "resign"),
    ] {
        put_engine(path, name, &genmove);
        let line = format!(
            "match --game yugo --size 3 --a-visits 4 --b-gtp ./{name} --gtp-limit 400 --pairs 2 --threads 1 --out {name}-run"
        );
        let text = done(path, &line);
        let run = path.join(format!("{name}-run"));
        let endings = endings(&run);
        if name == "liar" {
            // A1 may be a legal move, once.
            assert!(endings.iter().all(|found| *found == ending), "{name}: {endings:?}");
        } else {
            assert_eq!(endings, [ending; 4], "{name}");
        }
        assert!(text.contains("A: 4 wins, 0 draws, 0 losses in 2 pairs"), "{name}: {text}");
        assert!(text.contains("4 games were given up or failed in"), "{text}");
        assert!(text.contains(&format!("against {name} 7 (`./{name}`) (B)")), "{text}");
        assert_eq!(game_rows(&run).unwrap()[1].first_engine, format!("{name} 7"));
        done(path, &format!("data check {name}-run"));
        assert!(fs::read_to_string(run.join("engine-b-0.log")).unwrap().starts_with("started\n"));
        // Finished pairs are kept, and never played again.
        let before = files(&run);
        assert_eq!(done(path, &line), text);
        assert!(files(&run) == before, "{name}");

        let void = done(path, &format!("{} --void-faults", line.replace("-run", "-void")));
        let wins = if ending == "resign" { "A: 4 wins" } else { "A: 0 wins" };
        assert!(void.contains(wins), "{name}: {void}");
    }
    let left = Command::new("pgrep").args(["-f", &format!("sleep {nap}")]).output();
    if let Ok(left) = left {
        assert!(left.stdout.is_empty(), "what a program started is gone with it: {left:?}");
    }
}

#[test]
fn a_program_that_cannot_play_is_refused_at_once() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("deaf.sh"), "while read -r line; do printf '= name\\n\\n'; done\n").unwrap();
    fs::write(path.join("endless.sh"), "echo =; exec yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n").unwrap();
    let other = format!("{PROGRAM} gtp --game sligo --size 3").replace(' ', "${IFS}");
    for (command, fault) in [
        ("./nothing", "engine b (`./nothing`) cannot play: crash: it ended "),
        ("true", "engine b (`true`) cannot play: crash: it ended "),
        ("sh${IFS}deaf.sh", "cannot play: protocol: it does not know boardsize, clear_board, komi, play, genmove"),
        ("yes", "cannot play: protocol: `list_commands` was answered `y`"),
        ("sh${IFS}endless.sh", "cannot play: protocol: the answer to `list_commands` has no end"),
        (&other, "cannot play: protocol: it plays Sligo, not yugo"),
    ] {
        let refused = fairkomi(path, &format!("match --game yugo --size 3 --b-gtp {command} --out run"));
        assert_eq!(refused.code, Some(2), "{command}: {refused:?}");
        assert!(refused.err.contains(fault), "{command}: {refused:?}");
    }
    assert!(!path.join("run").exists());
    for (flags, fault) in [
        ("--b-gtp ./x --handicap 2", "--handicap: programs are told of no handicap"),
        ("--void-faults", "--void-faults: no other program takes part"),
    ] {
        let refused = fairkomi(path, &format!("match --game yugo --size 3 {flags} --out run"));
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains(fault), "{refused:?}");
    }
}

/// This program plays itself through the protocol, each game as well as each of the others.
#[test]
fn a_good_program_plays_whole_games() {
    let folder = folder();
    let path = folder.path();
    for (game, options) in [("yugo", ""), ("linage", ""), ("fugo", "--pie"), ("sligo", "")] {
        // The shell splits at its field separator: the words of a line here are arguments as they are.
        let command =
            format!("{PROGRAM} gtp --game {game} --size 3 --visits 8 {options}").trim().replace(' ', "${IFS}");
        let line = format!("match --game {game} --size 3 {options} --a-visits 8 --pairs 6 --b-gtp {command}");
        let text = done(path, &format!("{line} --threads 2 --out {game}"));
        assert!(text.contains("in 6 pairs of openings") && !text.contains("failed"), "{text}");
        let endings = endings(&path.join(game));
        assert_eq!(endings.len(), 12);
        let usual = ["pass", "no_move", "repetition", "move_cap"];
        assert!(endings.iter().all(|ending| usual.contains(ending)), "{endings:?}");
        done(path, &format!("data check {game}"));
    }
}

/// The rating of other programs: a good one far above playouts, one that gives up far below.
#[test]
fn programs_are_rated_beside_engines_and_their_games_are_kept() {
    let folder = folder();
    let path = folder.path();
    put_engine(path, "resigner", "printf '= resign\\n\\n'");
    let good = format!("{PROGRAM} gtp --game yugo --size 4 --visits 64").replace(' ', "${IFS}");
    let engines = format!("--engine few,visits=4 --engine good,gtp={good} --engine lost,gtp=./resigner");
    let line = format!("rate --game yugo --size 4 {engines} --pairs 40 --threads 2 --out run");
    let text = done(path, &line);
    let place = |name: &str| text.find(&format!("│ {name} ")).unwrap_or_else(|| panic!("{name} in {text}"));
    assert!(place("good") < place("few") && place("few") < place("lost"), "{text}");
    assert!(text.contains("resigner 7 (`./resigner`)"), "{text}");
    let config = fs::read_to_string(path.join("run/run.toml")).unwrap();
    assert!(config.contains("[programs]") && config.contains("lost = \"./resigner\""), "{config}");
    let before = files(&path.join("run"));
    assert_eq!(done(path, &line), text);
    let after = files(&path.join("run"));
    assert!(before.iter().all(|(name, bytes)| name.ends_with("log.jsonl") || after[name] == *bytes));

    let other = fairkomi(path, &line.replace("visits${IFS}64", "visits${IFS}65"));
    assert_eq!(other.code, Some(2), "another program makes another run: {other:?}");
    for (engine, fault) in [
        ("x,gtp=", "--engine: x: after gtp= comes the program's command line"),
        ("x,visits=3,gtp=./resigner", "--engine: `visits=3` does not go with gtp="),
        ("x,gtp=./nothing", "engine x (`./nothing`) cannot play"),
    ] {
        let line = format!("rate --game yugo --size 4 --engine few,visits=4 --engine {engine} --out none");
        let refused = fairkomi(path, &line);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains(fault), "{refused:?}");
    }
    assert!(!path.join("none").exists());
}

#[test]
fn a_game_of_a_match_is_shown_and_played_again() {
    let folder = folder();
    let path = folder.path();
    for (game, options) in [("yugo", "--handicap 2"), ("linage", ""), ("fugo", "--pie"), ("sligo", "")] {
        let line = format!(
            "match --game {game} --size 4 {options} --a-visits 20 --b-visits 5 --pairs 3 --seed 8 --threads 2 --out {game}"
        );
        done(path, &line);
        let before = files(&path.join(game));
        for row in game_rows(&path.join(game)).unwrap() {
            let text = done(path, &format!("{line} --replay {}", row.game_index));
            assert!(text.starts_with(&format!("game {}: {game} 4x4", row.game_index)), "{text}");
            let last = format!("turn {}: ", row.turn_count);
            assert!(text.contains(&last), "{last} in {text}");
            assert!(text.contains(&format!("ends after {} turns: {}", row.turn_count, row.ending)), "{text}");
            assert!(text.ends_with(&format!("played again: the same {} turns\n", row.turn_count)), "{text}");
            // The last board is the one of the row: four rows with their numbers, then the letters.
            let lines: Vec<&str> = text.lines().collect();
            let at = lines.iter().position(|line| line.starts_with(&last)).unwrap();
            let board: Vec<String> =
                lines[at + 1..at + 5].iter().map(|line| line.split_whitespace().skip(1).collect()).collect();
            assert_eq!(board.join("/"), row.board.to_string(), "{text}");
        }
        assert!(files(&path.join(game)) == before, "a replay changes nothing");
        let refused = fairkomi(path, &format!("{line} --replay 6"));
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains("--replay 6: of the match in "), "{refused:?}");
    }
    let refused = fairkomi(path, "match --game yugo --size 4 --replay 0 --out none");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(!path.join("none").exists());
    // Other engines did not play this match.
    let other = "match --game sligo --size 4 --a-visits 21 --b-visits 5 --pairs 3 --seed 8 --out sligo --replay 1";
    assert_eq!(fairkomi(path, other).code, Some(2));
}

#[test]
fn a_program_that_does_not_start_does_not_keep_the_user_waiting() {
    let folder = folder();
    fs::write(folder.path().join("asleep.sh"), "echo > asleep; exec sleep 100\n").unwrap();
    let line = "match --game yugo --size 3 --a-gtp sh${IFS}asleep.sh --out run";
    let mut running = Running::start(folder.path(), line);
    running.wait_for(|| folder.path().join("asleep").exists());
    let (ended, time) = running.interrupt();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(time < Duration::from_secs(5), "{time:?}");
}

#[test]
fn a_match_with_a_program_is_stopped_and_goes_on() {
    let folder = folder();
    let path = folder.path();
    let command = format!("{PROGRAM} gtp --game yugo --size 4 --visits 300").replace(' ', "${IFS}");
    let line = format!("match --game yugo --size 4 --a-visits 2 --pairs 12 --threads 1 --a-gtp {command} --out run");
    let line = line.replace("--a-visits", "--b-visits");
    let shards = || fs::read_dir(path.join("run/shards")).map_or(0, |entries| entries.count());
    let mut running = Running::start(path, &line);
    running.wait_for(|| shards() >= 2);
    let (ended, time) = running.interrupt();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(time < Duration::from_secs(5), "{time:?}");
    let before = files(&path.join("run"));
    let text = done(path, &line);
    assert!(text.contains("in 12 pairs of openings"), "{text}");
    let after = files(&path.join("run"));
    for (name, bytes) in before.iter().filter(|(name, _)| name.starts_with("shards/")) {
        assert!(after[name] == *bytes, "{name}");
    }

    // The verdict of a sequential test ends it.
    let begun = Instant::now();
    let line = line.replace("--pairs 12", "--sprt 0 200").replace("--out run", "--out test");
    let text = done(path, &line);
    assert!(text.contains("A is stronger by 200 normalised Elo rather than by 0 after "), "{text}");
    println!("a verdict after {:?}", begun.elapsed());
}
