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

/// The exact value as [`crate::solve::solve`] finds it, where one is known: of boards without handicap.
pub fn known(board: &Board) -> Option<Known> {
    if board.handicap > 0 { None } else { without_handicap(board.game, board.size) }
}

pub(super) fn without_handicap(game: GameKind, size: usize) -> Option<Known> {
    let half = |half| Some(Known::Margin(HalfPoints(half)));
    match (game, size) {
        (GameKind::Yugo, 1 | 2) => half(1),
        (GameKind::Yugo, 3) => half(7),
        (GameKind::Linage, 3) => half(8),
        (GameKind::Linage, 4) => half(10),
        (GameKind::Linage, 5) => half(14),
        (GameKind::Sligo, 1 | 4) => half(0),
        (GameKind::Sligo, 3) => half(18),
        (GameKind::Fugo, 1 | 2) => Some(Known::Winner(Player::White)),
        (GameKind::Fugo, 3 | 4) => Some(Known::Winner(Player::Black)),
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
