//! What is settled about a game before it begins.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::config::{RootExploration, VisitPlan};
use crate::games::{Game, Played, Rules, Status, Step};
use crate::search::ChoiceRule;

/// A game to be played.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The game's number in its run; keys its random streams.
    pub index: u64,
    /// What is played.
    pub rules: Rules,
    /// Which engine sits in the first and the second seat: indices into the run's engines.
    pub seats: [usize; 2],
    /// The turns before the engines take over.
    pub opening: Opening,
    /// The index of the opening's random stream; games that share it share the opening.
    pub opening_stream: u64,
    /// How steps are chosen after a search.
    pub choice: ChoiceRule,
    /// The visits of all searches; `None`: as each engine's own.
    pub plan: Option<VisitPlan>,
    /// What is done to see more of the roots' steps.
    pub explore: Option<RootExploration>,
}

/// The turns with which a game begins before any search.
#[derive(Clone, PartialEq, Debug)]
pub enum Opening {
    /// None.
    Empty,
    /// So many turns of evenly drawn steps, fewer if the game would end before. Passes, the button and swap are
    /// not drawn as long as there is a point to play.
    Random { turns: usize },
    /// These steps, which must be legal.
    Steps(Vec<Step>),
}

impl Opening {
    /// Plays the opening.
    pub fn play<G: Game>(&self, game: &mut Played<G>, rng: &mut ChaCha8Rng) {
        match self {
            Opening::Empty => {}
            Opening::Steps(steps) => steps.iter().for_each(|step| game.play(*step)),
            Opening::Random { turns } => {
                for _ in 0..*turns {
                    let before = game.clone();
                    random_turn(game, rng);
                    if game.ending().is_some() {
                        // A game that is over leaves the engines nothing to show.
                        *game = before;
                        return;
                    }
                }
            }
        }
    }
}

fn random_turn<G: Game>(game: &mut Played<G>, rng: &mut ChaCha8Rng) {
    use crate::board::PointSet;
    loop {
        let Status::Running(steps) = game.position().status() else { return };
        let points = steps.points.len();
        let step = match points {
            0 => steps.nth(rng.random_range(0..steps.len())),
            _ => Step::Point(steps.points.nth(rng.random_range(0..points))),
        };
        game.play(step);
        if game.partial().is_none() {
            return;
        }
    }
}
