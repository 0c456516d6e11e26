//! Counts of results, in which duplicate games never pass for evidence.

use std::collections::HashSet;

use serde::Serialize;

use super::{GameRow, WinnerSeat, canonical_hash};
use crate::games::Ending;
use crate::stats::{Interval, LEVEL, Outcome, Wdl, effective_counts};

/// Results of games from the first seat's view. Games that hit the move cap have none and are counted apart.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Tally {
    pub wdl: Wdl,
    /// Games that differ, modulo the game's symmetries, among those with a result.
    pub unique: u64,
    /// Games that ended by two passes or because the player to move had no move.
    pub played_out: u64,
    /// Games drawn by repetition.
    pub repetitions: u64,
    /// Games cut off without a result.
    pub capped: u64,
}

impl Tally {
    /// All games, those without a result included.
    pub fn games(&self) -> u64 {
        self.wdl.games() + self.capped
    }

    /// Expected score of the first seat, if any game has a result.
    pub fn score(&self) -> Option<f64> {
        self.wdl.score()
    }

    /// The 95 % interval of the score, in which duplicate games count once.
    pub fn interval(&self) -> Interval {
        effective_counts(self.wdl, self.unique).score_interval(LEVEL)
    }

    /// The share of all games that ended so.
    fn share(&self, count: u64) -> f64 {
        count as f64 / self.games().max(1) as f64
    }

    /// What a reader of the results must know: "When over 2 % of a run's games are capped or over 20 % repeat,
    /// the program warns", and duplicates beyond a half.
    pub fn warnings(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.share(self.capped) > 0.02 {
            found.push(format!("{} of {} games hit the move cap and have no result", self.capped, self.games()));
        }
        if self.share(self.repetitions) > 0.20 {
            found.push(format!("{} of {} games were drawn by repetition", self.repetitions, self.games()));
        }
        if self.wdl.games() > 0 && 2 * self.unique < self.wdl.games() {
            found.push(format!("only {} of {} games differ; intervals count these alone", self.unique, self.wdl.games()));
        }
        found
    }
}

/// Counts the results of some games.
pub fn tally<'a>(rows: impl IntoIterator<Item = &'a GameRow>) -> Tally {
    let mut counted = Tally::default();
    let mut seen = HashSet::new();
    for row in rows {
        match row.ending {
            Ending::Pass | Ending::NoMove => counted.played_out += 1,
            Ending::Repetition => counted.repetitions += 1,
            Ending::MoveCap => counted.capped += 1,
        }
        if let Some(outcome) = first_outcome(row) {
            counted.wdl.record(outcome);
            seen.insert(canonical_hash(row.game, row.size, &row.turns));
        }
    }
    counted.unique = seen.len() as u64;
    counted
}

/// The result for the first seat.
pub fn first_outcome(row: &GameRow) -> Option<Outcome> {
    Some(match row.winner_seat? {
        WinnerSeat::First => Outcome::Win,
        WinnerSeat::Second => Outcome::Loss,
        WinnerSeat::Draw => Outcome::Draw,
    })
}
