use std::path::Path;

use super::*;
use crate::arena::{MatchReport, match_report};
use crate::config::{Board, Device, Inference, MatchConfig, Precision, Reading, SearchSettings};
use crate::games::{Ending, GameKind, HalfPoints};
use crate::komi::{Balance, Known, Measurement, Values, openings, summary};
use crate::learn::{BoardResult, PipelineResult, StageTime};
use crate::net::{Bin, Calibration, OwnAnswer};
use crate::records::testing::results;
use crate::records::{EngineTag, GameRow, WinnerSeat};
use crate::selfplay::Engine;

/// Made-up games of Sligo on 3x3 at komi 3½, 4 and 4½, some drawn by repetition.
fn fair() -> Measurement {
    let mut rows: Vec<GameRow> = [(7, [50, 0, 10]), (8, [20, 21, 19]), (9, [20, 20, 40])]
        .into_iter()
        .zip(0..)
        .flat_map(|((komi, wdl), place)| results(GameKind::Sligo, 3, HalfPoints(komi), 1000 * place, wdl))
        .collect();
    for row in rows.iter_mut().filter(|row| row.komi == HalfPoints(9) && row.winner_seat == Some(WinnerSeat::Draw)) {
        row.ending = Ending::Repetition;
    }
    Measurement::Komi(Box::new(summary(&rows, GameKind::Sligo, 3)))
}

/// Made-up games of Fugo on 3x3.
fn fugo() -> Measurement {
    let mut rows = results(GameKind::Fugo, 3, HalfPoints(0), 0, [12, 0, 0]);
    for (row, turn) in rows.iter_mut().zip(["B2", "A1", "A2", "C3"].into_iter().cycle()) {
        row.turns = row.turns.replacen("A1", turn, 1);
        row.opening_turns = 1;
        row.winner_seat = Some(if turn == "A2" { WinnerSeat::First } else { WinnerSeat::Second });
    }
    rows[0].winner_seat = Some(WinnerSeat::First);
    rows.extend(results(GameKind::Fugo, 3, HalfPoints(0), 100, [3, 0, 1]));
    let mut pie = results(GameKind::Fugo, 3, HalfPoints(0), 200, [1, 0, 3]);
    pie.iter_mut().for_each(|row| row.pie = true);
    rows.extend(pie);
    Measurement::Openings(Box::new(openings(&rows, 3)))
}

/// Made-up games of Linage on 3x3 at komi 3½.
fn balances() -> Vec<Balance> {
    let mut rows = results(GameKind::Linage, 3, HalfPoints(7), 0, [3, 0, 1]);
    for (row, (turns, margin)) in
        rows.iter_mut().zip([("A2 pass", 10), ("C2 pass", 8), ("B2 pass pass", 8), ("pass", 2)])
    {
        (row.turns, row.turn_count, row.margin) = (turns.into(), turns.split(' ').count(), Some(HalfPoints(margin)));
    }
    crate::komi::balances(&rows, &Values::new())
}

/// A made-up match: A wins both games of three pairs, one each of the fourth; the fifth has a capped game.
fn strength() -> MatchReport {
    let mut rows = results(GameKind::Sligo, 3, HalfPoints(8), 0, [10, 0, 0]);
    for row in &mut rows {
        row.opening_turns = 1;
        if row.game_index % 2 == 1 && row.game_index < 6 {
            row.winner_seat = Some(WinnerSeat::Second);
        }
    }
    (rows[9].ending, rows[9].winner_seat) = (Ending::MoveCap, None);
    let search = |visits| {
        SearchSettings { reading: Reading::VALUE, tree_memory: 64, ..SearchSettings::default() }.with_visits(visits)
    };
    let board = Board { game: GameKind::Sligo, size: 3, handicap: 0, pie: false, move_cap: Some(100) };
    let inference = Inference { batch: 16, precision: Precision::F32, device: Device::Cpu };
    let config = MatchConfig {
        pairs: 5,
        seed: 1,
        komi: HalfPoints(8),
        opening_turns: 1,
        ..MatchConfig::between([search(64), search(16)], board, inference)
    };
    match_report(&rows, &config, [64, 16].map(|visits| Engine::playouts(search(visits)).describe()))
}

