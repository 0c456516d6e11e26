//! How balanced a game is, and which komi is fair.

mod balance;
mod fair;
mod known;
mod measure;
mod openings;
#[cfg(test)]
mod tests;

pub use balance::{Balance, FirstMove, Lengths, Margins, balance, first_moves};
pub use fair::{AtKomi, BestKomi, Fair, lattice, measurable_near, next_block, summary};
pub use known::{Known, known};
pub use measure::{MeasureError, Measurement, measure_balance, measure_komi, own_answer};
pub use openings::{OpeningScore, Openings, openings};
