//! Boards whose value is known exactly, for comparison with what is measured.

use serde::Serialize;

use crate::config::Board;
use crate::games::{GameKind, HalfPoints, Player};

/// The value of the empty board under best play by both.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Known {
    /// The first player's margin without komi.
    Margin(HalfPoints),
    /// The winner (Fugo, pie rule off).
    Winner(Player),
}

/// The exact value as [`crate::solve::solve`] finds it, where one is known.
pub fn known(board: &Board) -> Option<Known> {
    let half = |half| Some(Known::Margin(HalfPoints(half)));
    match (board.game, board.size, board.handicap) {
        (GameKind::Yugo, 1, 0) | (GameKind::Yugo, 2, 0 | 1) => half(1),
        (GameKind::Yugo, 2, 2) | (GameKind::Yugo, 3, 0 | 1) => half(7),
        (GameKind::Yugo, 3, 2) => half(9),
        (GameKind::Yugo, 4, 0) => half(3),
        (GameKind::Yugo, 3, 3 | 4) => half(17),
        (GameKind::Linage, 3, 0) => half(8),
        (GameKind::Linage, 4, 0) => half(10),
        (GameKind::Linage, 5, 0) => half(14),
        (GameKind::Sligo, 1 | 4, 0) => half(0),
        (GameKind::Sligo, 3, 0) => half(18),
        (GameKind::Fugo, 1 | 2, 0) => Some(Known::Winner(Player::White)),
        (GameKind::Fugo, 3 | 4, 0) => Some(Known::Winner(Player::Black)),
        _ => None,
    }
}

impl std::fmt::Display for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Known::Margin(margin) => f.pad(&margin.signed()),
            Known::Winner(Player::Black) => f.pad("first wins"),
            Known::Winner(Player::White) => f.pad("second wins"),
        }
    }
}
