//! Matches between engines.

mod contenders;
mod matches;
mod openings;
mod player;
mod ratings;
mod replay;
mod report;
mod singly;
#[cfg(test)]
mod testing;

pub use contenders::{Contender, StartProgram, play_contenders};
pub use matches::{MatchError, check_openings, play_match, seats};
pub use openings::OpeningError;
pub use player::{Fault, InProcess, Player, PlayerError};
pub use ratings::{Meeting, RateError, RatedEngine, RatingReport, games_rated, rate};
pub use replay::play_again;
pub use report::{Evidence, MatchReport, PairResult, TestReport, match_report};
