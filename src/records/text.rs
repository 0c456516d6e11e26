//! The values of single CSV fields: types that know their text and do not depend on the board's size.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::board::{Geometry, MAX_SIZE, PointError};
use crate::games::{Button, Cell, Game, Phase, Player, Seat, Special, Status, Step};

/// The largest board: it names the points of every size.
static BOARD: LazyLock<Geometry<6>> = LazyLock::new(|| Geometry::new(MAX_SIZE));

/// Serde as the text of `Display` and `FromStr`.
macro_rules! as_text {
    ($($type:ty),*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}
as_text!(Spot, StepName, Visits, Picked, Grid, Outcome);

/// A point by row and column, whatever the board's size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spot {
    row: u8,
    column: u8,
}

impl Spot {
    /// The point at `row` (0 is the bottom one) and `column` (0 is A), both below 19; `None` outside.
    pub fn new(row: usize, column: usize) -> Option<Spot> {
        (row < MAX_SIZE && column < MAX_SIZE).then_some(Spot { row: row as u8, column: column as u8 })
    }

    /// A point of `game`'s board.
    pub fn of<G: Game>(game: &G, point: crate::board::Point) -> Spot {
        let (dense, n) = (game.dense(point), game.size());
        Spot { row: (dense / n) as u8, column: (dense % n) as u8 }
    }

    /// The row, 0 being the bottom one.
    pub fn row(self) -> usize {
        self.row as usize
    }

    /// The column, 0 being A.
    pub fn column(self) -> usize {
        self.column as usize
    }

    /// True if a board of side `size` has the point.
    pub fn is_on(self, size: usize) -> bool {
        self.row() < size && self.column() < size
    }

    /// The point's number on a board of side `size`, row by row from the bottom: 0 to size² − 1.
    pub fn dense(self, size: usize) -> usize {
        self.row() * size + self.column()
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&BOARD.name(BOARD.at(self.row(), self.column())))
    }
}

impl FromStr for Spot {
    type Err = PointError;

    fn from_str(text: &str) -> Result<Self, PointError> {
        let (row, column) = BOARD.row_column(BOARD.parse(text)?);
        Ok(Spot { row: row as u8, column: column as u8 })
    }
}

/// A step, whatever the board's size. Its order is the step order: points row by row from the bottom, then
/// `pass`, `button`, `swap`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StepName {
    Point(Spot),
    Special(Special),
}

impl StepName {
    /// The name of a step of `game`.
    pub fn of<G: Game>(game: &G, step: Step) -> StepName {
        match step {
            Step::Point(point) => StepName::Point(Spot::of(game, point)),
            Step::Special(special) => StepName::Special(special),
        }
    }

    /// The step on `game`'s board; `None` if the point lies outside.
    pub fn step<G: Game>(self, game: &G) -> Option<Step> {
        match self {
            StepName::Point(spot) if !spot.is_on(game.size()) => None,
            StepName::Point(spot) => Some(Step::Point(game.from_dense(spot.dense(game.size())))),
            StepName::Special(special) => Some(Step::Special(special)),
        }
    }

    /// True if the step is a special or a point of a board of side `size`.
    pub fn is_on(self, size: usize) -> bool {
        match self {
            StepName::Point(spot) => spot.is_on(size),
            StepName::Special(_) => true,
        }
    }

    /// The step's number in the action space of a board of side `size`: points 0 to size² − 1, then the specials.
    pub fn number(self, size: usize) -> usize {
        match self {
            StepName::Point(spot) => spot.dense(size),
            StepName::Special(special) => size * size + special as usize,
        }
    }
}

impl fmt::Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepName::Point(spot) => spot.fmt(f),
            StepName::Special(special) => f.pad(special.name()),
        }
    }
}

impl FromStr for StepName {
    type Err = PointError;

    fn from_str(text: &str) -> Result<Self, PointError> {
        match Special::ALL.into_iter().find(|special| special.name() == text) {
            Some(special) => Ok(StepName::Special(special)),
            None => Ok(StepName::Point(text.parse()?)),
        }
    }
}

/// How often a search visited each step, in step order; steps without a visit are left out. As text `C3:12 D4:5`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Visits(Vec<(StepName, u32)>);

