//! Random streams: a ChaCha8 each, keyed by the run's seed, a purpose and an index.
//!
//! Threads, batches, slots and the clock never enter a key, so a run's games do not depend on them.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// What a random stream is for. The number is part of the key: never reuse one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Purpose {
    /// Random first turns, indexed by game, or by pair where games share an opening.
    Opening = 1,
    /// Root noise, by game.
    Noise = 2,
    /// Which step is played, by game.
    Choice = 3,
    /// A game's komi, by game.
    Komi = 4,
    /// Playouts, by game.
    Playout = 5,
    /// Training, by generation.
    Training = 6,
    /// How many turns a self-play game's opening has, by game.
    OpeningLength = 7,
}

/// The stream of random numbers for `purpose` and `index` in the run with this seed.
pub fn stream(seed: u64, purpose: Purpose, index: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&(purpose as u64).to_le_bytes());
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(index);
    rng
}
