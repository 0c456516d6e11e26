//! The main job: for each game generations of self-play, training and a match with the best network before; then for each
//! board the komi, the balance, and a match of the best network against playouts.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use thiserror::Error;

use super::calibration::NetCalibration;
use super::curves::{FairKomiRow, GenerationRow};
use super::data::Data;
use super::job::Job;
use super::layout::{MEASURED, PAGE, PLOTS, REPORT, SUMMARY, board_folder};
use super::times::{StageTime, Times};
use super::training::TrainingError;
use crate::arena::{MatchError, MatchReport};
use crate::config::{Board, PipelineConfig};
use crate::games::GameKind;
use crate::komi::{Balance, Known, MeasureError, Measurement};
use crate::net::{NetError, OwnAnswer, Progress};
use crate::records::{EngineTag, ReadError, RunError, RunInfo, claim, run_toml};
use crate::selfplay::{ContinuationError, EngineError, Observer, OutputError, PlayError};
use crate::stats::sprt::SprtError;

/// Is told how the job goes.
pub trait Ui: Sync {
    /// The run's directory is there.
    fn begin(&self);
    /// A stage of so many games begins, `done` of which were played before; the observer is told of each.
    fn games<'a>(&'a self, stage: &str, games: u64, done: u64) -> Box<dyn Observer + 'a>;
    /// A training goes on.
    fn training(&self, stage: &str, data: &Data, progress: Progress<'_>);
    /// A generation is over: what all so far brought, what their networks think fair, and how far the values of the best
    /// one are the results of games that its training held out.
    fn learnt(
        &self,
        game: GameKind,
        rows: &[GenerationRow],
        komi: &[FairKomiRow],
        calibration: Option<&NetCalibration>,
    );
    /// Something has come out: a line.
    fn say(&self, line: &str);
    /// Something that should not be so: a line.
    fn warn(&self, line: &str);
}

/// What is known about a board in the end.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BoardResult {
    pub board: Board,
    pub known: Option<Known>,
    /// The engine measured: evaluator, network, visits.
    pub engine: String,
    /// The same as it stands in records.
    pub tag: EngineTag,
    pub komi: Measurement,
    /// The network's own answer at the empty board, which rests on no games.
    pub network_answer: Option<OwnAnswer>,
    pub balance: Vec<Balance>,
    /// The network (A) against playouts (B).
    pub strength: MatchReport,
}

/// The end of the main job.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PipelineResult {
    pub boards: Vec<BoardResult>,
    /// How long each stage took, all calls together.
    pub times: Vec<StageTime>,
}

/// Why the main job came to no end.
#[derive(Debug, Error)]
pub enum PipelineError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Play(#[from] PlayError<OutputError>),
    #[error(transparent)]
    Match(#[from] MatchError),
    #[error(transparent)]
    Measure(#[from] MeasureError),
    #[error(transparent)]
    Train(#[from] TrainingError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Network(#[from] NetError),
    #[error(transparent)]
    Continuation(#[from] ContinuationError),
    #[error("the match between networks: {0}")]
    Gate(#[from] SprtError),
    #[error("the config cannot be written: {0}")]
    Config(#[from] toml::ser::Error),
}

/// Gives what a run measured after so many generations names that say so: there are to be more of them, and then it is
/// measured anew.
fn set_aside(config: &PipelineConfig, out: &Path, generations: i64) -> Result<(), RunError> {
    let measured = config
        .boards
        .iter()
        .flat_map(|board| MEASURED.map(|part| board_folder(out, board.game, board.size).join(part)));
    let told = [REPORT, SUMMARY, PAGE, PLOTS].map(|name| out.join(name));
    for path in measured.chain(told) {
        if !path.exists() {
            continue;
        }
        let named = |more: &str| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let extension = path.extension().unwrap_or_default();
            path.with_file_name(format!("{stem}-after-{generations}{more}")).with_extension(extension)
        };
        // The same may have been measured and set aside before.
        let names = std::iter::once(named("")).chain((2..).map(|time| named(&format!("-{time}"))));
        let aside = names.into_iter().find(|name| !name.exists()).unwrap_or_else(|| named(""));
        fs::rename(&path, &aside).map_err(|error| RunError::write(&aside, error))?;
    }
    Ok(())
}

/// Runs the main job in the directory `out`, or what is left of it. A run with fewer generations than the config has, but
/// otherwise the same, becomes a longer one: the same as if it had been that from the start.
pub fn pipeline(
    config: &PipelineConfig,
    out: &Path,
    threads: usize,
    info: &RunInfo,
    stop: &AtomicBool,
    ui: &dyn Ui,
) -> Result<PipelineResult, PipelineError> {
    let run_toml = run_toml(&toml::to_string(config)?, info);
    let claim = claim(out, &run_toml, "selfplay.generations", |before| set_aside(config, out, before))?;
    ui.begin();
    claim.warnings.iter().for_each(|warning| ui.warn(warning));
    let mut job = Job { config, out, threads, info, stop, ui, times: Times::load(out) };
    let mut results = Vec::new();
    for game in GameKind::ALL {
        let boards: Vec<Board> = config.boards.iter().filter(|board| board.game == game).copied().collect();
        if boards.is_empty() {
            continue;
        }
        let learnt = job.learn(game, &boards)?;
        for board in boards {
            results.push(job.measure(board, &learnt)?);
        }
    }
    Ok(PipelineResult { boards: results, times: job.times.stages().to_vec() })
}
