//! What a tree search asks about a position that it has reached for the first time.

use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::games::{Game, HalfPoints, Seat};

/// The expected score in [0, 1] (win 1, draw ½) of the person in the first seat.
///
/// The first seat began the game; except after Fugo's `swap` that is Black (Vertical).
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct FirstValue(pub f32);

/// The expected score in [0, 1] of the player to move.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct MoverValue(pub f32);

impl FirstValue {
    /// The same value from the view of the person in `seat`, who is to move.
    #[inline]
    pub fn for_mover(self, seat: Seat) -> MoverValue {
        MoverValue(if seat == Seat::First { self.0 } else { 1.0 - self.0 })
    }
}

impl MoverValue {
    /// The same value from the first seat's view, the mover's seat being `seat`.
    #[inline]
    pub fn for_first(self, seat: Seat) -> FirstValue {
        FirstValue(if seat == Seat::First { self.0 } else { 1.0 - self.0 })
    }
}

/// Over how many points a margin goes on to matter on a board of this side: half of it.
pub fn utility_spread(size: usize) -> f64 {
    size as f64 / 2.0
}

/// What a margin is worth beside the win, from 0 to 1: ½ for a tie, and ever less for each further point. `margin` is the
/// one that decides the game, komi included.
pub fn margin_utility(size: usize, margin: HalfPoints) -> f64 {
    1.0 / (1.0 + (-margin.points() / utility_spread(size)).exp())
}

/// A position to be valued. It is not over, but may be amid a turn.
pub struct Leaf<'a, G> {
    /// The position.
    pub position: &'a G,
    /// The game's komi (added to the second player's score).
    pub komi: HalfPoints,
    /// The game's stream of random numbers for playouts.
    pub rng: &'a mut ChaCha8Rng,
    /// The answer: written by the evaluator.
    pub value: MoverValue,
    /// The logit of each step, points row by row from the bottom, then `pass`, `button`, `swap`: written by an evaluator
    /// that has a policy, left empty by others.
    pub policy: &'a mut Vec<f32>,
}

/// Why positions could not be valued.
#[derive(Debug, Error)]
pub enum EvalError {
    /// libtorch reported an error.
    #[error("the network could not be evaluated: {0}")]
    Network(String),
    /// The network is for another game.
    #[error("the network plays {network}, not {game}")]
    OtherGame { network: crate::games::GameKind, game: crate::games::GameKind },
}

/// A judge of positions: playouts or a network.
///
/// A value must depend on nothing but the leaf's position, komi and random stream: not on the other leaves of
/// a call, nor on their order.
pub trait Evaluator<G: Game> {
    /// The most leaves for one call. 1 means that nothing is gained by waiting for more.
    fn batch(&self) -> usize;

    /// The value of a position in a game at `komi`, if it is known without evaluation, with its `policy`: the same as
    /// [`Evaluator::evaluate`] would write.
    fn known(&mut self, _position: &G, _komi: HalfPoints, _policy: &mut Vec<f32>) -> Option<MoverValue> {
        None
    }

    /// Writes each leaf's value. At most [`Evaluator::batch`] leaves, all on boards of one size.
    fn evaluate(&mut self, leaves: &mut [Leaf<'_, G>]) -> Result<(), EvalError>;
}
