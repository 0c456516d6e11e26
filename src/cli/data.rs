//! `fairkomi data`

use std::path::PathBuf;

use clap::Subcommand;

use super::{Failure, Outcome, print};
use crate::records::{CheckError, check_run, data_stats};

/// Look at recorded games
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  fairkomi data check data/sample/yugo\n  fairkomi data stats runs/yugo5")]
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
        Command::Stats { runs } => runs.iter().try_for_each(|run| print(&data_stats(run)?.table())),
    }
}
