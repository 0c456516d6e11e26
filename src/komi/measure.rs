//! The games behind the figures: which are played, from the empty board, and what they say.
//!
//! "k* belongs to an engine, a search budget and a board, from the empty board with both sides knowing k. Games vary
//! only because each of the first t turns is drawn."

use serde::Serialize;

use super::openings::first_steps;
use super::{
    Balance, Fair, Openings, balances, lattice_answer, measurable_near, next_block, openings, summary, values,
};
use crate::config::{BalanceConfig, Board, KomiConfig, Variation};
use crate::games::{Game, HalfPoints, Options, Rules, parse_step};
use crate::net::{NetError, OwnAnswer, Snapshot};
use crate::records::{GameRow, Layout, MEASURED_SHARD, ReadError, RunDir};
use crate::search::{ChoiceRule, PlayoutPolicy};
use crate::selfplay::{Control, Engine, Opening, OutputError, Plan, PlayError, Setup, Workers, game_rows, play_shards};

/// Why a measurement came to no end.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    #[error(transparent)]
    Play(#[from] PlayError<OutputError>),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Network(#[from] NetError),
}

/// The answer for one board.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Measurement {
    /// Games with a score.
    Komi(Box<Fair>),
    /// Fugo.
    Openings(Box<Openings>),
}

/// Measures the fair komi (Fugo: the openings' scores) with games in `dir`, or with what is left of them.
pub fn measure_komi<G: PlayoutPolicy>(
    config: &KomiConfig,
    engine: &Engine,
    dir: &mut RunDir,
    workers: Workers,
    control: Control<'_>,
) -> Result<Measurement, MeasureError> {
    let (game, size) = (config.board.game, config.board.size);
    if game.has_score() {
        komi_blocks::<G>(config, engine, dir, workers, control)?;
        let rows = game_rows(dir.path())?;
        let found = summary(&rows, game, size).with_searches(&rows, &values(dir.path())?);
        Ok(Measurement::Komi(Box::new(found)))
    } else {
        opening_games::<G>(config, engine, dir, workers, control)?;
        Ok(Measurement::Openings(Box::new(openings(&game_rows(dir.path())?, size))))
    }
}

/// What the network itself says of the fair komi of the empty board: see [`NetEvaluator::fair_komi`]. `None` for playouts
/// and games without a score. It rests on no games.
///
/// [`NetEvaluator::fair_komi`]: crate::net::NetEvaluator::fair_komi
pub fn own_answer<G: Game>(engine: &Engine, board: &Board) -> Result<Option<OwnAnswer>, NetError> {
    let Some(mut network) = engine.net_evaluator()? else { return Ok(None) };
    let empty = Snapshot::of(&G::new(board.size, board.rules(HalfPoints(0)).options), HalfPoints(0));
    network.fair_komi(&empty)
}

/// Games in blocks at one komi each. Which komi depends on the blocks before and on nothing else, so a run that was
/// interrupted goes on in the same way.
fn komi_blocks<G: PlayoutPolicy>(
    config: &KomiConfig,
    engine: &Engine,
    dir: &mut RunDir,
    workers: Workers,
    control: Control<'_>,
) -> Result<(), MeasureError> {
    let (game, size) = (config.board.game, config.board.size);
    let start = match config.start {
        Some(komi) => komi,
        None => own_answer::<G>(engine, &config.board)?.map(|own| own.most_even).unwrap_or_default(),
    };
    let start = measurable_near(game, size, start.points());
    let layout = Layout { games: config.block, compress: false };
    let blocks = layout.shards(config.games);
    for block in 0..blocks {
        let is_finished = dir.is_finished(block);
        if is_finished && config.width.is_none() {
            continue;
        }
        let mut before = game_rows(dir.path())?;
        before.retain(|row| row.game_index < block * config.block);
        let is_last = block + 1 == blocks || config.width.is_some_and(|width| is_narrow(&before, config, width));
        if !is_finished {
            let komi = block_komi(&before, config, start, is_last);
            let rules = config.board.rules(komi);
            let plan = Plan {
                engines: std::slice::from_ref(engine),
                games: config.games.min((block + 1) * config.block),
                seed: config.seed,
                layout,
            };
            let setup = |index| from_empty_board(index, rules, config.variation, Opening::Empty);
            play_shards::<G>(&plan, &setup, dir, workers, control)?;
        }
        if is_last {
            break;
        }
    }
    Ok(())
}

