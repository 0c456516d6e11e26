//! Fixed-width bitboards.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

use super::Point;

/// What code that is generic over the board width may ask of a set of points.
pub trait PointSet: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// The set without points.
    const EMPTY: Self;
    /// True if the set holds no point.
    fn is_empty(self) -> bool;
    /// The number of points in the set.
    fn len(self) -> usize;
    /// True if `point` is in the set.
    fn contains(self, point: Point) -> bool;
    /// The points in ascending order.
    fn iter(self) -> impl Iterator<Item = Point>;
    /// The set's `index`-th point in ascending order; `index` must be below `len()`.
    fn nth(self, index: usize) -> Point;
    /// The words, lowest first.
    fn words(&self) -> &[u64];
}

/// A set of points as `W` words of 64 bits, the lowest point first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bits<const W: usize>(pub(super) [u64; W]);

impl<const W: usize> Bits<W> {
    /// The empty set.
    pub const EMPTY: Self = Bits([0; W]);

    /// Few words are kept in registers if no word is picked by an index or a branch; many are better in memory.
    const IN_REGISTERS: bool = W <= 2;

    /// The set that holds `point` alone.
    #[inline]
    pub fn single(point: Point) -> Self {
        let mut bits = Self::EMPTY;
        if Self::IN_REGISTERS {
            for (index, word) in bits.0.iter_mut().enumerate() {
                *word = u64::from(point.word() == index) << point.bit();
            }
        } else {
            bits.0[point.word()] = 1 << point.bit();
        }
        bits
    }

    /// Adds `point`.
    #[inline]
    pub fn insert(&mut self, point: Point) {
        if Self::IN_REGISTERS {
            *self |= Self::single(point);
        } else {
            self.0[point.word()] |= 1 << point.bit();
        }
    }

    /// Takes `point` out.
    #[inline]
    pub fn remove(&mut self, point: Point) {
        if Self::IN_REGISTERS {
            *self = self.without(Self::single(point));
        } else {
            self.0[point.word()] &= !(1 << point.bit());
        }
    }

    /// The lowest point, if there is one.
    #[inline]
    pub fn first(self) -> Option<Point> {
        for (index, word) in self.0.iter().enumerate() {
            if *word != 0 {
                return Some(Point::from_index(index * 64 + word.trailing_zeros() as usize));
            }
        }
        None
    }

    /// The set that holds only the lowest point (empty if there is none).
    #[inline]
    pub fn lowest(self) -> Self {
        let mut out = Self::EMPTY;
        // All ones until a word with a point was met.
        let mut below = u64::MAX;
        for (lowest, word) in out.0.iter_mut().zip(self.0) {
            *lowest = word & word.wrapping_neg() & below;
            below &= u64::from(word == 0).wrapping_neg();
            if !Self::IN_REGISTERS && below == 0 {
                break;
            }
        }
        out
    }

    /// `self` without the points of `other`.
    #[inline]
    pub fn without(self, other: Self) -> Self {
        self & !other
    }

    /// The same as `==`, word by word: arrays are compared in memory, for which the loops of floods would wait.
    #[inline]
    pub(super) fn same(self, other: Self) -> bool {
        (self ^ other).0.iter().fold(0, |all, word| all | word) == 0
    }

    /// True if the two sets share a point.
    #[inline]
    pub fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// True if the set has at most one point.
    #[inline]
    pub fn at_most_one(self) -> bool {
        (self & !self.lowest()).is_empty()
    }

    /// True if the set has exactly one point.
    #[inline]
    pub fn is_single(self) -> bool {
        !self.is_empty() && self.at_most_one()
    }

    /// Every point moved up by `by` places, 0 < `by` < 64; what leaves the words is lost.
    #[inline]
    #[allow(clippy::needless_range_loop)] // Iterators made the games half as fast.
    pub fn up(self, by: u32) -> Self {
        let mut out = [0; W];
        out[0] = self.0[0] << by;
        for i in 1..W {
            out[i] = self.0[i] << by | self.0[i - 1] >> (64 - by);
        }
        Bits(out)
    }

    /// Every point moved down by `by` places, 0 < `by` < 64.
    #[inline]
    #[allow(clippy::needless_range_loop)]
    pub fn down(self, by: u32) -> Self {
        let mut out = [0; W];
        out[W - 1] = self.0[W - 1] >> by;
        for i in 0..W - 1 {
            out[i] = self.0[i] >> by | self.0[i + 1] << (64 - by);
        }
        Bits(out)
    }

    /// The words, lowest first.
    #[inline]
    pub fn words(&self) -> &[u64; W] {
        &self.0
    }

