//! The value of a game by search: question by question, the bounds of the value are drawn together.
//!
//! In some games only the questions near the value are hard, in others nearly all. So the middle one of the open
//! questions is asked first, which halves what is open, and besides, with ever smaller budgets of visits, some further
//! out towards either bound, which may be much easier: what is proven early is worth having if the work is stopped. As
//! long as none is answered, the budget is doubled; the table lets a question go on where it was left.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
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

/// Whether a position's mover can force at least some margin, where that is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Question {
    wanted: i32,
    /// How many questions lie between this one and what is asked first; each has a quarter of the budget of the last.
    out: u32,
}

/// What is known of a value, for the position's mover.
#[derive(Clone, Copy)]
struct Known {
    bounds: Values,
    /// The least and the greatest margin that was asked for in vain: nothing but play in circles is left to look at.
    in_circles: Option<[i32; 2]>,
}

impl Known {
    /// [`Known::in_circles`] as far as that is open still.
    fn circles(&self) -> Option<[i32; 2]> {
        let Values { least, greatest, step } = self.bounds;
        let open = self.in_circles.map(|[first, last]| [first.max(least + step), last.min(greatest)]);
        open.filter(|[first, last]| first <= last)
    }

    fn is_open(&self, wanted: i32) -> bool {
        let in_circles = self.circles().is_some_and(|[first, last]| first <= wanted && wanted <= last);
        self.bounds.least < wanted && wanted <= self.bounds.greatest && !in_circles
    }

    /// The middle one of the open questions, and of those between it and either bound ever again the middle one.
    fn questions(&self) -> Vec<Question> {
        let Values { least, greatest, step } = self.bounds;
        let middle = |first: i32, last: i32| first + (last - first) / step / 2 * step;
        let mut questions = Vec::new();
        if least == greatest {
            return questions;
        }
        let [mut first, mut last] = self.circles().unwrap_or_else(|| {
            let wanted = middle(least + step, greatest);
            questions.push(Question { wanted, out: 0 });
            [wanted; 2]
        });
        for out in questions.len() as u32.. {
            let sides = [least + step < first, last < greatest];
            if sides == [false; 2] {
                break;
            }
            if sides[0] {
                first = middle(least + step, first - step);
                questions.push(Question { wanted: first, out });
            }
            if sides[1] {
                last = middle(last + step, greatest);
                questions.push(Question { wanted: last, out });
            }
        }
        questions
    }

    /// Takes in what came of a question; false if nothing did.
    fn learn(&mut self, wanted: i32, answer: Result<bool, Unanswered>) -> bool {
        let Values { least, greatest, step } = &mut self.bounds;
        match answer {
            Ok(true) => *least = wanted.max(*least),
            Ok(false) => *greatest = (wanted - *step).min(*greatest),
            Err(Unanswered::Circles) => {
                let [first, last] = self.in_circles.unwrap_or([wanted; 2]);
                self.in_circles = Some([first.min(wanted), last.max(wanted)]);
            }
            Err(Unanswered::Budget) => return false,
        }
        true
    }
}

/// A position whose value is looked for.
struct Unknown<G> {
    position: G,
    known: Mutex<Known>,
}

impl<G: Solvable> Unknown<G> {
    fn new(position: G, bounds: Values) -> Self {
        Unknown { position, known: Mutex::new(Known { bounds, in_circles: None }) }
    }

    /// A position after one of the turns from `start`, of whose value so much is known.
    fn after(start: &G, value: Values, position: G) -> Self {
        let all = values(G::KIND, start.size());
        // No turn is worth more to the mover than the position.
        let bounds = if position.end().is_some() {
            let margin = position::margin(&position);
            Values { least: margin, greatest: margin, ..all }
        } else if goes_on(start, &position) {
            Values { greatest: value.greatest, ..all }
        } else {
            Values { least: -value.greatest, ..all }
        };
        Unknown::new(position, bounds)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // What is known is right whenever a thread can have died.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bounds(&self) -> Values {
        self.known().bounds
    }

    fn questions(&self) -> Vec<Question> {
        self.known().questions()
    }

    /// The questions that tell whether the turn from `start` to this position gives something away there.
    fn whether_best(&self, start: &G, value: Values) -> Vec<Question> {
        let Values { least, greatest, step } = value;
        let wanted = |margin: i32| if goes_on(start, &self.position) { margin } else { step - margin };
        let open = [least, greatest].map(wanted).into_iter().filter(|wanted| self.known().is_open(*wanted));
        open.map(|wanted| Question { wanted, out: 0 }).collect()
    }

