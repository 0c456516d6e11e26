//! What a solver may use, and what it tells while it works.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Range;

/// Bounds on the work, and who watches it.
pub struct Limits<'a> {
    /// The most memory that the solver's tables may take, in bytes.
    pub memory: u64,
    /// How many threads work; at least one does.
    pub threads: usize,
    /// Set from outside, it ends the work within about a second.
    pub stop: &'a AtomicBool,
    /// Told how far the work has come, up to some hundred times a second, by any of the threads.
    pub observer: &'a (dyn Fn(Progress) + Sync),
}

impl Limits<'_> {
    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// How far the work has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Progress {
    /// Positions are collected: so many were found, and the turns of so many of them.
    Positions { found: u64, expanded: u64 },
    /// A pass over all positions has ended; what the start is known to be worth by now.
    Sweep { number: u32, changed: u64, value: Range },
    /// The search has visited so many positions; what the start is known to be worth by now.
    Search { visited: u64, value: Range },
}

/// Why a solver ended before it knew everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// It was told to.
    Asked,
    /// The memory allowed did not suffice.
    Memory,
    /// The search can go no further: the rest leads round in circles.
    Circles,
    /// The board is too large for the solver's tables, whatever the memory.
    Size,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Stopped::Asked => "stopped before it was solved",
            Stopped::Memory => "the memory allowed does not suffice; allow more of it",
            Stopped::Circles => "play in circles keeps the search from settling the rest",
            Stopped::Size => "the board is too large to be solved",
        })
    }
}
