use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{PlayoutPolicy, draw_alone};
use crate::board::{Bits, Point};
use crate::games::{Game, Phase, Sligo, Step, View};

/// How often a turn begins with a movement where one is possible.
const MOVEMENTS: f64 = 0.3;

impl<const W: usize> PlayoutPolicy for Sligo<W> {
    fn playout_cap(n: usize) -> usize {
        3 * n * n + 20
    }

    fn play_out(&mut self, cap: usize, rng: &mut ChaCha8Rng, mut each: impl FnMut(Step)) -> bool {
        let mut left = cap;
        if left > 0 && self.phase() != Phase::Start {
            self.finish_turn(rng, &mut each);
            left -= 1;
        }
        let (mut view, mut to_move, mut passes) = (self.view(), self.to_move(), self.passes());
        if self.phase() != Phase::Start {
            return false;
        }
        while passes < 2 && left > 0 {
            left -= 1;
            let turn = random_turn(&view, rng);
            turn.tell(&mut each);
            (view, passes) = match turn {
                Turn::Pass => (view.turned(), passes + 1),
                Turn::Place(point) => (view.placed(point), 0),
                Turn::Move(from, to, point) => (view.moved(from, to).placed(point), 0),
            };
            to_move = to_move.other();
        }
        self.set(view, to_move, passes);
        passes == 2
    }
}

impl<const W: usize> Sligo<W> {
    /// The rest of a turn that has begun, by the policy of whole turns.
    fn finish_turn(&mut self, rng: &mut ChaCha8Rng, each: &mut impl FnMut(Step)) {
        const LEGAL: &str = "a turn that has begun can be finished";
        let mut play = |game: &mut Self, point: Bits<W>| {
            let step = Step::Point(first(point));
            each(step);
            game.play(step);
        };
        let point = match self.phase() {
            Phase::Picked(from) => {
                let (to, point) = random_movement(&self.view(), Bits::single(from), rng).expect(LEGAL);
                play(self, to);
                point
            }
            _ => random_placement(&self.view(), true, rng).expect(LEGAL),
        };
        play(self, point);
    }
}

/// A whole turn.
enum Turn<const W: usize> {
    Pass,
    Place(Bits<W>),
    /// A movement from the first point to the second, then a placement.
    Move(Bits<W>, Bits<W>, Bits<W>),
}

impl<const W: usize> Turn<W> {
    #[inline]
    fn tell(&self, each: &mut impl FnMut(Step)) {
        match *self {
            Turn::Pass => each(Step::PASS),
            Turn::Place(point) => each(Step::Point(first(point))),
            Turn::Move(from, to, point) => [from, to, point].map(first).map(Step::Point).into_iter().for_each(each),
        }
    }
}

/// The point of a set of one.
#[inline]
fn first<const W: usize>(point: Bits<W>) -> Point {
    point.first().expect("the set holds a point")
}

/// A movement in some of the turns, else evenly among placements that fill no eye of the player's own; a pass where
/// there is no such placement.
///
/// Everything is drawn evenly, tested, and drawn again without it if it is not legal: that is as even as drawing among
/// the legal ones, and most need no look.
#[inline(always)] // Called, it would get its sets through memory.
fn random_turn<const W: usize>(view: &View<W>, rng: &mut ChaCha8Rng) -> Turn<W> {
    if rng.random_bool(MOVEMENTS) {
        let mut stones = view.loose();
        loop {
            let from = draw_alone(stones, rng);
            if from.is_empty() {
                break;
            }
            if let Some((to, point)) = random_movement(view, from, rng) {
                return Turn::Move(from, to, point);
            }
            stones = stones.without(from);
        }
    }
    random_placement(view, false, rng).map_or(Turn::Pass, Turn::Place)
}

/// Where the stone `from` moves, evenly among the points from which the turn can go on, and the placement.
#[inline(always)] // Called, it would get its sets through memory.
fn random_movement<const W: usize>(view: &View<W>, from: Bits<W>, rng: &mut ChaCha8Rng) -> Option<(Bits<W>, Bits<W>)> {
    let mut room = view.room(from);
    loop {
        let to = draw_alone(room, rng);
        if to.is_empty() {
            return None;
        }
        if let Some(point) = random_placement(&view.moved(from, to), true, rng) {
            return Some((to, point));
        }
        room = room.without(to);
    }
}

/// A placement, evenly among those that fill no eye; among the others if there is no such one and it `must` be.
#[inline]
fn random_placement<const W: usize>(view: &View<W>, must: bool, rng: &mut ChaCha8Rng) -> Option<Bits<W>> {
    let mut points = view.free_of_weak_pairs();
    let mut eyes = Bits::EMPTY;
    loop {
        let point = draw_alone(points, rng);
        if point.is_empty() {
            break;
        }
        if view.is_eye(point) {
            eyes |= point;
        } else if view.breathes(point) {
            return Some(point);
        }
        points = points.without(point);
    }
    while must && !eyes.is_empty() {
        let point = draw_alone(eyes, rng);
        if view.breathes(point) {
            return Some(point);
        }
        eyes = eyes.without(point);
    }
    None
}
