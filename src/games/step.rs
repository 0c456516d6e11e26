//! Steps: the single choices a turn is made of.

use super::Game;
use crate::board::{Point, PointSet};

/// A choice that is not a point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Special {
    Pass = 0,
    Button = 1,
    Swap = 2,
}

impl Special {
    /// All specials. Step number n² + i is the i-th of them, in every game.
    pub const ALL: [Special; 3] = [Special::Pass, Special::Button, Special::Swap];

    /// Its name in notation.
    pub fn name(self) -> &'static str {
        match self {
            Special::Pass => "pass",
            Special::Button => "button",
            Special::Swap => "swap",
        }
    }
}

/// One choice: a point or a special.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    Point(Point),
    Special(Special),
}

impl Step {
    pub const PASS: Step = Step::Special(Special::Pass);
    pub const BUTTON: Step = Step::Special(Special::Button);
    pub const SWAP: Step = Step::Special(Special::Swap);
}

/// The number of steps that a board of this side has names for, in every game: its points and the specials.
pub fn step_count(size: usize) -> usize {
    size * size + Special::ALL.len()
}

/// The step's number, below [`step_count`]: points row by row from the bottom, then the specials.
pub fn step_number<G: Game>(position: &G, step: Step) -> usize {
    match step {
        Step::Point(point) => position.dense(point),
        Step::Special(special) => position.size() * position.size() + special as usize,
    }
}

/// How far a turn has come.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// Nothing of the turn has been played.
    Start,
    /// The stone on this point has been picked up, but still stands there on the board (Fugo, Sligo).
    Picked(Point),
    /// A stone has been moved from the first point to the second; the placement is to come (Sligo).
    Moved(Point, Point),
}

impl Phase {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Start => "start",
            Phase::Picked(_) => "picked",
            Phase::Moved(..) => "moved",
        }
    }
}

/// A set of specials.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Specials(u8);

impl Specials {
    pub const NONE: Specials = Specials(0);
    pub const PASS: Specials = Specials(1 << Special::Pass as u8);
    pub const BUTTON: Specials = Specials(1 << Special::Button as u8);
    pub const SWAP: Specials = Specials(1 << Special::Swap as u8);

    /// True if `special` is in the set.
    pub fn contains(self, special: Special) -> bool {
        self.0 >> special as u8 & 1 == 1
    }

    /// The number of specials.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// True if there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The specials in order.
    pub fn iter(self) -> impl Iterator<Item = Special> {
        Special::ALL.into_iter().filter(move |special| self.contains(*special))
    }
}

/// A set of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepSet<P> {
    pub points: P,
    pub specials: Specials,
}

impl<P: PointSet> StepSet<P> {
    /// True if `step` is in the set.
    pub fn contains(self, step: Step) -> bool {
        match step {
            Step::Point(point) => self.points.contains(point),
            Step::Special(special) => self.specials.contains(special),
        }
    }

    /// The number of steps.
    pub fn len(self) -> usize {
        self.points.len() + self.specials.len()
    }

    /// True if there is no step.
    pub fn is_empty(self) -> bool {
        self.points.is_empty() && self.specials.is_empty()
    }

    /// The steps: points in ascending order, then specials.
    pub fn iter(self) -> impl Iterator<Item = Step> {
        self.points.iter().map(Step::Point).chain(self.specials.iter().map(Step::Special))
    }

    /// The `index`-th step in the order of [`StepSet::iter`]; `index` must be below `len()`.
    pub fn nth(self, index: usize) -> Step {
        let points = self.points.len();
        if index < points {
            Step::Point(self.points.nth(index))
        } else {
            Step::Special(self.specials.iter().nth(index - points).expect("index below len()"))
        }
    }
}
