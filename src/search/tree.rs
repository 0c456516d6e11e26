//! Monte-Carlo tree search over steps.
//!
//! Selection is PUCT (Silver et al. 2017, "Mastering the game of Go without human knowledge") with equal
//! priors; a step not yet visited counts as its parent's value less a reduction (first play urgency).
//! The tree knows repetition along its path and the game's history, but not the move cap, which is no rule.

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};

use super::arena::{Arena, Edge, Node, OVER, ROOT, UNEXPANDED};
use super::{FirstValue, MoverValue};
use crate::config::{RootNoise, SearchConfig};
use crate::games::{Game, HalfPoints, Phase, Played, Player, Seat, Status, Step};

/// What one descent of the tree led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Descent {
    /// The end of a game; its value has been backed up.
    Terminal,
    /// A new position that waits for its value: see [`Search::leaf`] and [`Search::back_up`].
    Leaf,
}

/// What the search found out about one step of the root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RootStep {
    pub step: Step,
    pub visits: u32,
    /// The step's mean value for the player who chooses it; `None` if it was never visited.
    pub value: Option<MoverValue>,
}

/// One game's tree.
pub struct Search<G> {
    config: SearchConfig,
    komi: HalfPoints,
    root: G,
    arena: Arena,
    /// The edges from the root's to the last one met, each with the person who chose it.
    path: Vec<(u32, Seat)>,
    /// Boards at the turn ends below the root on the current path.
    path_keys: Vec<u128>,
    leaf: Option<G>,
    refused: u64,
}

impl<G: Game> Search<G> {
    /// An empty tree for a game at `komi`.
    pub fn new(config: SearchConfig, root: &G, komi: HalfPoints) -> Self {
        let mut search = Search {
            config,
            komi,
            root: root.clone(),
            arena: Arena::default(),
            path: Vec::new(),
            path_keys: Vec::new(),
            leaf: None,
            refused: 0,
        };
        search.restart(root);
        search
    }

    /// Begins anew at `root`, in the memory that is there.
    pub fn restart(&mut self, root: &G) {
        self.arena.clear();
        self.root = root.clone();
    }

    /// True once the root has all its visits.
    pub fn is_done(&self) -> bool {
        self.arena.edges[ROOT].visits >= self.config.visits
    }

    /// The root's mean value for the player to move.
    pub fn root_value(&self) -> MoverValue {
        match self.arena.edges[ROOT].visits {
            0 => MoverValue(0.5),
            _ => FirstValue(self.arena.edges[ROOT].value()).for_mover(self.root.seat_to_move()),
        }
    }

    /// What is known of each of the root's steps, in ascending order of steps. Empty before [`Search::prepare_root`].
    pub fn root_steps(&self) -> Vec<RootStep> {
        let Some(root) = self.arena.nodes.get(self.arena.edges[ROOT].child as usize) else { return Vec::new() };
        let known = |edge: usize| {
            let visits = self.arena.edges[edge].visits;
            let value = (visits > 0).then(|| MoverValue(self.arena.edges[edge].value()));
            RootStep { step: self.arena.edges[edge].step, visits, value }
        };
        let mut steps: Vec<RootStep> = Arena::edges_of(*root).map(known).collect();
        steps.sort_by_key(|known| known.step);
        steps
    }

    /// The root's only step, if it has but one: there is nothing to search. Ask after [`Search::prepare_root`].
    pub fn forced(&self) -> Option<Step> {
        let root = self.arena.nodes.get(self.arena.edges[ROOT].child as usize)?;
        (root.edges == 1).then(|| self.arena.edges[root.first as usize].step)
    }

    /// The bytes that the tree takes now.
    pub fn bytes(&self) -> usize {
        self.arena.bytes()
    }

    /// How often a position was not expanded because the tree had as much memory as it may have.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Sets the priors of the root's steps: equal, or mixed with noise.
    ///
    /// Call it once before a root's search; the root of a game that goes on is expanded by it.
    pub fn prepare_root(&mut self, noise: Option<RootNoise>, rng: &mut ChaCha8Rng) {
        if self.arena.edges[ROOT].child == UNEXPANDED {
            self.expand(ROOT, UNEXPANDED, &self.root.clone());
        }
        let root = self.arena.edges[ROOT].child;
        let edges = Arena::edges_of(self.arena.nodes[root as usize]);
        let equal = 1.0 / edges.len() as f32;
        let drawn = noise.and_then(|noise| Some((noise.share, dirichlet(noise.concentration, edges.len(), rng)?)));
        match drawn {
            Some((share, weights)) => {
                for (edge, weight) in edges.zip(weights) {
                    self.arena.edges[edge].prior = (1.0 - share) * equal + share * weight;
                }
                self.arena.sort_untried(root);
            }
            None => self.arena.edges[edges].iter_mut().for_each(|edge| edge.prior = equal),
        }
    }

    /// Walks down from the root to the end of a game or a new position. `game` is the game at the root.
    pub fn descend(&mut self, game: &Played<G>) -> Descent {
        debug_assert!(self.leaf.is_none(), "a leaf still waits for its value");
        self.path.clear();
        self.path_keys.clear();
        let mut position = self.root.clone();
        let (mut edge, mut parent, mut chooser) = (ROOT, UNEXPANDED, Seat::First);
        loop {
            self.path.push((edge as u32, chooser));
            let visits = self.arena.edges[edge].visits;
            let mut node = self.arena.edges[edge].child;
            if node == OVER {
                self.add(MoverValue(self.arena.edges[edge].value()).for_first(chooser));
                return Descent::Terminal;
            }
            if visits > 0 && node == UNEXPANDED {
                node = self.expand(edge, parent, &position);
            }
            if visits == 0 || node == UNEXPANDED {
                self.leaf = Some(position);
                return Descent::Leaf;
            }
            let value = MoverValue(self.arena.edges[edge].value()).for_first(chooser);
            edge = self.select(node, visits, value);
            (parent, chooser) = (node, self.arena.nodes[node as usize].seat);
            let step = self.arena.edges[edge].step;
            position.play(step);
            if self.arena.edges[edge].visits == 0
                && let Some(value) = self.end(step, &position, game)
            {
                self.arena.edges[edge].child = OVER;
                self.path.push((edge as u32, chooser));
                self.add(value);
                return Descent::Terminal;
            }
            if G::KIND.can_repeat() && position.phase() == Phase::Start {
                self.path_keys.push(position.board_key());
            }
        }
    }

