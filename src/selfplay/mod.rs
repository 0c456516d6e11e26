//! The batch runner: many games at once, whose bytes do not depend on how many.

mod continuation;
mod engine;
mod game;
mod generate;
mod runner;
mod setup;
mod sharded;
#[cfg(test)]
mod tests;
mod thinker;

pub use continuation::{Continuation, ContinuationError, turning_points};
pub use engine::{Engine, EngineError, Judge};
pub use game::{Finished, Note};
pub use generate::generate;
pub use runner::{Control, Observer, PlayError, Work, Workers, play_games};
pub use setup::{Opening, Setup};
pub use sharded::{OutputError, Plan, config_toml, game_rows, play_shards, record};
pub use thinker::{Limit, Thinker};
