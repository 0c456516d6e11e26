//! Where the parts of the main job lie in its run's directory.

use std::path::{Path, PathBuf};

use crate::games::GameKind;

/// The folders of what is measured on a board in the end.
pub const KOMI: &str = "komi";
pub const BALANCE: &str = "balance";
pub const MATCH: &str = "match";
pub(super) const MEASURED: [&str; 3] = [KOMI, BALANCE, MATCH];

/// What a run says of its boards when it is over.
pub const REPORT: &str = "report.txt";
pub const SUMMARY: &str = "summary.csv";
/// The page on it, and the folder of its plots.
pub const PAGE: &str = "report.html";
pub(super) const PLOTS: &str = "report-plots";

/// The folder of a board's parts of a run.
pub fn board_folder(run: &Path, game: GameKind, size: usize) -> PathBuf {
    run.join(game.name()).join(format!("{size}x{size}"))
}

/// The file of a game's network.
pub(super) fn network_file(run: &Path, game: GameKind, number: u32) -> PathBuf {
    run.join("nets").join(format!("{game}-{number}.safetensors"))
}
