//! What the solver asks of a game.

use super::canonical::{Key, Layout, Sets, transposed};
use crate::board::{Point, PointSet};
use crate::games::{
    Button, Cell, Fugo, Game, GameKind, Linage, Phase, Player, Sligo, StartPosition, Status, Step, Yugo,
};

/// What a won game of Fugo counts, in half points: there is no score.
pub(super) const WIN: i32 = 2;

/// The part of a position that decides what is still to be won.
pub struct Open {
    /// As the mover sees them.
    pub sets: Sets,
    /// What there is besides, below 4.
    pub tag: u64,
    /// The mover's margin that no play can change any more. All values are in half points.
    pub settled: i32,
    /// The values that the rest can have for the mover.
    pub values: Values,
}

/// Values `step` apart, from the least to the greatest.
#[derive(Clone, Copy)]
pub struct Values {
    pub least: i32,
    pub greatest: i32,
    pub step: i32,
}

impl Values {
    /// The smallest of the values that is at least `value`, if there is one.
    pub fn at_least(self, value: i32) -> Option<i32> {
        let steps = (value - self.least + self.step - 1).div_euclid(self.step).max(0);
        let found = self.least + steps * self.step;
        (found <= self.greatest).then_some(found)
    }
}

/// A game that can be solved. All positions met are at the start of a turn.
///
/// How many handicap pawns (Yugo) are left is not part of a position's open part or key: it follows from the pawns that
/// are there, since no board without enemy pieces or kings comes back once White has played.
pub trait Solvable: Game {
    /// The open part of the position. Positions with equal open parts and as many passes before them differ in value
    /// by what is settled.
    fn open(&self) -> Open {
        let (sets, tag) = seen(self);
        Open { sets, tag, settled: 0, values: values(Self::KIND, self.size()) }
    }
}

impl<const W: usize> Solvable for Fugo<W> {}
impl<const W: usize> Solvable for Sligo<W> {}

impl<const W: usize> Solvable for Yugo<W> {
    /// "Half a point if they have taken the button": who took it changes nothing else.
    fn open(&self) -> Open {
        let (sets, tag) = seen(self);
        let Values { least, greatest, step } = values(GameKind::Yugo, self.size());
        if tag == 0 {
            return Open { sets, tag, settled: 0, values: Values { least, greatest, step } };
        }
        let values = Values { least: least + 1, greatest: greatest - 1, step };
        Open { sets, tag: 1, settled: if tag == 1 { 1 } else { -1 }, values }
    }
}

impl<const W: usize> Solvable for Linage<W> {
    /// "A player must either pass or place a stone on an empty point which is part of a free region", and "a player's
    /// score is the number of points in the regions that they own": regions with an owner stay as they are.
    fn open(&self) -> Open {
        let free = self.regions().free().words()[0];
        let free = if self.to_move() == Player::White { transposed(free) } else { free };
        // Of three contiguous points in a row, one at least is not in a region of Vertical's in the end.
        let most = |free: u64| 2 * (free.count_ones() - triples(free)) as i32;
        let values = Values { least: -most(transposed(free)), greatest: most(free), step: 2 };
        // A free region has no owner, so all that is owned now is settled.
        Open { sets: [free, 0, 0], tag: 0, settled: margin(self), values }
    }
}

/// How many horizontal triples of contiguous points without a common point there are in `points`.
fn triples(points: u64) -> u32 {
    let (mut rest, mut count) = (points, 0);
    loop {
        let starts = rest & rest >> 1 & rest >> 2;
        // The first one in each row, which no other triple of the row begins before.
        let first = starts & !(starts << 1) & !(starts << 2);
        if first == 0 {
            return count;
        }
        count += first.count_ones();
        rest &= !(first | first << 1 | first << 2);
    }
}

/// The number of steps that a turn can begin with.
pub(super) fn choices<G: Game>(position: &G) -> u32 {
    match position.status() {
        Status::Running(steps) => steps.len() as u32,
        Status::Over(_) => 0,
    }
}

/// The margins that there can be.
pub(super) fn values(game: GameKind, size: usize) -> Values {
    let greatest = match game {
        GameKind::Fugo => WIN,
        _ => 2 * (size * size) as i32 + game.margin_parity(),
    };
    Values { least: -greatest, greatest, step: if game == GameKind::Fugo { 2 * WIN } else { 2 } }
}

