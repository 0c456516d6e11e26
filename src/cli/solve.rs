//! `fairkomi solve`

use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::anyhow;

use super::flags::SolveFlags;
use super::job::Job;
use super::progress::say;
use super::{Failure, Outcome, print};
use crate::report::{proven_text, solution_text};
use crate::solve::{Limits, Progress, SolveError, Stopped, solve_with};
use crate::with_game;

/// The time between two lines that tell how far the work has come.
const HEARTBEAT: Duration = Duration::from_secs(10);

pub fn run(flags: &SolveFlags) -> Outcome {
    let asked = flags.config()?;
    let job = Job::begin(asked.threads)?;
    let what = format!("solve {0} {1}x{1}", asked.game, asked.size);
    let (begun, told) = (Instant::now(), Mutex::new(Instant::now()));
    let observer = |progress: Progress| {
        let mut told = told.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if told.elapsed() >= HEARTBEAT {
            *told = Instant::now();
            say(&format!("{what}: {}, {} s", so_far(progress), begun.elapsed().as_secs()));
        }
    };
    let limits = Limits { memory: asked.memory, threads: asked.threads, stop: job.stop.flag(), observer: &observer };
    let solution = with_game!(asked.game, asked.size, G => {
        solve_with::<G>(asked.size, asked.handicap, asked.method, &limits)
    });
    let solution = solution.map_err(|error| match error {
        SolveError::Options(_) => Failure::input(error),
        SolveError::Threads(_) => Failure::run(error),
    })?;
    print(&solution_text(&solution))?;
    match solution.stopped {
        Some(Stopped::Asked) => Err(Failure::Run(anyhow!("stopped; what is written above is proven all the same"))),
        _ => Ok(()),
    }
}

/// How far the work has come, in words.
fn so_far(progress: Progress) -> String {
    match progress {
        Progress::Positions { found, expanded } => format!("{found} positions found, {expanded} of them looked at"),
        Progress::Sweep { number, changed, value } => {
            format!("sweep {number} over all positions, {changed} values changed, {}", proven_text(value))
        }
        Progress::Search { visited, value } => format!("{visited} positions visited, {}", proven_text(value)),
    }
}
