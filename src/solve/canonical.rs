//! Positions as whole numbers: sets of points, one number for all images under the symmetries.
//!
//! A position is taken as its mover sees it: own stones, then enemy stones. In Yugo, Fugo and Sligo the rules name no
//! colour, so that exchanging the colours and the player to move changes nothing but the sign of the margin. In Linage
//! "a quarter turn of the board, or a reflection in a diagonal, swaps Vertical and Horizontal": there the board is
//! transposed when Horizontal is to move. So half of all positions is enough.

use crate::board::{PointSet, Symmetry};
use crate::games::{Game, GameKind};

/// Up to three sets of points, each a word with rows eight places apart, as boards of one word have them.
pub(super) type Sets = [u64; 3];

/// A position without its passes, packed: equal for positions that a symmetry maps to each other.
pub(super) type Key = u64;

/// The bits of a key above the sets.
const TAG_BITS: u32 = 3;

/// How the positions of one game on one board become keys.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    n: u32,
    /// How many of the sets are in use.
    sets: u32,
    /// Whether reflections in a diagonal keep the players.
    transposes: bool,
}

impl Layout {
    /// The layout for a game of this type; `None` if its positions are too large for keys, or its boards wider than a
    /// word.
    pub fn of<G: Game>(n: usize) -> Option<Self> {
        if G::Points::EMPTY.words().len() == 1 { Self::new(G::KIND, n) } else { None }
    }

    fn new(game: GameKind, n: usize) -> Option<Self> {
        let n = n as u32;
        let sets = match game {
            GameKind::Linage => 1,
            GameKind::Fugo | GameKind::Sligo => 2,
            GameKind::Yugo => 3,
        };
        let transposes = !game.exchanges_players(Symmetry::TRANSPOSE);
        (n < 8 && sets * n * n + TAG_BITS <= Key::BITS).then_some(Layout { n, sets, transposes })
    }

    /// About how many positions there can be at most, modulo symmetry.
    pub fn positions(self, game: GameKind) -> u64 {
        let (cells, more): (u64, u64) = match game {
            GameKind::Linage => (2, 1),
            GameKind::Fugo | GameKind::Sligo => (3, 1),
            GameKind::Yugo => (5, 3),
        };
        let images = if self.transposes { 8 } else { 4 };
        cells.saturating_pow(self.n * self.n) / images * more + 1
    }

    /// The key of a position; `tag`, below 8, is what it has besides sets of points.
    pub fn key(self, sets: Sets, tag: u64) -> Key {
        let mut least = sets;
        let mut image = sets;
        for diagonal in 0..=u32::from(self.transposes) {
            if diagonal == 1 {
                image = sets.map(transposed);
            }
            for reflect in [Self::columns, Self::rows, Self::columns, Self::rows] {
                least = least.min(image);
                image = reflect(self, image);
            }
        }
        let packed = least[..self.sets as usize].iter().rev().fold(tag, |key, set| self.pack(key, *set));
        debug_assert!(tag < 1 << TAG_BITS);
        packed
    }

    /// A position with this key, and its tag.
    pub fn sets(self, key: Key) -> (Sets, u64) {
        let mut sets = [0; 3];
        let mut rest = key;
        for set in &mut sets[..self.sets as usize] {
            for row in 0..self.n {
                *set |= (rest & self.row()) << (8 * row);
                rest >>= self.n;
            }
        }
        (sets, rest)
    }

    /// One row's points.
    fn row(self) -> u64 {
        (1 << self.n) - 1
    }

    fn pack(self, key: Key, set: u64) -> Key {
        (0..self.n).rev().fold(key, |key, row| key << self.n | set >> (8 * row) & self.row())
    }

    /// The reflection that turns the order of the columns round.
    fn columns(self, sets: Sets) -> Sets {
        sets.map(|set| set.swap_bytes().reverse_bits() >> (8 - self.n))
    }

    /// The reflection that turns the order of the rows round.
    fn rows(self, sets: Sets) -> Sets {
        sets.map(|set| set.swap_bytes() >> (8 * (8 - self.n)))
    }
}

/// The reflection in the diagonal through A1, by exchanging ever larger blocks (Warren, Hacker's Delight, 7-3).
pub(super) fn transposed(set: u64) -> u64 {
    let exchange = |set: u64, distance: u32, mask: u64| {
        let differing = (set ^ set >> distance) & mask;
        set ^ differing ^ differing << distance
    };
    let set = exchange(set, 7, 0x00aa_00aa_00aa_00aa);
    let set = exchange(set, 14, 0x0000_cccc_0000_cccc);
    exchange(set, 28, 0x0000_0000_f0f0_f0f0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Bits, Geometry};
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn images_share_a_key_that_gives_one_of_them_back() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (game, n) in [(GameKind::Fugo, 5), (GameKind::Yugo, 4), (GameKind::Sligo, 3), (GameKind::Linage, 7)] {
            let layout = Layout::new(game, n).expect("small enough");
            let board = Geometry::<1>::new(n);
            for _ in 0..200 {
                let mut sets: [Bits<1>; 3] = [Bits::EMPTY; 3];
                for set in &mut sets[..layout.sets as usize] {
                    *set = board.all().iter().filter(|_| rng.random()).collect();
                }
                let tag = rng.random_range(0..8);
                let words = |symmetry| sets.map(|set| board.map_bits(symmetry, set).words()[0]);
                let key = layout.key(words(Symmetry::IDENTITY), tag);
                for symmetry in game.symmetries() {
                    assert_eq!(layout.key(words(symmetry), tag), key, "{symmetry:?}");
                }
                let (found, found_tag) = layout.sets(key);
                assert_eq!(found_tag, tag);
                assert!(game.symmetries().any(|symmetry| words(symmetry) == found));
            }
        }
    }

    #[test]
    fn transposing_agrees_with_the_board() {
        let board = Geometry::<1>::new(7);
        for point in board.all() {
            let image = board.map_point(Symmetry::TRANSPOSE, point);
            assert_eq!(transposed(Bits::<1>::single(point).words()[0]), Bits::<1>::single(image).words()[0]);
        }
    }
}
