//! The flags of `fairkomi gtp`.

use std::path::PathBuf;
use std::time::Duration;

use super::check::Check;
use super::{BoardFlags, EngineFlags, GameFlags};
use crate::config::limits;
use crate::config::{Board, ConfigFaults, least_komi};
use crate::games::HalfPoints;
use crate::gtp::Setting;

/// Play with people and programs by the Go Text Protocol
#[derive(clap::Args, Clone, Debug)]
#[command(
    long_about = "Answers the commands of the Go Text Protocol (GTP 2) on standard input until `quit`: for a GUI such as \
        GoGui or Sabaki, or for a program. A move of the protocol is one step: one point, or `pass`, which also takes \
        Yugo's button while it is free and swaps on White's first turn of Fugo. `play` takes whole turns in notation too. \
        docs/gtp.md tells of every command.",
    after_help = "Examples:\n  fairkomi gtp --game yugo --size 9 --visits 400\n  \
        fairkomi gtp --game sligo --size 5 --net sligo.safetensors --movetime 1000"
)]
pub struct GtpFlags {
    #[command(flatten)]
    pub board: BoardFlags,
    /// Komi to begin with, in points [default: 0, Linage 0.5]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub komi: Option<HalfPoints>,
    /// Network (.safetensors) that values positions; without one, random playouts do
    #[arg(long, value_name = "FILE")]
    pub net: Option<PathBuf>,
    /// Simulations that the search of each step is topped up to
    /// [default: 200, or as many as time allows where it is limited]
    #[arg(long, value_name = "V")]
    pub visits: Option<u64>,
    /// Search each step for so many milliseconds instead; by PUCT, as all searches whose visits are not known beforehand
    #[arg(long, value_name = "MS", conflicts_with = "visits")]
    pub movetime: Option<u64>,
    #[command(flatten)]
    pub engine: EngineFlags,
    /// Key of all random streams: the same commands get the same answers, unless time decides
    #[arg(long, value_name = "S", default_value_t = limits::SEED.usual)]
    pub seed: u64,
}

impl GtpFlags {
    /// What the session begins with. There is no move cap but the one asked for: people end their games themselves.
    pub fn setting(&self) -> Result<Setting, ConfigFaults> {
        let mut check = Check::default();
        let board = check.board(&GameFlags { board: self.board.clone(), move_cap: None });
        let board = Board { move_cap: None, ..board };
        let usual = if self.movetime.is_some() { limits::MEASURED_VISITS.most } else { limits::MEASURED_VISITS.usual };
        let movetime = self.movetime.map(|time| check.whole("--movetime", time, &limits::MOVETIME));
        let setting = Setting {
            board,
            komi: self.komi.map_or(least_komi(board.game), |komi| check.komi("--komi", &board, komi)),
            seed: check.whole("--seed", self.seed, &limits::SEED),
            inference: check.inference(&self.engine),
            search: check.search("--visits", self.visits.unwrap_or(usual), &self.engine),
            movetime: movetime.map(Duration::from_millis),
            by_time: self.visits.is_none(),
        };
        check.done(setting)
    }
}
