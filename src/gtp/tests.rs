//! Sessions: each line that goes in, and what comes out.

use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;

use super::commands::NAMES;
use super::{Setting, serve};
use crate::config::{Board, Device, Inference, Precision, SearchSettings};
use crate::games::{GameKind, HalfPoints};
use crate::net::NetFile;

/// The setting of a session of playouts.
fn setting(game: GameKind, size: usize) -> Setting {
    Setting {
        board: Board { game, size, handicap: 0, pie: game == GameKind::Fugo, move_cap: None },
        komi: HalfPoints(i32::from(game == GameKind::Linage)),
        seed: 1,
        inference: Inference { batch: 16, precision: Precision::F32, device: Device::Cpu },
        search: SearchSettings { tree_memory: 16, ..SearchSettings::default() }.with_visits(20),
        movetime: None,
        by_time: false,
    }
}

/// All that comes out.
fn output(setting: Setting, input: impl Into<Vec<u8>>) -> String {
    let mut output = Vec::new();
    serve(setting, None, Cursor::new(input.into()), &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// The answers to these lines, each without its end.
fn answers(setting: Setting, lines: &[&str]) -> Vec<String> {
    let text = output(setting, lines.join("\n"));
    let answers: Vec<String> = text.split_terminator("\n\n").map(str::to_string).collect();
    assert_eq!(answers.len(), lines.len(), "{text}");
    answers
}

/// What each line is answered.
fn check(game: GameKind, size: usize, talk: &[(&str, &str)]) {
    let lines: Vec<&str> = talk.iter().map(|(line, _)| *line).collect();
    for ((line, expected), found) in talk.iter().zip(answers(setting(game, size), &lines)) {
        assert_eq!(found, *expected, "{line}");
    }
}

#[test]
fn every_command_that_is_listed_is_known_and_no_other() {
    for game in GameKind::ALL {
        for name in NAMES {
            let found = answers(setting(game, 5), &[&format!("1 known_command {name}"), &format!("2 {name}")]);
            assert_eq!(found[0], "=1 true");
            assert!(!found[1].contains("unknown command"), "{name}: {}", found[1]);
        }
        check(game, 5, &[("known_command x", "= false"), ("x", "? unknown command"), ("3", "?3 unknown command")]);
    }
    assert!(NAMES.is_sorted());
}

#[test]
fn boards_komi_and_colours() {
    check(
        GameKind::Linage,
        5,
        &[
            ("protocol_version", "= 2"),
            ("name", "= fairkomi"),
            ("gogui-rules_game_id", "= Linage"),
            ("gogui-rules_board_size", "= 5"),
            ("boardsize 2", "? unacceptable size: linage is played on 3 to 19"),
            ("boardsize 20", "? unacceptable size: linage is played on 3 to 19"),
            ("boardsize x", "? `x` is not a number that can be meant here"),
            ("boardsize", "? an argument is missing"),
            ("boardsize 3", "="),
            ("gogui-rules_board", "= . . .\n. . .\n. . ."),
            ("komi 3", "? komi 3 is not allowed in linage (a whole number and a half only)"),
            ("komi 0.25", "? `0.25` is not a number of half points, such as 3 or 3.5"),
            ("komi 3.5", "="),
            ("play h B2", "? illegal move: it is black's turn"),
            ("play green B2", "? `green` is not a colour"),
            ("play v B2", "="),
            ("gogui-rules_side_to_move", "= white"),
            ("play Horizontal b2", "? illegal move: the point is not empty"),
            ("play w D1", "? `D1` lies outside the 3x3 board"),
            ("play w pass", "="),
            ("play B pass", "="),
            ("gogui-rules_legal_moves", "="),
            ("play h A1", "? illegal move: the game is over"),
            ("genmove h", "? the game is over"),
            ("final_score", "= W+3.5"),
            ("gogui-rules_final_result", "= Horizontal wins by 3.5: Vertical 0, Horizontal 0 and komi 3.5"),
            ("undo", "="),
            ("undo", "="),
            ("undo", "="),
            ("undo", "? cannot undo"),
            ("gogui-rules_legal_moves", "= A1 B1 C1 A2 B2 C2 A3 B3 C3 pass"),
        ],
    );
}

#[test]
fn pass_takes_the_button_while_it_is_free() {
    check(
        GameKind::Yugo,
        3,
        &[
            ("gogui-rules_legal_moves", "= A1 B1 C1 A2 B2 C2 A3 B3 C3 pass"),
            ("play b pass", "="),
            ("gogui-rules_board_gfx", "= TEXT black has the button"),
            ("play w B2", "="),
            ("play b button", "? illegal move: the button is already taken"),
            ("play b pass", "="),
            ("play w pass", "="),
            ("final_score", "= W+8.5"),
            ("undo", "="),
            ("komi -9", "="),
            ("play w pass", "="),
            ("final_score", "= B+0.5"),
        ],
    );
}

#[test]
fn what_is_taken_is_counted() {
    // White's king on A2 surrounds the pawn on A1, which is removed.
    check(
        GameKind::Yugo,
        3,
        &[
            ("play b A1", "="),
            ("play w B1", "="),
            ("play b button", "="),
            ("gogui-rules_captured_count", "= 0 0"),
            ("play w A2", "="),
            ("gogui-rules_board", "= . . .\nO . .\n. O ."),
            ("gogui-rules_board_gfx", "= CIRCLE A2\nTEXT black has the button"),
            ("gogui-rules_captured_count", "= 0 1"),
            ("undo", "="),
            ("gogui-rules_captured_count", "= 0 0"),
        ],
    );
}

#[test]
fn a_turn_is_played_step_by_step_or_whole() {
    check(
        GameKind::Sligo,
        4,
        &[
            ("play b B2", "="),
            ("play w D4", "="),
            ("play b B2", "="),
            ("gogui-rules_side_to_move", "= black"),
            ("gogui-rules_board_gfx", "= SQUARE B2"),
            ("fairkomi-legal_turns", "? a turn has begun; take it back first"),
            ("play b B2-B3,B2", "? illegal move: a turn has begun; play its next step"),
            ("play b B3", "="),
            ("gogui-rules_board", "= . . . O\n. X . .\n. . . .\n. . . ."),
            ("play b B2", "="),
            ("gogui-rules_side_to_move", "= white"),
            ("undo", "="),
            ("undo", "="),
            ("undo", "="),
            ("play b b2-b3,b2", "="),
            ("gogui-rules_board", "= . . . O\n. X . .\n. X . .\n. . . ."),
            ("undo", "="),
            ("gogui-rules_board", "= . . . O\n. . . .\n. X . .\n. . . ."),
            ("play b B2-B3", "? illegal move: the turn is not complete"),
        ],
    );
}

#[test]
fn pass_swaps_on_the_first_turn() {
    check(
        GameKind::Fugo,
        3,
        &[
            ("play b pass", "? illegal move: there is no pass in fugo"),
            ("fairkomi-swap", "? there is nothing to swap: Fugo's White may do so on the first turn, with --pie"),
            ("play b B2", "="),
            ("gogui-rules_legal_moves", "= A1 B1 C1 A2 C2 A3 B3 C3 pass"),
            ("fairkomi-swap", "="),
            ("gogui-rules_legal_moves", "= A1 B1 C1 A2 C2 A3 B3 C3"),
            ("gogui-rules_side_to_move", "= white"),
            ("undo", "="),
            ("play w pass", "="),
            ("play w pass", "? illegal move: there is no pass in fugo"),
            ("komi 1", "? komi 1 is not allowed in fugo (the game has no score and no komi)"),
            ("fairkomi-komi", "? fugo has no komi; with the pie rule White may swap on the first turn"),
            ("fairkomi-ownership", "? nobody owns points in fugo"),
        ],
    );
}

#[test]
fn handicap_pawns_are_placed_before_whites_first_turn() {
    check(
        GameKind::Yugo,
        5,
        &[
            ("set_free_handicap B2 B2", "? bad vertex list: B2: illegal move: the point is not empty"),
            ("gogui-rules_side_to_move", "= black"),
            ("set_free_handicap", "? invalid number of stones"),
            ("set_free_handicap B2 D4", "="),
            ("gogui-rules_side_to_move", "= white"),
            ("gogui-rules_board", "= . . . . .\n. . . X .\n. . . . .\n. X . . .\n. . . . ."),
            ("place_free_handicap 2", "? board not empty"),
            ("clear_board", "="),
            (
                "place_free_handicap 13",
                "? invalid number of stones: handicap 13 is not allowed in yugo on 5x5 (12 at most)",
            ),
        ],
    );
    let found = answers(setting(GameKind::Yugo, 5), &["place_free_handicap 3", "gogui-rules_side_to_move"]);
    assert_eq!((found[0].split_whitespace().count(), found[1].as_str()), (4, "= white"), "{found:?}");
    check(
        GameKind::Sligo,
        5,
        &[(
            "place_free_handicap 2",
            "? invalid number of stones: handicap 2 is not allowed in sligo on 5x5 (0 at most)",
        )],
    );
}

#[test]
fn players_agree_on_dead_groups_or_play_on() {
    // Black's wall in the middle of 3x3, a white stone beside it.
    let start = ["play b B1", "play w A3", "play b B2", "play w pass", "play b B3", "play w pass", "play b pass"];
    let talk = |more: &[&str]| {
        let lines: Vec<&str> = start.iter().chain(more).copied().collect();
        answers(setting(GameKind::Sligo, 3), &lines).split_off(start.len())
    };
    // As it stands: 3 black stones and C1 to C3 against one white stone and A1, A2 between them: nobody's.
    assert_eq!(
        talk(&["final_score", "final_status_list dead", "final_status_list alive"]),
        ["= B+5", "=", "= B1 B2 B3\nA3"]
    );
    assert_eq!(
        talk(&["fairkomi-dead", "fairkomi-propose w A3", "fairkomi-accept b", "final_score", "final_status_list dead"]),
        ["= A3", "= waiting for black", "= agreed", "= B+9", "= A3"]
    );
    assert_eq!(
        talk(&["fairkomi-propose b A3", "fairkomi-propose w", "fairkomi-propose w C1", "final_score"]),
        ["= waiting for white", "= waiting for black", "? there is no group at C1", "= B+5"]
    );
    assert_eq!(talk(&["fairkomi-accept b"]), ["? white has proposed nothing"]);
    assert_eq!(
        talk(&[
            "fairkomi-propose b A3",
            "fairkomi-dispute w",
            "gogui-rules_legal_moves",
            "play w pass",
            "play b pass",
            "fairkomi-propose b A3",
            "final_score",
            "undo",
            "undo",
            "undo",
            "fairkomi-accept w",
            "final_score",
        ]),
        [
            "= waiting for white",
            "= white to move",
            "= A1 C1 A2 C2 A3 C3 pass",
            "=",
            "=",
            "? play was resumed once; the game is over as it stands",
            "= B+5",
            "=",
            "=",
            "=",
            "= agreed",
            "= B+9",
        ]
    );
    check(
        GameKind::Linage,
        3,
        &[(
            "fairkomi-dead",
            "? there is nothing to agree on: that comes when both players of Yugo or Sligo have passed",
        )],
    );
}

#[test]
fn the_engine_plays_whole_games() {
    for game in GameKind::ALL {
        let size = if game == GameKind::Sligo { 3 } else { 4 };
        let mut lines = vec!["fairkomi-param visits 4".to_string()];
        let mut colours = ["b", "w"].into_iter().cycle();
        // Who is not to move is refused, and nothing happens: so each colour gets its turns.
        for _ in 0..400 {
            lines.push(format!("genmove {}", colours.next().unwrap()));
        }
        lines.extend(["gogui-rules_legal_moves", "gogui-rules_final_result", "final_score"].map(str::to_string));
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let found = answers(setting(game, size), &lines);
        let [.., legal, result, score] = &found[..] else { unreachable!() };
        assert_eq!(legal, "=", "{game} is over: {found:?}");
        assert!(result.contains("wins") || result.contains("Draw") || result.contains("Tie"), "{result}");
        assert!(["= B+", "= W+", "= 0"].iter().any(|start| score.starts_with(start)), "{score}");
        // The same commands are answered in the same way.
        assert_eq!(found, answers(setting(game, size), &lines));
        let other = Setting { seed: 2, ..setting(game, size) };
        assert_ne!(found, answers(other, &lines), "{game}: other random numbers");
    }
}

#[test]
fn advice_is_not_played_and_does_not_depend_on_what_was_asked_before() {
    for game in GameKind::ALL {
        let lines = ["reg_genmove b", "fairkomi-win_rate", "fairkomi-visits", "reg_genmove b", "gogui-rules_board"];
        let found = answers(setting(game, 4), &lines);
        assert!(found[0].len() > 2, "{}", found[0]);
        assert_eq!(found[4], "= . . . .\n. . . .\n. . . .\n. . . .");
    }
}

#[test]
fn time_decides_where_it_is_given() {
    let timed = Setting { movetime: Some(Duration::from_millis(30)), ..setting(GameKind::Yugo, 5) };
    let timed = Setting { search: timed.search.settings.with_visits(1_000_000), by_time: true, ..timed };
    let begun = std::time::Instant::now();
    let found = answers(timed, &["genmove b", "genmove w", "time_left w 0 0", "time_settings 0 0 0", "genmove b"]);
    assert!(found.iter().all(|answer| answer.starts_with('=')), "{found:?}");
    assert!(begun.elapsed() >= Duration::from_millis(60));
    // Not a million visits for each komi that is looked at.
    let small = Setting { board: setting(GameKind::Sligo, 2).board, ..timed };
    assert!(answers(small, &["fairkomi-komi"])[0].starts_with("= "));
}

#[test]
fn komi_and_sides_are_suggested() {
    let visits = Setting { search: SearchSettings::default().with_visits(200), ..setting(GameKind::Linage, 3) };
    // Vertical wins 3x3 by 4 with best play.
    let found = answers(visits, &["fairkomi-komi", "fairkomi-choose_side 1.5", "fairkomi-choose_side 7.5", "komi 3.5"]);
    assert!(found[0].starts_with("= 3.5 ") || found[0].starts_with("= 4.5 "), "{}", found[0]);
    assert!(found[1].starts_with("= black (") && found[2].starts_with("= white ("), "{found:?}");
}

/// Gives its parts one after another, each after a pause.
struct Slowly(Vec<&'static str>);

impl Read for Slowly {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Ok(0);
        }
        let part = self.0.remove(0);
        buffer[..part.len()].copy_from_slice(part.as_bytes());
        std::thread::sleep(Duration::from_millis(150));
        Ok(part.len())
    }
}

/// All that comes out of a session with pauses, with this network or with playouts.
fn slow_output(game: GameKind, with_network: bool, parts: &[&'static str]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/nets").join(game.name()).with_extension("safetensors");
    let network = with_network.then(|| NetFile::load_for(&path, game).expect("a network of the game"));
    let mut output = Vec::new();
    serve(setting(game, 4), network, BufReader::new(Slowly(parts.to_vec())), &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn analysis_streams_until_the_next_command() {
    for game in GameKind::ALL {
        for (with_network, command) in [
            (false, "1 lz-analyze b 1\n"),
            (true, "1 lz-analyze interval 1\n"),
            (true, "1 kata-analyze 1 ownership true\n"),
        ] {
            let text = slow_output(game, with_network, &[command, "\n", "2 play b A1\n", "3 name\n"]);
            let (stream, rest) = text.split_once("\n\n").unwrap();
            assert_eq!(rest, "=2\n\n=3 fairkomi\n\n", "{text}");
            let mut lines = stream.lines();
            assert_eq!(lines.next(), Some("=1"));
            let last = lines.last().unwrap_or_default();
            let infos: Vec<&str> = last.split("info ").filter(|info| !info.is_empty()).collect();
            assert!(infos.len() > 3, "{last}");
            for (order, info) in infos.iter().enumerate() {
                let words: Vec<&str> = info.split_whitespace().collect();
                let value = |key: &str| {
                    let at = words.iter().position(|word| *word == key).unwrap_or_else(|| panic!("{key} in {info}"));
                    words[at + 1]
                };
                assert_eq!((words[0], value("order"), value("pv")), ("move", order.to_string().as_str(), words[1]));
                let scale = if command.contains("kata") { 1.0 } else { 10_000.0 };
                for key in ["winrate", "prior", "lcb"] {
                    let number: f64 = value(key).parse().unwrap();
                    assert!((0.0..=scale).contains(&number), "{info}");
                }
                if command.contains("kata") && game.has_score() {
                    assert!(value("scoreLead").parse::<f64>().unwrap().abs() <= 17.0, "{info}");
                }
            }
            let owners = last.split("ownership ").nth(1).map_or(0, |owners| owners.split_whitespace().count());
            assert_eq!(owners, if command.contains("kata") && game.has_score() { 16 } else { 0 });
        }
    }
}

#[test]
fn analysis_of_nothing_is_refused() {
    check(
        GameKind::Fugo,
        2,
        &[
            ("lz-analyze w", "? illegal move: it is black's turn"),
            ("lz-analyze 0", "? `0` is not an interval in centiseconds"),
            ("kata-analyze avoid b", "? `avoid` is not known here"),
            ("lz-analyze ownership true", "? `ownership` is not known here"),
            ("kata-analyze interval", "? interval needs a value"),
            ("lz-analyze 1 maxmoves 0", "="),
        ],
    );
    // On one point Black's stone would be smothered.
    check(
        GameKind::Fugo,
        1,
        &[
            ("gogui-rules_legal_moves", "="),
            ("lz-analyze", "? the game is over"),
            ("fairkomi-win_rate", "? the game is over"),
            ("gogui-rules_final_result", "= White wins: Black cannot move"),
            ("final_score", "= W+"),
        ],
    );
}

#[test]
fn graphics_have_gogui_s_form() {
    for game in GameKind::ALL {
        for with_network in [false, true] {
            let mut lines =
                vec!["fairkomi-best_line\n", "fairkomi-visits\n", "fairkomi-win_rate\n", "gogui-analyze_commands\n"];
            if game.has_score() {
                lines.extend(["fairkomi-ownership\n", "fairkomi-margin\n"]);
            }
            let text = slow_output(game, with_network, &lines);
            let found: Vec<&str> = text.split_terminator("\n\n").collect();
            assert!(found[0].starts_with("= VAR b ") && found[0].contains("\nTEXT b "), "{}", found[0]);
            assert_eq!(found[1].split_whitespace().count() % 2, 1, "{}", found[1]);
            assert!(found[2].starts_with("= Black ") && found[2].contains("% ("), "{}", found[2]);
            for line in found[3].trim_start_matches("= ").lines() {
                let parts: Vec<&str> = line.split('/').collect();
                assert_eq!(parts.len(), 3, "{line}");
                assert!(NAMES.contains(&parts[2].split(' ').next().unwrap()), "{line}");
            }
            if game.has_score() {
                let rows: Vec<Vec<f64>> = found[4]
                    .trim_start_matches("= ")
                    .lines()
                    .map(|row| row.split(' ').map(|number| number.parse().unwrap()).collect())
                    .collect();
                assert!(rows.len() == 4 && rows.iter().all(|row| row.len() == 4));
                assert!(rows.iter().flatten().all(|owner| (-1.0..=1.0).contains(owner)));
                assert!(found[5].contains(if with_network { "network" } else { "playouts" }), "{}", found[5]);
            }
        }
    }
}

#[test]
fn a_stone_that_the_search_would_not_pick_up_is_moved_all_the_same() {
    // From A1 the stone can go to B1 or A2, and the placement then only to A1: boards that a placement at once makes too.
    let start = ["play b A1", "play w B2", "play b A1"];
    let talk = |more: &str| {
        let lines: Vec<&str> = start.iter().copied().chain([more]).collect();
        answers(setting(GameKind::Sligo, 2), &lines).pop().unwrap()
    };
    assert_eq!(talk("gogui-rules_legal_moves"), "= B1 A2");
    assert_eq!(talk("genmove b"), "= B1");
    assert_eq!(talk("reg_genmove b"), "= B1");
    for command in ["lz-analyze b 1", "fairkomi-win_rate", "fairkomi-best_line", "fairkomi-visits"] {
        let refused = "? nothing to search: a placement without this movement makes the same boards";
        assert_eq!(talk(command), refused, "{command}");
    }
}

#[test]
fn an_agreement_shows_in_all_that_is_said_of_the_board() {
    let start = ["play b A1", "play w B2", "play b pass", "play w pass", "fairkomi-propose b B2", "fairkomi-accept w"];
    let asked = ["final_score", "fairkomi-margin", "fairkomi-ownership"];
    let lines: Vec<&str> = start.iter().chain(&asked).copied().collect();
    let found = answers(setting(GameKind::Sligo, 2), &lines);
    assert_eq!(
        found[start.len()..],
        ["= B+4", "= Black by 4.0 ± 0.0 (standard deviation of the game; the game is over)", "= 1.00 1.00\n1.00 1.00"]
    );
}

#[test]
fn options_of_the_board_hold_for_new_ones() {
    let setting =
        Setting { board: Board { pie: true, ..setting(GameKind::Fugo, 3).board }, ..setting(GameKind::Fugo, 3) };
    let found =
        answers(setting, &["boardsize 4", "play b B2", "fairkomi-swap", "clear_board", "play b A1", "fairkomi-swap"]);
    assert!(found.iter().all(|answer| answer == "="), "{found:?}");
}

/// Lines like those that a controller sends, and lines that none does.
fn lines() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => prop::sample::select(NAMES.to_vec()).prop_map(str::to_string),
        6 => "[A-Fa-f][1-5]",
        4 => prop::sample::select(vec!["b", "w", "v", "h", "pass", "button", "swap", "black", "WHITE"]).prop_map(str::to_string),
        2 => "-?[0-9]{1,3}(\\.5)?",
        1 => "[A-E][1-5]-[A-E][1-5](,[A-E][1-5])?",
        1 => "\\PC{0,6}",
        1 => "[\\x00-\\x7f]{0,5}",
    ];
    let command = prop::sample::select(
        NAMES.iter().copied().filter(|name| !["quit", "lz-analyze", "kata-analyze"].contains(name)).collect::<Vec<_>>(),
    );
    let number = prop::option::of(0u32..1000);
    let told = (number, command, prop::collection::vec(word.clone(), 0..4)).prop_map(|(number, command, words)| {
        format!("{} {command} {}", number.map_or(String::new(), |number| number.to_string()), words.join(" "))
    });
    let played =
        (prop::sample::select(vec!["b", "w"]), word.clone()).prop_map(|(colour, word)| format!("play {colour} {word}"));
    let any = prop::collection::vec(word, 0..5).prop_map(|words| words.join(" "));
    prop_oneof![3 => told, 6 => played, 1 => any].prop_map(|line| line.replace('\n', " "))
}

/// Each command is answered once, in the form of the protocol.
fn is_in_form(text: &str) -> bool {
    text.is_empty()
        || text.ends_with("\n\n") && {
            let answers: Vec<&str> = text.split_terminator("\n\n").collect();
            answers.iter().all(|answer| {
                let head: String = answer.chars().skip(1).take_while(char::is_ascii_digit).collect();
                let rest = &answer[1 + head.len()..];
                answer.starts_with(['=', '?']) && (rest.is_empty() || rest.starts_with(' ')) && !rest.ends_with('\n')
            })
        }
}

proptest! {
    // 100,000 lines in all.
    #![proptest_config(ProptestConfig { cases: 250, max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn whatever_is_said_is_answered_in_form(
        game in prop::sample::select(GameKind::ALL.to_vec()),
        lines in prop::collection::vec(lines(), 400),
    ) {
        let small = setting(game, 3);
        let small = Setting { search: small.search.settings.with_visits(2), ..small };
        // Searches of a million visits take their time.
        let lines: Vec<String> = lines.into_iter().filter(|line| !line.contains("param") && !line.contains("analyze ")).collect();
        let ends = lines.iter().any(|line| super::protocol::Request::parse(line).is_some_and(|request| request.command == "quit"));
        let commands = lines.iter().filter(|line| super::protocol::Request::parse(line).is_some()).count();
        let text = output(small, lines.join("\n"));
        prop_assert!(is_in_form(&text), "{text}");
        let found = text.split_terminator("\n\n").count();
        prop_assert!(if ends { found <= commands } else { found == commands }, "{found} of {commands}");
    }
}
