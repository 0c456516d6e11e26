//! The memory of a tree: its nodes, and the edges between them.
//!
//! All that is known of a position lies with the edge that leads to it; a node is only the list of its edges, and made
//! when a search goes past its position for the first time. Edges of a node lie side by side, those that have been
//! tried first, so that choosing among them looks at little memory and no other. Nothing is freed while a search runs;
//! what a played step cut off is swept away once it is most of what there is.

use crate::board::PointSet;
use crate::games::{Seat, Step, StepSet};

/// The bits that say which node an edge leads to; the others say what is certain of it.
const NODE: u32 = (1 << 29) - 1;

/// No node: the position past this edge has not been expanded.
pub(super) const UNEXPANDED: u32 = NODE;

/// No node: the game is over past this edge.
const OVER: u32 = NODE - 1;

/// Nodes have smaller numbers than this.
pub(super) const MAX_NODES: usize = OVER as usize;

/// Nothing that is searched can change the edge's value any more.
const SETTLED: u32 = 1 << 31;

/// Where the two bits of the certain result lie: 0 for none.
const CERTAIN: u32 = 29;

/// Who wins under best play, from the view of the person who chooses an edge, or is to move at a node. In the order
/// of preference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Certain {
    Loss,
    Draw,
    Win,
}

impl Certain {
    /// The result of a finished game of this value. A margin takes part in values (see [`super::margin_utility`]), but
    /// not so much that a win, a draw and a loss could be mistaken.
    fn of(value: f32) -> Self {
        match value {
            value if value > 0.75 => Certain::Win,
            value if value < 0.25 => Certain::Loss,
            _ => Certain::Draw,
        }
    }

    fn for_other(self) -> Self {
        match self {
            Certain::Loss => Certain::Win,
            Certain::Draw => Certain::Draw,
            Certain::Win => Certain::Loss,
        }
    }
}

/// What is certain of a position, for one person.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Proof {
    pub result: Certain,
    /// The best value known under this result.
    pub value: f32,
    /// True if that is the value under best play, margin included.
    pub settled: bool,
}

impl Proof {
    /// The end of a game of this value.
    pub fn end(value: f32) -> Self {
        Proof { result: Certain::of(value), value, settled: true }
    }

    /// The same for the other person.
    pub fn for_other(self) -> Self {
        Proof { result: self.result.for_other(), value: 1.0 - self.value, ..self }
    }
}

/// The edge that leads to the root; no step stands for it, and its values are the first seat's.
pub(super) const ROOT: usize = 0;

/// A step from a position, and what is known of the position that it leads to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Edge {
    pub visits: u32,
    /// The sum of the visits' values for the person who chooses the edge. Playouts add wholes and halves, exactly.
    pub sum: f32,
    pub prior: f32,
    /// The node that the edge leads to, [`UNEXPANDED`] or [`OVER`]; beside it what is certain.
    child: u32,
    pub step: Step,
}

impl Edge {
    fn new(step: Step, prior: f32) -> Self {
        Edge { visits: 0, sum: 0.0, prior, child: UNEXPANDED, step }
    }

    /// The mean value for the person who chooses the edge, which has been visited.
    #[inline]
    pub fn value(&self) -> f32 {
        self.sum / self.visits as f32
    }

    /// The node that the edge leads to, if it has been expanded.
    #[inline]
    pub fn node(&self) -> Option<u32> {
        let node = self.child & NODE;
        (node < OVER).then_some(node)
    }

    /// True if the position past the edge has not been expanded, and is not the end of the game.
    #[inline]
    pub fn is_unexpanded(&self) -> bool {
        self.child == UNEXPANDED
    }

    /// True if the edge's value is the one under best play.
    #[inline]
    pub fn is_settled(&self) -> bool {
        self.child & SETTLED != 0
    }

    /// The result of the person who chooses the edge, if it is certain. As long as the edge is not settled its value is a mean,
    /// in which steps that are not certain take part.
    #[inline]
    pub fn certain(&self) -> Option<Certain> {
        [None, Some(Certain::Loss), Some(Certain::Draw), Some(Certain::Win)][(self.child >> CERTAIN & 3) as usize]
    }

