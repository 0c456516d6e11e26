//! The command line: one file a subcommand, which parses, checks, calls and prints.
//!
//! Exit codes: 0 done, 1 failed while running, 2 the input is wrong (clap uses 2 for its own errors too).

mod balance;
mod bench;
mod contenders;
mod data;
mod doctor;
mod flags;
mod gtp;
mod job;
mod komi;
mod log;
mod matches;
mod perft;
mod pipeline;
mod position;
mod processor;
mod progress;
mod rate;
mod report;
mod selfplay;
mod solve;
mod stop;
mod train;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Plays Yugo, Linage, Fugo and Sligo against itself and measures how balanced they are.
#[derive(Parser)]
#[command(
    name = "fairkomi",
    version,
    after_help = "Example:\n  fairkomi pipeline --config configs/quick.toml --out runs/quick"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Pipeline(pipeline::Args),
    Selfplay(flags::SelfplayFlags),
    Train(flags::TrainFlags),
    Komi(flags::KomiFlags),
    Balance(flags::BalanceFlags),
    Match(flags::MatchFlags),
    Rate(flags::RateFlags),
    Solve(flags::SolveFlags),
    Gtp(flags::GtpFlags),
    Report(report::Args),
    Data(data::Args),
    Position(position::Args),
    Perft(perft::Args),
    Bench(bench::Args),
    Doctor(doctor::Args),
}

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// The input is wrong; the message says where and how to cure it. Exit code 2.
    Input(anyhow::Error),
    /// Something failed on the way. Exit code 1.
    Run(anyhow::Error),
}

/// What a command returns.
pub type Outcome = Result<(), Failure>;

impl Failure {
    /// A failure that the input is to blame for, for `map_err`.
    pub fn input(error: impl Into<anyhow::Error>) -> Self {
        Failure::Input(error.into())
    }

    /// A failure on the way, for `map_err`.
    pub fn run(error: impl Into<anyhow::Error>) -> Self {
        Failure::Run(error.into())
    }
}

/// Runs the command that the arguments name.
pub fn main() -> ExitCode {
    let outcome = processor::check().and_then(|()| {
        crate::net::runtime::set_single_threaded();
        run(Cli::parse().command)
    });
    let (error, code) = match outcome {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Input(error)) => (error, 2),
        Err(Failure::Run(error)) => (error, 1),
    };
    // Nobody is left to tell if standard error is closed.
    let _ = writeln!(io::stderr(), "error: {}", told(&error));
    ExitCode::from(code)
}

fn run(command: Command) -> Outcome {
    match command {
        Command::Pipeline(args) => pipeline::run(&args),
        Command::Selfplay(flags) => selfplay::run(&flags),
        Command::Train(flags) => train::run(&flags),
        Command::Komi(flags) => komi::run(&flags),
        Command::Balance(flags) => balance::run(&flags),
        Command::Match(flags) => matches::run(&flags),
        Command::Rate(flags) => rate::run(&flags),
        Command::Solve(flags) => solve::run(&flags),
        Command::Gtp(flags) => gtp::run(&flags),
        Command::Report(args) => report::run(&args),
        Command::Data(args) => data::run(&args),
        Command::Position(args) => position::run(&args),
        Command::Perft(args) => perft::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Doctor(args) => doctor::run(&args),
    }
}

/// The error with its causes, each cause once: many errors quote theirs.
fn told(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Ends a command that writes to standard output: a reader who has gone away, as in `| head`, is no failure.
fn printed(result: io::Result<()>) -> Outcome {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Run(anyhow::Error::from(error).context("cannot write to standard output")))
        }
        _ => Ok(()),
    }
}

/// Prints to standard output.
fn print(text: &str) -> Outcome {
    let mut out = io::stdout().lock();
    printed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}