    /// The set that has these words; `words` must hold `W`.
    #[inline]
    pub fn from_words(words: &[u64]) -> Self {
        let mut bits = Self::EMPTY;
        bits.0.copy_from_slice(words);
        bits
    }

    /// True if the set holds no point.
    #[inline]
    pub fn is_empty(self) -> bool {
        if Self::IN_REGISTERS {
            self.0.iter().fold(0, |all, word| all | word) == 0
        } else {
            self.0.iter().all(|word| *word == 0)
        }
    }

    /// The number of points.
    #[inline]
    pub fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// True if `point` is in the set.
    #[inline]
    pub fn contains(self, point: Point) -> bool {
        self.0[point.word()] >> point.bit() & 1 == 1
    }

    /// The points in ascending order.
    #[inline]
    pub fn iter(self) -> Iter<W> {
        Iter { rest: self, word: 0 }
    }
}

impl<const W: usize> PointSet for Bits<W> {
    const EMPTY: Self = Bits([0; W]);

    fn is_empty(self) -> bool {
        Bits::is_empty(self)
    }

    fn len(self) -> usize {
        Bits::len(self)
    }

    fn contains(self, point: Point) -> bool {
        Bits::contains(self, point)
    }

    fn iter(self) -> impl Iterator<Item = Point> {
        Bits::iter(self)
    }

    #[inline]
    fn words(&self) -> &[u64] {
        &self.0
    }

    #[inline]
    fn nth(self, mut index: usize) -> Point {
        for (i, word) in self.0.iter().enumerate() {
            let count = word.count_ones() as usize;
            if index < count {
                return Point::from_index(i * 64 + nth_bit(*word, index as u64).trailing_zeros() as usize);
            }
            index -= count;
        }
        panic!("the set has fewer points than asked for");
    }
}

impl<const W: usize> Bits<W> {
    /// The set that holds only the set's `index`-th point in ascending order; empty if there are not so many. A point
    /// drawn so never passes through memory word by word.
    #[inline]
    pub fn nth_alone(self, index: usize) -> Self {
        let mut out = Self::EMPTY;
        // Below the words with the point `index` wraps to a huge number, which selects nothing.
        let mut index = index as u64;
        for (out, word) in out.0.iter_mut().zip(self.0) {
            *out = nth_bit(word, index);
            index = index.wrapping_sub(u64::from(word.count_ones()));
        }
        out
    }
}

/// The `index`-th lowest set bit of `word` alone, 0 if there are not so many.
#[inline]
#[allow(unsafe_code)]
fn nth_bit(word: u64, index: u64) -> u64 {
    let rank = if index < 64 { 1 << index } else { 0 };
    // SAFETY: compiled only where the whole build may use BMI2.
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    return unsafe { std::arch::x86_64::_pdep_u64(rank, word) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    {
        let (mut word, mut rank) = (word, rank);
        while rank > 1 {
            word &= word.wrapping_sub(1);
            rank >>= 1;
        }
        if rank == 0 { 0 } else { word & word.wrapping_neg() }
    }
}

/// The points of a set in ascending order.
pub struct Iter<const W: usize> {
    rest: Bits<W>,
    word: usize,
}

impl<const W: usize> Iterator for Iter<W> {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        while self.word < W {
            let word = &mut self.rest.0[self.word];
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(Point::from_index(self.word * 64 + bit));
            }
            self.word += 1;
        }
        None
    }
}

impl<const W: usize> IntoIterator for Bits<W> {
    type Item = Point;
    type IntoIter = Iter<W>;

    fn into_iter(self) -> Iter<W> {
        self.iter()
    }
}

impl<const W: usize> FromIterator<Point> for Bits<W> {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Self {
        let mut bits = Self::EMPTY;
        for point in points {
            bits.insert(point);
        }
        bits
    }
}

macro_rules! wordwise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<const W: usize> $trait for Bits<W> {
            type Output = Self;
            #[inline]
            fn $method(mut self, other: Self) -> Self {
                for i in 0..W {
                    self.0[i] $op other.0[i];
                }
                self
            }
        }
    };
}
wordwise!(BitAnd, bitand, &=);
wordwise!(BitOr, bitor, |=);
wordwise!(BitXor, bitxor, ^=);

impl<const W: usize> BitOrAssign for Bits<W> {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl<const W: usize> BitAndAssign for Bits<W> {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl<const W: usize> Not for Bits<W> {
    type Output = Self;
    #[inline]
    fn not(mut self) -> Self {
        for word in &mut self.0 {
            *word = !*word;
        }
        self
    }
}

impl<const W: usize> fmt::Debug for Bits<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Point::index)).finish()
    }
}
