use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{PlayoutPolicy, by_steps, draw, eyes};
use crate::games::{Button, Game, Step, Yugo};

impl<const W: usize> PlayoutPolicy for Yugo<W> {
    fn playout_cap(n: usize) -> usize {
        // The game is finite; the cap only guards against the rare very long chain of kings retaking kings.
        8 * n * n + 16
    }

    fn play_out(&mut self, cap: usize, rng: &mut ChaCha8Rng, each: impl FnMut(Step)) -> bool {
        by_steps(self, cap, rng, each, Self::playout_step)
    }
}

impl<const W: usize> Yugo<W> {
    /// Evenly among all pieces that fill no eye of the player's own, and the button; a pass only without such a choice.
    fn playout_step(&self, rng: &mut ChaCha8Rng) -> Step {
        let points = self.all_placements().without(eyes(self.board(), self.own(), self.empty()));
        let choices = points.len();
        if self.handicap_left() > 0 {
            return Step::Point(
                draw(points, rng).unwrap_or_else(|| draw(self.all_placements(), rng).expect("a handicap pawn fits")),
            );
        }
        if self.button() == Button::Free && rng.random_range(0..=choices) == choices {
            return Step::BUTTON;
        }
        draw(points, rng).map_or(Step::PASS, Step::Point)
    }
}
