//! What is measured, as text for people and as CSV for programs.

mod curves;
mod files;
mod map;
mod tensorboard;
#[cfg(test)]
mod tests;
mod text;

pub use curves::{FairKomiRow, GenerationRow, curves_csv, curves_svg, fair_komi_csv, scalars};
pub use files::{write_balance, write_komi, write_match, write_summary};
pub use map::board_map;
pub use tensorboard::{Scalar, encode};
pub use text::{balance_text, calibration_text, epoch_text, komi_text, match_text, pipeline_text};
