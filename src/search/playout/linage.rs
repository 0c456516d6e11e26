use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{PlayoutPolicy, draw_alone};
use crate::board::Bits;
use crate::games::{Game, Linage, Regions, Step};

/// One turn in so many is a pass although a stone could be placed.
const PASSES: u32 = 64;

impl<const W: usize> PlayoutPolicy for Linage<W> {
    fn playout_cap(n: usize) -> usize {
        // Every other turn at least places a stone or the game ends.
        2 * n * n + 2
    }

    fn play_out(&mut self, cap: usize, rng: &mut ChaCha8Rng, mut each: impl FnMut(Step)) -> bool {
        let mut choices = Choices { regions: self.regions(), illegal: Bits::EMPTY };
        for _ in 0..cap {
            if self.end().is_some() {
                break;
            }
            let step = choices.next(rng);
            each(step);
            self.play(step);
        }
        self.end().is_some()
    }
}

/// What may be played, kept from turn to turn.
struct Choices<const W: usize> {
    regions: Regions<W>,
    /// Points known to be illegal. Such a point cuts off a part without a line, and goes on to do so until a stone
    /// is placed next to it: a stone elsewhere in that part leaves something of it there, still without a line.
    illegal: Bits<W>,
}

impl<const W: usize> Choices<W> {
    /// Evenly among all placements, now and then a pass. Drawing again when a point drawn is not legal is as even as
    /// drawing among the legal ones, and most points need no look.
    #[inline]
    fn next(&mut self, rng: &mut ChaCha8Rng) -> Step {
        if rng.random_range(0..PASSES) == 0 {
            return Step::PASS;
        }
        loop {
            let point = draw_alone(self.regions.free().without(self.illegal), rng);
            let Some(place) = point.first() else { return Step::PASS };
            if self.regions.place(point) {
                self.illegal = self.illegal.without(self.regions.beside(point));
                return Step::Point(place);
            }
            self.illegal |= point;
        }
    }
}
