//! Positions given as text to start from.

use thiserror::Error;

use super::{Button, Cell, Game, GameKind, Player};
use crate::board::{Bits, Geometry, hash};

/// A board to start from, not yet checked against a game's rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartPosition {
    /// The board's side.
    pub size: usize,
    /// Rows from the top, in the characters of [`Cell::character`].
    pub rows: Vec<String>,
    /// The player to move.
    pub to_move: Player,
    /// Who holds Yugo's button; `None` while it is free.
    pub button: Option<Player>,
}

/// Why a board cannot be started from.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PositionError {
    #[error("the board has {found} rows, not {size}")]
    Rows { found: usize, size: usize },
    #[error("row {row} from the top has {found} points, not {size}")]
    Row { row: usize, found: usize, size: usize },
    #[error("`{character}` in row {row} from the top is not a piece of {game}")]
    Character { character: char, row: usize, game: GameKind },
    #[error("no play leads to this board: {reason} at {point}")]
    Unreachable { reason: &'static str, point: String },
    #[error("the button belongs to yugo, not to {0}")]
    Button(GameKind),
}

impl StartPosition {
    /// The board, the player to move and the button of a position at the start of a turn; that a pass came before is not
    /// part of it.
    pub fn of<G: Game>(position: &G) -> Self {
        let button = match position.button() {
            Button::Taken(player) => Some(player),
            Button::Absent | Button::Free => None,
        };
        StartPosition { size: position.size(), rows: position.rows(), to_move: position.to_move(), button }
    }

    /// The points of the board on which each kind of cell stands, in the order asked for, after a check that
    /// the text has the right shape and holds no other kind of piece than these.
    pub(super) fn points<const W: usize, const K: usize>(
        &self,
        game: GameKind,
        board: &Geometry<W>,
        cells: [Cell; K],
    ) -> Result<[Bits<W>; K], PositionError> {
        let size = self.size;
        if self.rows.len() != size {
            return Err(PositionError::Rows { found: self.rows.len(), size });
        }
        if self.button.is_some() && game != GameKind::Yugo {
            return Err(PositionError::Button(game));
        }
        let mut found = [Bits::EMPTY; K];
        for (index, text) in self.rows.iter().enumerate() {
            let row = index + 1;
            let length = text.chars().count();
            if length != size {
                return Err(PositionError::Row { row, found: length, size });
            }
            for (column, character) in text.chars().enumerate() {
                let cell = Cell::from_character(character);
                if cell == Some(Cell::Empty) {
                    continue;
                }
                let kind = cells.iter().position(|known| Some(*known) == cell);
                let kind = kind.ok_or(PositionError::Character { character, row, game })?;
                found[kind].insert(board.at(size - row, column));
            }
        }
        Ok(found)
    }
}

/// The error for a board on which `stones` break a rule that always holds.
pub(super) fn unreachable<const W: usize>(board: &Geometry<W>, reason: &'static str, stones: Bits<W>) -> PositionError {
    let point = stones.first().map_or_else(String::new, |point| board.name(point));
    PositionError::Unreachable { reason, point }
}

/// A key of sets of points and the player to move: the sets themselves where they fit, else a hash.
pub(super) fn key<const W: usize, const K: usize>(sets: [Bits<W>; K], to_move: Player) -> u128 {
    let side = (to_move == Player::White) as u64;
    if W == 1 && K <= 2 {
        // Boards of one word use at most 56 bits, so the top bit is free for the player to move.
        return sets.iter().fold(0, |key, set| key << 64 | set.words()[0] as u128) | (side as u128) << 127;
    }
    // The player is a word of its own: mixed into the first one it would pass for a stone on A1.
    hash(sets.iter().flat_map(|set| set.words()).copied().chain([side]))
}

/// The methods of [`Game`] that only ask a field `board: Geometry<W>`.
macro_rules! board_methods {
    () => {
        fn size(&self) -> usize {
            self.board.n()
        }

        fn point_name(&self, point: Point) -> String {
            self.board.name(point)
        }

        fn parse_point(&self, text: &str) -> Result<Point, PointError> {
            self.board.parse(text)
        }

        fn dense(&self, point: Point) -> usize {
            self.board.dense(point)
        }

        fn from_dense(&self, dense: usize) -> Point {
            self.board.from_dense(dense)
        }

        fn map_point(&self, symmetry: Symmetry, point: Point) -> Point {
            self.board.map_point(symmetry, point)
        }
    };
}
pub(super) use board_methods;
