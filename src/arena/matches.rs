//! A match: every opening is played twice, with the seats exchanged, and the pair is the unit of evidence.

use std::collections::HashSet;

use serde::Serialize;

use crate::config::MatchConfig;
use crate::games::{GameKind, HalfPoints};
use crate::records::{GameRow, Layout, MEASURED_SHARD, RunDir, Tally, first_outcome, game_key, tally};
use crate::search::{ChoiceRule, PlayoutPolicy};
use crate::selfplay::{Control, Engine, Opening, OutputError, Plan, PlayError, Setup, Workers, play_shards};
use crate::stats::elo::EloEstimate;
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

/// What a match says about engine A against engine B.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MatchReport {
    pub game: GameKind,
    pub size: usize,
    pub komi: HalfPoints,
    pub a: String,
    pub b: String,
    pub pairs: Vec<PairResult>,
    /// Pairs by their result for A: both lost, …, both won. Pairs with a game without a result are left out, and of
    /// pairs that are the same modulo symmetry all but one.
    pub pentanomial: Pentanomial,
    /// Single games from A's view.
    pub games: Wdl,
    /// A's score with its 95 % interval from pairs.
    pub score: Option<f64>,
    pub interval: Interval,
    pub elo: Option<EloEstimate>,
    /// The games from the first seat's view: how even the match's games were, endings, duplicates.
    pub seats: Tally,
    pub void_pairs: u64,
}

/// Plays a match into `dir`, or what is left of it: games 2p and 2p + 1 are pair p.
pub fn play_match<G: PlayoutPolicy>(
    config: &MatchConfig,
    engines: &[Engine; 2],
    dir: &mut RunDir,
    workers: Workers,
    control: Control<'_>,
) -> Result<(), PlayError<OutputError>> {
    let setup = |index: u64| Setup {
        index,
        rules: config.board.rules(config.komi),
        seats: if index.is_multiple_of(2) { [0, 1] } else { [1, 0] },
        opening: Opening::Random { turns: config.opening_turns },
        opening_stream: index / 2,
        choice: ChoiceRule::MOST,
        explore: None,
        plan: None,
    };
    let layout = Layout { games: MEASURED_SHARD, compress: false };
    let plan = Plan { engines, games: 2 * config.pairs, seed: config.seed, layout };
    play_shards::<G>(&plan, &setup, dir, workers, control)
}

/// What the games of a match say.
pub fn match_report(rows: &[GameRow], config: &MatchConfig, engines: &[Engine; 2]) -> MatchReport {
    let mut found = MatchReport {
        game: config.board.game,
        size: config.board.size,
        komi: config.komi,
        a: engines[0].describe(),
        b: engines[1].describe(),
        pairs: Vec::new(),
        pentanomial: Pentanomial::new([0; 5]),
        games: Wdl::default(),
        score: None,
        interval: Interval::UNIT,
        elo: None,
        seats: tally(rows),
        void_pairs: 0,
    };
    let mut seen = HashSet::new();
    for pair in rows.chunk_by(|a, b| a.game_index / 2 == b.game_index / 2) {
        let [one, two] = pair else { continue };
        let opening: Vec<&str> = one.turn_texts().take(one.opening_turns).collect();
        let (a_first, a_second) = (first_outcome(one), first_outcome(two).map(Outcome::negated));
        for outcome in [a_first, a_second].into_iter().flatten() {
            found.games.record(outcome);
        }
        match (a_first, a_second) {
            (Some(first), Some(second)) => {
                if seen.insert([one, two].map(game_key)) {
                    found.pentanomial.record(first, second);
                }
            }
            _ => found.void_pairs += 1,
        }
        found.pairs.push(PairResult { pair: one.game_index / 2, opening: opening.join(" "), a_first, a_second });
    }
    found.score = found.pentanomial.score();
    found.interval = found.pentanomial.score_interval(LEVEL);
    found.elo = found.pentanomial.elo(LEVEL);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Board, Device, Inference, Precision, Reading, SearchConfig, SearchSettings};
    use crate::games::Ending;
    use crate::records::WinnerSeat;
    use crate::records::testing::made_up;

    fn search(visits: u32) -> SearchConfig {
        SearchSettings { reading: Reading::VALUE, tree_memory: 64, ..SearchSettings::default() }.with_visits(visits)
    }

    fn config() -> MatchConfig {
        MatchConfig {
            board: Board { game: GameKind::Sligo, size: 5, handicap: 0, pie: false, move_cap: Some(200) },
            pairs: 4,
            seed: 1,
            inference: Inference { batch: 16, precision: Precision::F32, device: Device::Cpu },
            komi: HalfPoints(3),
            opening_turns: 2,
            b_precision: Precision::F32,
            a: search(100),
            b: search(10),
        }
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
        let engines = [100, 10].map(|visits| Engine::playouts(search(visits)));
        match_report(&rows(results), &config(), &engines)
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
        let engines = [100, 10].map(|visits| Engine::playouts(search(visits)));
        let found = match_report(&rows, &config(), &engines);
        assert_eq!(found.pentanomial, Pentanomial::new([1, 0, 1, 0, 1]));
        assert_eq!((found.games, found.pairs.len()), (Wdl::new(5, 0, 3), 4));
    }

    #[test]
    fn a_game_without_its_partner_is_left_out() {
        let mut rows = rows("WW WW LL");
        rows.remove(2);
        let engines = [100, 10].map(|visits| Engine::playouts(search(visits)));
        let found = match_report(&rows, &config(), &engines);
        assert_eq!(found.pentanomial, Pentanomial::new([1, 0, 0, 0, 1]));
        assert_eq!(found.pairs.iter().map(|pair| pair.pair).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(report("").score, None);
    }
}
