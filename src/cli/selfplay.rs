//! `fairkomi selfplay`

use super::flags::SelfplayFlags;
use super::job::{Job, settled};
use super::{Outcome, print};
use crate::records::data_stats;
use crate::selfplay::{Engine, generate};
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
    let mut dir = job.open(&flags.play.out, &config, &[&engine])?;
    let done = dir.manifest().games();
    job.watch(&format!("selfplay {game} {size}x{size}"), config.games, done, |control| {
        with_game!(game, size, G => generate::<G>(&config, &engine, &mut dir, job.workers(config.inference.batch), control))
    })?;
    print(&data_stats(dir.path())?.table())
}