/// Whether the fair komi's interval is at most so wide, in points. The tests behind it may be looked at after each block.
fn is_narrow(rows: &[GameRow], config: &KomiConfig, width: f64) -> bool {
    let found = lattice_answer(rows, config.board.game, config.board.size);
    let ends = found.lo.zip(found.hi).filter(|_| found.k_star.is_some());
    ends.is_some_and(|(lo, hi)| f64::from(hi - lo) / 2.0 <= width)
}

/// The komi of the next block.
fn block_komi(before: &[GameRow], config: &KomiConfig, start: HalfPoints, is_last: bool) -> HalfPoints {
    let (game, size) = (config.board.game, config.board.size);
    let fair = lattice_answer(before, game, size).k_star.map(HalfPoints);
    if let Some(fair) = fair
        && is_last
        && game.allows_komi(fair)
    {
        // The fair komi itself can be played with, at the price of draws: the last block shows what that gives.
        return fair;
    }
    next_block(before, game, size, start).unwrap_or_else(|| {
        // Nothing is left to find out: more games at the komi beside the fair one sharpen their scores.
        let fair = fair.unwrap_or(start);
        let games = |komi: HalfPoints| before.iter().filter(|row| row.komi == komi).count();
        let beside = [fair - HalfPoints(1), fair + HalfPoints(1)];
        if games(beside[0]) <= games(beside[1]) { beside[0] } else { beside[1] }
    })
}

/// A game from the empty board, or after `opening`, without noise.
fn from_empty_board(index: u64, rules: Rules, variation: Variation, opening: Opening) -> Setup {
    Setup {
        index,
        rules,
        seats: [0, 0],
        opening,
        opening_stream: index,
        choice: ChoiceRule::measured(variation),
        explore: None,
        plan: None,
    }
}

/// A third of the games from the empty board, a third after each opening in turn, a third with the pie rule.
fn opening_games<G: PlayoutPolicy>(
    config: &KomiConfig,
    engine: &Engine,
    dir: &mut RunDir,
    workers: Workers,
    control: Control<'_>,
) -> Result<(), MeasureError> {
    let size = config.board.size;
    let start = G::new(size, Options::default());
    let names = first_steps(size);
    let first: Vec<_> = names.iter().filter_map(|name| parse_step(&start, name).ok()).collect();
    let without_pie = Board { pie: false, ..config.board };
    let with_pie = Board { pie: true, ..config.board };
    let third = config.games / 3;
    let setup = |index: u64| {
        let komi = HalfPoints(0);
        let (board, opening) = match index.checked_sub(third) {
            Some(index) if index < third && !first.is_empty() => {
                (without_pie, Opening::Steps(vec![first[index as usize % first.len()]]))
            }
            Some(index) if index >= third => (with_pie, Opening::Empty),
            _ => (without_pie, Opening::Empty),
        };
        from_empty_board(index, board.rules(komi), config.variation, opening)
    };
    let layout = Layout { games: config.block, compress: false };
    let plan = Plan { engines: std::slice::from_ref(engine), games: config.games, seed: config.seed, layout };
    Ok(play_shards::<G>(&plan, &setup, dir, workers, control)?)
}

/// Measures the balance at each komi of the config with games in `dir`, or with what is left of them.
pub fn measure_balance<G: PlayoutPolicy>(
    config: &BalanceConfig,
    engine: &Engine,
    dir: &mut RunDir,
    workers: Workers,
    control: Control<'_>,
) -> Result<Vec<Balance>, MeasureError> {
    let setup = |index: u64| {
        let komi = config.komi[(index / config.games) as usize];
        // The same random numbers at each komi.
        let stream = index % config.games;
        Setup {
            opening_stream: stream,
            ..from_empty_board(index, config.board.rules(komi), config.variation, Opening::Empty)
        }
    };
    let games = config.games * config.komi.len() as u64;
    let layout = Layout { games: MEASURED_SHARD, compress: false };
    let plan = Plan { engines: std::slice::from_ref(engine), games, seed: config.seed, layout };
    play_shards::<G>(&plan, &setup, dir, workers, control)?;
    Ok(balances(&game_rows(dir.path())?, &values(dir.path())?))
}
