//! `fairkomi perft` and `fairkomi position` as programs.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command as StdCommand, Stdio};

use assert_cmd::Command;
use fairkomi::games::GameKind;
use serde_json::{Value, json};

use crate::play::rule;
use crate::reference::RefGame;

const PROGRAM: &str = env!("CARGO_BIN_EXE_fairkomi");

fn program(args: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(args);
    command
}

fn perft(args: &str) -> (i32, String, String) {
    let output = program(&["perft"]).args(args.split_whitespace()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The answers to all lines of `input`.
fn answers(input: impl Into<Vec<u8>>) -> Vec<Value> {
    let output = program(&["position"]).write_stdin(input).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn answer(question: Value) -> Value {
    let answers = answers(question.to_string());
    assert_eq!(answers.len(), 1);
    answers.into_iter().next().unwrap()
}

/// The error that a question is answered by.
fn error(question: Value) -> String {
    let answer = answer(question);
    assert_eq!((answer["ok"].as_bool(), answer.as_object().unwrap().len()), (Some(false), 2), "{answer}");
    answer["error"].as_str().unwrap().to_string()
}

#[test]
fn perft_prints_the_count_last() {
    for (args, count) in [
        ("--game yugo --size 3 --depth 4", 5443),
        ("--game yugo --size 2 --depth 22", 0),
        ("--game linage --size 3 --depth 5", 5748),
        ("--game fugo --size 4 --depth 4", 43576),
        ("--game sligo --size 3 --depth 4", 43637),
        ("--game sligo --size 19 --depth 0", 1),
        ("--game fugo --size 1 --depth 18446744073709551615", 0),
        // 4 · 3 placements, and 4 swaps after which White places.
        ("--game fugo --size 2 --depth 2 --pie", 16),
        ("--game fugo --size 2 --depth 3 --pie", 24 + 12),
        ("--game yugo --size 2 --depth 2 --handicap 2", 12),
        // Between two diagonal pawns White has the button alone, else two points more.
        ("--game yugo --size 2 --depth 3 --handicap 2", 4 + 8 * 3),
    ] {
        let (code, out, err) = perft(args);
        assert_eq!((code, err.as_str()), (0, ""), "{args}");
        assert_eq!(out.lines().last().unwrap(), count.to_string(), "{args}");
    }
}

#[test]
fn perft_refuses_what_no_game_has() {
    for (args, complaint) in [
        ("--game chess --size 3 --depth 1", "yugo, linage, fugo, sligo"),
        ("--game yugo --size 20 --depth 1", "1 to 19"),
        ("--game yugo --size 0 --depth 1", "1 to 19"),
        ("--game linage --size 2 --depth 1", "3 to 19"),
        ("--game yugo --size 3 --depth 1 --handicap 5", "4 at most"),
        ("--game sligo --size 3 --depth 1 --handicap 1", "handicap"),
        ("--game sligo --size 3 --depth 1 --pie", "pie"),
        ("--game sligo --size -3 --depth 1", "--size"),
        ("--game sligo --size 3", "--depth"),
        ("--game sligo --size 3 --depth 1 --colour", "--colour"),
    ] {
        let (code, out, err) = perft(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args}");
        assert!(err.starts_with("error: ") && err.contains(complaint), "{args}: {err}");
    }
}

#[test]
fn help_explains_with_an_example() {
    for command in ["perft", "position"] {
        let output = program(&[command, "--help"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains("Example:\n"), "{text}");
    }
    assert_eq!(program(&[]).output().unwrap().status.code(), Some(2));
}

#[test]
fn position_answers_with_these_keys() {
    let output = program(&["position"]).write_stdin("{\"game\":\"sligo\",\"size\":2,\"moves\":[\"A1\"]}\n").output();
    let expected = r#"{"ok":true,"board":["..","X."],"to_move":"white","over":false,"legal_moves":["A2","B1","B2","pass"],"black_score":4.0,"white_score":0.0,"winner":null}"#;
    assert_eq!(String::from_utf8(output.unwrap().stdout).unwrap(), format!("{expected}\n"));
}

#[test]
fn position_knows_ends_winners_and_options() {
    let over = answer(json!({"game": "linage", "size": 3, "moves": ["pass", "pass"]}));
    assert_eq!((&over["over"], &over["legal_moves"], &over["winner"]), (&json!(true), &json!([]), &Value::Null));
    let over = answer(json!({"game": "sligo", "size": 3, "moves": ["A1", "pass", "pass"]}));
    assert_eq!((&over["winner"], &over["black_score"]), (&json!("black"), &json!(9.0)));
    let over = answer(json!({"game": "fugo", "size": 1, "pie": true}));
    assert_eq!(
        (&over["winner"], &over["black_score"], &over["white_score"]),
        (&json!("white"), &Value::Null, &Value::Null)
    );

    let swapped = answer(json!({"game": "fugo", "size": 2, "pie": true, "moves": ["A1", "swap"]}));
    assert_eq!((&swapped["to_move"], &swapped["legal_moves"]), (&json!("white"), &json!(["A2", "B1", "B2"])));
    // The winner is a colour, whoever plays it.
    let over = answer(json!({"game": "fugo", "size": 2, "pie": true, "moves": ["A1", "swap", "B2", "B1", "A2"]}));
    assert_eq!((&over["over"], &over["winner"], &over["to_move"]), (&json!(true), &json!("white"), &json!("black")));

    let handicap = answer(json!({"game": "yugo", "size": 3, "handicap": 2, "moves": ["A1"]}));
    assert_eq!((&handicap["to_move"], handicap["legal_moves"].as_array().unwrap().len()), (&json!("black"), 8));
    let sorted = answer(json!({"game": "yugo", "size": 10}));
    assert_eq!((&sorted["legal_moves"][1], &sorted["legal_moves"][2]), (&json!("A10"), &json!("A2")));
}

#[test]
fn position_starts_from_boards() {
    let question = json!({"game": "yugo", "size": 2, "board": ["..", "X@"], "to_move": "white", "button": "white",
        "moves": ["pass", "pass"]});
    let found = answer(question);
    assert_eq!((&found["black_score"], &found["white_score"]), (&json!(1.0), &json!(1.5)));
    assert_eq!((&found["winner"], &found["board"]), (&json!("white"), &json!(["..", "X@"])));
    let free = answer(json!({"game": "yugo", "size": 2, "board": ["..", "X@"], "button": null}));
    assert_eq!((&free["to_move"], &free["legal_moves"]), (&json!("black"), &json!(["A2", "B2", "button"])));

    for (question, reason) in [
        (json!({"game": "sligo", "size": 2, "board": [".X", "X."]}), "there is a weak pair at A1"),
        (json!({"game": "sligo", "size": 2, "board": ["XO", "OX"]}), "weak pair"),
        (json!({"game": "sligo", "size": 2, "board": ["OO", "XO"]}), "there is a surrounded group at A1"),
        (json!({"game": "linage", "size": 3, "board": ["...", "...", "XX."]}), ""),
        (json!({"game": "linage", "size": 3, "board": ["...", "XXX", ".X."]}), "a region holds no line at A1"),
        (json!({"game": "yugo", "size": 2, "board": ["@.", "X@"]}), "a pawn stands in a surrounded group at A1"),
        (json!({"game": "yugo", "size": 2, "board": ["@.", "#@"]}), ""),
        (json!({"game": "yugo", "size": 2, "board": ["..", "..", ".."]}), "3 rows"),
        (json!({"game": "yugo", "size": 2, "board": ["..", "..."]}), "row 2 from the top has 3 points"),
        (json!({"game": "fugo", "size": 2, "board": ["..", "#."]}), "`#` in row 2 from the top"),
        (json!({"game": "linage", "size": 3, "board": ["...", "...", "O.."]}), "not a piece of linage"),
        (json!({"game": "linage", "size": 3, "board": ["...", "...", "éé."]}), "`é` in row 3"),
        (json!({"game": "yugo", "size": 2, "board": "..|.."}), "`board` must be a list of texts"),
        (json!({"game": "yugo", "size": 2, "board": ["..", ".."], "handicap": 1}), "neither `pie` nor `handicap`"),
        (json!({"game": "fugo", "size": 2, "board": ["..", ".."], "pie": true}), "neither `pie` nor `handicap`"),
        (json!({"game": "fugo", "size": 2, "board": ["..", ".."], "button": "black"}), "the button belongs to yugo"),
        (json!({"game": "yugo", "size": 2, "board": ["..", ".."], "to_move": "Black"}), "`to_move` must be"),
        (json!({"game": "yugo", "size": 2, "to_move": "white"}), "go with a start `board`"),
        (json!({"game": "yugo", "size": 2, "button": "black"}), "go with a start `board`"),
    ] {
        match reason {
            "" => assert_eq!(answer(question)["ok"], true),
            reason => {
                let error = error(question);
                assert!(error.contains(reason), "{reason}: {error}");
            }
        }
    }
}

#[test]
fn position_says_what_is_wrong_with_a_move() {
    let fault = |game: &str, size: usize, moves: &[&str]| error(json!({"game": game, "size": size, "moves": moves}));
    for (game, size, moves, reason) in [
        ("sligo", 5, &["C3", "C3"][..], "move 2 (C3): the point is not empty"),
        ("sligo", 5, &["C3", "pass", "C3-C5,A1"], "move 3 (C3-C5,A1): a stone moves to an adjacent point only"),
        ("sligo", 5, &["C3", "pass", "D4"], "move 3 (D4): a weak pair would be on the board"),
        ("sligo", 5, &["C3", "pass", "C3-D4"], "move 3 (C3-D4): the turn is not complete"),
        ("sligo", 1, &["A1"], "move 1 (A1): a group of the player's own would be surrounded"),
        ("sligo", 1, &["pass", "pass", "pass"], "move 3 (pass): the game is over"),
        ("yugo", 5, &["pass"], "move 1 (pass): passing is allowed only once the button is taken"),
        ("yugo", 5, &["button", "button"], "move 2 (button): the button is already taken"),
        ("yugo", 1, &["A1"], "move 1 (A1): a piece there would leave only its own group surrounded"),
        ("yugo", 5, &["swap"], "move 1 (swap): swap belongs to fugo"),
        ("yugo", 5, &["A1-A2"], "move 1 (A1-A2): the turn is complete after `A1`"),
        ("linage", 3, &["A2", "B2", "C2", "A1"], "move 4 (A1): the point is not in a free region"),
        ("linage", 3, &["A2", "B1"], "move 2 (B1): a region would be left without a line"),
        ("linage", 3, &["button"], "move 1 (button): only a point or pass may be played"),
        ("fugo", 3, &["pass"], "move 1 (pass): there is no pass in fugo"),
        ("fugo", 3, &["A1", "swap"], "move 2 (swap): swap is for White's first turn, with the pie rule on"),
        ("fugo", 2, &["A1", "A2", "B2", "B1"], "move 4 (B1): the game is over"),
        ("fugo", 3, &["I1"], "move 1 (I1): `I1` is not a point (a letter A to T without I, then the row, as in C3)"),
        ("fugo", 3, &["D1"], "move 1 (D1): `D1` lies outside the 3x3 board"),
    ] {
        assert_eq!(fault(game, size, moves), reason, "{game} {moves:?}");
    }
}

/// Whatever a line holds, it gets one answer, and the next line is read.
#[test]
fn position_survives_any_line() {
    let good = r#"{"game":"yugo","size":2}"#;
    let long = format!(r#"{{"game":"yugo","size":2,"moves":["{}"]}}"#, "x".repeat(3_000_000));
    let too_long = "[".repeat(20_000_000);
    let deep = format!(r#"{{"game":{}"#, "[".repeat(100_000));
    let odd: [(&[u8], &str); 28] = [
        (b"", "the line is empty"),
        (b"   \t\r", "the line is empty"),
        (b"nonsense", "JSON object"),
        (b"[\"yugo\",2,[],null,null,null,null,null]", "JSON object"),
        (b"null", "JSON object"),
        (b"\xff\xfe{}", "byte 1 is not UTF-8"),
        (b"{\"game\":\"yu\xffgo\",\"size\":2}", "byte 12 is not UTF-8"),
        (b"{\"game\":\"yugo\",\"size\":2", "column 23: EOF"),
        (b"{\"game\":\"yugo\",\"size\":2} {}", "column 26: trailing"),
        (b"{\"game\":\"yugo\",\"size\":2,\"moves\":[\"\\ud800\"]}", "column"),
        (b"{\"game\":\"yugo\",\"size\":2,\"\0\":1}", "column"),
        (b"{}", "`game` is missing"),
        (b"{\"game\":\"yugo\"}", "`size` is missing"),
        (b"{\"game\":\"yugo\",\"size\":2,\"komi\":7}", "unknown field `komi`"),
        (b"{\"game\":\"yugo\",\"size\":2,\"size\":3}", "duplicate field `size`"),
        (b"{\"game\":7,\"size\":2}", "`game` must be the name of a game, not 7"),
        (b"{\"game\":\"Go\",\"size\":2}", "`Go` is not a game"),
        (b"{\"game\":\"yugo\",\"size\":\"2\"}", "`size` must be a whole number"),
        (b"{\"game\":\"yugo\",\"size\":2.5}", "`size` must be a whole number"),
        (b"{\"game\":\"yugo\",\"size\":-1}", "`size` must be a whole number"),
        (b"{\"game\":\"yugo\",\"size\":0}", "size 0 is not allowed"),
        (b"{\"game\":\"yugo\",\"size\":18446744073709551615}", "size 18446744073709551615 is not allowed"),
        (b"{\"game\":\"yugo\",\"size\":2,\"handicap\":18446744073709551615}", "handicap 18446744073709551615"),
        (b"{\"game\":\"yugo\",\"size\":2,\"moves\":\"A1\"}", "`moves` must be a list of texts"),
        (b"{\"game\":\"yugo\",\"size\":2,\"moves\":[1]}", "`moves` must be a list of texts, not 1"),
        (long.as_bytes(), "move 1 (xxxxx"),
        (too_long.as_bytes(), "longer than"),
        (deep.as_bytes(), "recursion limit"),
    ];
    let mut input = Vec::new();
    for (line, _) in odd {
        for line in [line, good.as_bytes()] {
            input.extend_from_slice(line);
            input.push(b'\n');
        }
    }
    // The last line lacks its line feed.
    input.extend_from_slice(b"{");
    let answers = answers(input);
    assert_eq!(answers.len(), 2 * odd.len() + 1);
    for (index, (line, reason)) in odd.iter().enumerate() {
        let shown = String::from_utf8_lossy(&line[..line.len().min(80)]);
        let error = answers[2 * index]["error"].as_str().expect(&shown);
        assert!(error.contains(reason) && error.len() < 500, "{shown}: {error}");
        assert_eq!(answers[2 * index + 1]["ok"], true, "after {shown}");
    }
    assert_eq!(answers.last().unwrap()["ok"], false);
}

/// A driver may wait for each answer before it asks again.
#[test]
fn position_answers_at_once() {
    let mut child = StdCommand::new(PROGRAM)
        .arg("position")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let (mut input, mut output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for size in 1..=5 {
        writeln!(input, "{{\"game\":\"fugo\",\"size\":{size}}}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["board"].as_array().unwrap().len(), size);
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = StdCommand::new(PROGRAM)
        .arg("position")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    // The program may be gone before all is written.
    let _ = (0..10_000).try_for_each(|_| writeln!(input, "{{\"game\":\"fugo\",\"size\":9}}"));
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

/// Random games, asked about ply by ply.
#[test]
fn position_agrees_with_the_reference() {
    let mut random = 1u32;
    let mut below = |limit: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % limit
    };
    let mut input = String::new();
    let mut expected = Vec::new();
    for kind in GameKind::ALL {
        for n in 3..=5 {
            for pie in [false, true] {
                let pie = pie && kind == GameKind::Fugo;
                let handicap = if kind == GameKind::Yugo { below(4) } else { 0 };
                let mut game = RefGame::new(rule(kind), n, pie, handicap);
                let mut moves: Vec<String> = Vec::new();
                for _ in 0..if kind == GameKind::Sligo { 25 } else { 3 * n * n } {
                    let question = json!({"game": kind.name(), "size": n, "moves": moves, "pie": pie,
                        "handicap": handicap});
                    input.push_str(&format!("{question}\n"));
                    let legal = game.legal_turns();
                    let score = game.scores_in_half_points();
                    let colour = |black| if black { "black" } else { "white" };
                    expected.push(json!({"ok": true, "board": game.rows(), "to_move": colour(game.black_to_move()),
                        "over": game.is_over(), "legal_moves": legal,
                        "black_score": score.map(|score| f64::from(score.0) / 2.0),
                        "white_score": score.map(|score| f64::from(score.1) / 2.0),
                        "winner": game.winner_is_black().map(colour)}));
                    if legal.is_empty() {
                        break;
                    }
                    let turn = legal[below(legal.len())].clone();
                    game.play(&turn).unwrap();
                    moves.push(turn);
                }
            }
        }
    }
    let found = answers(input);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
}
