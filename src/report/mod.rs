//! What is measured, as text for people and as CSV for programs.

mod curves;
mod files;
mod html;
mod map;
mod ratings;
mod replay;
mod solution;
mod status;
mod svg;
mod tensorboard;
#[cfg(test)]
mod tests;
mod text;

pub use files::{write_balance, write_calibration, write_curves, write_komi, write_pairs, write_summary};
pub use html::{HtmlError, write_page};
pub use map::board_map;
pub use ratings::{rating_text, write_ratings};
pub use replay::{game_text, same_game_text};
pub use solution::{proven_text, solution_text};
pub use status::status_text;
pub use text::{
    balance_text, calibration_text, epoch_text, komi_text, match_text, net_calibration_text, pipeline_text,
    scalings_text, test_line,
};
