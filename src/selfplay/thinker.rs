//! The search of a game that is played by itself: to so many visits, to a moment, or until somebody else has a word.

use std::time::Instant;

use rand_chacha::ChaCha8Rng;

use super::Engine;
use crate::config::{SearchConfig, Selection};
use crate::games::{HalfPoints, Played, Step};
use crate::search::{
    Choice, Descent, EvalError, Evaluator, Leaf, MoverValue, PlayoutPolicy, Purpose, RootStep, Search, choose, stream,
};

/// When a search ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limit {
    /// Visits that the root is topped up to.
    pub visits: u32,
    pub until: Option<Instant>,
}

/// A tree and a judge of its positions.
pub struct Thinker<G> {
    config: SearchConfig,
    seed: u64,
    komi: HalfPoints,
    tree: Search<G>,
    evaluator: Box<dyn Evaluator<G>>,
    playouts: ChaCha8Rng,
    /// Which search is the next one.
    searches: u64,
    is_prepared: bool,
}

impl<G: PlayoutPolicy> Thinker<G> {
    /// With an empty tree for a game at `komi` that has come to `root`.
    pub fn new(engine: &Engine, seed: u64, komi: HalfPoints, root: &G) -> Result<Self, EvalError> {
        Ok(Thinker {
            config: engine.search,
            seed,
            komi,
            tree: Search::new(engine.search, root, komi),
            evaluator: engine.evaluator()?,
            playouts: stream(seed, Purpose::Playout, 0),
            searches: 0,
            is_prepared: false,
        })
    }

    /// Forgets all, for a game at `komi` that has come to `root`.
    pub fn restart(&mut self, komi: HalfPoints, root: &G) {
        self.komi = komi;
        self.tree = Search::new(self.config, root, komi);
        self.is_prepared = false;
    }

    /// Goes on with `root`, which `step` has led to.
    pub fn follow(&mut self, step: Step, root: &G) {
        self.tree.advance(step, root);
        self.is_prepared = false;
    }

    /// Searches the position of a running game.
    ///
    /// `is_over` is asked after each simulation. Gumbel's search has to know how many visits it has: a search without such a
    /// number is led by PUCT.
    pub fn think(
        &mut self,
        played: &Played<G>,
        limit: Limit,
        mut is_over: impl FnMut(&Self) -> bool,
    ) -> Result<(), EvalError> {
        let is_open = limit.until.is_some() || limit.visits == u32::MAX;
        let mut config = self.config;
        if is_open {
            config.settings.selection = Selection::Puct;
        }
        if config.settings.selection != self.tree.settings().selection {
            self.tree = Search::new(config, played.position(), self.komi);
        }
        self.is_prepared = false;
        self.playouts = stream(self.seed, Purpose::Playout, self.searches);
        self.searches += 1;
        loop {
            if !self.is_prepared && !self.tree.needs_root() {
                // Nothing is left to chance here: who wants other games begins with other seeds.
                self.tree.prepare_root(limit.visits, None, &mut stream(self.seed, Purpose::Noise, self.searches));
                self.is_prepared = true;
            }
            // One step at least has been visited, or there would be none to play.
            let is_late = || limit.until.is_some_and(|until| Instant::now() >= until);
            if self.is_prepared && (self.tree.is_done() || self.tree.root_visits() > 1 && is_late()) {
                return Ok(());
            }
            self.simulate(played)?;
            if is_over(self) {
                return Ok(());
            }
        }
    }

    fn simulate(&mut self, played: &Played<G>) -> Result<(), EvalError> {
        if self.tree.descend(played) == Descent::Terminal {
            return Ok(());
        }
        let (position, policy) = self.tree.leaf_and_policy().expect("the descent led to a leaf");
        let value = match self.evaluator.known(position, self.komi, policy) {
            Some(value) => value,
            None => {
                let (komi, rng) = (self.komi, &mut self.playouts);
                let mut leaf = [Leaf { position, komi, rng, value: MoverValue(0.5), policy }];
                self.evaluator.evaluate(&mut leaf)?;
                leaf[0].value
            }
        };
        self.tree.back_up(value);
        Ok(())
    }

    /// The step that the last search would play.
    pub fn best(&mut self) -> Step {
        // Nothing is drawn.
        choose(&self.tree.root_steps(), Choice::Most, &mut self.playouts)
    }

    /// What the last search has found, best step first.
    pub fn found(&self) -> Vec<RootStep> {
        let mut steps = self.tree.root_steps();
        let key = |known: &RootStep| (known.rank, known.value.map_or(-1.0, |value| value.0));
        steps.sort_by(|a, b| key(b).partial_cmp(&key(a)).unwrap_or(std::cmp::Ordering::Equal));
        steps
    }

    /// The value of the position for the player to move.
    pub fn value(&self) -> MoverValue {
        self.tree.root_value()
    }

    /// How often the position has been visited.
    pub fn visits(&self) -> u32 {
        self.tree.root_visits()
    }

    /// The steps that the search takes to follow one another, from a step of the root on.
    pub fn line(&self, step: Step) -> Vec<Step> {
        self.tree.line(step)
    }
}