impl Visits {
    /// Sorts the visits of a search of `position` and drops the zeros.
    pub fn of<G: Game>(position: &G, visits: &[(Step, u32)]) -> Visits {
        let visited = visits.iter().filter(|(_, count)| *count > 0);
        let mut named: Vec<_> = visited.map(|(step, count)| (StepName::of(position, *step), *count)).collect();
        named.sort_unstable();
        Visits(named)
    }

    /// Steps with their visits (all at least 1), in step order.
    pub fn as_slice(&self) -> &[(StepName, u32)] {
        &self.0
    }

    /// All visits together.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|(_, count)| u64::from(*count)).sum()
    }
}

impl fmt::Display for Visits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (step, count)) in self.0.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{step}:{count}")?;
        }
        Ok(())
    }
}

impl FromStr for Visits {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut visits: Vec<(StepName, u32)> = Vec::new();
        for entry in text.split(' ').filter(|_| !text.is_empty()) {
            let (step, count) = entry.split_once(':').ok_or_else(|| format!("`{entry}` is not `step:visits`"))?;
            let step: StepName = step.parse().map_err(|error| format!("{error}"))?;
            let count = count.parse().ok().filter(|count| *count > 0);
            let count = count.ok_or_else(|| format!("`{entry}` has no count of at least 1"))?;
            if visits.last().is_some_and(|(before, _)| *before >= step) {
                return Err(format!("`{entry}` is out of step order"));
            }
            visits.push((step, count));
        }
        Ok(Visits(visits))
    }
}

/// How far a turn has come; the column `phase`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PhaseName {
    Start,
    Picked,
    Moved,
}

/// The stone in hand; the column `picked`: empty, `C3`, or `C3-D4`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Picked {
    /// No stone is in hand.
    None,
    /// The stone on this point is picked up (it still stands there on the board).
    Stone(Spot),
    /// The stone was moved from the first point to the second.
    Moved(Spot, Spot),
}

impl Picked {
    /// The stone in hand in `game`.
    pub fn of<G: Game>(game: &G) -> Picked {
        match game.phase() {
            Phase::Start => Picked::None,
            Phase::Picked(from) => Picked::Stone(Spot::of(game, from)),
            Phase::Moved(from, to) => Picked::Moved(Spot::of(game, from), Spot::of(game, to)),
        }
    }

    /// The phase that goes with it.
    pub fn phase(self) -> PhaseName {
        match self {
            Picked::None => PhaseName::Start,
            Picked::Stone(_) => PhaseName::Picked,
            Picked::Moved(..) => PhaseName::Moved,
        }
    }

    /// True if all its points lie on a board of side `size`.
    pub fn is_on(self, size: usize) -> bool {
        match self {
            Picked::None => true,
            Picked::Stone(from) => from.is_on(size),
            Picked::Moved(from, to) => from.is_on(size) && to.is_on(size),
        }
    }
}

impl fmt::Display for Picked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Picked::None => Ok(()),
            Picked::Stone(from) => from.fmt(f),
            Picked::Moved(from, to) => write!(f, "{from}-{to}"),
        }
    }
}

impl FromStr for Picked {
    type Err = PointError;

    fn from_str(text: &str) -> Result<Self, PointError> {
        Ok(match text.split_once('-') {
            None if text.is_empty() => Picked::None,
            None => Picked::Stone(text.parse()?),
            Some((from, to)) => Picked::Moved(from.parse()?, to.parse()?),
        })
    }
}

/// Yugo's button; the column `button`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ButtonState {
    /// The game has none.
    Absent,
    /// Nobody has taken it.
    Free,
    Black,
    White,
}

impl From<Button> for ButtonState {
    fn from(button: Button) -> Self {
        match button {
            Button::Absent => ButtonState::Absent,
            Button::Free => ButtonState::Free,
            Button::Taken(Player::Black) => ButtonState::Black,
            Button::Taken(Player::White) => ButtonState::White,
        }
    }
}

/// The pie rule; the column `swap`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SwapState {
    /// There is no swap to make and none was made.
    None,
    /// `swap` is among the legal steps.
    Open,
    /// The two people have exchanged seats.
    Done,
}

