//! A match: every opening is played twice, with the seats exchanged, and the pair is the unit of evidence.

use serde::Serialize;

use crate::config::MatchConfig;
use crate::games::{GameKind, HalfPoints};
use crate::records::{GameRow, Layout, MAX_SHARD_GAMES, RunDir, Tally, first_outcome, tally};
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
    /// Pairs by their result for A: both lost, …, both won. Pairs with a game without a result are left out.
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
        noise: None,
    };
    let layout = Layout { games: MAX_SHARD_GAMES.min(2 * config.pairs), compress: false };
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
    for pair in rows.chunk_by(|a, b| a.game_index / 2 == b.game_index / 2) {
        let [one, two] = pair else { continue };
        let opening: Vec<&str> = one.turn_texts().take(one.opening_turns).collect();
        let (a_first, a_second) = (first_outcome(one), first_outcome(two).map(Outcome::negated));
        for outcome in [a_first, a_second].into_iter().flatten() {
            found.games.record(outcome);
        }
        match (a_first, a_second) {
            (Some(first), Some(second)) => found.pentanomial.record(first, second),
            _ => found.void_pairs += 1,
        }
        found.pairs.push(PairResult { pair: one.game_index / 2, opening: opening.join(" "), a_first, a_second });
    }
    found.score = found.pentanomial.score();
    found.interval = found.pentanomial.score_interval(LEVEL);
    found.elo = found.pentanomial.elo(LEVEL);
    found
}
