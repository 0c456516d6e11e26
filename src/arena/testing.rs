//! Matches for tests.

use crate::config::{Board, Device, Inference, MatchConfig, Precision, Reading, SearchConfig, SearchSettings};
use crate::games::GameKind;

/// A search with playouts.
pub fn search(visits: u32) -> SearchConfig {
    SearchSettings { reading: Reading::VALUE, tree_memory: 64, ..SearchSettings::default() }.with_visits(visits)
}

/// A match of two turns' openings at komi 0.
pub fn config(game: GameKind, size: usize) -> MatchConfig {
    let board = Board { game, size, handicap: 0, pie: false, move_cap: Some(200) };
    let inference = Inference { batch: 16, precision: Precision::F32, device: Device::Cpu };
    MatchConfig {
        pairs: 4,
        seed: 1,
        opening_turns: 2,
        ..MatchConfig::between([search(100), search(10)], board, inference)
    }
}
