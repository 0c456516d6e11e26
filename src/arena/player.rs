//! Who can play a game turn by turn: an engine of this program, or another program.

use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

use crate::config::MatchConfig;
use crate::games::{Ending, Phase, Played, Rules, Status, Turn};
use crate::search::{EvalError, PlayoutPolicy, part_seed};
use crate::selfplay::{Engine, Limit, Thinker};

/// Why a player has lost the game at hand.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{ending}: {what}")]
pub struct Fault {
    /// How the game ends.
    pub ending: Ending,
    /// What happened, in words.
    pub what: String,
}

/// Why a player does not go on.
#[derive(Debug, Error)]
pub enum PlayerError {
    /// The game at hand is lost; the next one may be played.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The user has asked for a stop.
    #[error("stopped")]
    Stopped,
    /// Nothing more can be played.
    #[error(transparent)]
    Evaluation(#[from] EvalError),
}

/// Somebody who plays games, one after another.
pub trait Player<G> {
    /// A game begins. `played` has come to the end of its opening; `index` is its number in the run.
    fn begin(&mut self, index: u64, rules: &Rules, played: &Played<G>, stop: &AtomicBool) -> Result<(), PlayerError>;

    /// The turn to play; it must be legal.
    fn turn(&mut self, played: &Played<G>, stop: &AtomicBool) -> Result<Turn, PlayerError>;

    /// A turn was played, by this player or by the other; `before` is the game before it.
    fn follow(&mut self, turn: Turn, before: &Played<G>, is_own: bool, stop: &AtomicBool) -> Result<(), PlayerError>;
}

/// An engine of this program.
pub struct InProcess<G> {
    engine: Engine,
    seed: u64,
    thinker: Option<Thinker<G>>,
    /// Steps of the turn at hand that the tree has followed.
    followed: usize,
}

impl<G: PlayoutPolicy> InProcess<G> {
    /// A player for one thread.
    pub fn new(engine: &Engine, config: &MatchConfig) -> Self {
        InProcess { engine: engine.clone(), seed: config.seed, thinker: None, followed: 0 }
    }
}

impl<G: PlayoutPolicy> Player<G> for InProcess<G> {
    fn begin(&mut self, index: u64, rules: &Rules, played: &Played<G>, _: &AtomicBool) -> Result<(), PlayerError> {
        self.followed = 0;
        // A seed of its own for each game: searches of one game number their random streams themselves.
        let seed = part_seed(self.seed, &format!("game {index}"));
        self.thinker = Some(Thinker::new(&self.engine, seed, rules.komi, played.position())?);
        Ok(())
    }

    fn turn(&mut self, played: &Played<G>, stop: &AtomicBool) -> Result<Turn, PlayerError> {
        let thinker = self.thinker.as_mut().expect("a game has begun");
        let limit = Limit { visits: self.engine.search.visits, until: None };
        let mut game = played.clone();
        let mut turn: Option<Turn> = None;
        loop {
            let step = match game.position().search_status() {
                Status::Running(steps) if steps.len() == 1 => steps.nth(0),
                _ => {
                    thinker.think(&game, limit, |_| stop.load(Ordering::Relaxed))?;
                    if stop.load(Ordering::Relaxed) {
                        return Err(PlayerError::Stopped);
                    }
                    thinker.best()
                }
            };
            let so_far = turn.map_or(Turn::begin(step), |turn| turn.then(step));
            game.play(step);
            if game.position().phase() == Phase::Start {
                return Ok(so_far);
            }
            thinker.follow(step, game.position());
            self.followed += 1;
            turn = Some(so_far);
        }
    }

    fn follow(&mut self, turn: Turn, before: &Played<G>, _: bool, _: &AtomicBool) -> Result<(), PlayerError> {
        let thinker = self.thinker.as_mut().expect("a game has begun");
        let mut game = before.clone();
        for (number, step) in turn.steps().iter().enumerate() {
            game.play(*step);
            if number >= self.followed && game.ending().is_none() {
                thinker.follow(*step, game.position());
            }
        }
        self.followed = 0;
        Ok(())
    }
}
