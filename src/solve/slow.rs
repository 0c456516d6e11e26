//! Values of all positions of small boards by another way than the solver's: no symmetries, steps or turns as the rules
//! list them, and from each margin's ends backwards the positions from which it can be forced.

use std::collections::{BTreeMap, HashMap};

use super::Range;
use super::position::{Values, values};
use crate::games::{Game, HalfPoints, Player, Seat, Status, turns};

/// All positions that play can lead to from a start.
pub struct Positions<G> {
    pub all: Vec<G>,
    /// The positions from which each can be reached by one step (or turn), one position's after the other's.
    before: Vec<u32>,
    /// Where each position's part of `before` ends.
    ends: Vec<usize>,
    /// The number of positions that can be reached from each by one step (or turn).
    after: Vec<u32>,
}

impl<G: Game> Positions<G> {
    /// Amid turns too. The start comes first.
    pub fn of(start: &G) -> Self {
        Self::collected(start, |position, found| {
            let Status::Running(steps) = position.status() else { return };
            for step in steps.iter() {
                let mut next = position.clone();
                next.play(step);
                found(next);
            }
        })
    }

    /// Only those at the start of a turn.
    pub(super) fn of_turns(start: &G) -> Self {
        Self::collected(start, |position, found| turns(position).into_iter().for_each(|(_, next)| found(next)))
    }

    fn collected(start: &G, each_next: impl Fn(&G, &mut dyn FnMut(G))) -> Self {
        let mut all = vec![start.clone()];
        let mut numbers = HashMap::from([(start.clone(), 0)]);
        let (mut after, mut nexts) = (Vec::new(), Vec::new());
        while let Some(position) = all.get(after.len()).cloned() {
            let mut found = Vec::new();
            each_next(&position, &mut |next| {
                let number = numbers.len() as u32;
                found.push(*numbers.entry(next.clone()).or_insert(number));
                if numbers.len() > all.len() {
                    all.push(next);
                }
            });
            found.sort_unstable();
            found.dedup();
            after.push(found.len() as u32);
            nexts.append(&mut found);
        }
        drop(numbers);
        let (before, ends) = turned(&after, &nexts);
        Positions { all, before, ends, after }
    }

    /// From which positions the person in `seat` can force a finished game for which `goal` holds.
    ///
    /// The way there gets ever shorter, so it meets no position twice: repetition is no way out.
    pub fn forced(&self, seat: Seat, goal: impl Fn(&G) -> bool) -> Vec<bool> {
        let mut forced = Forced::nothing(self, seat);
        forced.add(self.finished().filter(|at| goal(&self.all[*at])).collect(), |_| {});
        forced.forced
    }

    /// The numbers of the finished games.
    fn finished(&self) -> impl Iterator<Item = usize> {
        (0..self.all.len()).filter(|at| self.after[*at] == 0)
    }

    /// The values of all positions, in their order.
    pub(super) fn ranges(&self) -> Vec<Range> {
        let mut by_margin: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
        self.finished().for_each(|at| by_margin.entry(margin(&self.all[at])).or_default().push(at));
        let Values { least, greatest, .. } = values(G::KIND, self.all[0].size());
        let mut ranges = vec![Range::OPEN; self.all.len()];
        // Ever less is wanted, and then, ever more granted: so the first time that counts.
        let mut forced = Forced::nothing(self, Seat::First);
        for (wanted, ends) in by_margin.iter().rev().filter(|(wanted, _)| **wanted > least) {
            forced.add(ends.clone(), |at| ranges[at].lower = Some(HalfPoints(*wanted)));
        }
        let mut forced = Forced::nothing(self, Seat::Second);
        for (granted, ends) in by_margin.into_iter().filter(|(granted, _)| *granted < greatest) {
            forced.add(ends, |at| ranges[at].upper = Some(HalfPoints(granted)));
        }
        ranges
    }
}

/// From where the person in a seat can force one of some finished games.
struct Forced<'a, G> {
    positions: &'a Positions<G>,
    seat: Seat,
    forced: Vec<bool>,
    /// Of the positions after each, how many it is not forced from.
    left: Vec<u32>,
}

impl<'a, G: Game> Forced<'a, G> {
    fn nothing(positions: &'a Positions<G>, seat: Seat) -> Self {
        Forced { positions, seat, forced: vec![false; positions.all.len()], left: positions.after.clone() }
    }

    /// Adds finished games; tells each position from where one is forced now and was not before.
    fn add(&mut self, mut open: Vec<usize>, mut found: impl FnMut(usize)) {
        let Positions { all, before, ends, .. } = self.positions;
        open.iter().for_each(|at| self.forced[*at] = true);
        while let Some(at) = open.pop() {
            found(at);
            let first = if at == 0 { 0 } else { ends[at - 1] };
            for before in before[first..ends[at]].iter().map(|before| *before as usize) {
                self.left[before] -= 1;
                if !self.forced[before] && (all[before].seat_to_move() == self.seat || self.left[before] == 0) {
                    self.forced[before] = true;
                    open.push(before);
                }
            }
        }
    }
}

/// The positions before each, and where each one's end, from the positions after each and how many there are.
fn turned(after: &[u32], nexts: &[u32]) -> (Vec<u32>, Vec<usize>) {
    let mut ends = vec![0; after.len() + 1];
    nexts.iter().for_each(|next| ends[*next as usize + 1] += 1);
    for at in 1..ends.len() {
        ends[at] += ends[at - 1];
    }
    // Each place moves on from the start of its part to the end.
    let mut before = vec![0; nexts.len()];
    let mut nexts = nexts.iter();
    for (at, count) in after.iter().enumerate() {
        for next in nexts.by_ref().take(*count as usize) {
            let place = &mut ends[*next as usize];
            before[*place] = at as u32;
            *place += 1;
        }
    }
    ends.pop();
    (before, ends)
}

/// Black's margin where the game is over; in Fugo, what a win counts.
fn margin<G: Game>(position: &G) -> i32 {
    match (position.score(), position.winner(HalfPoints(0))) {
        (Some(score), _) => score.margin().0,
        (None, Some(Player::Black)) => values(G::KIND, position.size()).greatest,
        (None, _) => values(G::KIND, position.size()).least,
    }
}
