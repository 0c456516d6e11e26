//! `fairkomi pipeline`

use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::anyhow;

use super::job::{Job, run_info, settled, start_log};
use super::progress::{Progress, say};
use super::{Failure, Outcome, print};
use crate::config::{PipelineConfig, limits};
use crate::games::GameKind;
use crate::learn::{
    BALANCE, Data, FairKomiRow, GenerationRow, KOMI, MATCH, NetCalibration, PAGE, PipelineError, REPORT, Ui,
    board_folder, pipeline, status,
};
use crate::net;
use crate::records::write_whole;
use crate::report::{
    epoch_text, pipeline_text, status_text, write_balance, write_calibration, write_curves, write_komi, write_page,
    write_pairs, write_summary,
};
use crate::selfplay::{Observer, Work};

/// Play, learn and measure on a list of boards
#[derive(clap::Args, Clone, Debug)]
#[command(
    long_about = "The main job: for each game of the config generations of self-play, training, and a match with the \
        best network before; then for each board the fair komi, the balance, and a match of the best network against \
        playouts. Stopped or killed, the same command goes on.",
    after_help = "Example:\n  fairkomi pipeline --config configs/quick.toml --out runs/quick"
)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    question: Option<Question>,
    /// What to do (TOML); configs/standard.toml explains every key
    #[arg(long, value_name = "FILE", required = true)]
    config: Option<PathBuf>,
    /// Directory of the run
    #[arg(long, value_name = "DIR", required = true)]
    out: Option<PathBuf>,
    /// Worker threads; they change the time, not the results [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<u64>,
}

/// What else can be asked.
#[derive(clap::Subcommand, Clone, Debug)]
enum Question {
    /// Tell how far a run has come: generations, Elo, losses, games an hour, the time left
    #[command(after_help = "Example:\n  fairkomi pipeline status --out runs/quick")]
    Status {
        /// Directory of the run, which may go on meanwhile
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

pub fn run(args: &Args) -> Outcome {
    if let Some(Question::Status { out }) = &args.question {
        return print(&status_text(&status(out).map_err(Failure::input)?));
    }
    let (Some(config), Some(out)) = (&args.config, &args.out) else {
        return Err(Failure::Input(anyhow!("--config and --out are needed")));
    };
    let mut config = PipelineConfig::load(config)?;
    config.inference = settled(config.inference, true)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or(Ok(cores), |threads| limits::THREADS.check(threads));
    let job = Job::begin(threads.map_err(|what| Failure::Input(anyhow!("--threads: {what}")))?)?;
    let ui = Console { told: Mutex::new(String::new()), out: out.clone() };
    let result = pipeline(&config, out, job.threads, &run_info(), job.stop.flag(), &ui)?;
    let text = pipeline_text(&result);
    write_whole(&out.join(REPORT), |file| file.write_all(text.as_bytes()))?;
    write_summary(out, &result.boards)?;
    for board in &result.boards {
        let folder = board_folder(out, board.board.game, board.board.size);
        write_komi(&folder.join(KOMI), &board.board, &board.tag, &board.komi, board.network_answer.as_ref())?;
        write_balance(&folder.join(BALANCE), &board.balance)?;
        write_pairs(&folder.join(MATCH), &board.strength.pairs)?;
    }
    write_page(std::slice::from_ref(out), &out.join(PAGE))?;
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
        Box::new(Shown(Some(Progress::start(stage, Some(games), done))))
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

    fn learnt(
        &self,
        game: GameKind,
        rows: &[GenerationRow],
        komi: &[FairKomiRow],
        calibration: Option<&NetCalibration>,
    ) {
        let bins = self.out.join(game.name()).join("calibration.csv");
        let curves = write_curves(&self.out, game, rows, komi);
        if let Err(error) = curves.and_then(|()| calibration.map_or(Ok(()), |found| write_calibration(&bins, found))) {
            say(&format!("warning: the learning curves are not written: {error}"));
        }
    }

    fn say(&self, line: &str) {
        tracing::info!("{line}");
        say(line);
    }

    fn warn(&self, line: &str) {
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
            PipelineError::Match(error) => error.into(),
            PipelineError::Measure(error) => error.into(),
            PipelineError::Train(error) => error.into(),
            PipelineError::Engine(error) => error.into(),
            PipelineError::Read(error) => error.into(),
            PipelineError::Continuation(error) => error.into(),
            error => Failure::run(error),
        }
    }
}
