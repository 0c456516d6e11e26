//! Matches between engines.

mod matches;

pub use matches::{MatchReport, PairResult, match_report, play_match};
