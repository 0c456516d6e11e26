//! The batch runner: many games at once, whose bytes do not depend on how many.

mod engine;
mod game;
mod runner;
mod setup;

pub use engine::{Engine, Judge};
pub use game::{Finished, Note};
pub use runner::{Control, Observer, RunError, Workers, play_games};
pub use setup::{Opening, Setup};
