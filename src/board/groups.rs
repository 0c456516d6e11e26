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

    /// The empty points where a stone of `own` would belong to a group with a liberty, or would take the last liberty
    /// from a group of `enemy`.
    ///
    /// A point with an empty neighbour always is one. Only for the others one has to look at the groups next to them.
    pub fn placements(&self, own: Bits<W>, enemy: Bits<W>) -> Bits<W> {
        let empty = self.all().without(own | enemy);
        let open = empty & self.neighbours(empty);
        let mut closed = empty.without(open);
        if closed.is_empty() {
            return open;
        }
        // Groups next to an open point have that liberty, whatever closed point is filled.
        let free = self.neighbours(open);
        let alive = self.flood(free & own, own);
        closed = closed.without(self.neighbours(alive));
        if closed.is_empty() {
            return empty;
        }
        let near = self.neighbours(closed);
        closed = closed.without(self.liberties_of(near, own, empty).spare);
        let mut rest = self.neighbours(closed) & enemy;
        while !rest.is_empty() {
            let (group, lives) = self.grow(rest.lowest(), enemy, free);
            rest = rest.without(group);
            let liberties = self.neighbours(group) & empty;
            if !lives && liberties.at_most_one() {
                closed = closed.without(liberties);
            }
        }
        empty.without(closed)
    }

    /// The groups of `stones` that hold one of `seeds` and none of the stones of `free`, which have a liberty.
    #[inline]
    pub fn surrounded_of(&self, seeds: Bits<W>, stones: Bits<W>, free: Bits<W>) -> Bits<W> {
        let mut surrounded = Bits::EMPTY;
        let mut rest = (seeds & stones).without(free);
        while !rest.is_empty() {
            let (group, lives) = self.grow(rest.lowest(), stones, free);
            rest = rest.without(group);
            if !lives {
                surrounded |= group;
            }
        }
        surrounded
    }

    /// True if a group of `stones` that holds one of `seeds` also holds one of `free`.
    #[inline]
    pub fn reaches(&self, seeds: Bits<W>, stones: Bits<W>, free: Bits<W>) -> bool {
        let seeds = seeds & stones;
        seeds.meets(free) || !seeds.is_empty() && self.grow(seeds, stones, free).1
    }

    /// Floods from `seeds` through `stones` until one of `free` is reached: what was flooded, and whether one was.
    #[inline]
    fn grow(&self, seeds: Bits<W>, stones: Bits<W>, free: Bits<W>) -> (Bits<W>, bool) {
        let mut filled = seeds;
        loop {
            let grown = filled | self.beside(filled) & stones;
            if grown.meets(free) {
                return (grown, true);
            }
            if grown.same(filled) {
                return (grown, false);
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

impl<const W: usize> Geometry<W> {
    /// Every point of `bits` one step to the north, east, south and west. What leaves the board is not taken away: it is
    /// on unused places, for callers who ask only for points of the board in the end.
    #[inline]
    pub fn steps(&self, bits: Bits<W>) -> [Bits<W>; 4] {
        [bits.up(Self::STRIDE), bits.up(1), bits.down(Self::STRIDE), bits.down(1)]
    }

    /// Grows `seed`, which must lie in `region`, within `region` until it holds all of `wanted`, and no further. If it
    /// never does, this is [`Geometry::flood`].
    #[inline]
    pub fn flood_until_all(&self, seed: Bits<W>, region: Bits<W>, wanted: Bits<W>) -> Bits<W> {
        let mut filled = seed;
        while !wanted.without(filled).is_empty() {
            let grown = (filled | self.beside(filled)) & region;
            if grown == filled {
                break;
            }
            filled = grown;
        }
        filled
    }

    /// As [`Geometry::flood_until_all`], but until it holds some of `wanted`.
    #[inline]
    pub fn flood_until_any(&self, seed: Bits<W>, region: Bits<W>, wanted: Bits<W>) -> Bits<W> {
        let mut filled = seed;
        while !wanted.meets(filled) {
            let grown = (filled | self.beside(filled)) & region;
            if grown == filled {
                break;
            }
            filled = grown;
        }
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn local_tests_agree_with_the_liberties_of_all_groups() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for n in (1..=13).cycle().take(3000) {
            let board = Geometry::<3>::new(n);
            let stones = rng.random_range(0.2..1.0);
            let (mut own, mut enemy) = (Bits::EMPTY, Bits::EMPTY);
            for point in board.all().iter().filter(|_| rng.random_bool(stones)).collect::<Vec<_>>() {
                if rng.random() { own.insert(point) } else { enemy.insert(point) }
            }
            let empty = board.all().without(own | enemy);
            let free = board.neighbours(empty);
            let (all_own, all_enemy) = (board.liberties(own, empty), board.liberties(enemy, empty));
            let placements = empty & (free | all_own.spare | all_enemy.last);
            assert_eq!(board.placements(own, enemy), placements, "{own:?} {enemy:?}");
            let seeds: Bits<3> = board.all().iter().filter(|_| rng.random_bool(0.1)).collect();
            let seeded = board.flood(seeds, own);
            assert_eq!(board.surrounded_of(seeds, own, free), all_own.none & seeded);
            assert_eq!(board.reaches(seeds, own, free), !seeded.without(all_own.none).is_empty());
            assert_eq!(board.liberties_of(seeds, own, empty), board.liberties(seeded, empty));
        }
    }
}
