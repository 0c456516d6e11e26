//! What a network has said before.
//!
//! A value depends on the position alone, so where it comes from changes no result, only the time.

use super::scene::Scene;
use super::snapshot::Stage;
use crate::board::{Bits, hash};
use crate::games::{Game, HalfPoints};

/// Entries of a cache: 3 MiB.
const ENTRIES: usize = 1 << 17;

/// Positions with at most so many pieces are valued in one orientation for all their images: a game begins with few
/// positions that differ, and images of one position should not be told apart. With more pieces images hardly ever meet.
const POOLED_PIECES: usize = 2;

/// Values by position; each position has one place, where the last one stays.
pub(super) struct Cache {
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    key: [u64; 2],
    value: f32,
}

impl Cache {
    pub fn new() -> Self {
        Cache { entries: vec![Entry::default(); ENTRIES] }
    }

    fn place(key: u128) -> usize {
        key as usize % ENTRIES
    }

    /// The value kept for the position with this key.
    pub fn get(&self, key: u128) -> Option<f32> {
        let entry = &self.entries[Cache::place(key)];
        (entry.key == halves(key)).then_some(entry.value)
    }

    pub fn put(&mut self, key: u128, value: f32) {
        self.entries[Cache::place(key)] = Entry { key: halves(key), value };
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

/// The key under which a position's value is kept, and the image of the position that is to be valued, if it is not
/// the position itself.
pub(super) fn pooled<G: Game>(position: &G, komi: HalfPoints) -> (u128, Option<G>) {
    let own = key(position, komi);
    if position.piece_count() > POOLED_PIECES {
        return (own, None);
    }
    let images = G::KIND.symmetries().map(|symmetry| position.mapped(symmetry)).map(|image| (key(&image, komi), image));
    match images.min_by_key(|(key, _)| *key) {
        Some((least, image)) if least < own => (least, Some(image)),
        _ => (own, None),
    }
}
