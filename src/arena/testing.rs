//! Matches for tests.

use crate::config::{Board, Device, Inference, MatchConfig, Precision, Reading, SearchConfig, SearchSettings};
use crate::games::{GameKind, HalfPoints};

/// A search with playouts.
pub fn search(visits: u32) -> SearchConfig {
    SearchSettings { reading: Reading::VALUE, tree_memory: 64, ..SearchSettings::default() }.with_visits(visits)
}

/// A match of two turns' openings at komi 0.
pub fn config(game: GameKind, size: usize) -> MatchConfig {
    MatchConfig {
        board: Board { game, size, handicap: 0, pie: false, move_cap: Some(200) },
        pairs: 4,
        seed: 1,
        inference: Inference { batch: 16, precision: Precision::F32, device: Device::Cpu },
        komi: HalfPoints(0),
        opening_turns: 2,
        openings: None,
        sprt: None,
        void_faults: false,
        programs: [None, None],
        program_limit: None,
        b_precision: Precision::F32,
        a: search(100),
        b: search(10),
    }
}
