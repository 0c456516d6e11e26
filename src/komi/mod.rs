//! How balanced a game is, and which komi is fair.

mod balance;
mod course;
mod fair;
mod known;
mod measure;
mod openings;
mod own;
#[cfg(test)]
mod tests;

pub use balance::{Balance, FirstMove, Lengths, Margins, balances, first_moves};
pub use course::{Course, Values, values};
pub use fair::{AtKomi, BestKomi, Fair, lattice, lattice_answer, measurable_near, next_block, summary};
pub use known::{Known, known};
pub use measure::{MeasureError, Measurement, measure_balance, measure_komi, own_answer};
pub use openings::{OpeningScore, Openings, openings};
pub use own::{ButtonEffect, SearchAnswer};
