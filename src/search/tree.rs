//! Monte-Carlo tree search over steps.
//!
//! How simulations are led is in `select.rs` and `root.rs`. The tree knows repetition along its path and the game's
//! history, but not the move cap, which is no rule. Wins and losses that are certain are backed up as such (Winands et
//! al. 2008, "Monte-Carlo tree search solver"): a node stands for one line of play, so what is proven there holds for
//! that line, repetitions included. Where margins count, a certain result is searched on for the best margin, until that
//! is settled too (as in Cazenave & Saffidine 2010, "Score bounded Monte-Carlo tree search", with two bounds to a result).

use rand_chacha::ChaCha8Rng;
use wide::f32x8;

use super::arena::{Arena, Certain, Edge, Expansion, MAX_NODES, Node, Proof, ROOT};
use super::choice::worth_playing;
use super::root::Root;
use super::select::{Selected, select, tried};
use super::{FirstValue, MoverValue, margin_utility};
use crate::config::{RootExploration, SearchConfig, SearchSettings};
use crate::games::{Game, HalfPoints, Phase, Played, Player, Seat, Status, Step, step_count, step_number};

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
    /// True if that value is the one under best play.
    pub is_settled: bool,
    /// The result under best play for the player who chooses the step, if it is certain.
    pub certain: Option<Certain>,
    /// The probability that it was given before it was tried.
    pub prior: f32,
    /// The highest is the search's own choice; means something beside other steps' only.
    pub rank: f32,
}

