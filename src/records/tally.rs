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
    /// Games that a player gave up or failed in.
    pub forfeits: u64,
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

    /// The 95 % interval of the score, for as many games as differ. Their results are those of all games, rounded
    /// towards a draw; the interval always holds the score of all games too.
    pub fn interval(&self) -> Interval {
        let Interval { lo, hi } = effective_counts(self.wdl, self.unique).score_interval(LEVEL);
        let score = self.score().unwrap_or(0.5);
        Interval { lo: lo.min(score), hi: hi.max(score) }
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
            found.push(format!(
                "only {} of {} games differ; intervals count these alone",
                self.unique,
                self.wdl.games()
            ));
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
            Ending::Resign | Ending::Timeout | Ending::Crash | Ending::Illegal | Ending::Protocol => {
                counted.forfeits += 1
            }
        }
        if let Some(outcome) = first_outcome(row) {
            counted.wdl.record(outcome);
            seen.insert(game_key(row));
        }
    }
    counted.unique = seen.len() as u64;
    counted
}

/// What games that are the same modulo the board's symmetries have in common.
pub fn game_key(row: &GameRow) -> u128 {
    // Turns that are no turns cannot be compared: each such game counts as its own.
    canonical_hash(row.game, row.size, &row.turns).unwrap_or(u128::from(row.game_index))
}

/// The result for the first seat.
pub fn first_outcome(row: &GameRow) -> Option<Outcome> {
    Some(match row.winner_seat? {
        WinnerSeat::First => Outcome::Win,
        WinnerSeat::Second => Outcome::Loss,
        WinnerSeat::Draw => Outcome::Draw,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{made_up, results};
    use super::*;
    use crate::games::{GameKind, HalfPoints};

    /// Rows on 5x5 at komi ½.
    fn rows(wdl: [u64; 3]) -> Vec<GameRow> {
        results(GameKind::Sligo, 5, HalfPoints(1), 0, wdl)
    }

    #[test]
    fn results_and_endings_are_counted_apart() {
        let mut rows = rows([5, 2, 3]);
        rows[0].ending = Ending::NoMove;
        rows[5].ending = Ending::Repetition;
        (rows[9].ending, rows[9].winner_seat) = (Ending::MoveCap, None);
        let found = tally(&rows);
        let expected =
            Tally { wdl: Wdl::new(5, 2, 2), unique: 9, played_out: 8, repetitions: 1, capped: 1, forfeits: 0 };
        assert_eq!(found, expected);
        assert_eq!((found.games(), found.score()), (10, Some(6.0 / 9.0)));
        assert_eq!(found.interval(), Wdl::new(5, 2, 2).score_interval(LEVEL));
        assert_eq!(tally(&[]).score(), None);
        assert_eq!(tally(&[]).interval(), Interval::UNIT);
    }

    #[test]
    fn games_of_hundreds_differ() {
        for (game, size) in [(GameKind::Yugo, 2), (GameKind::Linage, 3), (GameKind::Fugo, 9), (GameKind::Sligo, 3)] {
            let rows = results(game, size, HalfPoints(0), 0, [300, 0, 0]);
            assert_eq!(tally(&rows).unique, 300, "{game}");
        }
    }

    #[test]
    fn the_same_game_and_its_images_count_once() {
        let row = |index, turns: &str| {
            let mut row = made_up(GameKind::Sligo, 5, HalfPoints(1), index, WinnerSeat::First);
            row.turns = turns.to_string();
            row
        };
        let images = ["A2 C3-C4,D5", "B1 C3-D3,E4", "E4 C3-C2,B1", "A2 C3-C4,D5"];
        let mut rows: Vec<GameRow> = images.iter().zip(0..).map(|(turns, index)| row(index, turns)).collect();
        assert_eq!(tally(&rows).unique, 1);
        rows.push(row(4, "A2 C3-C2,D5"));
        assert_eq!(tally(&rows).unique, 2);
        // All won: the interval of two games, not of five.
        assert_eq!(tally(&rows).interval(), Wdl::new(2, 0, 0).score_interval(LEVEL));
    }

    #[test]
    fn a_hundred_duplicates_prove_nothing() {
        let mut rows = rows([100, 0, 0]);
        let same = rows[0].turns.clone();
        rows.iter_mut().for_each(|row| row.turns = same.clone());
        let found = tally(&rows);
        assert_eq!((found.unique, found.wdl.games()), (1, 100));
        assert!(found.interval().contains(0.3), "{}", found.interval());
        assert_eq!(found.warnings(), ["only 1 of 100 games differ; intervals count these alone"]);
    }

    #[test]
    fn warnings_begin_above_their_limits() {
        let warned = |repeated: usize, capped: usize| {
            let mut rows = rows([60, 0, 40]);
            rows.iter_mut().take(repeated).for_each(|row| row.ending = Ending::Repetition);
            for row in rows.iter_mut().skip(repeated).take(capped) {
                (row.ending, row.winner_seat) = (Ending::MoveCap, None);
            }
            tally(&rows).warnings()
        };
        assert!(warned(20, 2).is_empty());
        assert_eq!(warned(21, 0), ["21 of 100 games were drawn by repetition"]);
        assert_eq!(warned(0, 3), ["3 of 100 games hit the move cap and have no result"]);
        assert_eq!(warned(21, 3).len(), 2);
    }
}
