//! What a match says.

use std::collections::HashSet;

use serde::Serialize;

use crate::config::MatchConfig;
use crate::games::{Ending, GameKind, HalfPoints};
use crate::records::{GameRow, Tally, first_outcome, game_key, tally};
use crate::stats::elo::EloEstimate;
use crate::stats::sprt::{Sequential, Verdict};
use crate::stats::{Interval, LEVEL, Outcome, Pentanomial, Wdl};

/// The two games of an opening.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PairResult {
    pub pair: u64,
    /// The opening's turns, in notation.
    pub opening: String,
    /// Engine A's result in the first seat, then in the second; `None` where the game hit the move cap.
    pub a_first: Option<Outcome>,
    pub a_second: Option<Outcome>,
}

/// The pairs of a match, counted in the order of their numbers: quick games must not be heard first.
#[derive(Clone, PartialEq, Debug)]
pub struct Evidence {
    pub pairs: Vec<PairResult>,
    /// Pairs by their result for A: both lost, …, both won. Pairs with a game without a result are left out, and those of
    /// which both games were played before modulo symmetry; in a sequential test also those after its verdict.
    pub pentanomial: Pentanomial,
    /// Single games from A's view, all of them.
    pub games: Wdl,
    pub void_pairs: u64,
    /// The sequential test, if the match is one.
    pub test: Option<Sequential>,
}

impl Evidence {
    /// Counts the games of a match. A game whose partner is missing is left out.
    pub fn of(rows: &[GameRow], config: &MatchConfig) -> Self {
        let mut found = Evidence {
            pairs: Vec::new(),
            pentanomial: Pentanomial::new([0; 5]),
            games: Wdl::default(),
            void_pairs: 0,
            test: config.sprt.map(Sequential::new),
        };
        let mut seen = HashSet::new();
        for pair in rows.chunk_by(|a, b| a.game_index / 2 == b.game_index / 2) {
            let [one, two] = pair else { continue };
            let opening: Vec<&str> = one.turn_texts().take(one.opening_turns).collect();
            // What a program failed at says nothing of its play, if the user wants it so.
            let counts =
                |row: &GameRow| !(config.void_faults && row.ending.is_forfeit() && row.ending != Ending::Resign);
            let outcome = |row: &GameRow| first_outcome(row).filter(|_| counts(row));
            let (a_first, a_second) = (outcome(one), outcome(two).map(Outcome::negated));
            for outcome in [a_first, a_second].into_iter().flatten() {
                found.games.record(outcome);
            }
            match (a_first, a_second) {
                // A pair of two games that were played before, be it in two other pairs, is no new evidence.
                (Some(first), Some(second)) => {
                    if [one, two].map(|row| seen.insert((row.game_index % 2, game_key(row)))).contains(&true) {
                        found.count(first, second);
                    }
                }
                _ => found.void_pairs += 1,
            }
            found.pairs.push(PairResult { pair: one.game_index / 2, opening: opening.join(" "), a_first, a_second });
        }
        found
    }

    fn count(&mut self, first: Outcome, second: Outcome) {
        match &mut self.test {
            None => self.pentanomial.record(first, second),
            Some(test) => {
                test.record(first, second);
                self.pentanomial = *test.pairs();
            }
        }
    }

    /// The verdict of the sequential test, if the match is one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.test.as_ref().map(Sequential::verdict)
    }
}

/// What a match says about engine A against engine B.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MatchReport {
    pub game: GameKind,
    pub size: usize,
    pub komi: HalfPoints,
    pub a: String,
    pub b: String,
    pub pairs: Vec<PairResult>,
    /// See [`Evidence::pentanomial`].
    pub pentanomial: Pentanomial,
    /// Single games from A's view.
    pub games: Wdl,
    /// A's score with its 95 % interval from pairs. After a sequential test both lean away from the middle: see `nelo`.
    pub score: Option<f64>,
    pub interval: Interval,
    pub elo: Option<EloEstimate>,
    /// Normalised Elo; after a sequential test its median-unbiased estimate, with an interval that holds in spite of the stop.
    pub nelo: Option<EloEstimate>,
    /// The likelihood that A is the stronger one.
    pub los: f64,
    /// The sequential test, if the match was one.
    pub test: Option<TestReport>,
    /// The games from the first seat's view: how even the match's games were, endings, duplicates.
    pub seats: Tally,
    pub void_pairs: u64,
}

