//! One game on its way.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{Engine, Setup, Work};
use crate::config::VisitPlan;
use crate::games::{Game, Played, Status, Step};
use crate::search::{Descent, EvalError, Evaluator, Leaf, MoverValue, Purpose, RootStep, Search, choose, stream};

/// A search that was made in a game.
#[derive(Clone, Debug)]
pub struct Note<G> {
    /// The position searched.
    pub position: G,
    /// The turn it belongs to, from 0.
    pub turn: usize,
    /// What became known of its steps, in ascending order.
    pub steps: Vec<RootStep>,
    /// The step played.
    pub played: Step,
    /// The root's mean value.
    pub value: MoverValue,
    /// What a policy should have said: weights by step, in ascending order of steps. Empty where the search was too short
    /// to learn from.
    pub policy: Vec<(Step, f32)>,
}

/// A finished game.
#[derive(Debug)]
pub struct Finished<G> {
    pub setup: Setup,
    pub played: Played<G>,
    /// The number of turns of the opening.
    pub opening_turns: usize,
    pub notes: Vec<Note<G>>,
}

/// What a game needs to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Need {
    /// A value for its waiting leaf, from this engine's evaluator.
    Value(usize),
    /// Nothing: its search went on, or it took a step.
    Nothing,
    /// Nothing: it is over.
    Over,
}

pub(super) struct Slot<G> {
    setup: Setup,
    played: Played<G>,
    opening_turns: usize,
    /// A tree for each engine at the board; one if both seats have the same.
    trees: Vec<Search<G>>,
    /// Which of `trees` belongs to each seat.
    tree_of: [usize; 2],
    prepared: bool,
    /// True if the policy is to learn from the search that goes on.
    is_full: bool,
    notes: Vec<Note<G>>,
    choice: ChaCha8Rng,
    noise: ChaCha8Rng,
    playout: ChaCha8Rng,
    work: Work,
}

impl<G: Game> Slot<G> {
    pub(super) fn new(setup: Setup, engines: &[Engine], seed: u64) -> Self {
        let rules = setup.rules;
        let mut played = Played::new(G::new(rules.size, rules.options), rules.move_cap);
        if played.ending().is_none() {
            setup.opening.play(&mut played, &mut stream(seed, Purpose::Opening, setup.opening_stream));
        }
        let [first, second] = setup.seats;
        let tree = |engine: usize| Search::new(engines[engine].search, played.position(), rules.komi);
        let (trees, tree_of) =
            if first == second { (vec![tree(first)], [0, 0]) } else { (vec![tree(first), tree(second)], [0, 1]) };
        let game_stream = |purpose| stream(seed, purpose, setup.index);
        Slot {
            opening_turns: played.turns().len(),
            trees,
            tree_of,
            prepared: false,
            is_full: true,
            notes: Vec::new(),
            choice: game_stream(Purpose::Choice),
            noise: game_stream(Purpose::Noise),
            playout: game_stream(Purpose::Playout),
            work: Work::default(),
            played,
            setup,
        }
    }

    fn tree(&mut self) -> &mut Search<G> {
        &mut self.trees[self.tree_of[self.played.position().seat_to_move() as usize]]
    }

    /// Goes on by one simulation, or by the step that a search has led to. Where an evaluator takes many positions at a
    /// time, a simulation waits for its value.
    pub(super) fn advance(&mut self, evaluators: &mut [Box<dyn Evaluator<G>>]) -> Result<Need, EvalError> {
        if self.played.ending().is_some() {
            return Ok(Need::Over);
        }
        let seat = self.played.position().seat_to_move() as usize;
        let engine = self.setup.seats[seat];
        let tree = &mut self.trees[self.tree_of[seat]];
        if !self.prepared {
            if let Status::Running(steps) = self.played.position().search_status()
                && steps.len() == 1
            {
                self.play(steps.nth(0));
                return Ok(Need::Nothing);
            }
            if !tree.needs_root() {
                let own = VisitPlan { visits: tree.usual_visits(), full_share: 1.0, fast_visits: 1 };
                let VisitPlan { visits, full_share, fast_visits } = self.setup.plan.unwrap_or(own);
                self.is_full = full_share >= 1.0 || self.noise.random::<f32>() < full_share;
                let explore = self.setup.explore.filter(|_| self.is_full);
                tree.prepare_root(if self.is_full { visits } else { fast_visits }, explore, &mut self.noise);
                self.prepared = true;
            }
        }
        if self.prepared && tree.is_done() {
            self.choose_step();
            return Ok(Need::Nothing);
        }
        if tree.descend(&self.played) == Descent::Terminal {
            return Ok(Need::Nothing);
        }
        let (position, policy) = tree.leaf_and_policy().expect("the descent led to a leaf");
        let komi = self.setup.rules.komi;
        let evaluator = &mut evaluators[engine];
        if let Some(value) = evaluator.known(position, komi, policy) {
            self.work.known += 1;
            tree.back_up(value);
            return Ok(Need::Nothing);
        }
        if evaluator.batch() > 1 {
            return Ok(Need::Value(engine));
        }
        let mut leaf = [Leaf { position, komi, rng: &mut self.playout, value: MoverValue(0.5), policy }];
        evaluator.evaluate(&mut leaf)?;
        let value = leaf[0].value;
        tree.back_up(value);
        Ok(Need::Nothing)
    }

    /// The waiting leaf.
    pub(super) fn leaf(&mut self) -> Leaf<'_, G> {
        let seat = self.played.position().seat_to_move() as usize;
        let (position, policy) = self.trees[self.tree_of[seat]].leaf_and_policy().expect("a leaf waits");
        Leaf { position, komi: self.setup.rules.komi, rng: &mut self.playout, value: MoverValue(0.5), policy }
    }

    /// Backs up the waiting leaf's value.
    pub(super) fn answer(&mut self, value: MoverValue) {
        self.tree().back_up(value);
    }

    fn choose_step(&mut self) {
        let turn = self.played.turns().len();
        let choice = self.setup.choice.at(turn);
        let tree = self.tree();
        let (steps, value) = (tree.root_steps(), tree.root_value());
        let policy = if self.is_full { self.tree().policy_target() } else { Vec::new() };
        let step = choose(&steps, choice, &mut self.choice);
        let position = self.played.position().clone();
        self.work.searches += 1;
        self.notes.push(Note { position, turn, steps, played: step, value, policy });
        self.play(step);
    }

    fn play(&mut self, step: Step) {
        self.played.play(step);
        self.prepared = false;
        let bytes = self.trees.iter().map(Search::bytes).sum();
        self.work.tree_bytes = self.work.tree_bytes.max(bytes);
        if self.played.ending().is_none() {
            for tree in &mut self.trees {
                tree.advance(step, self.played.position());
            }
        }
    }

    /// What the game has taken so far, evaluations in batches aside.
    pub(super) fn work(&self) -> Work {
        let refused = self.trees.iter().map(Search::refused).sum();
        Work { refused, ..self.work }
    }

    pub(super) fn finish(self) -> Finished<G> {
        Finished { setup: self.setup, played: self.played, opening_turns: self.opening_turns, notes: self.notes }
    }
}
