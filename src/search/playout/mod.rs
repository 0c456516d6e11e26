//! Playouts: games played to the end by sensible random steps, as an evaluator.
//!
//! Uniformly random play would not do: it fills its own eyes, Yugo takes long and Sligo, which one need never
//! pass, does not end. Playouts ignore repetition.

mod fugo;
mod linage;
mod sligo;
#[cfg(test)]
mod tests;
mod yugo;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::tree::result;
use super::{EvalError, Evaluator, FirstValue, Leaf};
use crate::board::{Bits, Geometry, Point};
use crate::games::{Game, HalfPoints, Step};

/// How a game's playouts choose.
pub trait PlayoutPolicy: Game {
    /// The most turns of a playout on an n×n board; one that gets there is scored as it stands (without a
    /// score: a draw).
    fn playout_cap(n: usize) -> usize;

    /// Plays on by the game's policy until the game is over or `cap` more turns have ended, and tells `each` every step.
    /// Returns whether the game is over.
    fn play_out(&mut self, cap: usize, rng: &mut ChaCha8Rng, each: impl FnMut(Step)) -> bool;
}

/// Plays to the end and returns the result.
pub fn playout<G: PlayoutPolicy>(position: &G, komi: HalfPoints, rng: &mut ChaCha8Rng) -> FirstValue {
    let mut game = position.clone();
    let over = game.play_out(G::playout_cap(game.size()), rng, |_| {});
    match game.score() {
        Some(score) => result(score.winner(komi), &game),
        None if over => result(game.winner(komi), &game),
        None => FirstValue(0.5),
    }
}

/// As [`draw`], but the point as a set; the empty set from the empty set.
#[inline]
fn draw_alone<const W: usize>(points: Bits<W>, rng: &mut ChaCha8Rng) -> Bits<W> {
    let count = points.len() as u32;
    if count == 0 { points } else { points.nth_alone(rng.random_range(0..count) as usize) }
}

/// Values a position by one playout.
#[derive(Clone, Copy, Default, Debug)]
pub struct Playouts;

impl<G: PlayoutPolicy> Evaluator<G> for Playouts {
    fn batch(&self) -> usize {
        1
    }

    fn evaluate(&mut self, leaves: &mut [Leaf<'_, G>]) -> Result<(), EvalError> {
        for leaf in leaves {
            leaf.value = playout(leaf.position, leaf.komi, leaf.rng).for_mover(leaf.position.seat_to_move());
        }
        Ok(())
    }
}

/// A point drawn evenly, `None` from the empty set.
fn draw<const W: usize>(points: Bits<W>, rng: &mut ChaCha8Rng) -> Option<Point> {
    use crate::board::PointSet;
    let count = points.len();
    (count > 0).then(|| points.nth(rng.random_range(0..count as u32) as usize))
}

/// The empty points all of whose neighbours are `own` stones.
fn eyes<const W: usize>(board: &Geometry<W>, own: Bits<W>, empty: Bits<W>) -> Bits<W> {
    empty.without(board.neighbours(board.all().without(own)))
}

/// True if all neighbours of the empty `point` are `own` stones.
#[inline]
fn is_eye<const W: usize>(board: &Geometry<W>, own: Bits<W>, point: Point) -> bool {
    board.around(point).without(own).is_empty()
}