/// Fails unless each of these lines stands in the text.
fn assert_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|found| found.trim_end() == *line), "no line\n{line}\nin\n{text}");
    }
}

/// A network's own answer.
fn own() -> OwnAnswer {
    let (komi, most_even, median) = (HalfPoints(8), HalfPoints(9), Some(HalfPoints(10)));
    OwnAnswer { komi, most_even, crossings: 1, median, scan: Vec::new() }
}

#[test]
fn a_fair_komi_as_text() {
    let text = komi_text(&fair(), "playouts, 64 visits", Some(&own()), Some(Known::Margin(HalfPoints(18))));
    assert_lines(
        &text,
        &[
            "sligo 3x3: fair komi of playouts, 64 visits, from the empty board",
            "│ komi ┆ games ┆ differ ┆ W/D/L of first ┆         score [95 %] ┆ repeated ┆ capped │",
            "│ 3.5  ┆    60 ┆     60 ┆        50/0/10 ┆ 0.833 [0.720, 0.907] ┆        0 ┆      0 │",
            "│ 4.5  ┆    80 ┆     80 ┆       20/20/40 ┆ 0.375 [0.290, 0.469] ┆       20 ┆      0 │",
            "fair komi k* [95 %]: +4? [+4, +9] (not fully identified: too few games to exclude higher komi)",
            "best allowed komi: 4 (first player's score 0.508 [0.408, 0.608], imbalance +0.008 from one half)",
            "network's own answer at the empty board (rests on no games): +4, median margin +5 at komi 4.5",
            "exact value by exhaustive search: +9",
        ],
    );
    assert!(!text.contains("warning:") && !text.contains("decisive"), "{text}");
}

#[test]
fn openings_as_text() {
    let text = komi_text(&fugo(), "playouts, 64 visits", None, None);
    assert_lines(
        &text,
        &[
            "fugo 3x3: openings of playouts, 64 visits",
            "   3   0 100   0",
            "   2 100  33 100",
            "   1   0 100   0",
            "       A   B   C",
            "fairest pie opening: B2 (0.333 [0.061, 0.792])",
        ],
    );
    assert!(text.contains("│ empty board, pie off        ┆     4 ┆      4 ┆          3/0/1 ┆"), "{text}");
    assert!(text.contains("│ empty board, pie on (seats) ┆     4 ┆      4 ┆          1/0/3 ┆"), "{text}");
}

#[test]
fn a_balance_as_text() {
    let text = balance_text(&balances(), "network abc, 64 visits");
    assert_lines(
        &text,
        &[
            "linage 3x3: balance of network abc, 64 visits, from the empty board (± standard deviation)",
            "first moves at komi 3.5: share of games, symmetric ones together / score of the first player, in % (intervals: balance.csv)",
            "   3      .      .      .",
            "   2 50/100 25/100 50/100",
            "   1      .      .      .",
            "          A      B      C",
            "     pass 25/0",
        ],
    );
    assert!(text.contains("┆ 2.0 ± 0.8 (1–3) ┆ +3.5 ± 1.7, median +4 │"), "{text}");
    assert!(text.contains("3/0/1"), "{text}");
}

#[test]
fn a_match_as_text() {
    assert_lines(
        &match_text(&strength()),
        &[
            "sligo 3x3 at komi 4: playouts, 64 visits (A) against playouts, 16 visits (B)",
            "A: 8 wins, 0 draws, 1 losses in 5 pairs of openings, 4 of them new (LL, LD, LW or DD, DW, WW: \
             [0, 0, 1, 0, 3])",
            "first seat: 0.667 [0.354, 0.879] (W/D/L 6/0/3); 9 of 10 games differ; 0 repeated, 1 capped",
            "1 pairs with a game without a result are left out of the score",
            "warning: 1 of 10 games hit the move cap and have no result",
        ],
    );
    let text = match_text(&strength());
    assert!(text.contains("score of A [95 %, from these pairs]: 0.875 [0."), "{text}");
    assert!(text.contains("Elo difference [95 %]: +338 ["), "{text}");
}

