//! Who takes part in a match: engines of this program and other programs alike.

use std::path::Path;

use super::matches::{MatchError, play_match};
use super::player::{InProcess, Player, PlayerError};
use super::report::Evidence;
use super::singly::play_singly;
use crate::config::MatchConfig;
use crate::records::{EngineTag, RunDir};
use crate::search::PlayoutPolicy;
use crate::selfplay::{Control, Engine, Workers};

/// One of those who take part.
#[derive(Clone)]
pub enum Contender {
    /// An engine of this program.
    Engine(Engine),
    /// Another program, by its command line and the name that it gives itself.
    Program { command: String, name: String },
}

impl Contender {
    /// How it stands in the records.
    pub fn tag(&self) -> EngineTag {
        match self {
            Contender::Engine(engine) => engine.tag(),
            Contender::Program { name, .. } => EngineTag { name: name.clone(), net: None, visits: 0 },
        }
    }

    /// It in words.
    pub fn describe(&self) -> String {
        match self {
            Contender::Engine(engine) => engine.describe(),
            Contender::Program { command, name } => format!("{name} (`{command}`)"),
        }
    }
}

/// Starts the program of a command line; what it says on standard error goes into the file.
pub type StartProgram<'a, G> = dyn Fn(&str, &Path) -> Result<Box<dyn Player<G>>, PlayerError> + Sync + 'a;

/// Plays a match of any two contenders into `dir`, or what is left of it: of engines alone by [`play_match`], with programs by
/// [`play_singly`], where each thread has programs of its own.
pub fn play_contenders<G: PlayoutPolicy>(
    config: &MatchConfig,
    contenders: [&Contender; 2],
    start: &StartProgram<'_, G>,
    dir: &mut RunDir,
    workers: Workers,
    control: Control<'_>,
    told: &(dyn Fn(&Evidence) + Sync),
) -> Result<(), MatchError> {
    if let [Contender::Engine(a), Contender::Engine(b)] = contenders {
        return play_match::<G>(config, &[a.clone(), b.clone()], dir, workers, control, told);
    }
    let folder = dir.path().to_path_buf();
    let make = |number: usize, thread: usize| -> Result<Box<dyn Player<G>>, PlayerError> {
        match contenders[number] {
            Contender::Engine(engine) => Ok(Box::new(InProcess::new(engine, config))),
            Contender::Program { command, .. } => {
                start(command, &folder.join(format!("engine-{}-{thread}.log", ["a", "b"][number])))
            }
        }
    };
    let tags = contenders.map(Contender::tag);
    play_singly::<G>(config, &tags, &make, dir, workers.threads, control, told)
}