    fn is_known(&self) -> bool {
        let bounds = self.bounds();
        bounds.least == bounds.greatest
    }

    /// The first player's value.
    fn range(&self) -> Range {
        let Values { least, greatest, .. } = self.bounds();
        let range = Range::new(least, greatest, values(G::KIND, self.position.size()).greatest);
        if self.position.to_move() == Player::Black { range } else { range.negated() }
    }

    /// Asks a question, if it is open still; false if nothing came of it.
    fn ask(&self, shared: &Shared, question: Question, budget: u64) -> bool {
        let Question { wanted, out } = question;
        if !self.known().is_open(wanted) {
            return false;
        }
        let answer = Searcher::new(shared, budget >> (2 * out)).forces(&self.position, wanted);
        self.known().learn(wanted, answer)
    }
}

/// True if a turn leaves the move to the player who made it: a handicap pawn.
fn goes_on<G: Solvable>(start: &G, next: &G) -> bool {
    next.to_move() == start.to_move()
}

/// Looks for the value from `start`, at the start of a turn before which nobody passed, then for the turns that keep it,
/// then for the values of the others.
pub(super) fn solve<G: Solvable>(layout: Layout, start: &G, limits: &Limits) -> Found {
    let root = Unknown::new(start.clone(), values(G::KIND, start.size()));
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
    close_in(&shared, std::slice::from_ref(&root), limits, Unknown::questions);

    let value = root.bounds();
    let mut unknown: Vec<Unknown<G>> = Vec::new();
    let mut numbers = HashMap::new();
    let turns = turns(start);
    let places: Vec<usize> = turns
        .iter()
        .map(|(_, next)| {
            *numbers.entry((position::key(layout, next), next.passes())).or_insert_with(|| {
                unknown.push(Unknown::after(start, value, next.clone()));
                unknown.len() - 1
            })
        })
        .collect();
    close_in(&shared, &unknown, limits, |one| one.whether_best(start, value));
    close_in(&shared, &unknown, limits, Unknown::questions);

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

/// Asks questions until there are none left, or the work is stopped.
fn close_in<G: Solvable>(
    shared: &Shared,
    unknown: &[Unknown<G>],
    limits: &Limits,
    questions: impl Fn(&Unknown<G>) -> Vec<Question>,
) {
    let mut budget = FIRST_BUDGET;
    while !limits.stopped() {
        let open = unknown.iter().flat_map(|one| questions(one).into_iter().map(move |question| (one, question)));
        let mut open: Vec<_> = open.collect();
        if open.is_empty() {
            return;
        }
        open.sort_by_key(|(_, question)| question.out);
        let learnt = open.par_iter().filter(|(one, question)| one.ask(shared, *question, budget)).count();
        if learnt == 0 {
            budget *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Values = Values { least: -33, greatest: 33, step: 2 };

    #[test]
    fn the_middle_is_asked_first_and_the_rest_outwards() {
        let questions = |in_circles| {
            let known = Known { bounds: BOUNDS, in_circles };
            known.questions().into_iter().map(|question| (question.wanted, question.out)).collect::<Vec<_>>()
        };
        let all = [(1, 0), (-17, 1), (17, 1), (-25, 2), (25, 2), (-29, 3), (29, 3), (-31, 4), (31, 4), (33, 5)];
        assert_eq!(questions(None), all);
        assert_eq!(questions(Some([-29, 31])), [(-31, 0), (33, 0)]);
    }

    /// Whichever of the questions is answered, the bounds that there are come out in the end, circles between them.
    #[test]
    fn questions_lead_to_the_value() {
        for (lower, upper) in [(3, 3), (-33, -33), (33, 33), (-5, 9), (-33, 33)] {
            for chosen in 0..3 {
                let mut known = Known { bounds: BOUNDS, in_circles: None };
                while let questions = known.questions()
                    && let Some(last) = questions.len().checked_sub(1)
                {
                    let wanted = questions[last.min(chosen)].wanted;
                    let answer = match wanted {
                        _ if wanted <= lower => Ok(true),
                        _ if wanted > upper => Ok(false),
                        _ => Err(Unanswered::Circles),
                    };
                    assert!(known.is_open(wanted) && known.learn(wanted, answer) && !known.is_open(wanted));
                }
                assert_eq!((known.bounds.least, known.bounds.greatest), (lower, upper));
            }
        }
    }
}
