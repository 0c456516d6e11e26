//! `fairkomi komi`

use super::flags::KomiFlags;
use super::job::{Job, settled};
use super::{Failure, Outcome, print};
use crate::komi::{known, measure_komi, own_answer};
use crate::report::{komi_text, write_komi};
use crate::selfplay::Engine;
use crate::with_game;

pub fn run(flags: &KomiFlags) -> Outcome {
    let mut config = flags.config()?;
    config.inference = settled(config.inference, flags.measure.net.is_some())?;
    let job = Job::begin(flags.measure.job.threads())?;
    let (game, size) = (config.board.game, config.board.size);
    let engine = Engine::load(flags.measure.net.as_deref(), config.search, game, size, config.inference)?;
    let mut dir = job.open(&flags.measure.play.out, &config, &[engine.tag()])?;
    let done = dir.manifest().games();
    let found = job.watch(&format!("komi {game} {size}x{size}"), config.games, done, |control| {
        with_game!(game, size, G => measure_komi::<G>(&config, &engine, &mut dir, job.workers(config.inference.batch), control))
    })?;
    let own = with_game!(game, size, G => own_answer::<G>(&engine, &config.board)).map_err(Failure::run)?;
    write_komi(dir.path(), &config.board, &engine.tag(), &found, own.as_ref())?;
    let engine = engine.describe() + &config.board.extras();
    print(&komi_text(&found, &engine, own.as_ref(), known(&config.board)))
}
