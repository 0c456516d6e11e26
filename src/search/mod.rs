//! Tree search over steps, and what it asks of an evaluator.

mod arena;
mod choice;
mod evaluator;
mod playout;
mod root;
mod select;
mod streams;
#[cfg(test)]
pub mod testing;
mod tree;

pub use arena::Certain;
pub use choice::{Choice, ChoiceRule, choose};
pub use evaluator::{EvalError, Evaluator, FirstValue, Leaf, MoverValue, margin_utility, utility_spread};
pub use playout::{PlayoutPolicy, Playouts, playout};
pub use streams::{Purpose, part_seed, stream};
pub use tree::{Descent, RootStep, Search};
