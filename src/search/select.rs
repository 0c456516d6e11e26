//! Which edge a simulation follows below the root.

use super::arena::{Arena, Edge, Node};
use crate::config::{SearchSettings, Selection};

/// An edge to follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Selected {
    Tried(usize),
    /// One that has not been tried yet: the next in the node's order.
    Next,
}

/// The edge to follow from a node that has been visited so often; `value` is the mean value for the person to move.
pub(super) fn select(arena: &Arena, node: Node, config: &SearchSettings, visits: u32, value: f32) -> Selected {
    match config.selection {
        Selection::Puct => puct(arena, node, config, visits, value),
        Selection::Gumbel => improved(arena, node, config),
    }
}

/// The tried edges of a node.
pub(super) fn tried(arena: &Arena, node: Node) -> &[Edge] {
    &arena.edges[node.first as usize..][..node.tried as usize]
}

/// The edge with the highest PUCT score (Silver et al. 2017, "Mastering the game of Go without human knowledge"); of
/// equals, the first. A step not yet visited counts as its parent's value less a reduction (first play urgency).
fn puct(arena: &Arena, node: Node, config: &SearchSettings, visits: u32, value: f32) -> Selected {
    let explore = config.exploration * (visits as f32).sqrt();
    // Of the untried edges none has a higher prior than the next.
    let next = |next: &Edge| value - config.reduction + explore * next.prior;
    best(arena, node, config, |edge| edge.value() + explore * edge.prior / (1 + edge.visits) as f32, next)
}

/// True if one loss may be better than another.
pub(super) fn losses_differ(config: &SearchSettings) -> bool {
    config.reading.margin_weight > 0.0
}

/// The edge that scores best among the tried ones and the next untried one, of equals the first. One that is certain to
/// lose is followed only if all are, unless one may lose by less than another.
#[inline]
fn best(
    arena: &Arena,
    node: Node,
    config: &SearchSettings,
    score: impl Fn(&Edge) -> f32,
    next: impl Fn(&Edge) -> f32,
) -> Selected {
    let edges = tried(arena, node);
    let losses_differ = losses_differ(config);
    let first = |best: (Selected, f32), (place, score): (usize, f32)| {
        if score > best.1 { (Selected::Tried(node.first as usize + place), score) } else { best }
    };
    let none = (Selected::Next, f32::NEG_INFINITY);
    let open = edges.iter().enumerate().filter(|(_, edge)| losses_differ || !edge.is_lost());
    let (best, best_score) = open.map(|(place, edge)| (place, score(edge))).fold(none, first);
    if node.tried < node.edges {
        let next = next(&arena.edges[node.first as usize + edges.len()]);
        return if next > best_score { Selected::Next } else { best };
    }
    best
}

/// The edge whose share of the visits falls shortest of the improved policy (Danihelka et al. 2022, "Policy improvement
/// by planning with Gumbel", section 5).
fn improved(arena: &Arena, node: Node, config: &SearchSettings) -> Selected {
    let edges = tried(arena, node);
    let values = CompletedValues::new(config, edges, node.value);
    // Untried edges all have the same value, so their shares go as their priors.
    let mut all: f32 = 0.0;
    let mut untried_priors: f32 = 1.0;
    let mut visits = 0;
    for edge in edges {
        all += edge.prior * values.weight(edge);
        untried_priors -= edge.prior;
        visits += edge.visits;
    }
    let all = (all + untried_priors.max(0.0)).max(f32::MIN_POSITIVE);
    let score = |edge: &Edge| edge.prior * values.weight(edge) / all - edge.visits as f32 / (1 + visits) as f32;
    best(arena, node, config, score, |next| next.prior / all)
}

/// The values of a node's steps, those of steps never visited being the mix of what is known (Danihelka et al. 2022,
/// appendix D), and the policy that they make of the priors.
pub(super) struct CompletedValues {
    /// The value of a step never visited.
    mixed: f32,
    /// By how much a logit grows with a value.
    scale: f32,
}

/// Danihelka et al. 2022: c_visit.
const VISIT_OFFSET: f32 = 50.0;

impl CompletedValues {
    /// From the edges of a node that have been tried, and the evaluator's own value of the node.
    pub fn new(config: &SearchSettings, tried: &[Edge], value: f32) -> Self {
        let (mut visits, mut most, mut priors, mut sum) = (0, 0, 0.0f32, 0.0f32);
        for edge in tried.iter().filter(|edge| edge.visits > 0) {
            visits += edge.visits;
            most = most.max(edge.visits);
            priors += edge.prior;
            sum += edge.prior * edge.value();
        }
        let mixed = match priors > 0.0 {
            true => (value + visits as f32 * (sum / priors)) / (1 + visits) as f32,
            false => value,
        };
        CompletedValues { mixed, scale: (VISIT_OFFSET + most as f32) * config.value_scale }
    }

    /// What is added to the logit of an edge's prior, so that steps never visited have nothing added.
    pub fn bonus(&self, edge: &Edge) -> f32 {
        if edge.visits == 0 { 0.0 } else { self.scale * (edge.value() - self.mixed) }
    }

    /// The factor by which the edge's prior grows.
    fn weight(&self, edge: &Edge) -> f32 {
        // Far more than any prior can make up for, and no infinity.
        self.bonus(edge).min(60.0).exp()
    }
}
