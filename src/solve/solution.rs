//! What a solver found.

use std::fmt;
use std::time::{Duration, Instant};

use super::position::values;
use super::{Found, Stopped};
use crate::games::{Game, GameKind, HalfPoints, Player, Turn};

/// The first player's margin under best play by both, as far as it is known. In Fugo, where there is no score, a win
/// counts one point.
///
/// Endless play has no margin: the lower value is the one with endless play as bad for the first player as it can be,
/// the upper value the one with endless play as good for that player as it can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The most that the first player can make sure of, with an end to the game; `None` if that is nothing better than
    /// the worst margin, or nothing better is proven.
    pub lower: Option<HalfPoints>,
    /// The least to which the second player can hold the first, with an end to the game; `None` as above.
    pub upper: Option<HalfPoints>,
}

impl Range {
    /// Nothing is known.
    pub const OPEN: Range = Range { lower: None, upper: None };

    /// From bounds in half points; those that any margin keeps say nothing.
    pub(super) fn new(lower: i32, upper: i32, greatest: i32) -> Self {
        Range {
            lower: (lower > -greatest).then_some(HalfPoints(lower)),
            upper: (upper < greatest).then_some(HalfPoints(upper)),
        }
    }

    /// The same as the other player's margin.
    pub(super) fn negated(self) -> Range {
        Range { lower: self.upper.map(|value| -value), upper: self.lower.map(|value| -value) }
    }
}

/// One first turn and its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirstMove {
    /// The turn.
    pub turn: Turn,
    /// What the position after it is worth, to the first player.
    pub value: Range,
}

/// A solver's answer in one word; it is printed as in `value +3.5`, `winner black`, `bounds -1 +3`, `endless`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The first player's margin, however endless play is scored.
    Margin(HalfPoints),
    /// The winner (Fugo), however endless play is scored.
    Winner(Player),
    /// The lower and the upper value, or what is proven about them; the smallest or greatest margin that there is where
    /// endless play or ignorance leaves it open.
    Bounds(HalfPoints, HalfPoints),
    /// Each player can keep the other from ending the game.
    Endless,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Margin(margin) => write!(f, "value {}", margin.signed()),
            Verdict::Winner(player) => write!(f, "winner {player}"),
            Verdict::Bounds(lower, upper) => write!(f, "bounds {} {}", lower.signed(), upper.signed()),
            Verdict::Endless => f.write_str("endless"),
        }
    }
}

/// How a game was solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Retrograde analysis of all positions.
    Retrograde,
    /// Proof-number search.
    Search,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Method::Retrograde => "retrograde analysis",
            Method::Search => "proof-number search",
        })
    }
}

/// How Fugo ends with the pie rule on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WithPie {
    /// The person who plays second wins: after each first move White can choose the side that wins.
    Second,
    /// There is a first move after which neither side can force an end.
    Endless,
}

impl fmt::Display for WithPie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            WithPie::Second => "second",
            WithPie::Endless => "endless",
        })
    }
}

/// What was found out about a game.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The game.
    pub game: GameKind,
    /// The board's side.
    pub size: usize,
    /// Yugo: the pawns that Black places before White's first turn.
    pub handicap: usize,
    /// What the empty board is worth to the first player.
    pub value: Range,
    /// All first turns, in the order of their steps; none if the first player has none.
    pub first_moves: Vec<FirstMove>,
    /// Why the value is not known exactly, or not all values of first moves are; what is known of them is proven.
    pub stopped: Option<Stopped>,
    /// How it was found.
    pub method: Method,
    /// Retrograde analysis: the positions that play can lead to, modulo symmetry. Search: the positions visited.
    pub positions: u64,
    /// The memory that the tables took, in bytes.
    pub memory: u64,
    /// The time taken.
    pub time: Duration,
}

impl Solution {
    pub(super) fn of<G: Game>(start: &G, method: Method, found: Found, began: Instant) -> Self {
        let Found { value, first_moves, stopped, positions, memory } = found;
        let (game, size, handicap) = (G::KIND, start.size(), start.handicap_left());
        Solution { game, size, handicap, value, first_moves, stopped, method, positions, memory, time: began.elapsed() }
    }

    /// The value in one word.
    pub fn verdict(&self) -> Verdict {
        self.verdict_of(self.value, self.stopped.is_none())
    }

    /// The value of a first move in one word.
    pub fn verdict_after(&self, first: &FirstMove) -> Verdict {
        self.verdict_of(first.value, self.stopped.is_none())
    }

    fn verdict_of(&self, value: Range, complete: bool) -> Verdict {
        let greatest = HalfPoints(values(self.game, self.size).greatest);
        let (lower, upper) = (value.lower.unwrap_or(-greatest), value.upper.unwrap_or(greatest));
        match (self.game, complete && value == Range::OPEN) {
            (_, true) => Verdict::Endless,
            (GameKind::Fugo, _) if lower == upper => {
                Verdict::Winner(if lower.0 > 0 { Player::Black } else { Player::White })
            }
            _ if lower == upper => Verdict::Margin(lower),
            _ => Verdict::Bounds(lower, upper),
        }
    }

    /// True if the first move gives nothing away: it keeps the lower and the upper value. False as well where that is
    /// not known.
    pub fn is_best(&self, first: &FirstMove) -> bool {
        let known = self.stopped.is_none() || self.value.lower.is_some() && self.value.lower == self.value.upper;
        known && first.value == self.value
    }

    /// Who of the two people wins Fugo with the pie rule on, or that nobody need; `None` in the other games, and as
    /// long as it is not known.
    ///
    /// "White will have the option, on their first turn only, to change sides instead of making a regular move": so the
    /// second person wins wherever either side can force an end, and the first person never does.
    pub fn with_pie(&self) -> Option<WithPie> {
        if self.game != GameKind::Fugo {
            return None;
        }
        let undecided = |first: &FirstMove| !matches!(self.verdict_after(first), Verdict::Winner(_));
        match self.first_moves.iter().any(undecided) {
            _ if self.value == Range::OPEN && self.stopped.is_some() => None,
            false => Some(WithPie::Second),
            true if self.stopped.is_none() => Some(WithPie::Endless),
            true => None,
        }
    }
}
