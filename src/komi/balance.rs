//! Counts of finished games: results, endings, lengths, margins, first moves.

use std::collections::BTreeMap;

use serde::Serialize;

use super::course::{Course, Values, course};
use crate::games::{Ending, GameKind, HalfPoints};
use crate::records::{GameRow, Tally, tally};

/// How long games were, in turns.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Lengths {
    pub mean: f64,
    pub deviation: f64,
    pub shortest: usize,
    pub longest: usize,
}

/// The first player's margins without komi, of games that were played out. In points.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Margins {
    pub mean: f64,
    pub deviation: f64,
    pub median: f64,
    /// How many games ended with which margin, in half points.
    pub histogram: BTreeMap<i32, u64>,
}

/// Games that began with the same move, modulo symmetry.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FirstMove {
    /// One of the moves, in notation.
    pub turn: String,
    /// All moves that are the same modulo symmetry.
    pub alike: Vec<String>,
    pub tally: Tally,
}

/// What is known of a board's balance at one komi.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Balance {
    pub game: GameKind,
    pub size: usize,
    pub komi: HalfPoints,
    pub pie: bool,
    pub tally: Tally,
    pub lengths: Option<Lengths>,
    pub margins: Option<Margins>,
    pub first_moves: Vec<FirstMove>,
    /// How the games went; `None` if no search of theirs is known.
    pub course: Option<Course>,
}

/// Sums up the games at each komi, in the order of the rows, in which games at the same komi stand together.
pub fn balances(rows: &[GameRow], values: &Values) -> Vec<Balance> {
    rows.chunk_by(|a, b| a.komi == b.komi).filter_map(|rows| balance(rows, values)).collect()
}

/// Sums up games that were all played at the same komi. `None` without games.
pub(super) fn balance(rows: &[GameRow], values: &Values) -> Option<Balance> {
    let first = rows.first()?;
    Some(Balance {
        game: first.game,
        size: first.size,
        komi: first.komi,
        pie: first.pie,
        tally: tally(rows),
        lengths: lengths(rows),
        margins: margins(rows),
        first_moves: first_moves(rows),
        course: course(rows, values),
    })
}

fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (mean, if values.len() > 1 { (square / (count - 1.0)).sqrt() } else { 0.0 })
}

fn lengths(rows: &[GameRow]) -> Option<Lengths> {
    let turns = || rows.iter().map(|row| row.turn_count);
    let (mean, deviation) = moments(&turns().map(|turns| turns as f64).collect::<Vec<_>>());
    Some(Lengths { mean, deviation, shortest: turns().min()?, longest: turns().max()? })
}

fn margins(rows: &[GameRow]) -> Option<Margins> {
    let played_out = rows.iter().filter(|row| row.ending == Ending::Pass);
    let mut half: Vec<i32> = played_out.filter_map(|row| row.margin).map(|margin| margin.0).collect();
    half.sort_unstable();
    let (low, high) = (*half.get(half.len().checked_sub(1)? / 2)?, half[half.len() / 2]);
    let (mean, deviation) = moments(&half.iter().map(|half| f64::from(*half) / 2.0).collect::<Vec<_>>());
    let mut histogram = BTreeMap::new();
    for margin in half {
        *histogram.entry(margin).or_insert(0) += 1;
    }
    Some(Margins { mean, deviation, median: f64::from(low + high) / 4.0, histogram })
}

/// Pools the games by their first turn, symmetric ones together, the most played first.
pub fn first_moves(rows: &[GameRow]) -> Vec<FirstMove> {
    let mut pools: BTreeMap<Vec<String>, Vec<&GameRow>> = BTreeMap::new();
    for row in rows {
        if let Some(turn) = row.turn_texts().next() {
            pools.entry(alike(row.game, row.size, turn)).or_default().push(row);
        }
    }
    let pool =
        |(alike, rows): (Vec<String>, Vec<&GameRow>)| FirstMove { turn: alike[0].clone(), tally: tally(rows), alike };
    let mut moves: Vec<FirstMove> = pools.into_iter().map(pool).collect();
    moves.sort_by_key(|first| std::cmp::Reverse(first.tally.games()));
    moves
}

/// All images of a first turn under the game's symmetries, sorted, each once.
pub(super) fn alike(game: GameKind, size: usize, turn: &str) -> Vec<String> {
    use crate::games::{Game, Options, Step, parse_step, step_name};
    let images = crate::with_game!(game, size, G => {
        let start = G::new(size, Options::default());
        match parse_step(&start, turn) {
            Ok(Step::Point(point)) => {
                game.symmetries().map(|symmetry| step_name(&start, Step::Point(start.map_point(symmetry, point)))).collect()
            }
            _ => vec![turn.to_string()],
        }
    });
    let mut images: Vec<String> = images;
    images.sort_by_key(|name| (name.len(), name.clone()));
    images.dedup();
    images
}
