//! `fairkomi match`

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::flags::MatchFlags;
use super::job::{Job, settled};
use super::progress::say;
use super::{Failure, Outcome, print};
use crate::arena::{
    Evidence, InProcess, MatchError, Player, PlayerError, check_openings, match_report, play_match, play_singly,
};
use crate::config::{Inference, MatchConfig};
use crate::gtp::{Program, ProgramSetting};
use crate::records::{EngineTag, RunDir};
use crate::report::{match_text, test_line, write_pairs};
use crate::search::PlayoutPolicy;
use crate::selfplay::{Control, Engine, PlayError, game_rows};
use crate::with_game;

pub fn run(flags: &MatchFlags) -> Outcome {
    let mut config = flags.config()?;
    let of_b = Inference { precision: config.b_precision, ..config.inference };
    let of_b = settled(of_b, flags.b_net.is_some())?;
    config.inference = settled(config.inference, flags.a_net.is_some())?;
    config.b_precision = of_b.precision;
    let job = Job::begin(flags.job.threads())?;
    let (game, size) = (config.board.game, config.board.size);
    with_game!(game, size, G => check_openings::<G>(&config)).map_err(Failure::input)?;
    let engines = [
        Engine::load(flags.a_net.as_deref(), config.a, game, size, config.inference)?,
        Engine::load(flags.b_net.as_deref(), config.b, game, size, of_b)?,
    ];
    let stop = job.stop.flag();
    let sides = [side(&config, &engines[0], 0, stop)?, side(&config, &engines[1], 1, stop)?];
    let mut dir = job.open(&flags.play.out, &config, &sides.each_ref().map(|side| side.tag.clone()))?;
    let (done, path) = (dir.manifest().games(), dir.path().to_path_buf());
    let workers = job.workers(config.inference.batch);
    // How long a sequential test takes nobody knows.
    let games = config.sprt.is_none().then_some(2 * config.pairs);
    let told = |evidence: &Evidence| {
        say(&test_line(evidence));
        if let Err(error) = write_pairs(&path, &evidence.pairs) {
            say(&format!("warning: {error}"));
        }
    };
    job.watch(&format!("match {game} {size}x{size}"), games, done, |control| {
        with_game!(game, size, G => if config.programs.iter().any(Option::is_some) {
            with_programs::<G>(&config, &engines, &sides, &mut dir, workers.threads, control, &told)
        } else {
            play_match::<G>(&config, &engines, &mut dir, workers, control, told)
        })
    })?;
    let found = match_report(&game_rows(&path)?, &config, sides.map(|side| side.description));
    write_pairs(&path, &found.pairs)?;
    print(&match_text(&found))
}

/// What files and reports say of an engine.
struct Side {
    tag: EngineTag,
    description: String,
}

/// Engine 0 or 1 of a match; a program is started once, to see that it can be.
fn side(config: &MatchConfig, engine: &Engine, number: usize, stop: &AtomicBool) -> Result<Side, Failure> {
    let Some(command) = &config.programs[number] else {
        return Ok(Side { tag: engine.tag(), description: engine.describe() });
    };
    let log = Path::new("/dev/null");
    let started = Program::start(program(config, command, log), stop);
    let name = started.and_then(|mut program| program.describe(stop)).map_err(|error| match error {
        PlayerError::Stopped => MatchError::Play(PlayError::Stopped).into(),
        error => {
            let engine = ["a", "b"][number];
            Failure::Input(anyhow::anyhow!("engine {engine} (`{command}`) cannot play: {error}"))
        }
    })?;
    let tag = EngineTag { name: name.clone(), net: None, visits: 0 };
    Ok(Side { tag, description: format!("{name} (`{command}`)") })
}

fn program(config: &MatchConfig, command: &str, log: &Path) -> ProgramSetting {
    let (command, log) = (command.to_string(), log.to_path_buf());
    ProgramSetting { command, game: config.board.game, limit: config.limit(), log }
}

/// A match in which programs take part: each thread has its own.
fn with_programs<G: PlayoutPolicy>(
    config: &MatchConfig,
    engines: &[Engine; 2],
    sides: &[Side; 2],
    dir: &mut RunDir,
    threads: usize,
    control: Control<'_>,
    told: &(dyn Fn(&Evidence) + Sync),
) -> Result<(), MatchError> {
    let folder = dir.path().to_path_buf();
    let make = |number: usize, thread: usize| -> Result<Box<dyn Player<G>>, PlayerError> {
        Ok(match &config.programs[number] {
            None => Box::new(InProcess::new(&engines[number], config)),
            Some(command) => {
                let log = folder.join(format!("engine-{}-{thread}.log", ["a", "b"][number]));
                Box::new(Program::start(program(config, command, &log), control.stop)?)
            }
        })
    };
    let tags = sides.each_ref().map(|side| side.tag.clone());
    play_singly::<G>(config, &tags, &make, dir, threads, control, told)
}
