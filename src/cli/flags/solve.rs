//! The flags of `fairkomi solve`.

use clap::ValueEnum;

use super::check::Check;
use crate::config::{ConfigFaults, board_faults, limits};
use crate::games::{GameKind, Options};
use crate::solve::Method;

/// Find the exact value of a small empty board under best play by both
#[derive(clap::Args, Clone, Debug)]
#[command(
    long_about = "Finds the first player's margin under best play by both (Fugo: the winner), the value of each first turn, \
        and which of them are best. Where play can go round in circles, the value is given only if it does not depend on \
        how endless play is scored; else its bounds. If memory does not suffice, or after Ctrl-C, the bounds that are \
        proven by then are the answer. The last line is the value: `value +3.5`, `winner black`, `bounds -1 +3` or \
        `endless`.",
    after_help = "Example:\n  fairkomi solve --game sligo --size 3\nends with the line\n  value +9"
)]
pub struct SolveFlags {
    /// yugo, linage, fugo or sligo
    #[arg(long)]
    pub game: GameKind,
    /// Side of the board, 1 to 19 (Linage: 3 to 19); sides beyond 4 or 5 are seldom solved
    #[arg(long, value_name = "N")]
    pub size: u64,
    /// Yugo: pawns that Black places before White's first turn
    #[arg(long, value_name = "PAWNS", default_value_t = limits::HANDICAP.usual)]
    pub handicap: u64,
    /// Memory for tables, in MiB
    #[arg(long, value_name = "MIB", default_value_t = limits::SOLVE_MEMORY.usual)]
    pub memory: u64,
    /// Threads [default: as many as the machine has]
    #[arg(long, value_name = "N")]
    pub threads: Option<u64>,
    /// How: by retrograde analysis of all positions, or by proof-number search [default: retrograde analysis if its tables
    /// fit the memory]
    #[arg(long, value_enum)]
    pub method: Option<MethodName>,
}

/// A method as it is written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum MethodName {
    Retrograde,
    Search,
}

/// What is to be solved, and with what.
pub struct SolveAsked {
    pub game: GameKind,
    pub size: usize,
    pub handicap: usize,
    /// In bytes.
    pub memory: u64,
    pub threads: usize,
    pub method: Option<Method>,
}

impl SolveFlags {
    /// What the flags ask for.
    pub fn config(&self) -> Result<SolveAsked, ConfigFaults> {
        let mut check = Check::default();
        let size: usize = check.whole("--size", self.size, &limits::SIZE);
        let handicap: usize = check.whole("--handicap", self.handicap, &limits::HANDICAP);
        if check.faults.is_empty() {
            for (key, fault) in board_faults(self.game, size, Options { handicap, pie: false }) {
                check.refuse(&format!("--{key}"), fault.to_string());
            }
        }
        let memory: u64 = check.whole("--memory", self.memory, &limits::SOLVE_MEMORY);
        let threads = self.threads.map(|threads| check.whole("--threads", threads, &limits::THREADS));
        let method = self.method.map(|method| match method {
            MethodName::Retrograde => Method::Retrograde,
            MethodName::Search => Method::Search,
        });
        check.done(SolveAsked {
            game: self.game,
            size,
            handicap,
            memory: memory << 20,
            threads: threads.unwrap_or_else(super::cores),
            method,
        })
    }
}
