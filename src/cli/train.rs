//! `fairkomi train`

use std::path::PathBuf;

use anyhow::anyhow;

use super::flags::TrainFlags;
use super::job::Job;
use super::progress::say;
use super::{Failure, Outcome, print};
use crate::learn::{TrainingJob, train};
use crate::net::{Calibration, Progress};
use crate::report::{calibration_text, epoch_text, scalings_text};

pub fn run(flags: &TrainFlags) -> Outcome {
    let (settings, seed) = flags.config()?;
    // A network whose training's state lies beside it may be this one's, which goes on; any other is not written over.
    let [state, history] = ["state", "history.csv"].map(|ending| flags.out.with_extension(ending));
    if !state.exists()
        && let Some(path) = [&flags.out, &history].into_iter().find(|path| path.is_file())
    {
        let path = path.display();
        return Err(Failure::Input(anyhow!("--out: {path} is there already; delete it or name another file")));
    }
    let job = Job::begin(flags.job.threads())?;
    let data: Vec<(u64, PathBuf)> = (0..).zip(flags.data.iter().cloned()).collect();
    let training = TrainingJob {
        settings: &settings,
        seed,
        data: &data,
        start: flags.from.as_deref(),
        out: &flags.out,
        generation: 0,
        threads: job.threads,
    };
    let mut is_told = false;
    let (trained, file) = train(&training, job.stop.flag(), |data, progress| {
        if !std::mem::replace(&mut is_told, true) {
            say(&data.used.describe());
        }
        if let Progress::Epoch(report) = progress {
            say(&epoch_text(report));
        }
    })?;
    let meta = trained.network.meta();
    print(&format!("{} ({}), the network of epoch {}\n", flags.out.display(), file.hash(), meta.epoch))?;
    if trained.held_out.is_empty() {
        return Ok(());
    }
    print(&scalings_text(&meta.scalings))?;
    print(&calibration_text(&Calibration::of(&trained.held_out)))
}
