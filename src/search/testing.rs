//! What the tests share: random games, whole searches, and exact values of tiny boards.

use std::collections::HashMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Descent, Evaluator, Leaf, MoverValue, PlayoutPolicy, Playouts, Search};
use crate::board::PointSet;
use crate::config::{Reading, SearchConfig, SearchSettings};
use crate::games::{Game, HalfPoints, Played, Seat, Status, Step, StepSet};

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

/// All positions that play can lead to from a start.
pub struct Positions<G> {
    pub all: Vec<G>,
    /// The positions from which each can be reached by one step.
    before: Vec<Vec<u32>>,
    /// The number of steps from each.
    steps: Vec<u32>,
}

impl<G: Game> Positions<G> {
    /// The start comes first.
    pub fn of(start: &G) -> Self {
        let mut found = Positions { all: vec![start.clone()], before: vec![Vec::new()], steps: Vec::new() };
        let mut numbers = HashMap::from([(start.clone(), 0)]);
        while let Some(position) = found.all.get(found.steps.len()).cloned() {
            let at = found.steps.len() as u32;
            let Status::Running(steps) = position.status() else {
                found.steps.push(0);
                continue;
            };
            for step in steps.iter() {
                let mut next = position.clone();
                next.play(step);
                let number = *numbers.entry(next.clone()).or_insert_with(|| {
                    found.all.push(next);
                    found.before.push(Vec::new());
                    found.all.len() as u32 - 1
                });
                found.before[number as usize].push(at);
            }
            found.steps.push(steps.len() as u32);
        }
        found
    }

    /// From which positions the person in `seat` can force a finished game for which `goal` holds.
    ///
    /// The way there gets ever shorter, so it meets no position twice: repetition is no way out.
    pub fn forced(&self, seat: Seat, goal: impl Fn(&G) -> bool) -> Vec<bool> {
        let is_goal = |at: &usize| self.steps[*at] == 0 && goal(&self.all[*at]);
        let mut open: Vec<usize> = (0..self.all.len()).filter(is_goal).collect();
        let mut forced = vec![false; self.all.len()];
        open.iter().for_each(|at| forced[*at] = true);
        let mut left = self.steps.clone();
        while let Some(at) = open.pop() {
            for before in &self.before[at] {
                let before = *before as usize;
                left[before] -= 1;
                if !forced[before] && (self.all[before].seat_to_move() == seat || left[before] == 0) {
                    forced[before] = true;
                    open.push(before);
                }
            }
        }
        forced
    }

    /// The first player's margin under best play; `None` if somebody can go round in circles to avoid it.
    pub fn margin(&self) -> Option<HalfPoints> {
        let margin = |position: &G| position.score().map_or(0, |score| score.margin().0);
        let most = 2 * self.all[0].size().pow(2) as i32 + 1;
        let can = |seat, goal: &dyn Fn(i32) -> bool| self.forced(seat, |position| goal(margin(position)))[0];
        let least = (-most..=most).rev().find(|half| can(Seat::First, &|margin| margin >= *half))?;
        can(Seat::Second, &|margin| margin <= least).then_some(HalfPoints(least))
    }
}
