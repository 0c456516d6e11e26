//! `fairkomi doctor`

use anyhow::anyhow;

use super::{Failure, Outcome, print};
use crate::bench::doctor::examine;

/// Look at what the program runs on, and say how to cure what is wrong
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Example:\n  fairkomi doctor")]
pub struct Args {}

pub fn run(_args: &Args) -> Outcome {
    let report = examine();
    print(&report.to_string())?;
    match report.faults().count() {
        0 => Ok(()),
        count => Err(Failure::Run(anyhow!("{count} things are wrong; the cures stand above"))),
    }
}
