//! Random streams: a ChaCha8 each, keyed by the run's seed, a purpose and an index.
//!
//! Threads, batches, slots and the clock never enter a key, so a run's games do not depend on them.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

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
    /// How many turns a self-play game's opening has, by game.
    OpeningLength = 7,
    /// Which earlier game a self-play game goes on from, by game.
    Continuation = 8,
    /// Which position of a game is looked at, by game.
    Calibration = 9,
}

/// The seed of a part of a run: parts must not share random numbers.
pub fn part_seed(seed: u64, part: &str) -> u64 {
    let digest = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(part).finalize();
    u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes")) >> 1
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::RngCore;

    use super::*;

    const ALL: [Purpose; 8] = [
        Purpose::Opening,
        Purpose::Noise,
        Purpose::Choice,
        Purpose::Komi,
        Purpose::Playout,
        Purpose::OpeningLength,
        Purpose::Continuation,
        Purpose::Calibration,
    ];

    #[test]
    fn every_key_has_a_stream_of_its_own() {
        let mut seen = HashSet::new();
        for seed in [0, 1, 2, 256, u64::MAX] {
            for purpose in ALL {
                for index in [0, 1, 2, 7, 256, 1 << 32, u64::MAX] {
                    let mut rng = stream(seed, purpose, index);
                    for _ in 0..16 {
                        assert!(seen.insert(rng.next_u64()), "{seed} {purpose:?} {index}");
                    }
                    assert_eq!(stream(seed, purpose, index), stream(seed, purpose, index));
                }
            }
        }
    }

    /// Runs recorded by earlier versions can be played again only as long as these stay.
    #[test]
    fn streams_never_change() {
        let numbers = |seed, purpose, index| {
            let mut rng = stream(seed, purpose, index);
            [rng.next_u64(), rng.next_u64()]
        };
        // From an implementation of ChaCha8 by the book.
        assert_eq!(numbers(1, Purpose::Opening, 0), [4_344_717_217_939_160_907, 15_305_578_173_110_765_368]);
        assert_eq!(numbers(42, Purpose::Playout, 1000), [7_497_163_651_576_601_824, 9_459_279_569_612_992_424]);
        assert_eq!(ALL.map(|purpose| purpose as u64), [1, 2, 3, 4, 5, 7, 8, 9]);
    }
}
