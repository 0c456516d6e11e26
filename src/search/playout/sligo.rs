use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{PlayoutPolicy, by_steps, draw, eyes};
use crate::board::Bits;
use crate::games::{Game, Phase, Sligo, Status, Step};

/// How often a turn begins with a movement where one is possible.
const MOVEMENTS: f64 = 0.3;

impl<const W: usize> PlayoutPolicy for Sligo<W> {
    fn playout_cap(n: usize) -> usize {
        3 * n * n + 20
    }

    fn play_out(&mut self, cap: usize, rng: &mut ChaCha8Rng, each: impl FnMut(Step)) -> bool {
        by_steps(self, cap, rng, each, Self::playout_step)
    }
}

impl<const W: usize> Sligo<W> {
    /// A movement in some of the turns, else evenly among placements that fill no eye of the player's own; a
    /// pass where there is no such placement.
    fn playout_step(&self, rng: &mut ChaCha8Rng) -> Step {
        if self.phase() != Phase::Start {
            let Status::Running(steps) = self.status() else { unreachable!("a turn has begun") };
            let kept = steps.points.without(self.eyes_after_turn());
            let points = if kept.is_empty() { steps.points } else { kept };
            return Step::Point(draw(points, rng).expect("a turn that has begun can be finished"));
        }
        if rng.random_bool(MOVEMENTS)
            && let Some(stone) = self.random_movable(rng)
        {
            return stone;
        }
        let points = self.direct_placements().without(eyes(self.board(), self.own(), self.empty()));
        draw(points, rng).map_or(Step::PASS, Step::Point)
    }
}

impl<const W: usize> Sligo<W> {
    /// A stone that can begin a legal turn, drawn evenly, without looking at all of them.
    fn random_movable(&self, rng: &mut ChaCha8Rng) -> Option<Step> {
        let mut stones = self.own();
        while let Some(stone) = draw(stones, rng) {
            if self.can_move(stone) {
                return Some(Step::Point(stone));
            }
            stones.remove(stone);
        }
        None
    }

    /// Eyes that a placement should not fill; while a stone is picked up nothing is placed.
    fn eyes_after_turn(&self) -> Bits<W> {
        match self.phase() {
            Phase::Moved(..) => eyes(self.board(), self.own(), self.empty()),
            _ => Bits::EMPTY,
        }
    }
}
