//! The root of a search: how its visits are shared out, and what a policy can learn from them.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};

use super::arena::{Arena, Certain, Edge, Node};
use super::select::{CompletedValues, Selected, losses_differ, select, tried};
use crate::config::{RootExploration, RootNoise, SearchSettings, Selection};
use crate::games::Step;

/// What is settled about a root before it is searched.
#[derive(Default)]
pub(super) struct Root {
    /// Forced playouts: how many, in proportion to what PUCT's theory asks for; 0: none.
    forced: f32,
    /// Sequential halving: noise on each edge's logit, in the order in which the edges lie.
    noise: Vec<f32>,
    /// The visits that each edge had before this search, likewise.
    before: Vec<u32>,
    /// For each simulation, how often in this search the edge to follow has been visited.
    schedule: Vec<u32>,
    /// The simulations so far.
    done: usize,
}

impl Root {
    /// Settles how the root `node` will be searched, with so many simulations to come.
    pub fn prepare(
        &mut self,
        arena: &mut Arena,
        node: u32,
        config: &SearchSettings,
        explore: Option<RootExploration>,
        simulations: u32,
        rng: &mut ChaCha8Rng,
    ) {
        let edges = Arena::edges_of(arena.nodes[node as usize]);
        self.forced = 0.0;
        self.done = 0;
        self.schedule.clear();
        match config.selection {
            Selection::Puct => {
                self.forced = explore.map_or(0.0, |explore| explore.forced);
                if !config.reading.policy {
                    let equal = 1.0 / edges.len() as f32;
                    arena.edges[edges.clone()].iter_mut().for_each(|edge| edge.prior = equal);
                }
                let noise = explore.and_then(|explore| explore.noise);
                let drawn = noise.and_then(|noise| Some((noise.share, dirichlet(noise, edges.len(), rng)?)));
                if let Some((share, weights)) = drawn {
                    for (edge, weight) in arena.edges[edges].iter_mut().zip(weights) {
                        edge.prior = (1.0 - share) * edge.prior + share * weight;
                    }
                    arena.set_uneven(node);
                }
            }
            Selection::Gumbel => {
                self.noise.clear();
                self.noise.extend(edges.clone().map(|_| if explore.is_some() { gumbel(rng) } else { 0.0 }));
                self.before.clear();
                self.before.extend(arena.edges[edges.clone()].iter().map(|edge| edge.visits));
                let considered = config.considered.min(edges.len() as u32);
                halving_schedule(considered as usize, simulations as usize, &mut self.schedule);
            }
        }
    }

    /// The edge to follow from the root, which has been visited so often; `value` is its mean value for the person to
    /// move.
    pub fn follow(&mut self, arena: &mut Arena, node: u32, config: &SearchSettings, visits: u32, value: f32) -> usize {
        let known = arena.nodes[node as usize];
        let wanted = self.schedule.get(self.done).copied();
        self.done += 1;
        if let Some(wanted) = wanted
            && let Some(place) = self.candidate(arena, known, config, wanted)
        {
            if place < known.tried as usize {
                return known.first as usize + place;
            }
            self.noise.swap(place, known.tried as usize);
            self.before.swap(place, known.tried as usize);
            return arena.try_edge(node, known.first as usize + place);
        }
        let selected = match self.forced_edge(arena, known, visits) {
            Some(edge) => Selected::Tried(edge),
            None => select(arena, known, config, visits, value),
        };
        match selected {
            Selected::Tried(edge) => edge,
            Selected::Next => arena.try_next(node),
        }
    }

    /// Of the edges visited so often in this search, the one with the best noise, logit and value: its place.
    fn candidate(&self, arena: &Arena, node: Node, config: &SearchSettings, wanted: u32) -> Option<usize> {
        let edges = &arena.edges[Arena::edges_of(node)];
        let values = CompletedValues::new(config, tried(arena, node), node.value);
        let mut best = None;
        let mut best_score = f32::NEG_INFINITY;
        for (place, edge) in edges.iter().enumerate() {
            if edge.visits - self.before[place] != wanted || edge.is_lost() && !losses_differ(config) {
                continue;
            }
            let score = self.score(place, edge, &values);
            if score > best_score {
                (best, best_score) = (Some(place), score);
            }
        }
        best
    }

    fn score(&self, place: usize, edge: &Edge, values: &CompletedValues) -> f32 {
        self.noise[place] + edge.prior.max(f32::MIN_POSITIVE).ln() + values.bonus(edge)
    }

    /// An edge that has been visited less often than is asked of each edge that was tried: √(k · prior · visits), as in
    /// KataGo (Wu 2019, section 3.2).
    fn forced_edge(&self, arena: &Arena, node: Node, visits: u32) -> Option<usize> {
        if self.forced == 0.0 {
            return None;
        }
        let short = |edge: &Edge| {
            (edge.visits as f32) < (self.forced * edge.prior * visits as f32).sqrt() && edge.certain().is_none()
        };
        tried(arena, node).iter().position(short).map(|place| node.first as usize + place)
    }

    /// How each edge ranks as the step to play, in the order in which they lie.
    pub fn ranks(&self, arena: &Arena, node: Node, config: &SearchSettings) -> Vec<f32> {
        let edges = &arena.edges[Arena::edges_of(node)];
        if config.selection == Selection::Puct {
            return edges.iter().map(|edge| edge.visits as f32).collect();
        }
        // Of those visited most often in this search the one that scores best.
        let fresh: Vec<u32> = edges.iter().zip(&self.before).map(|(edge, before)| edge.visits - before).collect();
        let most = fresh.iter().copied().max().unwrap_or(0);
        let values = CompletedValues::new(config, tried(arena, node), node.value);
        let rank = |(place, edge): (usize, &Edge)| match fresh[place] {
            visits if visits < most => f32::MIN / 2.0 + visits as f32,
            _ => self.score(place, edge, &values),
        };
        edges.iter().enumerate().map(rank).collect()
    }