#[test]
fn nothing_played_is_said_to_be_unknown() {
    let text = komi_text(&Measurement::Komi(Box::new(summary(&[], GameKind::Yugo, 5))), "playouts", None, None);
    assert!(text.contains("not identified") && text.contains("no games"), "{text}");
    let text = komi_text(&Measurement::Openings(Box::new(openings(&[], 3))), "playouts", None, None);
    assert!(text.contains("   2 – – –") && !text.contains("NaN"), "{text}");
    assert!(!balance_text(&[], "playouts").contains("NaN"));
}

/// What the main job found on two boards.
fn boards() -> Vec<BoardResult> {
    let board = |game| Board { game, size: 3, handicap: 0, pie: false, move_cap: None };
    let tag = EngineTag::default();
    let result = |board: Board, komi, known| BoardResult {
        tag: tag.clone(),
        board,
        known,
        engine: "network abc, 64 visits".into(),
        komi,
        network_answer: board.game.has_score().then(own),
        balance: balances(),
        strength: strength(),
    };
    vec![
        result(board(GameKind::Sligo), fair(), Some(Known::Margin(HalfPoints(18)))),
        result(board(GameKind::Fugo), fugo(), None),
    ]
}

#[test]
fn the_main_job_as_text() {
    let stage =
        |stage: &str, seconds, games| StageTime { stage: stage.to_string(), seconds, games, ..StageTime::default() };
    let times = vec![
        stage("yugo 3x3 self-play 0", 1.0, 10),
        stage("yugo training 1", 2.0, 0),
        stage("yugo 3x3 self-play 1", 0.5, 20),
        stage("yugo 3x3 rating 2-1", 0.25, 4),
    ];
    let text = pipeline_text(&PipelineResult { boards: boards(), times });
    let row = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name} in\n{text}"));
        line.split(['│', '┆']).map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>()
    };
    let sligo = row("│ sligo 3x3");
    assert_eq!(sligo[..2], ["sligo 3x3", "+9"]);
    assert!(sligo[2].starts_with("+4") && sligo[3] == "+4" && sligo[4] == "4", "{sligo:?}");
    assert_eq!(sligo[5], "0.508 [0.408, 0.608]");
    assert!(sligo[6].starts_with("0.875 ["), "{sligo:?}");
    let fugo = row("│ fugo 3x3");
    assert_eq!(fugo[1..6], ["–", "no komi", "–", "open B2", "0.333 [0.061, 0.792]"]);
    assert_eq!(row("│ yugo self-play")[1..], ["1.5", "30"]);
    assert_eq!(row("│ yugo training")[1..], ["2.0", "–"]);
    assert_eq!(row("│ yugo rating")[1..], ["0.2", "4"]);
    assert_eq!(row("│ in all")[1..], ["3.8", "34"]);
}

#[test]
fn a_calibration_as_text() {
    let mut calibration = Calibration { bins: [Bin { weight: 0.0, value: 0.0, outcome: 0.0 }; 10], error: 0.0312 };
    calibration.bins[7] = Bin { weight: 41.0, value: 0.75, outcome: 0.7012 };
    let text = calibration_text(&calibration);
    assert!(text.contains("│ 0.7–0.8   ┆        41 ┆           0.750 ┆        0.701 │"), "{text}");
    assert!(!text.contains("0.6–0.7") && text.ends_with("on held-out games: 0.031\n"), "{text}");
}

/// A CSV file's rows by column name.
fn read(path: &Path) -> Vec<std::collections::HashMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).expect("a file");
    reader.deserialize().collect::<Result<_, _>>().expect("as many cells as columns")
}

