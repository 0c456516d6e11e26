use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{PlayoutPolicy, draw, eyes, is_eye};
use crate::board::PointSet;
use crate::games::{Button, Game, Step, Yugo};

impl<const W: usize> PlayoutPolicy for Yugo<W> {
    fn playout_cap(n: usize) -> usize {
        // The game is finite; the cap only guards against the rare very long chain of kings retaking kings.
        8 * n * n + 16
    }

    fn play_out(&mut self, cap: usize, rng: &mut ChaCha8Rng, mut each: impl FnMut(Step)) -> bool {
        let mut turns = 0;
        while self.end().is_none() {
            if turns >= cap {
                return false;
            }
            each(if self.handicap_left() > 0 { self.play_handicap(rng) } else { self.play_turn(rng) });
            turns += 1;
        }
        true
    }
}

impl<const W: usize> Yugo<W> {
    /// Evenly among all pieces that fill no eye of the player's own, and the button; a pass only without such a choice.
    ///
    /// Draws from more than the choices and draws again where it hit none of them, which leaves them equally likely.
    fn play_turn(&mut self, rng: &mut ChaCha8Rng) -> Step {
        let (own, mut points) = (self.own(), self.empty());
        let button = self.button() == Button::Free;
        let mut eyes_known = false;
        loop {
            let count = points.len();
            let choices = count + button as usize;
            if choices == 0 {
                self.end_turn(true);
                return Step::PASS;
            }
            let index = rng.random_range(0..choices as u32) as usize;
            if index == count {
                self.play(Step::BUTTON);
                return Step::BUTTON;
            }
            let point = points.nth(index);
            if (eyes_known || !is_eye(self.board(), own, point)) && self.try_place(point) {
                self.end_turn(false);
                return Step::Point(point);
            }
            if !eyes_known {
                points = points.without(eyes(self.board(), own, points));
                eyes_known = true;
            }
            points.remove(point);
        }
    }

    /// Evenly among the handicap pawns that fill no eye, if there are any.
    fn play_handicap(&mut self, rng: &mut ChaCha8Rng) -> Step {
        let points = self.all_placements();
        let kept = points.without(eyes(self.board(), self.own(), self.empty()));
        let step = Step::Point(draw(kept, rng).or_else(|| draw(points, rng)).expect("a handicap pawn fits"));
        self.play(step);
        step
    }
}
