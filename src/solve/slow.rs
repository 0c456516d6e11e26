//! Values of all positions of tiny boards by another way than the solver's: no symmetries, steps instead of turns,
//! and for each margin the positions from which it can be forced.

use std::collections::HashMap;

use super::Range;
use super::position::values;
use crate::games::{Game, HalfPoints, Player, Seat, Status};

/// All positions that play can lead to from a start, amid turns too.
pub struct Positions<G> {
    pub all: Vec<G>,
    /// The positions from which each can be reached by one step.
    before: Vec<Vec<u32>>,
    /// The number of steps from each.
    steps: Vec<u32>,
}

impl<G: Game> Positions<G> {
    /// The start comes first.
    pub fn of(start: &G) -> Self {
        let mut found = Positions { all: vec![start.clone()], before: vec![Vec::new()], steps: Vec::new() };
        let mut numbers = HashMap::from([(start.clone(), 0)]);
        while let Some(position) = found.all.get(found.steps.len()).cloned() {
            let at = found.steps.len() as u32;
            let Status::Running(steps) = position.status() else {
                found.steps.push(0);
                continue;
            };
            for step in steps.iter() {
                let mut next = position.clone();
                next.play(step);
                let number = *numbers.entry(next.clone()).or_insert_with(|| {
                    found.all.push(next);
                    found.before.push(Vec::new());
                    found.all.len() as u32 - 1
                });
                found.before[number as usize].push(at);
            }
            found.steps.push(steps.len() as u32);
        }
        found
    }

    /// From which positions the person in `seat` can force a finished game for which `goal` holds.
    ///
    /// The way there gets ever shorter, so it meets no position twice: repetition is no way out.
    pub fn forced(&self, seat: Seat, goal: impl Fn(&G) -> bool) -> Vec<bool> {
        let mut forced: Vec<bool> =
            self.all.iter().zip(&self.steps).map(|(position, steps)| *steps == 0 && goal(position)).collect();
        let mut open: Vec<usize> = (0..self.all.len()).filter(|at| forced[*at]).collect();
        let mut left = self.steps.clone();
        while let Some(at) = open.pop() {
            for before in &self.before[at] {
                let before = *before as usize;
                left[before] -= 1;
                if !forced[before] && (self.all[before].seat_to_move() == seat || left[before] == 0) {
                    forced[before] = true;
                    open.push(before);
                }
            }
        }
        forced
    }

    /// The values of all positions, in their order.
    pub(super) fn ranges(&self) -> Vec<Range> {
        let mut ranges = vec![Range::OPEN; self.all.len()];
        let greatest = values(G::KIND, self.all[0].size()).greatest;
        for wanted in 1 - greatest..=greatest {
            for (range, forced) in ranges.iter_mut().zip(self.forced(Seat::First, |end| margin(end) >= wanted)) {
                // Ever more is wanted.
                range.lower = if forced { Some(HalfPoints(wanted)) } else { range.lower };
            }
        }
        for granted in -greatest..greatest {
            for (range, forced) in ranges.iter_mut().zip(self.forced(Seat::Second, |end| margin(end) <= granted)) {
                // Ever more is granted.
                range.upper = if forced { range.upper.or(Some(HalfPoints(granted))) } else { None };
            }
        }
        ranges
    }
}

/// Black's margin where the game is over; in Fugo, what a win counts.
fn margin<G: Game>(position: &G) -> i32 {
    match (position.score(), position.winner(HalfPoints(0))) {
        (Some(score), _) => score.margin().0,
        (None, Some(Player::Black)) => values(G::KIND, position.size()).greatest,
        (None, _) => values(G::KIND, position.size()).least,
    }
}
