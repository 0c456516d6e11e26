//! What a network has said before.
//!
//! An answer depends on the position alone, so where it comes from changes no result, only the time.

use half::f16;

use super::scene::Scene;
use super::snapshot::Stage;
use crate::board::{Bits, Symmetry, hash};
use crate::games::{Game, HalfPoints};

/// Entries of a cache: 1 MiB, and the policies, which take 5.5 MiB on 9×9.
const ENTRIES: usize = 1 << 15;

/// Positions with at most so many pieces are valued in one orientation for all their images: a game begins with few
/// positions that differ, and images of one position should not be told apart. With more pieces images hardly ever meet.
const POOLED_PIECES: usize = 2;

/// Values and policies by position; each position has one place, where the last one stays.
#[derive(Default)]
pub(super) struct Cache {
    entries: Vec<Entry>,
    /// The numbers of each entry's policy, side by side.
    policies: Vec<f16>,
    /// How many each has.
    width: usize,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    key: [u64; 2],
    value: f32,
}

impl Cache {
    fn place(key: u128) -> usize {
        key as usize % ENTRIES
    }

    /// What was put for the position with this key.
    pub fn get(&self, key: u128) -> Option<(f32, &[f16])> {
        let place = Cache::place(key);
        let entry = self.entries.get(place)?;
        let policy = &self.policies[place * self.width..(place + 1) * self.width];
        (entry.key == halves(key)).then_some((entry.value, policy))
    }

    /// Keeps a value and a policy, whose width is that of the board; another width than before empties the cache.
    pub fn put(&mut self, key: u128, value: f32, policy: &[f16]) {
        if self.entries.is_empty() || self.width != policy.len() {
            self.width = policy.len();
            self.entries = vec![Entry::default(); ENTRIES];
            self.policies = vec![f16::ZERO; ENTRIES * self.width];
        }
        let place = Cache::place(key);
        self.entries[place] = Entry { key: halves(key), value };
        self.policies[place * self.width..(place + 1) * self.width].copy_from_slice(policy);
    }
}

fn halves(key: u128) -> [u64; 2] {
    [key as u64, (key >> 64) as u64]
}

impl<const W: usize> Scene<W> {
    /// A key of all that the network is told.
    fn key(&self) -> u128 {
        let sets = [self.own, self.enemy, self.own_kings, self.enemy_kings];
        let stage = match self.stage {
            Stage::Start => 0,
            Stage::Moved => 1,
            Stage::Picked(dense) => 2 + u64::from(dense),
        };
        let flags = [self.transposed, self.passed, self.own_button, self.enemy_button, self.swap_open];
        let flags = flags.iter().fold(0, |bits, flag| bits << 1 | u64::from(*flag));
        let rest = stage << 48 | u64::from(self.handicap_left) << 16 | (self.board.n() as u64) << 8 | flags;
        hash(sets.iter().flat_map(Bits::words).copied().chain([rest, self.komi.0 as u64]))
    }
}

/// The key of a position in a game at `komi`.
fn key<G: Game>(position: &G, komi: HalfPoints) -> u128 {
    match position.size() {
        0..=7 => Scene::<1>::of_game(position, komi).key(),
        8..=10 => Scene::<2>::of_game(position, komi).key(),
        11..=13 => Scene::<3>::of_game(position, komi).key(),
        _ => Scene::<6>::of_game(position, komi).key(),
    }
}

/// The key under which what is known of a position is kept; the symmetry that takes the position to the one that is
/// valued in its place; and that one, if it is another.
pub(super) fn pooled<G: Game>(position: &G, komi: HalfPoints) -> (u128, Symmetry, Option<G>) {
    let own = key(position, komi);
    if position.piece_count() > POOLED_PIECES {
        return (own, Symmetry::IDENTITY, None);
    }
    let images = G::KIND.symmetries().map(|symmetry| {
        let image = position.mapped(symmetry);
        (key(&image, komi), symmetry, image)
    });
    match images.min_by_key(|(key, ..)| *key) {
        Some((least, symmetry, image)) if least < own => (least, symmetry, Some(image)),
        _ => (own, Symmetry::IDENTITY, None),
    }
}