impl SwapState {
    /// The state in `game`.
    pub fn of<G: Game>(game: &G) -> SwapState {
        // Only Fugo's status is ever worked out here.
        let open =
            || !G::KIND.has_score() && matches!(game.status(), Status::Running(steps) if steps.contains(Step::SWAP));
        if game.swapped() {
            SwapState::Done
        } else if open() {
            SwapState::Open
        } else {
            SwapState::None
        }
    }
}

/// The winner by colour; the column `winner`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Winner {
    Black,
    White,
    Draw,
}

/// The winner by seat; the column `winner_seat`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WinnerSeat {
    First,
    Second,
    Draw,
}

impl From<Option<Player>> for Winner {
    fn from(winner: Option<Player>) -> Self {
        match winner {
            Some(Player::Black) => Winner::Black,
            Some(Player::White) => Winner::White,
            None => Winner::Draw,
        }
    }
}

impl From<Option<Seat>> for WinnerSeat {
    fn from(winner: Option<Seat>) -> Self {
        match winner {
            Some(Seat::First) => WinnerSeat::First,
            Some(Seat::Second) => WinnerSeat::Second,
            None => WinnerSeat::Draw,
        }
    }
}

/// A game's result for one of the two; as text `1`, `0.5`, `0`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    Loss,
    Draw,
    Win,
}

impl Outcome {
    /// What the result is for the person in `seat`.
    pub fn of(winner: WinnerSeat, seat: Seat) -> Outcome {
        match (winner, seat) {
            (WinnerSeat::Draw, _) => Outcome::Draw,
            (WinnerSeat::First, Seat::First) | (WinnerSeat::Second, Seat::Second) => Outcome::Win,
            _ => Outcome::Loss,
        }
    }

    /// The score: 1, ½ or 0.
    pub fn score(self) -> f32 {
        match self {
            Outcome::Loss => 0.0,
            Outcome::Draw => 0.5,
            Outcome::Win => 1.0,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Outcome::Loss => "0",
            Outcome::Draw => "0.5",
            Outcome::Win => "1",
        })
    }
}

impl FromStr for Outcome {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let score: Option<f32> = text.parse().ok();
        let known = [Outcome::Loss, Outcome::Draw, Outcome::Win].into_iter();
        known.into_iter().find(|outcome| Some(outcome.score()) == score).ok_or(format!("`{text}` is not 0, 0.5 or 1"))
    }
}

/// A square of characters, one a point: rows from the top, joined by `/`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Grid(String);

impl Grid {
    /// The board of `game`.
    pub fn board<G: Game>(game: &G) -> Grid {
        Grid(game.rows().join("/"))
    }

    /// Who owns what in `game`, as in [`Game::owner_rows`].
    pub fn owners<G: Game>(game: &G) -> Grid {
        Grid(game.owner_rows().join("/"))
    }

    /// The board's side.
    pub fn size(&self) -> usize {
        self.0.find('/').unwrap_or(self.0.len())
    }

    /// The text in the file.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The rows from the top.
    pub fn rows(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The cells in the order of [`Spot::dense`]: row by row from the bottom.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        self.0.rsplit('/').flat_map(|row| row.chars().filter_map(Cell::from_character))
    }

    /// The first character that is not among `allowed`.
    pub(super) fn stranger(&self, allowed: &str) -> Option<char> {
        self.0.chars().find(|c| *c != '/' && !allowed.contains(*c))
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for Grid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rows = text.split('/').count();
        if rows > MAX_SIZE {
            return Err(format!("a board of {rows} rows"));
        }
        for (index, row) in text.split('/').enumerate() {
            let number = index + 1;
            if let Some(c) = row.chars().find(|c| Cell::from_character(*c).is_none()) {
                return Err(format!("`{c}` in row {number} from the top is no board character"));
            }
            if row.len() != rows {
                return Err(format!("row {number} from the top has {} points and the board {rows} rows", row.len()));
            }
        }
        Ok(Grid(text.to_string()))
    }
}

/// Half points as text in points: `3.5`, `-1`, `0`.
pub(super) mod points {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::games::HalfPoints;

    pub fn serialize<S: Serializer>(value: &HalfPoints, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<HalfPoints, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// As [`points`], or nothing.
pub(super) mod optional_points {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::games::HalfPoints;

    pub fn serialize<S: Serializer>(value: &Option<HalfPoints>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.collect_str(value),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<HalfPoints>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}
