//! `fairkomi balance`

use super::flags::BalanceFlags;
use super::job::{Job, settled};
use super::{Outcome, print};
use crate::komi::measure_balance;
use crate::report::{balance_text, write_balance};
use crate::selfplay::Engine;
use crate::with_game;

pub fn run(flags: &BalanceFlags) -> Outcome {
    let mut config = flags.config()?;
    config.inference = settled(config.inference, flags.measure.net.is_some())?;
    let job = Job::begin(flags.measure.job.threads())?;
    let (game, size) = (config.board.game, config.board.size);
    let engine = Engine::load(flags.measure.net.as_deref(), config.search, game, size, config.inference)?;
    let mut dir = job.open(&flags.measure.play.out, &config, &[engine.tag()])?;
    let (done, total) = (dir.manifest().games(), config.games * config.komi.len() as u64);
    let found = job.watch(&format!("balance {game} {size}x{size}"), total, done, |control| {
        with_game!(game, size, G => measure_balance::<G>(&config, &engine, &mut dir, job.workers(config.inference.batch), control))
    })?;
    write_balance(dir.path(), &found)?;
    print(&balance_text(&found, &(engine.describe() + &config.board.extras())))
}