    /// True if the edge is certain to lose for the person who chooses it.
    #[inline]
    pub fn is_lost(&self) -> bool {
        self.certain() == Some(Certain::Loss)
    }

    /// Notes that the game is over past the edge, with this value for the person who chooses it.
    pub fn end(&mut self, value: f32) {
        self.child = OVER;
        self.note(Proof::end(value));
    }

    /// Notes what is certain past the edge for the person who chooses it. False if it was known before.
    pub fn prove(&mut self, proof: Proof) -> bool {
        if self.is_settled() || self.certain().is_some() && !proof.settled {
            return false;
        }
        self.note(proof);
        self.sum = proof.value * self.visits as f32;
        true
    }

    fn note(&mut self, proof: Proof) {
        self.child = self.child & NODE | (proof.result as u32 + 1) << CERTAIN;
        if proof.settled {
            self.child |= SETTLED;
        }
    }
}

/// An expanded position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Node {
    /// Its edges are those from here on.
    pub first: u32,
    pub edges: u16,
    /// How many edges have been visited: the first so many.
    pub tried: u16,
    /// The person to move.
    pub seat: Seat,
    /// True if all priors are equal, so that the next edge to try is any untried one. Else the first untried edge has the
    /// highest prior of them.
    pub even: bool,
    /// Which edge of the parent leads here.
    place: u16,
    parent: u32,
    /// Decides in which order even edges are tried.
    order: u32,
    /// The evaluator's own value of the position, for the person to move.
    pub value: f32,
}

/// What is known of a position when it is expanded.
pub(super) struct Expansion<'a> {
    /// The person to move.
    pub seat: Seat,
    /// The evaluator's value for that person.
    pub value: f32,
    /// The steps' priors, in the order of the steps; empty: all are equal.
    pub priors: &'a [f32],
    /// Decides in which order even edges are tried.
    pub order: u32,
}

/// Nodes and edges.
#[derive(Default)]
pub(super) struct Arena {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Where [`Arena::sweep`] moves each node; kept for its memory.
    moved: Vec<u32>,
}

