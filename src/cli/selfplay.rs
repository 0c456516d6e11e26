//! `fairkomi selfplay`

use super::flags::SelfplayFlags;
use super::job::{Job, settled};
use super::{Failure, Outcome, print};
use crate::records::data_stats;
use crate::selfplay::{ContinuationError, Engine, generate, turning_points};
use crate::with_game;

pub fn run(flags: &SelfplayFlags) -> Outcome {
    let mut config = flags.config()?;
    config.inference = settled(config.inference, flags.net.is_some())?;
    let job = Job::begin(flags.job.threads())?;
    let (game, size) = (config.board.game, config.board.size);
    let engine = Engine::load(
        flags.net.as_deref(),
        config.search.with_visits(config.plan.visits),
        game,
        size,
        config.inference,
    )?;
    let continuations = match &flags.continue_from {
        Some(run) => with_game!(game, size, G => turning_points::<G>(run, &engine, &config.board))?,
        None => Vec::new(),
    };
    let mut dir = job.open(&flags.play.out, &config, &[engine.tag()])?;
    let done = dir.manifest().games();
    job.watch(&format!("selfplay {game} {size}x{size}"), config.games, done, |control| {
        let workers = job.workers(config.inference.batch);
        with_game!(game, size, G => generate::<G>(&config, &engine, &continuations, &mut dir, workers, control))
    })?;
    print(&data_stats(dir.path())?.table())
}

impl From<ContinuationError> for Failure {
    fn from(error: ContinuationError) -> Self {
        match error {
            ContinuationError::Read(error) => error.into(),
            ContinuationError::Engine(error) => error.into(),
            error @ ContinuationError::OtherBoard { .. } => Failure::input(error),
        }
    }
}
