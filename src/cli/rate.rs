//! `fairkomi rate`

use std::path::Path;

use super::contenders::Programs;
use super::flags::RateFlags;
use super::job::{Job, run_info, settled, start_log};
use super::{Failure, Outcome, print};
use crate::arena::{Contender, RateError, games_rated, rate};
use crate::records::{EngineTag, claim, run_toml};
use crate::report::{rating_text, write_ratings};
use crate::selfplay::{Engine, config_toml};
use crate::with_game;

pub fn run(flags: &RateFlags) -> Outcome {
    let mut config = flags.config()?;
    config.inference = settled(config.inference, config.engines.iter().any(|engine| engine.net.is_some()))?;
    let job = Job::begin(flags.job.threads())?;
    let (game, size) = (config.board.game, config.board.size);
    let programs = Programs { game, limit: config.limit(), stop: job.stop.flag() };
    let engines = config.engines.iter().map(|engine| match &engine.command {
        Some(command) => programs.contender(&engine.name, command),
        None => {
            let search = config.search.with_visits(engine.visits);
            Ok(Contender::Engine(Engine::load(engine.net.as_deref(), search, game, size, config.inference)?))
        }
    });
    let engines: Vec<Contender> = engines.collect::<Result<_, Failure>>()?;
    let named = config.engines.iter().zip(&engines);
    let tags: Vec<EngineTag> =
        named.map(|(named, engine)| EngineTag { name: named.name.clone(), ..engine.tag() }).collect();
    let (info, out) = (run_info(), &flags.play.out);
    let text = config_toml(&config, &tags).map_err(Failure::run)?;
    let claimed = claim(out, &run_toml(&text, &info), "pairs", |_| Ok(()))?;
    start_log(out)?;
    claimed.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    let workers = job.workers(config.inference.batch);
    let done = games_rated(&config, out);
    let found = job.watch(&format!("rate {game} {size}x{size}"), 2 * config.pairs, done, |control| {
        with_game!(game, size, G => {
            let start = |command: &str, log: &Path| programs.start::<G>(command, log);
            rate::<G>(&config, &engines, &start, &info, out, workers, control)
        })
    })?;
    write_ratings(out, &found)?;
    print(&rating_text(&config.board, config.komi, &found))
}

impl From<RateError> for Failure {
    fn from(error: RateError) -> Self {
        match error {
            RateError::Match(error) => error.into(),
            error => Failure::run(error),
        }
    }
}
