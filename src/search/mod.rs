//! Tree search over steps, and what it asks of an evaluator.

mod evaluator;

pub use evaluator::{EvalError, Evaluator, FirstValue, Leaf, MoverValue};
