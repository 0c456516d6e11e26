//! Board sizes, points, their names and their neighbours.
//!
//! Rows are stored with at least one unused column between them, so a shift never wraps from one row's edge to the
//! next row: it lands in an unused column, and one mask takes it away. How far apart rows lie depends on the width
//! of the bitboards alone, so that every shift is by a constant.

use std::fmt;

use thiserror::Error;

use super::Bits;

/// The largest board side.
pub const MAX_SIZE: usize = 19;

/// The column letters of GTP; there is no I.
const COLUMNS: &[u8; MAX_SIZE] = b"ABCDEFGHJKLMNOPQRST";

/// At least the places of the widest bitboard; a power of two, so that an index into as many needs no check.
const PLACES: usize = 512;

/// A point of the board: its place in a bitboard of the board's size.
///
/// Only the [`Geometry`] of that size can name it or tell its row and column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point(u16);

impl Point {
    /// The point with this place in the bitboard.
    #[inline]
    pub(crate) fn from_index(index: usize) -> Self {
        Point(index as u16)
    }

    /// The place in the bitboard.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(super) fn word(self) -> usize {
        self.0 as usize / 64
    }

    #[inline]
    pub(super) fn bit(self) -> u32 {
        self.0 as u32 % 64
    }
}

/// Why a text names no point of the board.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PointError {
    /// The text has not the form of a point.
    #[error("`{0}` is not a point (a letter A to T without I, then the row, as in C3)")]
    Form(String),
    /// The point lies outside the board.
    #[error("`{text}` lies outside the {size}x{size} board")]
    Outside { text: String, size: usize },
}

/// A board side that no game has.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("size {0} is not between 1 and 19")]
pub struct SizeError(pub usize);

/// An n×n board whose bitboards have `W` words.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Geometry<const W: usize> {
    n: u8,
    all: Bits<W>,
}

impl<const W: usize> fmt::Debug for Geometry<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{0}x{0}", self.n)
    }
}

impl<const W: usize> Geometry<W> {
    /// The board of side `n`. Panics if `W` words are too few or `n` is 0: callers choose `W` by size.
    pub fn new(n: usize) -> Self {
        let fits = n < Self::STRIDE as usize && n * Self::STRIDE as usize <= 64 * W;
        assert!((1..=MAX_SIZE).contains(&n) && fits, "{W} words cannot hold {n}x{n}");
        let mut geometry = Geometry { n: n as u8, all: Bits::EMPTY };
        let (all, row) = (&mut geometry.all.0, (1u64 << n) - 1);
        for start in (0..n).map(|row| row * Self::STRIDE as usize) {
            let (word, bit) = (start / 64, start % 64);
            all[word] |= row << bit;
            if bit + n > 64 {
                all[word + 1] |= row >> (64 - bit);
            }
        }
        geometry
    }

    /// The board's side.
    #[inline]
    pub fn n(&self) -> usize {
        self.n as usize
    }

    /// The places from one row to the next: one more than the largest side that so many words are used for.
    pub(super) const STRIDE: u32 = match W {
        1 => 8,
        2 => 11,
        3 => 14,
        _ => 20,
    };

    /// All points.
    #[inline]
    pub fn all(&self) -> Bits<W> {
        self.all
    }

    /// The point at `row` (0 is the bottom one) and `column` (0 is A).
    #[inline]
    pub fn at(&self, row: usize, column: usize) -> Point {
        Point::from_index(row * Self::STRIDE as usize + column)
    }

    /// Row and column of a point, both from 0.
    #[inline]
    pub fn row_column(&self, point: Point) -> (usize, usize) {
        let stride = Self::STRIDE as usize;
        (point.index() / stride, point.index() % stride)
    }

    /// The point's number among the n² points, row by row from the bottom: 0 to n² − 1.
    #[inline]
    pub fn dense(&self, point: Point) -> usize {
        let (row, column) = self.row_column(point);
        row * self.n() + column
    }

    /// The number of the point's image in the diagonal through A1.
    #[inline]
    pub fn dense_transposed(&self, point: Point) -> usize {
        let (row, column) = self.row_column(point);
        column * self.n() + row
    }

    /// The inverse of [`Geometry::dense`].
    #[inline]
    pub fn from_dense(&self, dense: usize) -> Point {
        self.at(dense / self.n(), dense % self.n())
    }

    /// The point's name as in GTP, for example `C3`.
    pub fn name(&self, point: Point) -> String {
        let (row, column) = self.row_column(point);
        format!("{}{}", COLUMNS[column] as char, row + 1)
    }

    /// The point of that name; lower case letters are accepted.
    pub fn parse(&self, text: &str) -> Result<Point, PointError> {
        let form = || PointError::Form(text.chars().take(20).collect());
        let letter = text.bytes().next().ok_or_else(form)?.to_ascii_uppercase();
        let column = COLUMNS.iter().position(|c| *c == letter).ok_or_else(form)?;
        let digits = &text[1..];
        if digits.is_empty()
            || digits.len() > 2
            || !digits.bytes().all(|c| c.is_ascii_digit())
            || digits.starts_with('0')
        {
            return Err(form());
        }
        let row: usize = digits.parse().map_err(|_| form())?;
        if column >= self.n() || row > self.n() {
            return Err(PointError::Outside { text: text.to_string(), size: self.n() });
        }
        Ok(self.at(row - 1, column))
    }

