//! An exact value and what is known of the first turns.

use std::fmt::Write;

use super::map::board_map;
use crate::games::{Game, GameKind, Player, Step};
use crate::solve::{FirstMove, Range, Solution, Verdict};
use crate::with_game;

/// The solution: how it was found, the first turns on a map of the board, and the value on the last line.
pub fn solution_text(solution: &Solution) -> String {
    let Solution { game, size, handicap, positions, memory, .. } = *solution;
    let with_handicap = if handicap > 0 { format!(" with handicap {handicap}") } else { String::new() };
    let mut text = format!(
        "{game} {size}x{size}{with_handicap} by {}: {positions} positions, {:.1} MiB, {:.1} s\n",
        solution.method,
        memory as f64 / f64::from(1 << 20),
        solution.time.as_secs_f64()
    );
    let named: Vec<(String, &FirstMove)> = with_game!(game, size, G => {
        let start = G::new(size, Default::default());
        solution.first_moves.iter().map(|first| (first.turn.text(&start), first)).collect()
    });
    let cell = |first: &FirstMove| {
        let best = if solution.is_best(first) { "*" } else { "" };
        short(solution.verdict_after(first)) + best
    };
    if !named.is_empty() {
        let what = if game == GameKind::Fugo { "who wins" } else { "the first player's margin" };
        let _ = writeln!(text, "{what} after each first turn (*: one that gives nothing away):");
        let find = |name: &str| named.iter().find(|(turn, _)| turn == name);
        text += &board_map(game, size, |name| find(name).map_or("-".to_string(), |(_, first)| cell(first)));
        let is_special = |first: &FirstMove| matches!(first.turn.steps(), [Step::Special(_)]);
        for (name, first) in named.iter().filter(|(_, first)| is_special(first)) {
            let _ = writeln!(text, "{name}: {}", cell(first));
        }
    }
    if let Some(stopped) = solution.stopped {
        let _ = writeln!(text, "not all is known: {stopped}");
    }
    if game == GameKind::Fugo {
        let with_pie = solution.with_pie().map_or("not known".to_string(), |winner| winner.to_string());
        let _ = writeln!(text, "with pie: {with_pie}");
    }
    let _ = writeln!(text, "{}", solution.verdict());
    text
}

/// A value in a cell of a map.
fn short(verdict: Verdict) -> String {
    match verdict {
        Verdict::Margin(margin) => margin.signed(),
        Verdict::Winner(Player::Black) => "black".to_string(),
        Verdict::Winner(Player::White) => "white".to_string(),
        Verdict::Bounds(lower, upper) => format!("{}..{}", lower.signed(), upper.signed()),
        Verdict::Endless => "endless".to_string(),
    }
}

/// What is proven about a value, in words.
pub fn proven_text(value: Range) -> String {
    match (value.lower, value.upper) {
        (Some(lower), Some(upper)) if lower == upper => format!("the value is {}", lower.signed()),
        (Some(lower), Some(upper)) => format!("the value is {} to {}", lower.signed(), upper.signed()),
        (Some(lower), None) => format!("the value is {} at least", lower.signed()),
        (None, Some(upper)) => format!("the value is {} at most", upper.signed()),
        (None, None) => "nothing proven yet".to_string(),
    }
}
