use rand_chacha::ChaCha8Rng;

use super::{PlayoutPolicy, draw, eyes, is_eye};
use crate::board::{Bits, Point};
use crate::games::{Fugo, Game, Phase, Status, Step};

impl<const W: usize> PlayoutPolicy for Fugo<W> {
    fn playout_cap(n: usize) -> usize {
        4 * n * n
    }

    fn play_out(&mut self, cap: usize, rng: &mut ChaCha8Rng, mut each: impl FnMut(Step)) -> bool {
        for _ in 0..cap {
            let moved = match self.phase() {
                Phase::Start if self.smothered().is_empty() => self.play_placement(rng, &mut each),
                Phase::Start => self.play_movement(rng, &mut each),
                _ => self.play_destination(rng, &mut each),
            };
            if !moved {
                return true;
            }
        }
        self.end().is_some()
    }
}

/// The turns: each returns false if there is none to play.
impl<const W: usize> Fugo<W> {
    /// Evenly among placements that fill no eye of the player's own, eyes only at the end: they are moves that the
    /// player has and the enemy has not.
    fn play_placement(&mut self, rng: &mut ChaCha8Rng, each: &mut impl FnMut(Step)) -> bool {
        let (own, empty) = (self.own(), self.empty());
        // A first draw among all points is mostly good. Where not, drawing again leaves the choices equally likely.
        let first = draw(empty, rng).filter(|point| !is_eye(self.board(), own, *point) && self.try_place(*point));
        let point = first.or_else(|| {
            let eyes = eyes(self.board(), own, empty);
            self.place_among(empty.without(eyes), rng).or_else(|| self.place_among(eyes, rng))
        });
        if let Some(point) = point {
            self.end_turn();
            each(Step::Point(point));
        } else if self.may_swap() {
            self.play(Step::SWAP);
            each(Step::SWAP);
        } else {
            return false;
        }
        true
    }

    /// Places evenly at those of `points` where it is allowed.
    fn place_among(&mut self, mut points: Bits<W>, rng: &mut ChaCha8Rng) -> Option<Point> {
        while let Some(point) = draw(points, rng) {
            if self.try_place(point) {
                return Some(point);
            }
            points.remove(point);
        }
        None
    }

    /// Evenly among the stones that can move, then evenly among the points where the stone may go.
    fn play_movement(&mut self, rng: &mut ChaCha8Rng, each: &mut impl FnMut(Step)) -> bool {
        let mut stones = self.exposed();
        while let Some(stone) = draw(stones, rng) {
            let mut points = self.empty();
            while let Some(point) = draw(points, rng) {
                if self.may_move(stone, point) {
                    self.move_stone(stone, point);
                    self.end_turn();
                    each(Step::Point(stone));
                    each(Step::Point(point));
                    return true;
                }
                points.remove(point);
            }
            stones.remove(stone);
        }
        false
    }

    /// The rest of a turn that has begun.
    fn play_destination(&mut self, rng: &mut ChaCha8Rng, each: &mut impl FnMut(Step)) -> bool {
        let Status::Running(steps) = self.status() else { unreachable!("a turn that has begun can be finished") };
        let step = Step::Point(draw(steps.points, rng).expect("there is a destination"));
        self.play(step);
        each(step);
        true
    }
}
