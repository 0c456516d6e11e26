//! `fairkomi data`

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Subcommand;

use super::progress::say;
use super::{Failure, Outcome, print};
use crate::learn::{CalibrationError, calibrate, scaled};
use crate::net::{NetFile, Scaling};
use crate::records::{CheckError, check_run, data_stats};
use crate::report::{net_calibration_text, scalings_text, write_calibration};

/// Look at recorded games
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  fairkomi data check data/sample/yugo\n  fairkomi data stats runs/yugo5\n  \
        fairkomi data calibration runs/new --net yugo.safetensors\n  \
        fairkomi data scale runs/new --net yugo.safetensors --out scaled.safetensors")]
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
    /// Fit how sure a network's values are, for each size of board, to games that it has not learnt from
    ///
    /// Platt scaling: the logit of each value is taken times a factor, and shifted. A training does the same with the games it
    /// holds out; new games of the network itself are more, and it has seen none of their positions.
    Scale {
        /// Run directories
        #[arg(required = true, value_name = "DIR")]
        runs: Vec<PathBuf>,
        /// The network (.safetensors)
        #[arg(long, value_name = "FILE")]
        net: PathBuf,
        /// The file for the network as it then is
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
}

/// Nothing that is there is written over, least of all a network or a file of a run. Makes the folder where there is none.
fn check_is_new(out: &Path) -> Outcome {
    let path = out.display();
    if out.symlink_metadata().is_ok() {
        return Err(Failure::input(anyhow!("--out: {path} is there already; name another file")));
    }
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    let made = folder.map_or(Ok(()), fs::create_dir_all);
    made.map_err(|error| Failure::input(anyhow!("--out: {path} cannot be written: {error}; name another place")))
}

/// Fewer games say little of how sure a network may be.
const FEW_GAMES: usize = 100;

fn failure(error: CalibrationError) -> Failure {
    match error {
        CalibrationError::Network { .. } => Failure::run(error),
        error => Failure::input(error),
    }
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
            out.as_deref().map_or(Ok(()), check_is_new)?;
            let file = NetFile::load(net).map_err(Failure::input)?;
            let runs: Vec<(u64, PathBuf)> = (0..).zip(runs.iter().cloned()).collect();
            let found = calibrate(&runs, net, &file, *seed).map_err(failure)?;
            if let Some(out) = out {
                write_calibration(out, &found).map_err(Failure::run)?;
            }
            print(&net_calibration_text(&found))
        }
        Command::Scale { runs, net, out } => {
            check_is_new(out)?;
            let file = NetFile::load(net).map_err(Failure::input)?;
            let runs: Vec<(u64, PathBuf)> = (0..).zip(runs.iter().cloned()).collect();
            let network = scaled(&runs, net, &file).map_err(failure)?;
            let hash = network.save(out).map_err(Failure::run)?;
            for Scaling { size, games, .. } in network.meta().scalings.iter().filter(|one| one.games < FEW_GAMES) {
                say(&format!("warning: the scaling on {size}x{size} rests on {games} games; hundreds are better"));
            }
            print(&format!("{} ({hash})\n{}", out.display(), scalings_text(&network.meta().scalings)))
        }
        Command::Stats { runs } => runs.iter().try_for_each(|run| print(&data_stats(run)?.table())),
    }
}
