//! The flags of the commands that play and train, and how they become configs.
//!
//! Ranges are those of config files; all flags that are out of range are told at once.

mod check;
mod gtp;
mod matches;
mod measure;
mod rate;
mod selfplay;
mod solve;
#[cfg(test)]
mod tests;
mod train;

pub use gtp::GtpFlags;
pub use matches::MatchFlags;
pub use measure::{BalanceFlags, KomiFlags};
pub use rate::RateFlags;
pub use selfplay::SelfplayFlags;
pub use solve::SolveFlags;
pub use train::TrainFlags;

use std::path::PathBuf;
use std::thread;

use self::check::Check;
use crate::config::limits;
use crate::config::{Board, ConfigFaults, Device, Precision, Selection};
use crate::games::GameKind;

/// What is played.
#[derive(clap::Args, Clone, Debug)]
pub struct BoardFlags {
    /// yugo, linage, fugo or sligo
    #[arg(long)]
    pub game: GameKind,
    /// Side of the board, 1 to 19 (Linage: 3 to 19)
    #[arg(long, value_name = "N")]
    pub size: u64,
    /// Yugo: pawns that Black places before White's first turn
    #[arg(long, value_name = "PAWNS", default_value_t = limits::HANDICAP.usual)]
    pub handicap: u64,
    /// Fugo: White may swap on the first turn
    #[arg(long)]
    pub pie: bool,
}

/// What is played, game after game.
#[derive(clap::Args, Clone, Debug)]
pub struct GameFlags {
    #[command(flatten)]
    pub board: BoardFlags,
    /// Turns after which a game is cut off without a result [default: none in Yugo and Linage, whose games end;
    /// Fugo 4 N², Sligo 8 N² but at least 100]
    #[arg(long, value_name = "TURNS")]
    pub move_cap: Option<u64>,
}

/// What every long job takes.
#[derive(clap::Args, Clone, Debug)]
pub struct JobFlags {
    /// Key of all random streams: the same seed gives the same results
    #[arg(long, value_name = "N", default_value_t = limits::SEED.usual)]
    pub seed: u64,
    /// Worker threads; they change the time, not the results [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<u64>,
}

/// How engines search.
#[derive(clap::Args, Clone, Debug)]
pub struct EngineFlags {
    /// Positions that a network evaluates a call, and games that a thread keeps going, 16 to 4096
    #[arg(long, value_name = "N", default_value_t = limits::BATCH.usual)]
    pub batch: u64,
    /// Numbers that networks compute in: auto, f32 or bf16; auto is bf16 where the device has it, else f32
    #[arg(long, value_name = "P", default_value = "auto")]
    pub precision: Precision,
    /// What networks compute on: cpu or cuda
    #[arg(long, value_name = "D", default_value = "cpu")]
    pub device: Device,
    /// How simulations are led: puct or gumbel
    #[arg(long, value_name = "S", default_value = "puct")]
    pub selection: Selection,
    /// PUCT: weight of exploration against value, values being expected scores in [0, 1]
    #[arg(long, value_name = "X", default_value_t = limits::EXPLORATION.usual)]
    pub exploration: f64,
    /// PUCT: how far below its parent's value a step is taken to be before its first visit, in expected score
    #[arg(long, value_name = "X", default_value_t = limits::REDUCTION.usual)]
    pub reduction: f64,
    /// Gumbel: how many of the root's steps are looked at, at first
    #[arg(long, value_name = "N", default_value_t = limits::CONSIDERED.usual)]
    pub considered: u64,
    /// Gumbel: how much a difference in value counts beside the policy
    #[arg(long, value_name = "X", default_value_t = limits::VALUE_SCALE.usual)]
    pub value_scale: f64,
    /// Leave the network's policy aside: all steps are equal before they are tried
    #[arg(long)]
    pub no_policy: bool,
    /// Images of a position under the game's symmetries that a network's answer is the mean of, 1 to 8
    #[arg(long, value_name = "N", default_value_t = limits::SYMMETRIES.usual)]
    pub symmetries: u64,
    /// To what part the margin takes the place of the win in values, 0 to 0.4; none in playouts and with a network without
    /// margins
    #[arg(long, value_name = "X", default_value_t = limits::MARGIN_WEIGHT.usual)]
    pub margin_weight: f64,
    /// Most memory for the tree of one game, in MiB: a full tree grows no more, but goes on valuing
    #[arg(long, value_name = "MIB", default_value_t = limits::TREE_MEMORY.usual)]
    pub tree_memory: u64,
}

/// What every job that plays games takes.
#[derive(clap::Args, Clone, Debug)]
pub struct PlayFlags {
    #[command(flatten)]
    pub engine: EngineFlags,
    /// Directory of the run; a run that was stopped goes on
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// How measured games are made to differ.
#[derive(clap::Args, Clone, Debug)]
pub struct VariationFlags {
    /// First turns that are drawn, in proportion to visits, among the steps that are nearly best
    #[arg(long, value_name = "TURNS", default_value_t = limits::DRAWN_TURNS.usual)]
    pub drawn_turns: u64,
    /// How much a drawn step may be worth less than the best one, in expected score (0 to 1)
    #[arg(long, value_name = "X", default_value_t = limits::DELTA.usual)]
    pub delta: f64,
}

/// What every measurement takes.
#[derive(clap::Args, Clone, Debug)]
pub struct MeasureFlags {
    #[command(flatten)]
    pub board: GameFlags,
    /// Network (.safetensors) that values positions; without one, random playouts do
    #[arg(long, value_name = "FILE")]
    pub net: Option<PathBuf>,
    /// Simulations that the search of each step is topped up to
    #[arg(long, value_name = "N", default_value_t = limits::MEASURED_VISITS.usual)]
    pub visits: u64,
    #[command(flatten)]
    pub variation: VariationFlags,
    #[command(flatten)]
    pub play: PlayFlags,
    #[command(flatten)]
    pub job: JobFlags,
}

impl JobFlags {
    /// Worker threads: as asked for, else one for each core.
    pub fn threads(&self) -> usize {
        self.threads.and_then(|threads| usize::try_from(threads).ok()).unwrap_or_else(cores)
    }
}

/// The machine's cores, as far as this program may use them.
fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// A game's board of this side, with the usual rules.
pub fn board_of(game: GameKind, size: u64) -> Result<Board, ConfigFaults> {
    let mut check = Check::default();
    let board = BoardFlags { game, size, handicap: limits::HANDICAP.usual, pie: false };
    let flags = GameFlags { board, move_cap: None };
    let board = check.board(&flags);
    check.done(board)
}
