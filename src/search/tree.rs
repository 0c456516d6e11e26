//! Monte-Carlo tree search over steps.
//!
//! Selection is PUCT (Silver et al. 2017, "Mastering the game of Go without human knowledge") with equal
//! priors; a step not yet visited counts as its parent's value less a reduction (first play urgency).
//! The tree knows repetition along its path and the game's history, but not the move cap, which is no rule.

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};

use super::{FirstValue, MoverValue};
use crate::config::{RootNoise, SearchConfig};
use crate::games::{Game, HalfPoints, Phase, Played, Player, Seat, Status, Step};

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    /// Where the node's edges begin; `NONE` until it is expanded.
    first_edge: u32,
    edges: u16,
    /// The seat of the person to move.
    seat: Seat,
    visits: u32,
    /// The sum of the visits' values from the first seat's view.
    sum: f32,
    /// The value if the game is over here.
    terminal: Option<FirstValue>,
}

#[derive(Clone, Copy)]
struct Edge {
    step: Step,
    child: u32,
    prior: f32,
}

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
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    path: Vec<u32>,
    /// Boards at the turn ends below the root on the current path.
    path_keys: Vec<u128>,
    leaf: Option<G>,
}

impl<G: Game> Search<G> {
    /// An empty tree for a game at `komi`.
    pub fn new(config: SearchConfig, root: &G, komi: HalfPoints) -> Self {
        let mut search = Search {
            config,
            komi,
            root: root.clone(),
            nodes: Vec::new(),
            edges: Vec::new(),
            path: Vec::new(),
            path_keys: Vec::new(),
            leaf: None,
        };
        search.reset(root);
        search
    }

    fn reset(&mut self, root: &G) {
        self.nodes.clear();
        self.edges.clear();
        self.nodes.push(Node::new(root.seat_to_move(), None));
        self.root = root.clone();
    }

    /// True once the root has all its visits.
    pub fn is_done(&self) -> bool {
        self.nodes[0].visits >= self.config.visits
    }

    /// The root's mean value for the player to move.
    pub fn root_value(&self) -> MoverValue {
        let root = &self.nodes[0];
        root.mean().for_mover(root.seat)
    }

    /// What is known of each of the root's steps, in ascending order of steps. Empty before the second visit.
    pub fn root_steps(&self) -> Vec<RootStep> {
        let root = self.nodes[0];
        let mut steps: Vec<RootStep> = self
            .edges_of(&root)
            .iter()
            .map(|edge| match self.nodes.get(edge.child as usize) {
                Some(child) if child.visits > 0 => {
                    RootStep { step: edge.step, visits: child.visits, value: Some(child.mean().for_mover(root.seat)) }
                }
                _ => RootStep { step: edge.step, visits: 0, value: None },
            })
            .collect();
        steps.sort_by_key(|known| known.step);
        steps
    }

    /// Sets the priors of the root's steps: equal, or mixed with noise.
    ///
    /// Call it once before a root's search; the root of a game that goes on is expanded by it.
    pub fn prepare_root(&mut self, noise: Option<RootNoise>, rng: &mut ChaCha8Rng) {
        self.expand(0, &self.root.clone());
        let root = self.nodes[0];
        let edges = &mut self.edges[root.first_edge as usize..][..root.edges as usize];
        let equal = 1.0 / edges.len() as f32;
        let drawn = noise.and_then(|noise| Some((noise.share, dirichlet(noise.concentration, edges.len(), rng)?)));
        for (index, edge) in edges.iter_mut().enumerate() {
            edge.prior = match &drawn {
                Some((share, weights)) => (1.0 - share) * equal + share * weights[index],
                None => equal,
            };
        }
    }

