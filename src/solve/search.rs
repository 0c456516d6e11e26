//! Proof-number search: can the player to move force an end of the game with at least some margin?
//!
//! The answer is yes, or no: the other player can force an end with less. Both rest on ends of the game alone, never
//! on the way to a position, so they hold for the position wherever it is met, in games with cycles too. (Where
//! repetition counts as an answer, the same position has different answers on different ways to it: Kishimoto and
//! Müller, "A general solution to the graph history interaction problem", 2004.) A position met again on the way to
//! itself has nothing to add to a proof, and is left aside there. So in games with cycles a question may stay open
//! for ever: always if neither player can force an end, now and then otherwise.
//!
//! It is depth-first proof-number search (Nagai, "Df-pn algorithm for searching AND/OR trees and its applications",
//! 2002) with two changes: the efforts for several positions that must all be settled are not added up but counted as
//! the greatest of them and one for each other, since turns in another order lead to the same positions (Ueda et al.,
//! "Weak proof-number search", 2008); and a position is left for another one only if that is easier by a quarter
//! (Pawlewicz and Lew, "Improving depth-first PN-search: 1+ε trick", 2007).

use std::sync::atomic::{AtomicU64, Ordering};

use super::canonical::{Key, Layout};
use super::position::{Open, Solvable, choices, each_next, margin, passed};
use super::transpositions::{Effort, Transpositions};

/// The bit of a key's tag that says that a pass came before.
const PASSED: u64 = 4;

/// The effort for what seems to lead round in circles only: more than any other, less than never.
const IN_CIRCLES: u32 = Effort::NEVER / 2;

/// The longest way that is followed, in turns; only cycles make it so long.
const LONGEST: usize = 500;

/// Visits between two looks at what stops the search.
const VISITS_AT_ONCE: u64 = 1 << 8;

/// Why a question is open still.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unanswered {
    /// The budget did not suffice, or the search was stopped.
    Budget,
    /// Nothing is left to look at but play in circles.
    Circles,
}

/// The question whether a position's mover can force an end with at least some margin.
struct Question<G> {
    position: G,
    key: Key,
    /// That margin.
    wanted: i32,
    /// The same for the open part; all values that the open part can have are multiples of the step away from it.
    asked: i8,
    effort: Effort,
}

/// What the threads of a search share.
pub(super) struct Shared<'a> {
    pub layout: Layout,
    pub table: Transpositions,
    /// Told now and then how many positions were visited; true stops the search.
    pub watch: &'a (dyn Fn(u64) -> bool + Sync),
    /// How many positions were visited, about.
    pub visited: AtomicU64,
}

/// One thread's search.
pub(super) struct Searcher<'a> {
    shared: &'a Shared<'a>,
    visited: u64,
    budget: u64,
    /// The keys of the positions on the way to the one visited, in games with cycles.
    way: Vec<Key>,
    over: bool,
}

impl<'a> Searcher<'a> {
    /// A search that visits `budget` positions, or a few more.
    pub fn new(shared: &'a Shared<'a>, budget: u64) -> Self {
        Searcher { shared, visited: 0, budget, way: Vec::new(), over: false }
    }

    /// Whether the mover can force an end with a margin of at least `wanted` half points.
    pub fn forces<G: Solvable>(mut self, position: &G, wanted: i32) -> Result<bool, Unanswered> {
        let question = self.question(position.clone(), wanted);
        let effort = match question.effort.answer() {
            Some(_) => question.effort,
            None => self.visit(&question, Effort { yes: Effort::NEVER, no: Effort::NEVER }),
        };
        self.shared.visited.fetch_add(self.visited % VISITS_AT_ONCE, Ordering::Relaxed);
        effort.answer().ok_or(if self.over { Unanswered::Budget } else { Unanswered::Circles })
    }

    fn question<G: Solvable>(&self, position: G, wanted: i32) -> Question<G> {
        let Open { sets, tag, settled, values } = position.open();
        let tag = tag | if position.passes() > 0 { PASSED } else { 0 };
        let key = self.shared.layout.key(sets, tag);
        let asked = values.at_least(wanted - settled);
        let effort = match asked {
            _ if position.end().is_some() => {
                if margin(&position) >= wanted {
                    Effort::YES
                } else {
                    Effort::NO
                }
            }
            None => Effort::NO,
            Some(asked) if asked == values.least => Effort::YES,
            Some(asked) => self.known(key, asked as i8).unwrap_or_else(|| Effort { yes: 1, no: choices(&position) }),
        };
        Question { position, key, wanted, asked: asked.unwrap_or(values.greatest) as i8, effort }
    }

