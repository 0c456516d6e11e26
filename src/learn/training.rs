//! One network from recorded games.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use thiserror::Error;

use super::data::{Data, DataError, load};
use crate::config::TrainSection;
use crate::net::{
    EpochReport, FileError, Finish, NetFile, Progress, Provenance, TrainConfig, TrainError, Trained, Trainer,
};
use crate::records::{RunError, write_whole};

/// What to train and where to put it.
pub struct TrainingJob<'a> {
    pub settings: &'a TrainSection,
    pub seed: u64,
    /// Run directories or position files, each with a number that is its own for ever: which games are held out depends on
    /// it.
    pub data: &'a [(u64, PathBuf)],
    /// A network to start from.
    pub start: Option<&'a Path>,
    /// The network's file. Beside it stand the training's state (`.state`), from which an interrupted training goes
    /// on, and its losses by epoch (`.history.csv`).
    pub out: &'a Path,
    pub generation: u32,
    pub threads: usize,
}

/// Why there is no network.
#[derive(Debug, Error)]
pub enum TrainingError {
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("cannot write {}: {source}; choose another place for the network", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{} is a directory; name a file for the network, such as {}", path.display(), path.join("net.safetensors").display())]
    OutIsDirectory { path: PathBuf },
    #[error("{} is there and is no network; delete it or choose another name", path.display())]
    OutIsTaken { path: PathBuf },
    #[error("the network cannot be written: {0}; with the cause mended, the same command writes it at once")]
    Save(FileError),
    #[error("stopped")]
    Stopped,
}

/// Trains a network and writes its file. A training that was interrupted goes on from its last epoch, to the same
/// result.
pub fn train(
    job: &TrainingJob<'_>,
    stop: &AtomicBool,
    mut told: impl FnMut(&Data, Progress<'_>),
) -> Result<(Trained, NetFile), TrainingError> {
    let data = load(job.data)?;
    let start = job.start.map(NetFile::load).transpose()?;
    let settings = job.settings;
    let config = TrainConfig {
        epochs: settings.epochs,
        batch: settings.batch,
        learning_rate: settings.learning_rate,
        weight_decay: settings.weight_decay,
        layers: settings.layers,
        channels: settings.channels,
        margins: settings.margins,
        chunks: settings.chunks,
        validation_fraction: settings.validation,
        patience: settings.patience,
        seed: job.seed,
        ..TrainConfig::default()
    };
    let provenance = Provenance {
        generation: job.generation,
        command: format!("{settings:?}"),
        parent: start.as_ref().map(|file| file.hash().to_string()),
    };
    let trainer = Trainer::new(config, &data.samples, start.as_ref().map(|file| &file.network), provenance)?;
    prepare(job.out)?;
    let state = job.out.with_extension("state");
    let trained = trainer.run(job.threads, Some(&state), |progress| {
        told(&data, progress);
        if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if trained.finish == Finish::Stopped {
        return Err(TrainingError::Stopped);
    }
    trained.network.save(job.out).map_err(TrainingError::Save)?;
    write_history(&job.out.with_extension("history.csv"), &trained.history)?;
    Ok((trained, NetFile::load(job.out)?))
}

/// A row an epoch. Losses in nats; empty where nothing was held out.
#[derive(Serialize)]
struct HistoryRow {
    epoch: usize,
    learning_rate: f64,
    train_margin: f64,
    train_outcome: f64,
    train_repetition: f64,
    train_policy: f64,
    train_ownership: f64,
    held_out_margin: Option<f64>,
    held_out_outcome: Option<f64>,
    held_out_repetition: Option<f64>,
    held_out_policy: Option<f64>,
    held_out_ownership: Option<f64>,
    calibration_error: Option<f64>,
}

/// Writes the losses and the calibration by epoch beside the network.
fn write_history(path: &Path, history: &[EpochReport]) -> Result<(), RunError> {
    let row = |report: &EpochReport| HistoryRow {
        epoch: report.epoch,
        learning_rate: report.learning_rate,
        train_margin: report.train.margin,
        train_outcome: report.train.outcome,
        train_repetition: report.train.repetition,
        train_policy: report.train.policy,
        train_ownership: report.train.ownership,
        held_out_margin: report.held_out.map(|losses| losses.margin),
        held_out_outcome: report.held_out.map(|losses| losses.outcome),
        held_out_repetition: report.held_out.map(|losses| losses.repetition),
        held_out_policy: report.held_out.map(|losses| losses.policy),
        held_out_ownership: report.held_out.map(|losses| losses.ownership),
        calibration_error: report.calibration.as_ref().map(|calibration| calibration.error),
    };
    write_whole(path, |file| {
        let mut writer = csv::Writer::from_writer(file);
        for report in history {
            writer.serialize(row(report))?;
        }
        writer.flush()
    })?;
    Ok(())
}

/// Makes sure, before any work is done, that a file can be written at `out`.
fn prepare(out: &Path) -> Result<(), TrainingError> {
    if out.is_dir() {
        return Err(TrainingError::OutIsDirectory { path: out.to_path_buf() });
    }
    // What is no file is not opened: reading from a pipe would wait for ever.
    if out.exists() && (!out.is_file() || NetFile::load(out).is_err()) {
        return Err(TrainingError::OutIsTaken { path: out.to_path_buf() });
    }
    let folder = match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let tried = fs::create_dir_all(folder).and_then(|()| tempfile::Builder::new().tempfile_in(folder).map(drop));
    tried.map_err(|source| TrainingError::Write { path: out.to_path_buf(), source })
}