/// The sets of a whole position as its mover sees them, and Yugo's button: 0 free, 1 the mover's, 2 the enemy's.
fn seen<G: Game>(position: &G) -> (Sets, u64) {
    let pieces = position.pieces();
    let [black, white] = [pieces.black, pieces.white].map(|set| set.words()[0]);
    let kings = pieces.black_kings.words()[0] | pieces.white_kings.words()[0];
    let mover = position.to_move();
    let sets = match (G::KIND, mover) {
        (GameKind::Linage, Player::Black) => [black, 0, 0],
        (GameKind::Linage, Player::White) => [transposed(black), 0, 0],
        (_, Player::Black) => [black, white, kings],
        (_, Player::White) => [white, black, kings],
    };
    let tag = match position.button() {
        Button::Absent | Button::Free => 0,
        Button::Taken(player) => 1 + u64::from(player != mover),
    };
    (sets, tag)
}

/// The key of the whole position but for its passes.
pub(super) fn key<G: Game>(layout: Layout, position: &G) -> Key {
    let (sets, tag) = seen(position);
    layout.key(sets, tag)
}

/// A position with this key, Black to move and no pass before; `None` for keys of no position.
pub(super) fn position<G: Game>(layout: Layout, size: usize, key: Key) -> Option<G> {
    let ([own, enemy, kings], tag) = layout.sets(key);
    let cell = |row: usize, column: usize| {
        let has = |set: u64| set >> (8 * row + column) & 1 == 1;
        let player = match (has(own), has(enemy)) {
            (false, false) => return Cell::Empty,
            (true, _) => Player::Black,
            (false, true) => Player::White,
        };
        if has(kings) { Cell::King(player) } else { Cell::Stone(player) }
    };
    let rows = (0..size).rev().map(|row| (0..size).map(|column| cell(row, column).character()).collect());
    let button = [None, Some(Player::Black), Some(Player::White)].get(tag as usize).copied()?;
    G::from_position(&StartPosition { size, rows: rows.collect(), to_move: Player::Black, button }).ok()
}

/// The mover's margin in half points if the game ended here; in Fugo, where only a player who cannot move is at the
/// end, the margin of one who has lost.
pub(super) fn margin<G: Game>(position: &G) -> i32 {
    match (position.score(), position.to_move()) {
        (Some(score), Player::Black) => score.margin().0,
        (Some(score), Player::White) => -score.margin().0,
        (None, _) => -WIN,
    }
}

/// Calls `found` with the positions that all turns but a pass lead to; turns that only reach boards which others reach
/// too may be left out. All handicap pawns that are left count as one turn, so that the other player is to move next.
pub(super) fn each_next<G: Game>(position: &G, found: &mut impl FnMut(G)) {
    let Status::Running(steps) = position.search_status() else { return };
    for step in steps.iter().filter(|step| *step != Step::PASS) {
        let mut next = position.clone();
        next.play(step);
        match (step, next.phase()) {
            (Step::Point(point), Phase::Start) if next.handicap_left() > 0 => each_handicap(&next, point, found),
            (_, Phase::Start) => found(next),
            _ => each_next(&next, found),
        }
    }
}

/// Calls `found` with the positions after the rest of the handicap pawns, each on a later point than the one before: no
/// order of them is better, and none is forbidden, since they are too few to surround a group.
fn each_handicap<G: Game>(position: &G, last: Point, found: &mut impl FnMut(G)) {
    let Status::Running(steps) = position.status() else { return };
    for point in steps.points.iter().filter(|point| *point > last) {
        let mut next = position.clone();
        next.play(Step::Point(point));
        if next.handicap_left() == 0 { found(next) } else { each_handicap(&next, point, found) }
    }
}

/// The position after a pass, where the rules allow one.
pub(super) fn passed<G: Game>(position: &G) -> Option<G> {
    match position.status() {
        Status::Running(steps) if steps.contains(Step::PASS) => {
            let mut next = position.clone();
            next.play(Step::PASS);
            Some(next)
        }
        _ => None,
    }
}
