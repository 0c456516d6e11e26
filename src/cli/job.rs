//! What every long command does: listen for Ctrl-C, show progress, and tell the user how to go on.

use std::path::Path;

use anyhow::anyhow;
use serde::Serialize;

use super::progress::Progress;
use super::stop::{Stop, resume_command};
use super::{Failure, log};
use crate::arena::MatchError;
use crate::config::{ConfigFaults, Inference};
use crate::komi::MeasureError;
use crate::learn::{DataError, TrainingError};
use crate::net::TrainError;
use crate::net::runtime::settle;
use crate::records::{EngineTag, ReadError, RunDir, RunError, RunInfo, run_toml};
use crate::selfplay::{Control, EngineError, Observer, OutputError, PlayError, Work, Workers, config_toml};

/// A long command on its way.
pub struct Job {
    pub stop: Stop,
    pub threads: usize,
}

impl Job {
    /// Begins to listen for signals.
    pub fn begin(threads: usize) -> Result<Self, Failure> {
        Ok(Job { stop: Stop::listen().map_err(Failure::run)?, threads })
    }

    /// How games are played.
    pub fn workers(&self, batch: usize) -> Workers {
        Workers { threads: self.threads, batch }
    }

    /// Opens the run's directory and its log.
    pub fn open<T: Serialize>(&self, path: &Path, config: &T, engines: &[EngineTag]) -> Result<RunDir, Failure> {
        let text = config_toml(config, engines).map_err(Failure::run)?;
        let dir = RunDir::open_or_create(path, &run_toml(&text, &run_info()))?;
        start_log(path)?;
        dir.warnings().iter().for_each(|warning| tracing::warn!("{warning}"));
        Ok(dir)
    }

    /// Plays games with progress shown: `play` is told how it is watched and stopped.
    pub fn watch<T>(
        &self,
        what: &str,
        total: impl Into<Option<u64>>,
        done: u64,
        play: impl FnOnce(Control<'_>) -> T,
    ) -> T {
        let total = total.into();
        tracing::info!(what, games = total, done, "begins");
        let progress = Progress::start(what, total, done);
        let result = play(Control { stop: self.stop.flag(), observer: &progress });
        progress.finish();
        tracing::info!(what, "ends");
        result
    }
}

/// The inference that a config asks for, with what it leaves to the machine settled if a network takes part at all. The
/// device must be there in any case.
pub fn settled(inference: Inference, by_network: bool) -> Result<Inference, Failure> {
    let settled = settle(inference).map_err(Failure::input)?;
    Ok(if by_network { settled } else { inference })
}

/// Begins the run's log.
pub fn start_log(folder: &Path) -> Result<(), Failure> {
    log::start(folder).map_err(Failure::run)
}

impl Observer for Progress {
    fn game_done(&self, work: Work) {
        Progress::game_done(self, work);
    }
}

/// Who runs: version, commit, machine.
pub fn run_info() -> RunInfo {
    RunInfo {
        version: env!("CARGO_PKG_VERSION").to_string(),
        git_commit: option_env!("FAIRKOMI_COMMIT").unwrap_or("unknown").to_string(),
        machine: crate::bench::machine(),
    }
}

/// The failure of a run that the user stopped.
fn stopped() -> Failure {
    let command = resume_command();
    Failure::Run(anyhow!("stopped; the files that are finished are kept, and the same command goes on:\n  {command}"))
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        // A directory that holds something else, or is damaged, is the user's to mend; a full disk comes on the way.
        match error {
            RunError::Io { .. } | RunError::Shard { .. } => Failure::run(error),
            _ => Failure::input(error),
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Failure::input(error)
    }
}

impl From<ConfigFaults> for Failure {
    fn from(faults: ConfigFaults) -> Self {
        Failure::input(faults)
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::File(_) => Failure::input(error),
            EngineError::Network(_) => Failure::run(error),
        }
    }
}

impl From<PlayError<OutputError>> for Failure {
    fn from(error: PlayError<OutputError>) -> Self {
        match error {
            PlayError::Stopped => stopped(),
            PlayError::Output(OutputError::Run(error)) => error.into(),
            error => Failure::run(error),
        }
    }
}

impl From<MatchError> for Failure {
    fn from(error: MatchError) -> Self {
        match error {
            MatchError::Opening(error) => Failure::input(error),
            MatchError::Play(error) => error.into(),
            MatchError::Read(error) => error.into(),
            MatchError::Player { .. } | MatchError::Hopeless { .. } => Failure::run(error),
        }
    }
}

impl From<MeasureError> for Failure {
    fn from(error: MeasureError) -> Self {
        match error {
            MeasureError::Play(error) => error.into(),
            MeasureError::Read(error) => error.into(),
            MeasureError::Network(error) => Failure::run(error),
        }
    }
}

impl From<TrainingError> for Failure {
    fn from(error: TrainingError) -> Self {
        match error {
            TrainingError::Stopped => stopped(),
            TrainingError::Data(DataError::Read(error)) => error.into(),
            TrainingError::Run(error) => error.into(),
            TrainingError::Data(_)
            | TrainingError::File(_)
            | TrainingError::OutIsTaken { .. }
            | TrainingError::OutIsDirectory { .. } => Failure::input(error),
            TrainingError::Train(
                TrainError::Config { .. }
                | TrainError::NoData(_)
                | TrainError::Start(_)
                | TrainError::State(_)
                | TrainError::OtherTraining { .. },
            ) => Failure::input(error),
            TrainingError::Train(_) | TrainingError::Write { .. } | TrainingError::Save(_) => Failure::run(error),
        }
    }
}