    /// What is known of a question, here on the way.
    fn known(&self, key: Key, asked: i8) -> Option<Effort> {
        let known = self.shared.table.get(key, asked);
        let answered = known.is_some_and(|effort| effort.answer().is_some());
        if !answered && self.way.contains(&key) { Some(Effort { yes: IN_CIRCLES, no: IN_CIRCLES }) } else { known }
    }

    /// Works on an open question until it is answered or takes at least as much effort as the limit in one of the two
    /// ways.
    fn visit<G: Solvable>(&mut self, question: &Question<G>, limit: Effort) -> Effort {
        let before = self.visited;
        self.count();
        if G::KIND.can_repeat() {
            if self.way.len() == LONGEST {
                return Effort { yes: IN_CIRCLES, no: IN_CIRCLES };
            }
            self.way.push(question.key);
        }
        let effort = self.work(question, limit);
        if G::KIND.can_repeat() {
            self.way.pop();
        }
        // What leads round in circles on this way may not on another.
        if effort.answer().is_some() || effort.yes < IN_CIRCLES && effort.no < IN_CIRCLES {
            let work = (self.visited - before).ilog2() as u8;
            self.shared.table.put(question.key, question.asked, effort, work);
        }
        effort
    }

    fn count(&mut self) {
        self.visited += 1;
        if self.visited.is_multiple_of(VISITS_AT_ONCE) {
            let visited = self.shared.visited.fetch_add(VISITS_AT_ONCE, Ordering::Relaxed);
            self.over |= self.visited >= self.budget || (self.shared.watch)(visited);
        }
    }

    fn work<G: Solvable>(&mut self, question: &Question<G>, limit: Effort) -> Effort {
        let Some(mut after) = self.after(question) else { return Effort::YES };
        loop {
            let effort = together(&after);
            let reached = effort.yes >= limit.yes || effort.no >= limit.no;
            if effort.answer().is_some() || reached || self.over {
                return effort;
            }
            // The turn that the other player has the least to do against.
            let Some(best) = (0..after.len()).min_by_key(|index| easiest(after[*index].effort)) else { return effort };
            let chosen = &after[best];
            if chosen.effort.no >= IN_CIRCLES && chosen.effort.yes >= IN_CIRCLES {
                return effort;
            }
            let others = after.iter().enumerate().filter(|(index, _)| *index != best);
            let second = others.map(|(_, other)| other.effort.no).min().unwrap_or(Effort::NEVER);
            let limit = Effort {
                yes: (limit.no - effort.no).saturating_add(chosen.effort.yes).min(Effort::NEVER),
                no: limit.yes.min(second.saturating_add(second / 4 + 1)),
            };
            let effort = self.visit(chosen, limit);
            if effort.answer() == Some(true) { _ = after.swap_remove(best) } else { after[best].effort = effort }
        }
    }

    /// The questions that the turns lead to, whether the other player can force too much, but for those that are
    /// answered so; `None` if one is answered with no.
    fn after<G: Solvable>(&self, question: &Question<G>) -> Option<Vec<Question<G>>> {
        let Question { position, wanted, .. } = question;
        let mut open = Vec::new();
        let mut enough = false;
        let mut add = |next: G| {
            if !enough {
                let question = self.question(next, 1 - wanted);
                match question.effort.answer() {
                    Some(true) => {}
                    Some(false) => enough = true,
                    None => open.push(question),
                }
            }
        };
        // "When both players pass in succession, the game ends": after a first pass the other player can have the
        // margin stand.
        if margin(position) >= *wanted
            && let Some(after) = passed(position)
        {
            add(after);
        }
        each_next(position, &mut add);
        (!enough).then_some(open)
    }
}

/// A turn's rank: that with the least comes first.
fn easiest(effort: Effort) -> (u32, u32) {
    (effort.no, effort.yes)
}

/// The effort for a position's question by those for the questions after its turns.
fn together<G>(after: &[Question<G>]) -> Effort {
    let mut effort = Effort::NO;
    let mut greatest = 0;
    for Question { effort: Effort { yes, no }, .. } in after {
        effort.yes = effort.yes.min(*no);
        greatest = greatest.max(*yes);
    }
    if effort.yes == 0 {
        return Effort::YES;
    }
    if let Some(others) = after.len().checked_sub(1) {
        effort.no = (greatest + others as u32).min(Effort::NEVER - 1);
        effort.yes = effort.yes.min(Effort::NEVER - 1);
    }
    effort
}