    /// The position that waits for its value.
    pub fn leaf(&self) -> Option<&G> {
        self.leaf.as_ref()
    }

    /// Backs up the value of the waiting leaf.
    pub fn back_up(&mut self, value: MoverValue) {
        let leaf = self.leaf.take().expect("a leaf waits");
        self.add(value.for_first(leaf.seat_to_move()));
    }

    /// Makes the position after `step` the root, and keeps what the tree knows below it. `root` is that position.
    pub fn advance(&mut self, step: Step, root: &G) {
        let kept = self.arena.nodes.get(self.arena.edges[ROOT].child as usize).and_then(|node| {
            let tried = node.first as usize..node.first as usize + node.tried as usize;
            // The end by a rule may be none when played out of the tree: then nothing is known.
            let holds = |edge: &usize| self.arena.edges[*edge].step == step && self.arena.edges[*edge].child != OVER;
            Some((tried.into_iter().find(holds)?, node.seat))
        });
        let Some((edge, seat)) = kept else { return self.restart(root) };
        self.arena.root_at(edge, seat);
        self.root = root.clone();
        let bytes = self.arena.bytes();
        if bytes > self.config.tree_bytes() / 2 || bytes > 2 * self.arena.live_bytes() {
            self.arena.sweep();
        }
    }

    /// The node of a position, which has none yet; [`UNEXPANDED`] if there is no memory for it.
    fn expand(&mut self, edge: usize, parent: u32, position: &G) -> u32 {
        let Status::Running(steps) = position.search_status() else {
            unreachable!("ends are found when positions are met")
        };
        let more = size_of::<Node>() + steps.len() * size_of::<Edge>();
        if edge != ROOT && self.arena.bytes() + more > self.config.tree_bytes() {
            self.refused += 1;
            return UNEXPANDED;
        }
        let key = position.board_key();
        let order = (key ^ key >> 64) as u64;
        self.arena.expand(edge, parent, position.seat_to_move(), steps, (order ^ order >> 32) as u32)
    }

    /// The edge with the highest PUCT score; of equals, the first. `value` is that of the node's position.
    fn select(&mut self, node: u32, visits: u32, value: FirstValue) -> usize {
        let known = self.arena.nodes[node as usize];
        let explore = self.config.exploration * (visits as f32).sqrt();
        let first = known.first as usize;
        let (mut best, mut best_score) = (first, f32::NEG_INFINITY);
        for (place, edge) in self.arena.edges[first..first + known.tried as usize].iter().enumerate() {
            let score = edge.value() + explore * edge.prior / (1 + edge.visits) as f32;
            if score > best_score {
                (best, best_score) = (first + place, score);
            }
        }
        if known.tried < known.edges {
            // Of the untried edges none has a higher prior than the next.
            let unvisited = value.for_mover(known.seat).0 - self.config.reduction;
            let prior = self.arena.edges[first + known.tried as usize].prior;
            if unvisited + explore * prior > best_score {
                return self.arena.try_next(node);
            }
        }
        best
    }

    /// The result, if the game is over at `position`, which `step` has led to.
    fn end(&self, step: Step, position: &G, game: &Played<G>) -> Option<FirstValue> {
        if self.repeats(step, position, game) {
            return Some(FirstValue(0.5));
        }
        position.end().map(|_| result(position.winner(self.komi), position))
    }

    /// True if the turn that ended with `step` brought back an earlier board with the same player to move.
    fn repeats(&self, step: Step, position: &G, game: &Played<G>) -> bool {
        if !G::KIND.can_repeat() || position.phase() != Phase::Start || !matches!(step, Step::Point(_)) {
            return false;
        }
        let key = position.board_key();
        self.path_keys.contains(&key) || game.keys().contains(&key)
    }

    fn add(&mut self, value: FirstValue) {
        for (edge, chooser) in &self.path {
            let edge = &mut self.arena.edges[*edge as usize];
            edge.visits += 1;
            edge.sum += value.for_mover(*chooser).0;
        }
    }
}

/// The first seat's value of a finished game.
pub(super) fn result<G: Game>(winner: Option<Player>, position: &G) -> FirstValue {
    match winner.map(|winner| position.seat_of(winner)) {
        Some(Seat::First) => FirstValue(1.0),
        Some(Seat::Second) => FirstValue(0.0),
        None => FirstValue(0.5),
    }
}

/// Weights that sum to 1, or `None` if the draw is degenerate (tiny concentrations round to nothing).
fn dirichlet(concentration: f32, count: usize, rng: &mut ChaCha8Rng) -> Option<Vec<f32>> {
    let gamma = Gamma::new(concentration / count as f32, 1.0f32).ok()?;
    let weights: Vec<f32> = (0..count).map(|_| gamma.sample(rng)).collect();
    let sum: f32 = weights.iter().sum();
    (sum.is_finite() && sum > 0.0).then(|| weights.iter().map(|weight| weight / sum).collect())
}

#[cfg(test)]
mod tests;
