//! A match: every opening is played twice, with the seats exchanged, and the pair is the unit of evidence.

use thiserror::Error;

use super::openings::{OpeningError, Openings};
use super::player::Fault;
use super::report::Evidence;
use crate::config::MatchConfig;
use crate::games::Step;
use crate::records::{Layout, MEASURED_SHARD, ReadError, RunDir};
use crate::search::{ChoiceRule, PlayoutPolicy};
use crate::selfplay::{Control, Engine, Opening, OutputError, Plan, PlayError, Setup, Workers, game_rows, play_shards};
use crate::stats::sprt::Verdict;

/// Why a match came to no end.
#[derive(Debug, Error)]
pub enum MatchError {
    #[error(transparent)]
    Opening(#[from] OpeningError),
    #[error(transparent)]
    Play(#[from] PlayError<OutputError>),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("engine {engine} cannot play: {fault}")]
    Player { engine: &'static str, fault: Fault },
    #[error("an engine could not begin {games} games in a row; log.jsonl and the engine's log in the run tell why")]
    Hopeless { games: u64 },
}

/// Pairs of a sequential test between two looks at it: as many as keep the slots of a worker filled twice, in whole
/// shards. Part of what the config decides, so that a match that was interrupted plays the same games.
fn round(config: &MatchConfig) -> u64 {
    (config.inference.batch as u64).next_multiple_of(MEASURED_SHARD / 2)
}

/// Which engine, 0 (A) or 1 (B), sits in the first and the second seat of a game.
pub fn seats(game: u64) -> [usize; 2] {
    if game.is_multiple_of(2) { [0, 1] } else { [1, 0] }
}

/// What game `index` of a match is; `openings` are those of the pairs from the first on.
pub(super) fn setup(config: &MatchConfig, openings: &[Vec<Step>], index: u64) -> Setup {
    Setup {
        index,
        rules: config.board.rules(config.komi),
        seats: seats(index),
        opening: Opening::Steps(openings[(index / 2) as usize].clone()),
        opening_stream: index / 2,
        choice: ChoiceRule::MOST,
        explore: None,
        plan: None,
    }
}

/// Whether the openings that a config lists can be played.
pub fn check_openings<G: PlayoutPolicy>(config: &MatchConfig) -> Result<(), OpeningError> {
    if config.openings.is_some() {
        Openings::new(config).of_pairs::<G>(config.pairs)?;
    }
    Ok(())
}

/// Plays a match into `dir`, or what is left of it: games 2p and 2p + 1 are pair p.
///
/// A sequential test is looked at after each round, over all pairs from the first on, and `told` of; the match ends with
/// its verdict, with its last pair, or when a round brought no game that had not been played before.
pub fn play_match<G: PlayoutPolicy>(
    config: &MatchConfig,
    engines: &[Engine; 2],
    dir: &mut RunDir,
    workers: Workers,
    control: Control<'_>,
    mut told: impl FnMut(&Evidence),
) -> Result<(), MatchError> {
    let mut openings = Openings::new(config);
    let layout = Layout { games: MEASURED_SHARD, compress: false };
    let mut play = |pairs: u64| {
        let openings = openings.of_pairs::<G>(pairs)?;
        let setup = |index| setup(config, openings, index);
        let plan = Plan { engines, games: 2 * pairs, seed: config.seed, layout };
        play_shards::<G>(&plan, &setup, dir, workers, control)?;
        Ok::<_, MatchError>(game_rows(dir.path())?)
    };
    if config.sprt.is_none() {
        play(config.pairs)?;
        return Ok(());
    }
    let mut before = 0;
    for from in (0..config.pairs).step_by(round(config) as usize) {
        let evidence = Evidence::of(&play((from + round(config)).min(config.pairs))?, config);
        told(&evidence);
        let fresh = evidence.pentanomial.pairs();
        if evidence.verdict() != Some(Verdict::Continue) || fresh == before {
            break;
        }
        before = fresh;
    }
    Ok(())
}
