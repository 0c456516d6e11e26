//! `fairkomi pipeline`

use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::anyhow;

use super::job::{Job, run_info, settled, start_log};
use super::progress::{Progress, say};
use super::{Failure, Outcome, print};
use crate::config::{PipelineConfig, limits};
use crate::games::GameKind;
use crate::learn::{Data, FairKomiRow, GenerationRow, PipelineError, Ui, pipeline};
use crate::net;
use crate::records::write_whole;
use crate::report::{
    epoch_text, pipeline_text, write_balance, write_curves, write_komi, write_match, write_summary,
};
use crate::selfplay::{Observer, Work};

/// Play, learn and measure on a list of boards
#[derive(clap::Args, Clone, Debug)]
#[command(
    long_about = "The main job: for each game of the config self-play, training, self-play with the network and \
        training again; then for each board the fair komi, the balance, and a match of the network against playouts. \
        Stopped or killed, the same command goes on.",
    after_help = "Example:\n  fairkomi pipeline --config configs/quick.toml --out runs/quick"
)]
pub struct Args {
    /// What to do (TOML); configs/standard.toml explains every key
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Directory of the run
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Worker threads; they change the time, not the results [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<u64>,
}

pub fn run(args: &Args) -> Outcome {
    let mut config = PipelineConfig::load(&args.config)?;
    config.inference = settled(config.inference, true)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or(Ok(cores), |threads| limits::THREADS.check(threads));
    let job = Job::begin(threads.map_err(|what| Failure::Input(anyhow!("--threads: {what}")))?)?;
    let ui = Console { told: Mutex::new(String::new()), out: args.out.clone() };
    let result = pipeline(&config, &args.out, job.threads, &run_info(), job.stop.flag(), &ui)?;
    let text = pipeline_text(&result);
    write_whole(&args.out.join("report.txt"), |file| file.write_all(text.as_bytes()))?;
    write_summary(&args.out, &result.boards)?;
    for board in &result.boards {
        let folder = args.out.join(board.board.game.name()).join(format!("{0}x{0}", board.board.size));
        write_komi(&folder.join("komi"), &board.komi, board.network_answer)?;
        write_balance(&folder.join("balance"), &board.balance)?;
        write_match(&folder.join("match"), &board.strength)?;
    }
    print(&text)
}

/// Tells of the job on standard error.
struct Console {
    /// The training whose data have been told of.
    told: Mutex<String>,
    out: PathBuf,
}

impl Ui for Console {
    fn begin(&self) {
        if let Err(Failure::Run(error) | Failure::Input(error)) = start_log(&self.out) {
            say(&format!("warning: {error:#}"));
        }
    }

    fn games<'a>(&'a self, stage: &str, games: u64, done: u64) -> Box<dyn Observer + 'a> {
        tracing::info!(stage, games, done, "begins");
        Box::new(Shown(Some(Progress::start(stage, games, done))))
    }

    fn training(&self, stage: &str, data: &Data, progress: net::Progress<'_>) {
        let mut told = self.told.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if *told != stage {
            *told = stage.to_string();
            say(&format!("{stage}: {}", data.used.describe()));
        }
        if let net::Progress::Epoch(report) = progress {
            say(&format!("{stage}: {}", epoch_text(report)));
        }
    }

    fn learnt(&self, game: GameKind, rows: &[GenerationRow], komi: &[FairKomiRow]) {
        if let Err(error) = write_curves(&self.out, game, rows, komi) {
            say(&format!("warning: the learning curves are not written: {error}"));
        }
    }

    fn say(&self, line: &str) {
        tracing::warn!("{line}");
    }
}

/// Progress that leaves its last line behind.
struct Shown(Option<Progress>);

impl Observer for Shown {
    fn game_done(&self, work: Work) {
        if let Some(progress) = &self.0 {
            progress.game_done(work);
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(progress) = self.0.take() {
            progress.finish();
        }
    }
}

impl From<PipelineError> for Failure {
    fn from(error: PipelineError) -> Self {
        match error {
            PipelineError::Run(error) => error.into(),
            PipelineError::Play(error) => error.into(),
            PipelineError::Measure(error) => error.into(),
            PipelineError::Train(error) => error.into(),
            PipelineError::Engine(error) => error.into(),
            PipelineError::Read(error) => error.into(),
            PipelineError::Continuation(error) => error.into(),
            error => Failure::run(error),
        }
    }
}
