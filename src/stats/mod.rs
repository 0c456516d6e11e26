//! Statistics of game results: intervals, exact tests, fits, Elo. Pure functions, no I/O.
//!
//! - Komi and margins are integers in **half points** in [`komi_lattice`]; [`logistic`] takes komi
//!   in whatever unit the caller chooses (points, for a report) and answers in the same.
//! - `level` is always a two-sided confidence level such as `0.95`.
//! - An interval that the data do not bound is said to be so; no degenerate sample gives width 0.

pub mod binomial;
mod brownian;
pub mod calibration;
pub mod effective;
pub mod elo;
pub mod interval;
pub mod isotonic;
pub mod komi_lattice;
pub mod logistic;
pub mod next_komi;
pub mod normal;
pub mod ratings;
pub mod smooth;
pub mod special;
pub mod sprt;
pub mod summary;
pub mod wdl;

#[cfg(test)]
mod coverage_tests;

pub use effective::effective_counts;
pub use elo::Pentanomial;
pub use interval::Interval;
pub use wdl::{Outcome, Wdl};

/// The two-sided confidence level of all intervals that the program prints.
pub const LEVEL: f64 = 0.95;