impl Arena {
    /// Forgets everything but the root's edge, which has not been visited.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.edges.push(Edge::new(Step::PASS, 1.0));
    }

    /// The bytes that nodes and edges take.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.edges.len() * size_of::<Edge>()
    }

    /// The edges of a node.
    pub fn edges_of(node: Node) -> std::ops::Range<usize> {
        node.first as usize..node.first as usize + node.edges as usize
    }

    /// The node that hangs on the root's edge, if it has been expanded.
    pub fn root(&self) -> Option<u32> {
        self.edges[ROOT].node()
    }

    /// Adds a node at the end of `edge`, which is one of `parent`'s (or the root's own); its edges are not visited yet.
    pub fn expand<P: PointSet>(&mut self, edge: usize, parent: u32, steps: StepSet<P>, known: Expansion<'_>) -> u32 {
        let (first, edges) = (self.edges.len(), steps.len());
        let even = known.priors.is_empty();
        if even {
            let prior = 1.0 / edges as f32;
            self.edges.extend(steps.iter().map(|step| Edge::new(step, prior)));
        } else {
            self.edges.extend(steps.iter().zip(known.priors).map(|(step, prior)| Edge::new(step, *prior)));
        }
        let place = self.nodes.get(parent as usize).map_or(0, |parent| edge - parent.first as usize);
        self.nodes.push(Node {
            first: first as u32,
            edges: edges as u16,
            tried: 0,
            seat: known.seat,
            even,
            place: place as u16,
            parent,
            order: known.order,
            value: known.value,
        });
        let node = self.nodes.len() as u32 - 1;
        self.edges[edge].child = node;
        if !even {
            self.seek_untried(node);
        }
        node
    }

    /// Takes the next edge of `node` that has not been tried, and returns it. The node must have one.
    ///
    /// Among edges of equal prior the order must favour no part of the board, and must depend on the position alone, so
    /// that a search without noise is the same in every game: a Fisher-Yates shuffle, one exchange at a time.
    pub fn try_next(&mut self, node: u32) -> usize {
        let known = &mut self.nodes[node as usize];
        let place = known.tried as usize;
        let edge = known.first as usize + place;
        known.tried += 1;
        if known.even {
            let left = (known.edges as usize - place) as u64;
            let other = edge + ((u64::from(mixed(known.order, place as u32)) * left) >> 32) as usize;
            self.edges.swap(edge, other);
        } else {
            self.seek_untried(node);
        }
        edge
    }

    /// Takes an edge of `node` that has not been tried, and returns where it lies now: the first untried one has made
    /// room for it.
    pub fn try_edge(&mut self, node: u32, edge: usize) -> usize {
        let known = &mut self.nodes[node as usize];
        let place = known.first as usize + known.tried as usize;
        known.tried += 1;
        self.edges.swap(edge, place);
        place
    }

    /// Notes that the priors of `node`'s edges are no longer equal, if they ever were.
    pub fn set_uneven(&mut self, node: u32) {
        self.nodes[node as usize].even = false;
        self.seek_untried(node);
    }

    /// Moves the untried edge with the highest prior, of equals the first, to the front of the untried ones.
    fn seek_untried(&mut self, node: u32) {
        let known = self.nodes[node as usize];
        let untried = &mut self.edges[Arena::edges_of(known)][known.tried as usize..];
        let mut best = 0;
        for (place, edge) in untried.iter().enumerate() {
            if edge.prior > untried[best].prior {
                best = place;
            }
        }
        if best > 0 {
            untried.swap(0, best);
        }
    }

    /// Makes `edge`, which `seat` chose, the root's. What does not hang on it stays until it is swept.
    pub fn root_at(&mut self, edge: usize, seat: Seat) {
        let Edge { visits, sum, .. } = self.edges[edge];
        let sum = if seat == Seat::First { sum } else { visits as f32 - sum };
        let child = self.edges[edge].node().unwrap_or(UNEXPANDED);
        self.edges[ROOT] = Edge { sum, child, ..self.edges[edge] };
    }

    /// Moves what hangs on the root to the front, in place, and drops the rest.
    pub fn sweep(&mut self) {
        let (mut nodes, mut edges) = (0, ROOT + 1);
        let root = self.edges[ROOT].child;
        self.moved.clear();
        self.moved.resize(self.nodes.len(), UNEXPANDED);
        // A node comes after its parent, so one pass finds what hangs on the root, and nothing moves back.
        for at in root.min(self.nodes.len() as u32)..self.nodes.len() as u32 {
            let mut node = self.nodes[at as usize];
            let pointer = if at == root {
                ROOT
            } else {
                match self.moved.get(node.parent as usize) {
                    Some(parent) if *parent != UNEXPANDED => {
                        node.parent = *parent;
                        self.nodes[*parent as usize].first as usize + node.place as usize
                    }
                    _ => continue,
                }
            };
            self.edges.copy_within(Arena::edges_of(node), edges);
            self.edges[pointer].child = self.edges[pointer].child & !NODE | nodes;
            self.moved[at as usize] = nodes;
            node.first = edges as u32;
            if at == root {
                (node.parent, node.place) = (UNEXPANDED, 0);
            }
            edges += node.edges as usize;
            self.nodes[nodes as usize] = node;
            nodes += 1;
        }
        self.nodes.truncate(nodes as usize);
        self.edges.truncate(edges);
    }

    /// The bytes of what hangs on the root. One look at each node.
    pub fn live_bytes(&mut self) -> usize {
        let root = self.edges[ROOT].child;
        self.moved.clear();
        self.moved.resize(self.nodes.len(), UNEXPANDED);
        let mut bytes = size_of::<Edge>();
        for at in root.min(self.nodes.len() as u32)..self.nodes.len() as u32 {
            let node = self.nodes[at as usize];
            let hangs = self.moved.get(node.parent as usize).is_some_and(|parent| *parent != UNEXPANDED);
            if at == root || hangs {
                self.moved[at as usize] = at;
                bytes += size_of::<Node>() + node.edges as usize * size_of::<Edge>();
            }
        }
        bytes
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): the `index`-th number of the sequence that `seed` begins; 32 bits of it.
fn mixed(seed: u32, index: u32) -> u32 {
    let mut mixed = (u64::from(seed) << 32).wrapping_add(u64::from(index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ mixed >> 31) >> 32) as u32
}