    /// Every point of `bits` one row up (towards the last row).
    #[inline]
    pub fn north(&self, bits: Bits<W>) -> Bits<W> {
        bits.up(Self::STRIDE) & self.all
    }

    /// Every point one row down.
    #[inline]
    pub fn south(&self, bits: Bits<W>) -> Bits<W> {
        bits.down(Self::STRIDE) & self.all
    }

    /// Every point one column to the right.
    #[inline]
    pub fn east(&self, bits: Bits<W>) -> Bits<W> {
        bits.up(1) & self.all
    }

    /// Every point one column to the left.
    #[inline]
    pub fn west(&self, bits: Bits<W>) -> Bits<W> {
        bits.down(1) & self.all
    }

    /// The points orthogonally adjacent to a point of `bits` (points of `bits` among them where they touch).
    #[inline]
    pub fn neighbours(&self, bits: Bits<W>) -> Bits<W> {
        self.beside(bits) & self.all
    }

    /// Neighbours, unused columns not yet masked away.
    #[inline]
    pub(super) fn beside(&self, bits: Bits<W>) -> Bits<W> {
        bits.up(1) | bits.down(1) | bits.up(Self::STRIDE) | bits.down(Self::STRIDE)
    }

    /// The points orthogonally adjacent to `point`.
    #[inline]
    pub fn around(&self, point: Point) -> Bits<W> {
        Self::AROUND[point.index() % PLACES] & self.all
    }

    /// The places beside each place, unused columns among them.
    const AROUND: &'static [Bits<W>; PLACES] = &{
        let mut around = [Bits::EMPTY; PLACES];
        let (mut place, stride) = (0, Self::STRIDE as usize);
        while place < 64 * W {
            let mut bits = [0; W];
            let beside = [place + 1, place.wrapping_sub(1), place + stride, place.wrapping_sub(stride)];
            let mut i = 0;
            while i < beside.len() {
                if beside[i] < 64 * W {
                    bits[beside[i] / 64] |= 1 << (beside[i] % 64);
                }
                i += 1;
            }
            around[place] = Bits(bits);
            place += 1;
        }
        around
    };

    /// The points diagonally adjacent to a point of `bits`.
    #[inline]
    pub fn diagonals(&self, bits: Bits<W>) -> Bits<W> {
        let (wide, narrow) = (Self::STRIDE + 1, Self::STRIDE - 1);
        (bits.up(wide) | bits.down(wide) | bits.up(narrow) | bits.down(narrow)) & self.all
    }

    /// All points of `region` connected to `seed` within `region`, `seed`'s own points in it included.
    #[inline]
    pub fn flood(&self, seed: Bits<W>, region: Bits<W>) -> Bits<W> {
        // `region` lies on the board, so masking with it clears the unused columns too.
        let mut filled = seed & region;
        loop {
            let grown = (filled | self.beside(filled)) & region;
            if grown.same(filled) {
                return filled;
            }
            filled = grown;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_on_every_size() {
        for n in 1..=MAX_SIZE {
            let board = Geometry::<6>::new(n);
            assert_eq!(board.all().len(), n * n);
            for point in board.all() {
                assert_eq!(board.parse(&board.name(point)), Ok(point));
                assert_eq!(board.parse(&board.name(point).to_lowercase()), Ok(point));
                assert_eq!(board.from_dense(board.dense(point)), point);
            }
        }
    }

    #[test]
    fn odd_names_are_refused() {
        let board = Geometry::<1>::new(5);
        for text in ["", "C", "I3", "C0", "C03", "33", "C3x", "é3", "C-1", "C+1", "ééé"] {
            assert!(matches!(board.parse(text), Err(PointError::Form(_))), "{text}");
        }
        for text in ["F1", "A6", "T19", "A99"] {
            assert!(matches!(board.parse(text), Err(PointError::Outside { .. })), "{text}");
        }
    }

    #[test]
    fn neighbours_and_diagonals_agree_with_coordinates() {
        for n in 1..=MAX_SIZE {
            let board = Geometry::<6>::new(n);
            for a in board.all() {
                let (neighbours, diagonals) = (board.neighbours(Bits::single(a)), board.diagonals(Bits::single(a)));
                assert_eq!(board.around(a), neighbours);
                let (row, column) = board.row_column(a);
                for b in board.all() {
                    let (other_row, other_column) = board.row_column(b);
                    let (rows, columns) = (row.abs_diff(other_row), column.abs_diff(other_column));
                    assert_eq!(neighbours.contains(b), rows + columns == 1);
                    assert_eq!(diagonals.contains(b), rows == 1 && columns == 1);
                }
            }
        }
    }
}
