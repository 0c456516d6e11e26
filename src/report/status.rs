//! How far a run has come, as text.

use std::fmt::Write;

use super::text::table;
use crate::learn::{BoardStatus, GenerationRow, RunStatus};

/// A table of generations for each game, what is done of the next one, how long the rest may take, and what is measured.
pub fn status_text(run: &RunStatus) -> String {
    let mut text = String::new();
    for game in &run.games {
        let over = game.rows.len();
        let _ = writeln!(text, "{}: {over} of {} generations", game.game, game.generations);
        if !game.rows.is_empty() {
            let mut rows = table(&[
                "network",
                "best",
                "loss held out",
                "calibration error",
                "v best before",
                "Elo [95 %]",
                "games/h",
                "evals/h",
            ]);
            for row in &game.rows {
                rows.add_row(cells(row));
            }
            let _ = writeln!(text, "{rows}");
        }
        if over < game.generations {
            for BoardStatus { size, selfplay, .. } in &game.boards {
                let _ = writeln!(text, "{size}x{size} self-play {over}: {selfplay} of {} games on disk", game.games);
            }
            if game.is_trained {
                let games: Vec<String> =
                    game.boards.iter().map(|board| format!("{} on {1}x{1}", board.gate, board.size)).collect();
                let _ = writeln!(
                    text,
                    "network {} is trained; games against the best before: {}",
                    over + 1,
                    games.join(", ")
                );
            }
        }
        if let Some(left) = game.seconds_left().filter(|_| over < game.generations) {
            let _ = writeln!(text, "generations left: {} at the pace so far", duration(left));
        }
        for BoardStatus { size, measured: [komi, balance, pairs], .. } in &game.boards {
            if komi + balance + pairs == 0 {
                continue;
            }
            let _ = writeln!(text, "{size}x{size} games measured: komi {komi}, balance {balance}, match {pairs}");
        }
    }
    text += "Elo is that of matches between best networks, with playouts at 0; losses are in nats; games/h and evals/h are those \
             of self-play alone.\n";
    if run.is_over {
        text += "The run is over: report.txt in its directory tells of the boards.\n";
    }
    text
}

fn cells(row: &GenerationRow) -> [String; 8] {
    let number =
        |value: Option<f64>, digits: usize| value.map_or("–".to_string(), |value| format!("{value:.digits$}"));
    let interval = |value: Option<f64>, ends: [Option<f64>; 2], digits: usize| match (value, ends) {
        (Some(value), [Some(low), Some(high)]) => format!("{value:.digits$} [{low:.digits$}, {high:.digits$}]"),
        (value, _) => number(value, digits),
    };
    let an_hour = |count: u64| match row.selfplay_seconds > 0.0 && count > 0 {
        true => format!("{:.0}", count as f64 * 3600.0 / row.selfplay_seconds),
        false => "–".to_string(),
    };
    [
        row.generation.to_string(),
        if row.promoted { "yes" } else { "no" }.to_string(),
        number(row.held_out_loss, 3),
        number(row.calibration_error, 3),
        interval(row.gate_score, [row.gate_low, row.gate_high], 3),
        interval(row.elo, [row.elo_low, row.elo_high], 0),
        an_hour(row.games),
        an_hour(row.evaluations),
    ]
}

fn duration(seconds: f64) -> String {
    let minutes = (seconds / 60.0).ceil() as u64;
    if minutes < 60 { format!("{minutes} min") } else { format!("{} h {:02} min", minutes / 60, minutes % 60) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GameKind;
    use crate::learn::GameStatus;

    fn row(generation: u32) -> GenerationRow {
        GenerationRow {
            generation,
            promoted: generation != 2,
            games: 100,
            positions: 2000,
            evaluations: 36_000,
            selfplay_seconds: 36.0,
            training_seconds: 4.0,
            core_hours: 0.1,
            train_loss: 3.0,
            held_out_loss: Some(3.21),
            margin_loss: None,
            outcome_loss: None,
            policy_loss: None,
            ownership_loss: None,
            calibration_error: None,
            gate_score: (generation > 1).then_some(0.55),
            gate_low: (generation > 1).then_some(0.5),
            gate_high: (generation > 1).then_some(0.6),
            elo: Some(100.0),
            elo_low: Some(50.0),
            elo_high: Some(150.0),
        }
    }

    fn board(size: usize, selfplay: u64) -> BoardStatus {
        BoardStatus { size, selfplay, ..BoardStatus::default() }
    }

    #[test]
    fn generations_are_told_with_what_is_left() {
        let status = GameStatus {
            game: GameKind::Yugo,
            generations: 5,
            rows: vec![row(1), row(2)],
            boards: vec![board(5, 40), board(7, 0)],
            games: 100,
            is_trained: false,
            seconds: 7200.0,
        };
        let text = status_text(&RunStatus { games: vec![status.clone()], is_over: false });
        for part in [
            "yugo: 2 of 5 generations",
            "0.550 [0.500, 0.600]",
            "100 [50, 150]",
            "10000",
            "3600000",
            "5x5 self-play 2: 40 of 100 games",
            "generations left: 3 h 00 min",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(!text.contains("measured") && !text.contains("The run is over"));
        assert!(!text.contains("is trained"));
        let gate = vec![BoardStatus { gate: 32, ..board(5, 100) }, board(7, 100)];
        let text = status_text(&RunStatus {
            games: vec![GameStatus { boards: gate, is_trained: true, ..status.clone() }],
            is_over: false,
        });
        assert!(text.contains("network 3 is trained; games against the best before: 32 on 5x5, 0 on 7x7"), "{text}");
        let measured = vec![
            BoardStatus { measured: [128, 64, 40], ..board(5, 0) },
            BoardStatus { measured: [32, 0, 0], ..board(7, 0) },
        ];
        let over = GameStatus { generations: 2, boards: measured, ..status };
        let text = status_text(&RunStatus { games: vec![over], is_over: true });
        assert!(!text.contains("left"));
        for part in
            ["5x5 games measured: komi 128, balance 64, match 40", "7x7 games measured: komi 32", "The run is over"]
        {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert_eq!(duration(61.0), "2 min");
    }
}
