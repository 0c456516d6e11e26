//! Retrograde analysis: the values of all positions at once, from the ends of the game backwards.
//!
//! Each position has two values for its mover: with endless play as bad for the mover as it can be, and as good. The
//! first is the greatest margin that the mover can force an end with, so it is the least solution of "my value is the
//! best of my turns", where what a turn is worth is the negated second value of the other player's position, and the
//! second value is the greatest solution. (A player forces an end with at least some margin from the positions where
//! one turn, or all turns of the other player, lead nearer to it: Zermelo's argument, as for won endgames in
//! Thompson, "Retrograde analysis of certain endgames", 1986.) Both are reached from the worst and the best by
//! setting values right, in any order, until all are: values only ever rise, or fall, towards the solution. So at any
//! time they are proven bounds, and they meet where the value does not depend on how endless play is scored.
//!
//! Passes need no positions of their own. "When both players pass in succession, the game ends": a pass is worth the
//! margin as it stands or, if that is less, what the other player's turns but a pass give; for the other player
//! chooses.

use std::sync::atomic::{AtomicI8, AtomicU64, Ordering};

use rayon::prelude::*;

use super::canonical::Layout;
use super::graph::{Batch, Graph, NONE};
use super::position::{self, Solvable, each_next, margin, values};
use super::{FirstMove, Found, Limits, Progress, Range, Stopped};
use crate::games::{Player, Turn, turns};

/// Better than any margin of a board that fits a key: what endless play counts.
const ENDLESS: i8 = 127;

/// For each position, values for its mover in half points; each as pairs: endless play at its worst, and at its best.
struct Values {
    /// Of the best turn that is not a pass.
    played: [Vec<AtomicI8>; 2],
    /// Of the best turn.
    best: [Vec<AtomicI8>; 2],
}

impl Values {
    const BYTES_EACH: u64 = 4;

    fn new(len: usize) -> Self {
        let all = |value: i8| (0..len).map(|_| AtomicI8::new(value)).collect();
        Values { played: [all(-ENDLESS), all(ENDLESS)], best: [all(-ENDLESS), all(ENDLESS)] }
    }

    fn get(values: &[Vec<AtomicI8>; 2], number: u32) -> [i8; 2] {
        [0, 1].map(|side| values[side][number as usize].load(Ordering::Relaxed))
    }

    fn set(values: &[Vec<AtomicI8>; 2], number: u32, new: [i8; 2]) {
        (0..2).for_each(|side| values[side][number as usize].store(new[side], Ordering::Relaxed));
    }

    /// What it is worth to bring the other player to a position.
    fn of_turn(&self, next: u32) -> [i8; 2] {
        let [worst, best] = Self::get(&self.best, next);
        [-best, -worst]
    }

    /// What a pass is worth that leaves the other player at `passed`, where the mover's margin is `margin`.
    fn of_pass(&self, passed: u32, margin: i8) -> [i8; 2] {
        let [worst, best] = Self::get(&self.played, passed);
        [margin.min(-best), margin.min(-worst)]
    }

    /// Sets a position's values right by those of its followers; true if they change.
    fn improve(&self, batch: &Batch, index: usize) -> bool {
        let (number, node) = (batch.first + index as u32, &batch.nodes[index]);
        let old = Self::get(&self.best, number);
        let old_played = Self::get(&self.played, number);
        if old[0] == old[1] && old_played[0] == old_played[1] {
            return false;
        }
        let next = batch.next(index);
        let played = next.iter().map(|next| self.of_turn(*next)).fold([-ENDLESS; 2], better);
        let best = match node.passed {
            // "If you have no moves available on your turn, you lose."
            NONE if next.is_empty() => [node.margin; 2],
            NONE => played,
            passed => better(played, self.of_pass(passed, node.margin)),
        };
        Self::set(&self.played, number, played);
        Self::set(&self.best, number, best);
        best != old || played != old_played
    }
}

/// The better values of two turns.
fn better([worst, best]: [i8; 2], other: [i8; 2]) -> [i8; 2] {
    [worst.max(other[0]), best.max(other[1])]
}

/// All positions after a start, with their values.
pub(super) struct Analysis {
    layout: Layout,
    graph: Graph,
    values: Values,
    /// Set if not all values are exact yet.
    stopped: Option<Stopped>,
}

impl Analysis {
    /// The positions after `start`, at the start of a turn before which nobody passed. `Err`: stopped before all were
    /// found, or out of memory.
    pub fn of<G: Solvable>(layout: Layout, start: &G, limits: &Limits) -> Result<Self, Stopped> {
        let graph = Graph::of(layout, start, limits)?;
        if graph.bytes() + graph.len() as u64 * Values::BYTES_EACH > limits.memory {
            return Err(Stopped::Memory);
        }
        let values = Values::new(graph.len());
        let mut analysis = Analysis { layout, graph, values, stopped: None };
        for number in 1.. {
            let changed = analysis.sweep(limits);
            if limits.stopped() {
                analysis.stopped = Some(Stopped::Asked);
                break;
            }
            let value = analysis.value(start).unwrap_or(Range::OPEN);
            (limits.observer)(Progress::Sweep { number, changed, value });
            if changed == 0 {
                break;
            }
        }
        Ok(analysis)
    }

    /// Sets every position's values right once; how many changed.
    fn sweep(&self, limits: &Limits) -> u64 {
        let changed = AtomicU64::new(0);
        // Positions are found nearer to the start first, and known nearer to the end first.
        self.graph.batches.par_iter().rev().for_each(|batch| {
            if !limits.stopped() {
                let improved = (0..batch.nodes.len()).rev().filter(|index| self.values.improve(batch, *index)).count();
                changed.fetch_add(improved as u64, Ordering::Relaxed);
            }
        });
        changed.into_inner()
    }

    /// What a position is worth to the first player; `None` if play does not lead there.
    pub fn value<G: Solvable>(&self, position: &G) -> Option<Range> {
        let number = |position: &G| self.graph.find(position::key(self.layout, position));
        let margin = [margin(position) as i8; 2];
        let [worst, best] = match position.passes() {
            // Between handicap pawns there are no positions of the graph's.
            _ if position.handicap_left() > 0 => {
                let mut numbers = Vec::new();
                each_next(position, &mut |next| numbers.push(number(&next)));
                let turns = numbers.into_iter().map(|next| next.map(|next| self.values.of_turn(next)));
                turns.reduce(|one, other| Some(better(one?, other?)))??
            }
            0 => Values::get(&self.values.best, number(position)?),
            // "When both players pass in succession, the game ends."
            1 => better(Values::get(&self.values.played, number(position)?), margin),
            _ => margin,
        };
        let range = Range::new(worst.into(), best.into(), values(G::KIND, position.size()).greatest);
        Some(if position.to_move() == Player::Black { range } else { range.negated() })
    }
}

/// Solves a game from `start`, at the start of a turn before which nobody passed.
pub(super) fn solve<G: Solvable>(layout: Layout, start: &G, limits: &Limits) -> Found {
    let analysis = match Analysis::of(layout, start, limits) {
        Ok(analysis) => analysis,
        Err(stopped) => return Found::nothing(stopped),
    };
    let value = |position: &G| analysis.value(position).unwrap_or(Range::OPEN);
    let after = |(turn, next): (Turn, G)| FirstMove { turn, value: value(&next) };
    let positions = analysis.graph.len() as u64;
    Found {
        value: value(start),
        first_moves: turns(start).into_iter().map(after).collect(),
        stopped: analysis.stopped,
        positions,
        memory: analysis.graph.bytes() + positions * Values::BYTES_EACH,
    }
}
