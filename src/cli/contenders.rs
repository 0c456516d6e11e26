//! Other programs among those who play.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::Failure;
use crate::arena::{Contender, MatchError, Player, PlayerError};
use crate::games::GameKind;
use crate::gtp::{Program, ProgramSetting};
use crate::search::PlayoutPolicy;
use crate::selfplay::PlayError;

/// How programs are run.
pub struct Programs<'a> {
    pub game: GameKind,
    /// The time for each answer.
    pub limit: Duration,
    pub stop: &'a AtomicBool,
}

impl Programs<'_> {
    /// The program of a command line, after it was started once to see that it can play. `who` is its name on the command line.
    pub fn contender(&self, who: &str, command: &str) -> Result<Contender, Failure> {
        let started = self.started(command, Path::new("/dev/null"));
        let name = started.and_then(|mut program| program.describe(self.stop)).map_err(|error| match error {
            PlayerError::Stopped => MatchError::Play(PlayError::Stopped).into(),
            error => Failure::Input(anyhow::anyhow!("engine {who} (`{command}`) cannot play: {error}")),
        })?;
        Ok(Contender::Program { command: command.to_string(), name })
    }

    /// Starts a program as a player.
    pub fn start<G: PlayoutPolicy>(&self, command: &str, log: &Path) -> Result<Box<dyn Player<G>>, PlayerError> {
        Ok(Box::new(self.started(command, log)?))
    }

    fn started(&self, command: &str, log: &Path) -> Result<Program, PlayerError> {
        let (command, log) = (command.to_string(), log.to_path_buf());
        Program::start(ProgramSetting { command, game: self.game, limit: self.limit, log }, self.stop)
    }
}