    /// Walks down from the root to the end of a game or a new position. `game` is the game at the root.
    pub fn descend(&mut self, game: &Played<G>) -> Descent {
        debug_assert!(self.leaf.is_none(), "a leaf still waits for its value");
        self.path.clear();
        self.path_keys.clear();
        let mut position = self.root.clone();
        let mut at = 0u32;
        loop {
            self.path.push(at);
            let node = self.nodes[at as usize];
            if let Some(value) = node.terminal {
                self.add(value);
                return Descent::Terminal;
            }
            if node.visits == 0 {
                self.leaf = Some(position);
                return Descent::Leaf;
            }
            self.expand(at, &position);
            let edge = self.select(at);
            let Edge { step, child, .. } = self.edges[edge];
            position.play(step);
            at = if child == NONE { self.grow(edge, &position, game) } else { child };
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
        let old_root = self.nodes[0];
        let kept = self.edges_of(&old_root).iter().find(|edge| edge.step == step).map(|edge| edge.child);
        match kept {
            // A terminal child can be the end by a rule that does not end the game when played out of the tree.
            Some(child) if child != NONE && self.nodes[child as usize].terminal.is_none() => {
                self.keep_below(child, root)
            }
            _ => self.reset(root),
        }
    }

    fn keep_below(&mut self, child: u32, root: &G) {
        // A fresh copy in breadth-first order: nodes are small, and what is cut off is most of the tree.
        let (old_nodes, old_edges) = (std::mem::take(&mut self.nodes), std::mem::take(&mut self.edges));
        self.nodes.push(old_nodes[child as usize]);
        let mut at = 0;
        while at < self.nodes.len() {
            let node = self.nodes[at];
            if node.first_edge != NONE {
                self.nodes[at].first_edge = self.edges.len() as u32;
                for edge in &old_edges[node.first_edge as usize..][..node.edges as usize] {
                    let mut edge = *edge;
                    if edge.child != NONE {
                        self.nodes.push(old_nodes[edge.child as usize]);
                        edge.child = self.nodes.len() as u32 - 1;
                    }
                    self.edges.push(edge);
                }
            }
            at += 1;
        }
        self.root = root.clone();
    }

    fn edges_of(&self, node: &Node) -> &[Edge] {
        if node.first_edge == NONE { &[] } else { &self.edges[node.first_edge as usize..][..node.edges as usize] }
    }

    /// Gives a node its edges, unless it has them.
    fn expand(&mut self, at: u32, position: &G) {
        if self.nodes[at as usize].first_edge != NONE {
            return;
        }
        let Status::Running(steps) = position.search_status() else {
            unreachable!("ends are found when nodes are made")
        };
        let first = self.edges.len();
        let prior = 1.0 / steps.len() as f32;
        self.edges.extend(steps.iter().map(|step| Edge { step, child: NONE, prior }));
        // Steps of equal score are taken in order, so the order must favour no part of the board; and it must
        // depend on the position alone, so that a search without noise is the same in every game.
        shuffle(&mut self.edges[first..], position.board_key());
        let node = &mut self.nodes[at as usize];
        node.first_edge = first as u32;
        node.edges = steps.len() as u16;
    }

    /// The edge with the highest PUCT score; of equals, the first.
    fn select(&self, at: u32) -> usize {
        let node = &self.nodes[at as usize];
        let explore = self.config.exploration * (node.visits as f32).sqrt();
        let unvisited = node.mean().for_mover(node.seat).0 - self.config.reduction;
        let (mut best, mut best_score) = (node.first_edge as usize, f32::NEG_INFINITY);
        for (index, edge) in self.edges_of(node).iter().enumerate() {
            let (value, visits) = match self.nodes.get(edge.child as usize) {
                Some(child) if child.visits > 0 => (child.mean().for_mover(node.seat).0, child.visits),
                _ => (unvisited, 0),
            };
            let score = value + explore * edge.prior / (1 + visits) as f32;
            if score > best_score {
                (best, best_score) = (node.first_edge as usize + index, score);
            }
        }
        best
    }

    /// Makes the node that `edge` leads to.
    fn grow(&mut self, edge: usize, position: &G, game: &Played<G>) -> u32 {
        let terminal = if self.repeats(self.edges[edge].step, position, game) {
            Some(FirstValue(0.5))
        } else {
            position.end().map(|_| result(position.winner(self.komi), position))
        };
        self.nodes.push(Node::new(position.seat_to_move(), terminal));
        let child = self.nodes.len() as u32 - 1;
        self.edges[edge].child = child;
        child
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
        for node in &self.path {
            let node = &mut self.nodes[*node as usize];
            node.visits += 1;
            node.sum += value.0;
        }
    }
}

impl Node {
    fn new(seat: Seat, terminal: Option<FirstValue>) -> Self {
        Node { first_edge: NONE, edges: 0, seat, visits: 0, sum: 0.0, terminal }
    }

    fn mean(&self) -> FirstValue {
        FirstValue(if self.visits == 0 { 0.5 } else { self.sum / self.visits as f32 })
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

/// Fisher-Yates with numbers from SplitMix64 (Steele, Lea, Flood 2014), seeded by the position.
fn shuffle(edges: &mut [Edge], key: u128) {
    let mut state = key as u64 ^ (key >> 64) as u64;
    for last in (1..edges.len()).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        edges.swap(last, (mixed % (last as u64 + 1)) as usize);
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
