//! `fairkomi match`

use super::flags::MatchFlags;
use super::job::{Job, settled};
use super::{Outcome, print};
use crate::arena::{match_report, play_match};
use crate::config::Inference;
use crate::report::{match_text, write_match};
use crate::selfplay::{Engine, game_rows};
use crate::with_game;

pub fn run(flags: &MatchFlags) -> Outcome {
    let mut config = flags.config()?;
    let of_b = Inference { precision: config.b_precision, ..config.inference };
    let of_b = settled(of_b, flags.b_net.is_some())?;
    config.inference = settled(config.inference, flags.a_net.is_some())?;
    config.b_precision = of_b.precision;
    let job = Job::begin(flags.job.threads())?;
    let (game, size) = (config.board.game, config.board.size);
    let engines = [
        Engine::load(flags.a_net.as_deref(), config.a, game, size, config.inference)?,
        Engine::load(flags.b_net.as_deref(), config.b, game, size, of_b)?,
    ];
    let mut dir = job.open(&flags.play.out, &config, &[&engines[0], &engines[1]])?;
    let done = dir.manifest().games();
    job.watch(&format!("match {game} {size}x{size}"), 2 * config.pairs, done, |control| {
        with_game!(game, size, G => play_match::<G>(&config, &engines, &mut dir, job.workers(config.inference.batch), control))
    })?;
    let found = match_report(&game_rows(dir.path())?, &config, &engines);
    write_match(dir.path(), &found)?;
    print(&match_text(&found))
}
