//! `fairkomi report`

use std::path::PathBuf;

use super::{Failure, Outcome, print};
use crate::learn::PAGE;
use crate::report::{HtmlError, write_page};

/// Make one page for people of runs: tables, plots, and games to step through
#[derive(clap::Args, Clone, Debug)]
#[command(
    long_about = "Makes one HTML page of runs of komi, balance, match, rate, selfplay and pipeline, as far as they have come: \
        what was played, fair komi, win rates, first moves, margins, matches, learning curves, and games to step through. \
        The page needs no network. Its plots lie beside it as SVG files.",
    after_help = "Example:\n  fairkomi report runs/quick"
)]
pub struct Args {
    /// Run directories
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The page's file [default: report.html in the first run]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub fn run(args: &Args) -> Outcome {
    let out = args.out.clone().unwrap_or_else(|| args.runs[0].join(PAGE));
    let pictures = write_page(&args.runs, &out)?;
    let plots = if pictures > 0 { format!(", and {pictures} plots beside it") } else { String::new() };
    print(&format!("{}{plots}\n", out.display()))
}

impl From<HtmlError> for Failure {
    fn from(error: HtmlError) -> Self {
        match error {
            HtmlError::Template(_) => Failure::run(error),
            HtmlError::Write(error) => error.into(),
            error => Failure::input(error),
        }
    }
}