    /// What a policy should have said here: weights by step.
    pub fn policy_target(&self, arena: &Arena, node: Node, config: &SearchSettings) -> Vec<(Step, f32)> {
        let edges = &arena.edges[Arena::edges_of(node)];
        let wins = edges.iter().filter(|edge| edge.certain() == Some(Certain::Win));
        // With margins one win may be better than another.
        if config.reading.margin_weight == 0.0 && wins.clone().next().is_some() {
            return wins.map(|edge| (edge.step, 1.0)).collect();
        }
        match config.selection {
            Selection::Puct => self.pruned_visits(arena, node, config),
            Selection::Gumbel => {
                // The improved policy over all steps (Danihelka et al. 2022, section 4).
                let values = CompletedValues::new(config, tried(arena, node), node.value);
                let logit = |edge: &Edge| edge.prior.max(f32::MIN_POSITIVE).ln() + values.bonus(edge);
                let largest = edges.iter().map(logit).fold(f32::NEG_INFINITY, f32::max);
                edges.iter().map(|edge| (edge.step, (logit(edge) - largest).exp())).collect()
            }
        }
    }

    /// The visits, without those that were forced and that PUCT would not have made (Wu 2019, section 3.2).
    fn pruned_visits(&self, arena: &Arena, node: Node, config: &SearchSettings) -> Vec<(Step, f32)> {
        let edges = tried(arena, node);
        let visits: u32 = edges.iter().map(|edge| edge.visits).sum();
        let most = edges.iter().map(|edge| edge.visits).max().unwrap_or(0);
        let explore = config.exploration * (visits as f32).sqrt();
        let score = |edge: &Edge, visits: u32| edge.value() + explore * edge.prior / (1 + visits) as f32;
        let best = edges.iter().find(|edge| edge.visits == most).map_or(f32::MAX, |best| score(best, best.visits));
        let kept = |edge: &Edge| {
            if self.forced == 0.0 || edge.visits == most {
                return edge.visits;
            }
            let forced = (self.forced * edge.prior * visits as f32).sqrt() as u32;
            let least = edge.visits.saturating_sub(forced);
            let mut left = edge.visits;
            while left > least && score(edge, left - 1) < best {
                left -= 1;
            }
            if left <= 1 { 0 } else { left }
        };
        edges.iter().map(|edge| (edge.step, kept(edge) as f32)).collect()
    }
}

/// For each of so many simulations, how often the step to try has been tried before, if sequential halving begins with
/// so many steps: each phase visits the steps left equally often, then keeps the better half.
fn halving_schedule(steps: usize, simulations: usize, schedule: &mut Vec<u32>) {
    if steps < 2 {
        schedule.extend(0..simulations as u32);
        return;
    }
    let phases = steps.next_power_of_two().ilog2() as usize;
    let mut left = steps;
    let mut visits = 0;
    while schedule.len() < simulations {
        for _ in 0..(simulations / (phases * left)).max(1) {
            schedule.extend(std::iter::repeat_n(visits, left));
            visits += 1;
        }
        left = (left / 2).max(2);
    }
    schedule.truncate(simulations);
}

/// A draw from the standard Gumbel distribution.
fn gumbel(rng: &mut ChaCha8Rng) -> f32 {
    let uniform = rng.random::<f64>().max(1e-12);
    -(-uniform.ln()).ln() as f32
}

/// Weights that sum to 1, or `None` if the draw is degenerate (tiny concentrations round to nothing).
fn dirichlet(noise: RootNoise, count: usize, rng: &mut ChaCha8Rng) -> Option<Vec<f32>> {
    let gamma = Gamma::new(noise.concentration / count as f32, 1.0f32).ok()?;
    let weights: Vec<f32> = (0..count).map(|_| gamma.sample(rng)).collect();
    let sum: f32 = weights.iter().sum();
    (sum.is_finite() && sum > 0.0).then(|| weights.iter().map(|weight| weight / sum).collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing::rng;
    use super::*;

    fn schedule(steps: usize, simulations: usize) -> Vec<u32> {
        let mut schedule = Vec::new();
        halving_schedule(steps, simulations, &mut schedule);
        schedule
    }

    #[test]
    fn halving_visits_half_as_many_steps_in_each_phase() {
        // Four steps twice, then two steps four times.
        assert_eq!(schedule(4, 16), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(schedule(1, 3), [0, 1, 2]);
        assert_eq!(schedule(16, 5), [0; 5]);
        assert_eq!(schedule(3, 0), [0u32; 0]);
        for steps in 1..40 {
            for simulations in [1, 2, 7, 32, 100, 1000] {
                let schedule = schedule(steps, simulations);
                assert_eq!(schedule.len(), simulations);
                // Some step has been visited so often whenever one is asked for.
                let mut with_visits = vec![steps];
                for wanted in schedule {
                    let wanted = wanted as usize;
                    with_visits.resize(with_visits.len().max(wanted + 2), 0);
                    assert!(with_visits[wanted] > 0, "{steps} steps");
                    with_visits[wanted] -= 1;
                    with_visits[wanted + 1] += 1;
                }
            }
        }
    }

    #[test]
    fn gumbel_draws_have_their_mean_and_variance() {
        let mut rng = rng(1);
        let draws: Vec<f64> = (0..40_000).map(|_| f64::from(gumbel(&mut rng))).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        // Euler's constant and π²/6.
        assert!((mean - 0.5772).abs() < 0.03 && (variance - 1.6449).abs() < 0.06, "{mean} {variance}");
    }
}
