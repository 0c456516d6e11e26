//! What the tests share: random games and whole searches.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Descent, Evaluator, Leaf, MoverValue, PlayoutPolicy, Playouts, Search};
use crate::board::PointSet;
use crate::config::{Reading, SearchConfig, SearchSettings};
use crate::games::{Game, HalfPoints, Played, Status, Step, StepSet};

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A search of so many visits.
pub fn visits(visits: u32) -> SearchConfig {
    SearchSettings { reading: Reading::VALUE, tree_memory: 64, ..SearchSettings::default() }.with_visits(visits)
}

/// A random step; specials are drawn seldom, since passes end games early.
pub fn random_step<P: PointSet>(steps: StepSet<P>, rng: &mut ChaCha8Rng) -> Step {
    let points = steps.points.len();
    if points > 0 && (steps.specials.is_empty() || rng.random_bool(0.95)) {
        Step::Point(steps.points.nth(rng.random_range(0..points)))
    } else {
        steps.nth(rng.random_range(points..steps.len()))
    }
}

/// A game of so many random turns, fewer if it would end before.
pub fn random_game<G: Game>(start: G, turns: usize, rng: &mut ChaCha8Rng) -> Played<G> {
    let mut game = Played::new(start, None);
    for _ in 0..turns {
        let before = game.clone();
        loop {
            let Status::Running(steps) = game.position().status() else { return before };
            game.play(random_step(steps, rng));
            if game.partial().is_none() {
                break;
            }
        }
        if game.ending().is_some() {
            return before;
        }
    }
    game
}

/// Searches until the root has all its visits, with playouts.
pub fn search<G: PlayoutPolicy>(tree: &mut Search<G>, game: &Played<G>, komi: HalfPoints, rng: &mut ChaCha8Rng) {
    search_with(tree, game, |position| {
        let mut policy = Vec::new();
        let mut leaves = [Leaf { position, komi, rng, value: MoverValue(f32::NAN), policy: &mut policy }];
        Playouts.evaluate(&mut leaves).expect("playouts do not fail");
        leaves[0].value
    });
}

/// Searches until the root has all its visits.
pub fn search_with<G: Game>(tree: &mut Search<G>, game: &Played<G>, mut value: impl FnMut(&G) -> MoverValue) {
    while !tree.is_done() {
        if tree.descend(game) == Descent::Leaf {
            let value = value(tree.leaf().expect("a leaf waits"));
            tree.back_up(value);
        }
    }
}

/// A search of a game that is about to begin at `position`.
pub fn searched<G: PlayoutPolicy>(position: &G, config: SearchConfig, komi: HalfPoints, seed: u64) -> Search<G> {
    let game = Played::new(position.clone(), None);
    let mut tree = Search::new(config, position, komi);
    tree.prepare_root(config.visits, None, &mut rng(0));
    search(&mut tree, &game, komi, &mut rng(seed));
    tree
}
