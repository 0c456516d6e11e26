//! A thing of each player's.

use super::{Cell, Pieces, Player};
use crate::board::{Bits, Geometry, Point, Symmetry};

/// One `T` for each player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Both<T> {
    pub black: T,
    pub white: T,
}

impl<T> Both<T> {
    /// The player's own.
    #[inline]
    pub fn of(&self, player: Player) -> &T {
        match player {
            Player::Black => &self.black,
            Player::White => &self.white,
        }
    }

    /// The player's own, to be changed.
    #[inline]
    pub fn of_mut(&mut self, player: Player) -> &mut T {
        match player {
            Player::Black => &mut self.black,
            Player::White => &mut self.white,
        }
    }

    /// Both changed alike.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Both<U> {
        Both { black: change(self.black), white: change(self.white) }
    }
}

/// The stones on a board.
impl<const W: usize> Both<Bits<W>> {
    /// No stones.
    pub const NONE: Self = Both { black: Bits::EMPTY, white: Bits::EMPTY };

    /// All stones.
    #[inline]
    pub fn all(self) -> Bits<W> {
        self.black | self.white
    }

    /// The stones as pieces; none is a king.
    pub fn pieces(self) -> Pieces<Bits<W>> {
        Pieces { black: self.black, white: self.white, black_kings: Bits::EMPTY, white_kings: Bits::EMPTY }
    }

    /// What stands on the point.
    pub fn cell(self, point: Point) -> Cell {
        if self.black.contains(point) {
            Cell::Stone(Player::Black)
        } else if self.white.contains(point) {
            Cell::Stone(Player::White)
        } else {
            Cell::Empty
        }
    }

    /// The image under a symmetry.
    pub fn mapped(self, board: &Geometry<W>, symmetry: Symmetry) -> Self {
        self.map(|stones| board.map_bits(symmetry, stones))
    }
}
