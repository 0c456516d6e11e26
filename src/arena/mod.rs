//! Matches between engines.

mod matches;
mod openings;
mod player;
mod ratings;
mod report;
mod singly;
#[cfg(test)]
mod testing;

pub use matches::{MatchError, check_openings, play_match};
pub use openings::OpeningError;
pub use player::{Fault, InProcess, Player, PlayerError};
pub use ratings::{Meeting, RateError, RatedEngine, RatingReport, rate};
pub use report::{Evidence, MatchReport, PairResult, TestReport, match_report};
pub use singly::{MakePlayer, play_singly};