#[test]
fn files_hold_the_same_figures() {
    let folder = tempfile::tempdir().expect("a folder");
    let number = |text: &String| text.parse::<f64>().unwrap_or_else(|_| panic!("`{text}` is not a number"));

    let board = |game, size| Board { game, size, handicap: 0, pie: false, move_cap: None };
    let tag = EngineTag { name: "network".to_string(), net: Some("0123456789ab".to_string()), visits: 64 };
    write_komi(folder.path(), &board(GameKind::Sligo, 3), &tag, &fair(), Some(&own())).expect("written");
    let rows = read(&folder.path().join("komi.csv"));
    assert_eq!(rows.iter().map(|row| row["komi"].as_str()).collect::<Vec<_>>(), ["3.5", "4", "4.5"]);
    let last = &rows[2];
    let cells = ["kind", "game", "size", "games", "differing", "wins", "draws", "losses", "repetitions", "capped"];
    assert_eq!(cells.map(|cell| last[cell].as_str()), ["komi", "sligo", "3", "80", "80", "20", "20", "40", "20", "0"]);
    assert_eq!(number(&last["score"]), 0.375);
    assert!(number(&last["score_low"]) < 0.375 && number(&last["score_high"]) > 0.375);
    let [row] = &read(&folder.path().join("fair_komi.csv"))[..] else { panic!("one estimate") };
    assert_eq!([number(&row["fair_komi"]), number(&row["best_komi"]), number(&row["network_answer"])], [4.0; 3]);
    assert_eq!(number(&row["network_median"]), 5.0);
    let Measurement::Komi(found) = fair() else { panic!("Sligo has a komi") };
    let end = |half: Option<i32>| half.map_or(String::new(), |half| format!("{:?}", HalfPoints(half).points()));
    assert_eq!((&row["low"], &row["high"]), (&end(found.lattice.lo), &end(found.lattice.hi)));

    assert_eq!((row["visits"].as_str(), row["network"].as_str()), ("64", "0123456789ab"));
    let games: u64 = found.at.iter().map(|at| at.tally.games()).sum();
    assert_eq!((row["games"].as_str(), row["fairest_opening"].as_str()), (games.to_string().as_str(), ""));

    write_komi(folder.path(), &board(GameKind::Fugo, 3), &tag, &fugo(), None).expect("written");
    let [row] = &read(&folder.path().join("fair_komi.csv"))[..] else { panic!("one row") };
    assert_eq!(
        (row["fair_komi"].as_str(), number(&row["score"])),
        ("", 0.75),
        "no komi, but a score of the empty board"
    );
    let Measurement::Openings(openings) = fugo() else { panic!("Fugo has openings") };
    let fairest = openings.fairest().expect("there are openings");
    assert_eq!(row["fairest_opening"], fairest.turn);
    assert_eq!(Some(number(&row["opening_score"])), fairest.tally.score());
    let rows = read(&folder.path().join("komi.csv"));
    let names: Vec<_> =
        rows.iter().map(|row| (row["kind"].as_str(), row["first_move"].as_str(), row["wins"].as_str())).collect();
    assert_eq!(
        names,
        [
            ("empty_board", "", "3"),
            ("pie", "", "1"),
            ("opening", "A1", "0"),
            ("opening", "A2", "3"),
            ("opening", "B2", "1")
        ]
    );

    write_balance(folder.path(), &balances()).expect("written");
    let rows = read(&folder.path().join("balance.csv"));
    let names: Vec<_> =
        rows.iter().map(|row| (row["kind"].as_str(), row["first_move"].as_str(), row["games"].as_str())).collect();
    assert_eq!(names[..2], [("komi", "", "4"), ("first_move", "A2", "2")]);
    assert_eq!(rows.len(), 4);

    write_pairs(folder.path(), &strength().pairs).expect("written");
    let rows = read(&folder.path().join("match.csv"));
    assert_eq!(rows.len(), 5);
    let cells = |row: usize| ["pair", "opening", "a_first", "a_second"].map(|cell| rows[row][cell].as_str());
    assert_eq!(cells(0), ["0", "A1", "win", "win"]);
    assert_eq!(cells(3), ["3", "A1", "win", "loss"]);
    assert_eq!(cells(4), ["4", "A1", "win", ""]);

    write_summary(folder.path(), &boards()).expect("written");
    let rows = read(&folder.path().join("summary.csv"));
    assert_eq!(rows[0]["exact"], "+9");
    assert_eq!((number(&rows[0]["fair_komi"]), number(&rows[0]["match_score"])), (4.0, 0.875));
    assert_eq!((rows[1]["fairest_opening"].as_str(), rows[1]["fair_komi"].as_str()), ("B2", ""));
    assert!(rows.iter().all(|row| row["engine"] == "network abc, 64 visits"));
}
