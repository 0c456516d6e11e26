//! Exact values of small boards under best play by both.
//!
//! There are two methods. Retrograde analysis ([`Method::Retrograde`]) finds the values of all positions that play
//! can lead to, cycles or not. Proof-number search ([`Method::Search`]) visits only some of them, so that it comes
//! further where all are too many. Both know the rules' own ends only.

mod canonical;
mod graph;
mod index;
mod limits;
mod position;
mod questions;
mod retrograde;
mod search;
#[cfg(test)]
pub(crate) mod slow;
mod solution;
#[cfg(test)]
mod tests;
mod transpositions;

pub use limits::{Limits, Progress, Stopped};
pub use position::Solvable;
pub use solution::{FirstMove, Method, Range, Solution, Verdict, WithPie};

use std::time::Instant;

use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};
use thiserror::Error;

use crate::games::{Options, OptionsError};
use canonical::Layout;

/// Why solving cannot begin.
#[derive(Debug, Error)]
pub enum SolveError {
    /// The game is not played on boards of that size, or not with that handicap.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The system gives no threads.
    #[error("cannot start threads: {0}")]
    Threads(#[from] ThreadPoolBuildError),
}

/// What a method found, for the first player.
struct Found {
    value: Range,
    first_moves: Vec<FirstMove>,
    stopped: Option<Stopped>,
    positions: u64,
    memory: u64,
}

impl Found {
    fn nothing(stopped: Stopped) -> Self {
        Found { value: Range::OPEN, first_moves: Vec::new(), stopped: Some(stopped), positions: 0, memory: 0 }
    }
}

/// Solves the game on an empty n×n board, pie off and without handicap.
///
/// Retrograde analysis is chosen if its tables fit the memory allowed, else search, which takes what memory there is
/// and goes on until all is known, or, in games with cycles, until nothing but play in circles is left to look at.
///
/// # Errors
///
/// If the game has no board of that size, or threads cannot be started. That the work ends before all is known is no
/// error: [`Solution::stopped`] tells.
pub fn solve<G: Solvable>(size: usize, limits: &Limits) -> Result<Solution, SolveError> {
    solve_with::<G>(size, 0, None, limits)
}

/// [`solve`] with so many handicap pawns (Yugo), and if one is named, by this method and no other.
///
/// # Errors
///
/// As of [`solve`]; also if the handicap is not allowed.
pub fn solve_with<G: Solvable>(
    size: usize,
    handicap: usize,
    method: Option<Method>,
    limits: &Limits,
) -> Result<Solution, SolveError> {
    let options = Options { handicap, pie: false };
    options.check(G::KIND, size)?;
    let start = G::new(size, options);
    let Some(layout) = Layout::of::<G>(size) else {
        let found = Found::nothing(Stopped::Size);
        return Ok(Solution::of(&start, method.unwrap_or(Method::Search), found, Instant::now()));
    };
    if let Some(method) = method {
        return solve_by(method, layout, &start, limits);
    }
    if layout.positions(G::KIND).saturating_mul(graph::LEAST_BYTES_EACH) <= limits.memory {
        let found = solve_by(Method::Retrograde, layout, &start, limits)?;
        if found.stopped != Some(Stopped::Memory) {
            return Ok(found);
        }
    }
    solve_by(Method::Search, layout, &start, limits)
}

fn solve_by<G: Solvable>(method: Method, layout: Layout, start: &G, limits: &Limits) -> Result<Solution, SolveError> {
    let began = Instant::now();
    let threads = ThreadPoolBuilder::new().num_threads(limits.threads.max(1)).build()?;
    let found = threads.install(|| match method {
        Method::Retrograde => retrograde::solve(layout, start, limits),
        Method::Search => questions::solve(layout, start, limits),
    });
    Ok(Solution::of(start, method, found, began))
}