/// One game's tree.
pub struct Search<G> {
    config: SearchConfig,
    komi: HalfPoints,
    root: G,
    arena: Arena,
    plan: Root,
    /// The visits that the root is topped up to.
    visits: u32,
    /// What is certain of the root, for the person to move.
    proven: Option<Proof>,
    /// The edges from the root's to the last one met, each with the person who chose it.
    path: Vec<(u32, Seat)>,
    /// Boards at the turn ends below the root on the current path.
    path_keys: Vec<u128>,
    leaf: Option<G>,
    /// The steps' logits at the leaf; empty if the evaluator has no policy.
    logits: Vec<f32>,
    /// Room for a node's priors.
    priors: Vec<f32>,
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
            plan: Root::default(),
            visits: config.visits,
            proven: None,
            path: Vec::new(),
            path_keys: Vec::new(),
            leaf: None,
            logits: Vec::new(),
            priors: Vec::new(),
            refused: 0,
        };
        search.restart(root);
        search
    }

    /// Begins anew at `root`, in the memory that is there.
    pub fn restart(&mut self, root: &G) {
        self.arena.clear();
        self.proven = None;
        self.root = root.clone();
    }

    /// True once the root has all its visits, or its value is settled.
    pub fn is_done(&self) -> bool {
        self.settled().is_some() || self.arena.edges[ROOT].visits >= self.visits
    }

    /// The root's value for the person to move, if it is settled.
    fn settled(&self) -> Option<MoverValue> {
        self.proven.filter(|proof| proof.settled).map(|proof| MoverValue(proof.value))
    }

    /// The root's mean value for the player to move; the one under best play if that is settled.
    pub fn root_value(&self) -> MoverValue {
        match (self.settled(), self.arena.edges[ROOT].visits) {
            (Some(value), _) => value,
            (None, 0) => MoverValue(0.5),
            _ => FirstValue(self.arena.edges[ROOT].value()).for_mover(self.root.seat_to_move()),
        }
    }

    fn root_node(&self) -> Option<Node> {
        self.arena.root().map(|node| self.arena.nodes[node as usize])
    }

    /// What is known of each of the root's steps, in ascending order of steps. Empty before [`Search::prepare_root`].
    pub fn root_steps(&self) -> Vec<RootStep> {
        let Some(root) = self.root_node() else { return Vec::new() };
        let ranks = self.plan.ranks(&self.arena, root, &self.config.settings);
        let known = |(edge, rank): (&Edge, f32)| RootStep {
            step: edge.step,
            visits: edge.visits,
            value: (edge.visits > 0).then(|| MoverValue(edge.value())),
            is_settled: edge.is_settled(),
            certain: edge.certain(),
            prior: edge.prior,
            rank,
        };
        let edges = &self.arena.edges[Arena::edges_of(root)];
        let mut steps: Vec<RootStep> = edges.iter().zip(ranks).map(known).collect();
        steps.sort_by_key(|known| known.step);
        steps
    }

    /// How often the root has been visited.
    pub fn root_visits(&self) -> u32 {
        self.arena.edges[ROOT].visits
    }

    /// How simulations are led.
    pub fn settings(&self) -> &SearchSettings {
        &self.config.settings
    }

    /// The most visited line of play that begins with a step of the root, as far as it has been searched.
    pub fn line(&self, step: Step) -> Vec<Step> {
        let mut line = Vec::new();
        let mut next = self.root_node().and_then(|node| tried(&self.arena, node).iter().find(|edge| edge.step == step));
        while let Some(edge) = next {
            line.push(edge.step);
            let node = edge.node().map(|node| self.arena.nodes[node as usize]);
            next = node.and_then(|node| tried(&self.arena, node).iter().max_by_key(|edge| edge.visits));
        }
        line
    }

    /// What a policy should have said at the root: weights by step, in ascending order of steps.
    pub fn policy_target(&self) -> Vec<(Step, f32)> {
        let Some(root) = self.root_node() else { return Vec::new() };
        let mut target = self.plan.policy_target(&self.arena, root, &self.config.settings);
        target.sort_by_key(|(step, _)| *step);
        // Only what may be played is learnt.
        let steps = worth_playing(&self.root_steps());
        let rest = target.iter_mut().filter(|(step, _)| steps.binary_search_by_key(step, |worth| worth.step).is_err());
        rest.for_each(|(_, weight)| *weight = 0.0);
        target
    }

    /// The bytes that the tree takes now.
    pub fn bytes(&self) -> usize {
        self.arena.bytes()
    }

    /// How often a position was not expanded because the tree had as much memory as it may have.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// The visits that the config gives a search.
    pub fn usual_visits(&self) -> u32 {
        self.config.visits
    }

    /// True if the root has yet to be valued, for its priors, before it can be prepared.
    pub fn needs_root(&self) -> bool {
        self.config.settings.reading.policy
            && self.arena.edges[ROOT].is_unexpanded()
            && self.arena.edges[ROOT].visits == 0
    }

    /// Settles how the root is searched: `visits` it is topped up to, and what is done to see more of its steps.
    ///
    /// Call it once before a root's search; the root of a game that goes on is expanded by it.
    pub fn prepare_root(&mut self, visits: u32, explore: Option<RootExploration>, rng: &mut ChaCha8Rng) {
        self.visits = visits;
        let node = self.arena.root().unwrap_or_else(|| {
            let value = self.root_value();
            let root = self.root.clone();
            self.expand(ROOT, u32::MAX, &root, value).expect("the root is always expanded")
        });
        let left = visits.saturating_sub(self.arena.edges[ROOT].visits);
        self.plan.prepare(&mut self.arena, node, &self.config.settings, explore, left, rng);
        self.prove_node(node);
    }

    /// Walks down from the root to the end of a game or a new position. `game` is the game at the root.
    pub fn descend(&mut self, game: &Played<G>) -> Descent {
        debug_assert!(self.leaf.is_none(), "a leaf still waits for its value");
        self.path.clear();
        self.path_keys.clear();
        let mut position = self.root.clone();
        let (mut edge, mut parent, mut chooser) = (ROOT, u32::MAX, Seat::First);
        loop {
            self.path.push((edge as u32, chooser));
            let known = self.arena.edges[edge];
            if known.is_settled() {
                self.add(MoverValue(known.value()).for_first(chooser));
                return Descent::Terminal;
            }
            let seat = position.seat_to_move();
            let node = match known.node() {
                None if known.visits > 0 => {
                    let value = MoverValue(known.value()).for_first(chooser).for_mover(seat);
                    self.expand(edge, parent, &position, value)
                }
                node => node,
            };
            let Some(node) = node.filter(|_| known.visits > 0) else {
                self.leaf = Some(position);
                self.logits.clear();
                return Descent::Leaf;
            };
            let value = MoverValue(known.value()).for_first(chooser).for_mover(seat);
            edge = match edge {
                ROOT => self.plan.follow(&mut self.arena, node, &self.config.settings, known.visits, value.0),
                _ => match select(
                    &self.arena,
                    self.arena.nodes[node as usize],
                    &self.config.settings,
                    known.visits,
                    value.0,
                ) {
                    Selected::Tried(edge) => edge,
                    Selected::Next => self.arena.try_next(node),
                },
            };
            (parent, chooser) = (node, seat);
            let step = self.arena.edges[edge].step;
            position.play(step);
            if self.arena.edges[edge].visits == 0
                && let Some(value) = self.end(step, &position, game)
            {
                self.arena.edges[edge].end(value.for_mover(chooser).0);
                self.path.push((edge as u32, chooser));
                self.add(value);
                self.prove();
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

    /// The position that waits for its value, and where the evaluator writes its policy.
    pub fn leaf_and_policy(&mut self) -> Option<(&G, &mut Vec<f32>)> {
        self.leaf.as_ref().map(|leaf| (leaf, &mut self.logits))
    }

    /// Backs up the value of the waiting leaf, which is expanded if there is a policy for it.
    pub fn back_up(&mut self, value: MoverValue) {
        let leaf = self.leaf.take().expect("a leaf waits");
        self.add(value.for_first(leaf.seat_to_move()));
        if let Some((edge, _)) = self.path.last()
            && !self.logits.is_empty()
        {
            let above = self.path.len().checked_sub(2).map(|at| self.path[at].0 as usize);
            let parent = above.and_then(|edge| self.arena.edges[edge].node()).unwrap_or(u32::MAX);
            self.expand(*edge as usize, parent, &leaf, value);
            self.logits.clear();
        }
    }

    /// Makes the position after `step` the root, and keeps what the tree knows below it. `root` is that position.
    pub fn advance(&mut self, step: Step, root: &G) {
        let kept = self.root_node().and_then(|node| {
            let tried = node.first as usize..node.first as usize + node.tried as usize;
            // The end by a rule may be none when played out of the tree: then nothing is known.
            let holds = |edge: &usize| {
                let edge = &self.arena.edges[*edge];
                edge.step == step && (edge.node().is_some() || edge.is_unexpanded())
            };
            Some((tried.into_iter().find(holds)?, node.seat))
        });
        let Some((edge, seat)) = kept else { return self.restart(root) };
        self.proven = None;
        self.arena.root_at(edge, seat);
        self.root = root.clone();
        let bytes = self.arena.bytes();
        if bytes > self.config.settings.tree_bytes() / 2 || bytes > 2 * self.arena.live_bytes() {
            self.arena.sweep();
        }
    }

    /// The node of a position, which has none yet; `None` if there is no memory for it. `value` is the evaluator's for the
    /// person to move; the priors come from the logits, if there are any.
    fn expand(&mut self, edge: usize, parent: u32, position: &G, value: MoverValue) -> Option<u32> {
        let Status::Running(steps) = position.search_status() else {
            unreachable!("ends are found when positions are met")
        };
        let more = size_of::<Node>() + steps.len() * size_of::<Edge>();
        let is_full = self.arena.bytes() + more > self.config.settings.tree_bytes();
        if edge != ROOT && (is_full || self.arena.nodes.len() >= MAX_NODES) {
            self.refused += 1;
            return None;
        }
        self.priors.clear();
        if !self.logits.is_empty() {
            debug_assert_eq!(self.logits.len(), step_count(position.size()));
            self.priors.extend(steps.iter().map(|step| self.logits[step_number(position, step)]));
            softmax(&mut self.priors);
        }
        let key = position.board_key();
        let order = (key ^ key >> 64) as u64;
        let known = Expansion {
            seat: position.seat_to_move(),
            value: value.0,
            priors: &self.priors,
            order: (order ^ order >> 32) as u32,
        };
        Some(self.arena.expand(edge, parent, steps, known))
    }

    /// Backs up what has just become certain along the path, as far as it decides.
    fn prove(&mut self) {
        for at in (0..self.path.len().saturating_sub(1)).rev() {
            let (edge, chooser) = (self.path[at].0 as usize, self.path[at].1);
            let Some(node) = self.arena.edges[edge].node() else { return };
            let Some(proof) = self.prove_node(node) else { return };
            if edge != ROOT {
                let is_choosers = self.arena.nodes[node as usize].seat == chooser;
                if !self.arena.edges[edge].prove(if is_choosers { proof } else { proof.for_other() }) {
                    return;
                }
            }
        }
    }

    /// What is certain of a node for the person to move: one step wins, or all steps are certain. It is settled if no
    /// step can have a better value than the best of those that are. The root's proof is kept.
    fn prove_node(&mut self, node: u32) -> Option<Proof> {
        let edges = &self.arena.edges[Arena::edges_of(self.arena.nodes[node as usize])];
        let result = edges.iter().filter_map(Edge::certain).max();
        let decides = result == Some(Certain::Win) || edges.iter().all(|edge| edge.certain().is_some());
        let proof = result.filter(|_| decides).map(|result| {
            let best = |edge: &&Edge| edge.certain() == Some(result);
            let highest = |values: f32, edge: &Edge| values.max(edge.value());
            let value = edges.iter().filter(best).fold(f32::NEG_INFINITY, highest);
            let settled = edges.iter().filter(best).filter(|edge| edge.is_settled()).fold(f32::NEG_INFINITY, highest);
            let cannot_better =
                |edge: &Edge| edge.is_settled() || edge.certain().is_some_and(|certain| certain < result);
            // No value is above 1.
            match settled >= 1.0 || edges.iter().all(cannot_better) {
                true => Proof { result, value: settled, settled: true },
                false => Proof { result, value, settled: false },
            }
        });
        if self.arena.root() == Some(node) {
            self.proven = proof;
        }
        proof
    }

    /// The result, if the game is over at `position`, which `step` has led to.
    fn end(&self, step: Step, position: &G, game: &Played<G>) -> Option<FirstValue> {
        if self.repeats(step, position, game) {
            return Some(FirstValue(0.5));
        }
        position.end().map(|_| self.utility(position))
    }

    /// The first seat's value of a finished game, to a part of the config's weight that of the margin.
    fn utility(&self, position: &G) -> FirstValue {
        let won = result(position.winner(self.komi), position);
        let weight = self.config.settings.reading.margin_weight;
        match position.score().filter(|_| weight > 0.0) {
            None => won,
            Some(score) => {
                let margin = margin_utility(position.size(), score.margin() - self.komi) as f32;
                let margin = if position.seat_of(Player::Black) == Seat::First { margin } else { 1.0 - margin };
                FirstValue((1.0 - weight) * won.0 + weight * margin)
            }
        }
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

/// Makes probabilities of logits.
fn softmax(logits: &mut [f32]) {
    let largest = logits.iter().fold(f32::NEG_INFINITY, |most, logit| if *logit > most { *logit } else { most });
    let mut sums = f32x8::ZERO;
    for logits in logits.chunks_mut(8) {
        let mut lanes = [f32::NEG_INFINITY; 8];
        lanes[..logits.len()].copy_from_slice(logits);
        let powers = (f32x8::new(lanes) - f32x8::splat(largest)).exp();
        sums += powers;
        logits.copy_from_slice(&powers.to_array()[..logits.len()]);
    }
    let scale = 1.0 / sums.reduce_add();
    logits.iter_mut().for_each(|share| *share *= scale);
}

#[cfg(test)]
mod tests;
