//! The value of a game by search: question by question, the bounds of the value are drawn together.
//!
//! The questions far from the value are answered soonest. So each bound is moved by one step at a time, as long as the
//! answers come within a budget of visits, and the budget is doubled when none comes any more: what is proven early is
//! worth having if the work is stopped.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::canonical::Layout;
use super::position::{self, Solvable, Values, values};
use super::search::{Searcher, Shared, Unanswered};
use super::transpositions::Transpositions;
use super::{FirstMove, Found, Limits, Progress, Range, Stopped};
use crate::games::{Player, turns};

/// Visits that a question may take at first.
const FIRST_BUDGET: u64 = 1 << 12;

/// Visits between two reports, about.
const REPORT: u64 = 1 << 16;

/// A position whose value is looked for.
struct Unknown<G> {
    position: G,
    /// What is proven of its value, for its mover.
    bounds: Mutex<Values>,
    /// Whether the question that would move the bound next leads round in circles only: by [`Bound`].
    in_circles: [AtomicBool; 2],
}

impl<G: Solvable> Unknown<G> {
    fn new(position: G, bounds: Values) -> Self {
        Unknown { position, bounds: Mutex::new(bounds), in_circles: [AtomicBool::new(false), AtomicBool::new(false)] }
    }

    fn bounds(&self) -> MutexGuard<'_, Values> {
        // The bounds are right whenever a thread can have died.
        self.bounds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_known(&self) -> bool {
        let bounds = self.bounds();
        bounds.least == bounds.greatest
    }

    /// True if there is no question left to ask.
    fn is_done(&self) -> bool {
        let Values { least, greatest, step } = *self.bounds();
        let stuck = |bound: Bound| self.in_circles[bound as usize].load(Ordering::Relaxed);
        match greatest - least {
            0 => true,
            // The last question is the same for both.
            last if last == step => stuck(Bound::Lower),
            _ => stuck(Bound::Lower) && stuck(Bound::Upper),
        }
    }

    /// The first player's value.
    fn range(&self) -> Range {
        let Values { least, greatest, .. } = *self.bounds();
        let range = Range::new(least, greatest, values(G::KIND, self.position.size()).greatest);
        if self.position.to_move() == Player::Black { range } else { range.negated() }
    }
}

/// Which bound is moved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Lower,
    Upper,
}

/// Looks for the value from `start`, at the start of a turn before which nobody passed, and then for those of the turns
/// there.
pub(super) fn solve<G: Solvable>(layout: Layout, start: &G, limits: &Limits) -> Found {
    let size = start.size();
    let all = values(G::KIND, size);
    let root = Unknown::new(start.clone(), all);
    let reported = AtomicU64::new(0);
    let watch = |visited: u64| {
        if visited >= reported.load(Ordering::Relaxed) + REPORT {
            reported.store(visited, Ordering::Relaxed);
            (limits.observer)(Progress::Search { visited, value: root.range() });
        }
        limits.stopped()
    };
    let table = Transpositions::new(limits.memory.min(layout.positions(G::KIND).saturating_mul(BYTES_EACH)));
    let shared = Shared { layout, table, watch: &watch, visited: AtomicU64::new(0) };
    close_in(&shared, std::slice::from_ref(&root), limits);

    // No turn is worth more to the mover than the position.
    let least = -root.bounds().greatest;
    let mut unknown: Vec<Unknown<G>> = Vec::new();
    let mut numbers = HashMap::new();
    let turns = turns(start);
    let places: Vec<usize> = turns
        .iter()
        .map(|(_, next)| {
            *numbers.entry((position::key(layout, next), next.passes())).or_insert_with(|| {
                let bounds = if next.end().is_some() {
                    let margin = position::margin(next);
                    Values { least: margin, greatest: margin, ..all }
                } else {
                    Values { least, ..all }
                };
                unknown.push(Unknown::new(next.clone(), bounds));
                unknown.len() - 1
            })
        })
        .collect();
    close_in(&shared, &unknown, limits);

    let all_known = root.is_known() && unknown.iter().all(Unknown::is_known);
    let after = turns.iter().zip(places);
    Found {
        value: root.range(),
        first_moves: after.map(|((turn, _), place)| FirstMove { turn: *turn, value: unknown[place].range() }).collect(),
        stopped: match all_known {
            true => None,
            false if limits.stopped() => Some(Stopped::Asked),
            false => Some(Stopped::Circles),
        },
        positions: shared.visited.load(Ordering::Relaxed),
        memory: shared.table.bytes(),
    }
}

/// Table memory worth having for each position that there can be; the questions asked of one are few.
const BYTES_EACH: u64 = 64;

/// Draws the bounds of all values together until that is all that can be done, or the work is stopped.
fn close_in<G: Solvable>(shared: &Shared, unknown: &[Unknown<G>], limits: &Limits) {
    let mut budget = FIRST_BUDGET;
    while !limits.stopped() && !unknown.iter().all(Unknown::is_done) {
        let tasks: Vec<_> = unknown.iter().flat_map(|one| [(one, Bound::Lower), (one, Bound::Upper)]).collect();
        tasks.par_iter().for_each(|(one, bound)| draw(shared, one, *bound, budget));
        budget *= 2;
    }
}

/// Moves one bound as long as the questions are answered within the budget.
fn draw<G: Solvable>(shared: &Shared, unknown: &Unknown<G>, bound: Bound, budget: u64) {
    let in_circles = &unknown.in_circles[bound as usize];
    while !in_circles.load(Ordering::Relaxed) {
        let Values { least, greatest, step } = *unknown.bounds();
        // The last question is left to the lower bound.
        if least == greatest || bound == Bound::Upper && least + step == greatest {
            return;
        }
        let wanted = if bound == Bound::Lower { least + step } else { greatest };
        let answer = Searcher::new(shared, budget).forces(&unknown.position, wanted);
        let mut bounds = unknown.bounds();
        match answer {
            Ok(true) => bounds.least = bounds.least.max(wanted),
            Ok(false) => bounds.greatest = bounds.greatest.min(wanted - step),
            Err(Unanswered::Budget) => return,
            Err(Unanswered::Circles) => in_circles.store(true, Ordering::Relaxed),
        }
    }
}