/// How a sequential test ended.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct TestReport {
    pub elo0: f64,
    pub elo1: f64,
    pub alpha: f64,
    pub beta: f64,
    pub llr: f64,
    /// The limits of the ratio.
    pub lower: f64,
    pub upper: f64,
    pub verdict: Verdict,
}

impl TestReport {
    /// Where a test stands.
    pub fn of(test: &Sequential) -> Self {
        let sprt = test.sprt();
        TestReport {
            elo0: sprt.bounds.elo0(),
            elo1: sprt.bounds.elo1(),
            alpha: sprt.errors.alpha(),
            beta: sprt.errors.beta(),
            llr: test.llr(),
            lower: sprt.errors.lower(),
            upper: sprt.errors.upper(),
            verdict: test.verdict(),
        }
    }
}

/// What the games of a match between engines of these descriptions say.
pub fn match_report(rows: &[GameRow], config: &MatchConfig, engines: [String; 2]) -> MatchReport {
    let Evidence { pairs, pentanomial, games, void_pairs, test } = Evidence::of(rows, config);
    let [a, b] = engines;
    MatchReport {
        game: config.board.game,
        size: config.board.size,
        komi: config.komi,
        a,
        b,
        pairs,
        pentanomial,
        games,
        score: pentanomial.score(),
        interval: pentanomial.score_interval(LEVEL),
        elo: pentanomial.elo(LEVEL),
        nelo: match &test {
            Some(test) => test.estimate(LEVEL),
            None => pentanomial.nelo(LEVEL),
        },
        los: test.as_ref().map_or(pentanomial.los(), Sequential::los),
        test: test.as_ref().map(TestReport::of),
        seats: tally(rows),
        void_pairs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::testing::{config as config_of, search};
    use crate::records::WinnerSeat;
    use crate::records::testing::made_up;
    use crate::selfplay::Engine;
    use crate::stats::sprt::{Bounds, ErrorRates, Sprt};

    fn config() -> MatchConfig {
        MatchConfig { komi: HalfPoints(3), ..config_of(GameKind::Sligo, 5) }
    }

    fn engines() -> [String; 2] {
        [100, 10].map(|visits| Engine::playouts(search(visits)).describe())
    }

    /// Games by A's result: `W`on, `D`rawn, `L`ost, `-` capped; A sits in the first seat of every other game.
    fn rows(results: &str) -> Vec<GameRow> {
        let row = |(index, result): (usize, char)| {
            let is_first = index % 2 == 0;
            let (a, b) = if is_first {
                (WinnerSeat::First, WinnerSeat::Second)
            } else {
                (WinnerSeat::Second, WinnerSeat::First)
            };
            let winner = match result {
                'W' => a,
                'L' => b,
                _ => WinnerSeat::Draw,
            };
            let mut row = made_up(GameKind::Sligo, 5, HalfPoints(3), index as u64, winner);
            row.opening_turns = 2;
            if result == '-' {
                (row.ending, row.winner_seat) = (Ending::MoveCap, None);
            }
            row
        };
        results.chars().filter(|result| *result != ' ').enumerate().map(row).collect()
    }

    fn report(results: &str) -> MatchReport {
        match_report(&rows(results), &config(), engines())
    }

    #[test]
    fn the_stronger_engine_scores_above_one_half() {
        let found = report("WW WD WL DW LW DD WW");
        assert_eq!(found.pentanomial, Pentanomial::new([0, 0, 3, 2, 2]));
        assert_eq!(found.games, Wdl::new(8, 4, 2));
        assert_eq!(found.score, Some(20.0 / 28.0));
        assert!(found.interval.contains(20.0 / 28.0) && found.elo.is_some_and(|elo| elo.elo > 0.0));
        assert_eq!((found.a.as_str(), found.b.as_str()), ("playouts, 100 visits", "playouts, 10 visits"));
        assert_eq!((found.void_pairs, found.pairs.len()), (0, 7));
        let pair = &found.pairs[1];
        assert_eq!((pair.pair, pair.a_first, pair.a_second), (1, Some(Outcome::Win), Some(Outcome::Draw)));
        assert_eq!(pair.opening, "A1 B1");
        // From the first seat's view: A's results in the first seat, the opposite in the second.
        assert_eq!(found.seats.wdl, Wdl::new(5, 4, 5));
    }

    #[test]
    fn the_other_engine_sees_the_mirror() {
        for results in ["WW WD WL DL LL DD", "WW", "LD", "DD WL", "WW WW WW LL"] {
            let mirror: String = results
                .chars()
                .map(|c| match c {
                    'W' => 'L',
                    'L' => 'W',
                    c => c,
                })
                .collect();
            let (a, b) = (report(results), report(&mirror));
            assert_eq!(a.pentanomial, b.pentanomial.negated());
            assert_eq!(a.games, b.games.negated());
            assert_eq!(a.score, b.score.map(|score| 1.0 - score));
            let other = b.interval.complement();
            assert!((a.interval.lo - other.lo).abs() < 1e-12 && (a.interval.hi - other.hi).abs() < 1e-12);
            assert_eq!(a.seats.wdl, b.seats.wdl.negated());
        }
    }

    #[test]
    fn who_begins_is_no_strength() {
        // The first seat wins always.
        let found = report("WL WL WL WL");
        assert_eq!((found.score, found.pentanomial.counts), (Some(0.5), [0, 0, 4, 0, 0]));
        assert_eq!(found.seats.score(), Some(1.0));
    }

    #[test]
    fn a_pair_with_a_capped_game_is_void() {
        let found = report("WW W- -L --");
        assert_eq!(found.pentanomial, Pentanomial::new([0, 0, 0, 0, 1]));
        assert_eq!((found.void_pairs, found.score), (3, Some(1.0)));
        assert_eq!(found.games, Wdl::new(3, 0, 1), "single games are still counted");
        assert_eq!(found.pairs[1].a_second, None);
        assert_eq!(found.seats.capped, 4);
    }

    #[test]
    fn pairs_that_are_the_same_count_once() {
        let mut rows = rows("WW WW LL WL");
        for index in [2, 3] {
            rows[index].turns = rows[index - 2].turns.clone();
        }
        let found = match_report(&rows, &config(), engines());
        assert_eq!(found.pentanomial, Pentanomial::new([1, 0, 1, 0, 1]));
        assert_eq!((found.games, found.pairs.len()), (Wdl::new(5, 0, 3), 4));
    }

    #[test]
    fn a_game_without_its_partner_is_left_out() {
        let mut rows = rows("WW WW LL");
        rows.remove(2);
        let found = match_report(&rows, &config(), engines());
        assert_eq!(found.pentanomial, Pentanomial::new([1, 0, 0, 0, 1]));
        assert_eq!(found.pairs.iter().map(|pair| pair.pair).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(report("").score, None);
    }

    #[test]
    fn a_sequential_test_counts_pairs_up_to_its_verdict() {
        let sprt = Sprt { bounds: Bounds::new(0.0, 100.0).unwrap(), errors: ErrorRates::new(0.05, 0.05).unwrap() };
        let config = MatchConfig { sprt: Some(sprt), ..config() };
        let results = "WW WL ".repeat(40);
        let found = match_report(&rows(&results), &config, engines());
        let test = found.test.unwrap();
        assert_eq!(test.verdict, Verdict::AcceptH1);
        assert!(found.pentanomial.pairs() < 80 && found.games.games() == 160);
        assert!(test.llr > 2.0 && found.los > 0.95 && found.los < 1.0, "{test:?} {}", found.los);
        // More games after the verdict change nothing that is said of the engines.
        let longer = match_report(&rows(&(results + "LL LL LL LL")), &config, engines());
        assert_eq!((longer.pentanomial, longer.nelo, longer.test), (found.pentanomial, found.nelo, found.test));
        // The estimate of a stopped test is nearer to nothing than the plain one.
        let plain = found.pentanomial.nelo(LEVEL).unwrap();
        assert!(found.nelo.unwrap().elo < plain.elo);
    }
}
