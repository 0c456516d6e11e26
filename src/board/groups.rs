//! Groups (maximal sets of contiguous points) and their liberties.

use super::{Bits, Geometry};

/// What the liberties of all groups of one colour look like at once.
///
/// A liberty is "an empty point orthogonally adjacent to a group".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Liberties<const W: usize> {
    /// Stones of groups without a liberty.
    pub none: Bits<W>,
    /// Stones of groups with exactly one liberty.
    pub one: Bits<W>,
    /// The points that are the only liberty of some group.
    pub last: Bits<W>,
    /// The points that are a liberty of some group with at least two.
    pub spare: Bits<W>,
}

impl<const W: usize> Geometry<W> {
    /// The groups of `stones`, in the order of their lowest points.
    pub fn groups(&self, stones: Bits<W>) -> impl Iterator<Item = Bits<W>> + use<W> {
        let board = *self;
        let mut rest = stones;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let group = board.flood(rest.lowest(), rest);
            rest = rest.without(group);
            Some(group)
        })
    }

    /// Sorts the groups of `stones` by whether they have no, one or more liberties among `empty`.
    #[inline]
    pub fn liberties(&self, stones: Bits<W>, empty: Bits<W>) -> Liberties<W> {
        self.liberties_of(stones, stones, empty)
    }

    /// As [`Geometry::liberties`], but only of the groups of `stones` that hold one of `seeds`.
    #[inline]
    pub fn liberties_of(&self, seeds: Bits<W>, stones: Bits<W>, empty: Bits<W>) -> Liberties<W> {
        let mut found = Liberties { none: Bits::EMPTY, one: Bits::EMPTY, last: Bits::EMPTY, spare: Bits::EMPTY };
        let mut rest = seeds & stones;
        while !rest.is_empty() {
            let group = self.flood(rest.lowest(), stones);
            rest = rest.without(group);
            let liberties = self.neighbours(group) & empty;
            if liberties.is_empty() {
                found.none |= group;
            } else if liberties.at_most_one() {
                found.one |= group;
                found.last |= liberties;
            } else {
                found.spare |= liberties;
            }
        }
        found
    }

    /// True if a group of `stones` that holds one of `seeds`, or one of `seeds` itself, touches a point of `targets`.
    #[inline]
    pub fn touches(&self, seeds: Bits<W>, stones: Bits<W>, targets: Bits<W>) -> bool {
        self.grow(seeds, stones, targets).1
    }

    /// The groups of `stones` that hold one of `seeds` and have no liberty among `empty`.
    ///
    /// Made for a few seeds most of which have a liberty at hand.
    #[inline]
    pub fn surrounded_of(&self, seeds: Bits<W>, stones: Bits<W>, empty: Bits<W>) -> Bits<W> {
        let mut surrounded = Bits::EMPTY;
        let mut rest = seeds & stones;
        while let Some(stone) = rest.first() {
            rest.remove(stone);
            if self.around(stone).meets(empty) {
                continue;
            }
            let (group, lives) = self.grow(Bits::single(stone), stones, empty);
            rest = rest.without(group);
            if !lives {
                surrounded |= group;
            }
        }
        surrounded
    }

    /// Floods from `seeds` through `stones` until a point of `targets` is touched: what was flooded, and whether one was.
    #[inline]
    fn grow(&self, seeds: Bits<W>, stones: Bits<W>, targets: Bits<W>) -> (Bits<W>, bool) {
        let mut filled = seeds;
        loop {
            let beside = self.beside(filled);
            if beside.meets(targets) {
                return (filled, true);
            }
            let grown = filled | beside & stones;
            if grown == filled {
                return (filled, false);
            }
            filled = grown;
        }
    }

    /// The stones of groups of `stones` that have no liberty among `empty`.
    #[inline]
    pub fn surrounded(&self, stones: Bits<W>, empty: Bits<W>) -> Bits<W> {
        // Everything connected to a stone with a liberty has one; the rest has none.
        let free = self.flood(self.neighbours(empty) & stones, stones);
        stones.without(free)
    }
}

/// The empty points from which only one of two colours can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Territories<const W: usize> {
    /// Empty regions next to black pieces and to no white ones.
    pub black: Bits<W>,
    /// Empty regions next to white pieces and to no black ones.
    pub white: Bits<W>,
}

impl<const W: usize> Geometry<W> {
    /// The empty regions that touch pieces of one colour only.
    pub fn territories(&self, black: Bits<W>, white: Bits<W>) -> Territories<W> {
        let empty = self.all().without(black | white);
        let by_black = self.flood(self.neighbours(black), empty);
        let by_white = self.flood(self.neighbours(white), empty);
        Territories { black: by_black.without(by_white), white: by_white.without(by_black) }
    }
}
