//! `fairkomi data`

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Subcommand;

use super::{Failure, Outcome, print};
use crate::learn::{CalibrationError, calibrate};
use crate::net::NetFile;
use crate::records::{CheckError, check_run, data_stats};
use crate::report::{net_calibration_text, write_calibration};

/// Look at recorded games
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  fairkomi data check data/sample/yugo\n  fairkomi data stats runs/yugo5\n  \
        fairkomi data calibration runs/new --net yugo.safetensors")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Clone, Debug)]
enum Command {
    /// Replay every game from its turns, compare every row, and name the first difference
    Check {
        /// Run directories
        #[arg(required = true, value_name = "DIR")]
        runs: Vec<PathBuf>,
    },
    /// Count games, positions, duplicates modulo symmetry, endings and results by game and size
    Stats {
        /// Run directories
        #[arg(required = true, value_name = "DIR")]
        runs: Vec<PathBuf>,
    },
    /// Compare a network's values with the results of games that it has not learnt from, one random position a game
    Calibration {
        /// Run directories
        #[arg(required = true, value_name = "DIR")]
        runs: Vec<PathBuf>,
        /// The network (.safetensors)
        #[arg(long, value_name = "FILE")]
        net: PathBuf,
        /// Seed of which positions are looked at
        #[arg(long, value_name = "N", default_value_t = 0)]
        seed: u64,
        /// CSV file to write the bins to, too
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

pub fn run(args: &Args) -> Outcome {
    match &args.command {
        Command::Check { runs } => runs.iter().try_for_each(|run| {
            let report = check_run(run).map_err(|error| match error {
                CheckError::Read(error) => Failure::from(error),
                error => Failure::input(error),
            })?;
            print(&format!(
                "{}: {} shards, {} games, {} turns, {} positions: all as the rules say\n",
                run.display(),
                report.shards,
                report.games,
                report.turns,
                report.positions
            ))
        }),
        Command::Calibration { runs, net, seed, out } => {
            // Nothing that is there is written over, least of all a network or a file of a run.
            if let Some(out) = out.as_ref().filter(|out| out.symlink_metadata().is_ok()) {
                return Err(Failure::input(anyhow!("--out: {} is there already; name another file", out.display())));
            }
            let file = NetFile::load(net).map_err(Failure::input)?;
            let runs: Vec<(u64, PathBuf)> = (0..).zip(runs.iter().cloned()).collect();
            let found = calibrate(&runs, net, &file, *seed).map_err(|error| match error {
                CalibrationError::Network { .. } => Failure::run(error),
                error => Failure::input(error),
            })?;
            if let Some(out) = out {
                write_calibration(out, &found).map_err(Failure::run)?;
            }
            print(&net_calibration_text(&found))
        }
        Command::Stats { runs } => runs.iter().try_for_each(|run| print(&data_stats(run)?.table())),
    }
}
