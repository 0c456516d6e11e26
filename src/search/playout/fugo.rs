use rand_chacha::ChaCha8Rng;

use super::{PlayoutPolicy, by_steps, draw, eyes};
use crate::games::{Fugo, Game, Phase, Status, Step};

impl<const W: usize> PlayoutPolicy for Fugo<W> {
    fn playout_cap(n: usize) -> usize {
        4 * n * n
    }

    fn play_out(&mut self, cap: usize, rng: &mut ChaCha8Rng, each: impl FnMut(Step)) -> bool {
        by_steps(self, cap, rng, each, Self::playout_step)
    }
}

impl<const W: usize> Fugo<W> {
    /// Evenly among placements that fill no eye of the player's own, eyes only at the end: they are moves that the
    /// player has and the enemy has not. Movements evenly.
    fn playout_step(&self, rng: &mut ChaCha8Rng) -> Step {
        let Status::Running(steps) = self.status() else { unreachable!("the game is not over") };
        let mut points = steps.points;
        if self.phase() == Phase::Start {
            let kept = points.without(eyes(self.board(), self.own(), self.empty()));
            points = if kept.is_empty() { points } else { kept };
        }
        draw(points, rng).map_or(Step::SWAP, Step::Point)
    }
}
