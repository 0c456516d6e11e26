//! The eight symmetries of the square.

use super::{Bits, Geometry, Point};

/// A symmetry of the board: reflections in both axes, then, if asked, a reflection in the diagonal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The identity.
    pub const IDENTITY: Symmetry = Symmetry(0);
    /// The reflection in the diagonal through A1.
    pub const TRANSPOSE: Symmetry = Symmetry(4);

    /// All eight, the identity first; the four that keep rows rows come before the four that don't.
    pub fn all() -> impl Iterator<Item = Symmetry> {
        (0..8).map(Symmetry)
    }

    /// The symmetry's number, 0 to 7.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// True if rows become columns.
    pub fn transposes(self) -> bool {
        self.0 & 4 != 0
    }

    /// The image of (row, column) on a board of side `n`.
    pub fn map(self, n: usize, row: usize, column: usize) -> (usize, usize) {
        let row = if self.0 & 1 != 0 { n - 1 - row } else { row };
        let column = if self.0 & 2 != 0 { n - 1 - column } else { column };
        if self.transposes() { (column, row) } else { (row, column) }
    }

    /// The symmetry that undoes this one.
    pub fn inverse(self) -> Symmetry {
        // Undone in reverse order: the diagonal first, after which the two axes have changed places.
        match self.0 {
            5 => Symmetry(6),
            6 => Symmetry(5),
            _ => self,
        }
    }
}

impl<const W: usize> Geometry<W> {
    /// The image of a point.
    pub fn map_point(&self, symmetry: Symmetry, point: Point) -> Point {
        let (row, column) = self.row_column(point);
        let (row, column) = symmetry.map(self.n(), row, column);
        self.at(row, column)
    }

    /// The image of a set of points.
    pub fn map_bits(&self, symmetry: Symmetry, bits: Bits<W>) -> Bits<W> {
        bits.iter().map(|point| self.map_point(symmetry, point)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eight_form_a_group() {
        let board = Geometry::<1>::new(4);
        let image = |s: Symmetry| board.all().iter().map(|p| board.map_point(s, p)).collect::<Vec<_>>();
        let images: Vec<_> = Symmetry::all().map(image).collect();
        for a in Symmetry::all() {
            for b in Symmetry::all() {
                let product: Vec<_> = board.all().iter().map(|p| board.map_point(b, board.map_point(a, p))).collect();
                assert!(images.contains(&product));
            }
            for p in board.all() {
                assert_eq!(board.map_point(a.inverse(), board.map_point(a, p)), p);
            }
            assert_eq!(images.iter().filter(|i| **i == image(a)).count(), 1);
        }
    }
}
