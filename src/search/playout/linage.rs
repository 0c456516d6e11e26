use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{PlayoutPolicy, by_steps, draw};
use crate::games::{Linage, Step};

/// One turn in so many is a pass although a stone could be placed.
const PASSES: u32 = 64;

impl<const W: usize> PlayoutPolicy for Linage<W> {
    fn playout_cap(n: usize) -> usize {
        // Every other turn at least places a stone or the game ends.
        2 * n * n + 2
    }

    fn play_out(&mut self, cap: usize, rng: &mut ChaCha8Rng, each: impl FnMut(Step)) -> bool {
        by_steps(self, cap, rng, each, Self::playout_step)
    }
}

impl<const W: usize> Linage<W> {
    /// Evenly among all placements, now and then a pass.
    fn playout_step(&self, rng: &mut ChaCha8Rng) -> Step {
        if rng.random_range(0..PASSES) == 0 {
            return Step::PASS;
        }
        draw(self.placements(), rng).map_or(Step::PASS, Step::Point)
    }
}
