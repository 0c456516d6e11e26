//! Which games there are, their players, and their options.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::HalfPoints;
use crate::board::{MAX_SIZE, Symmetry};

/// One of the four games.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameKind {
    Yugo,
    Linage,
    Fugo,
    Sligo,
}

/// A colour. In Linage, Vertical is `Black` and Horizontal is `White`. Black plays first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Player {
    Black,
    White,
}

/// A person: the one who began the game, or the other. Only Fugo's `swap` parts seats from colours.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Seat {
    First,
    Second,
}

impl Player {
    /// The opponent.
    #[inline]
    pub fn other(self) -> Player {
        match self {
            Player::Black => Player::White,
            Player::White => Player::Black,
        }
    }
}

impl Seat {
    /// The other person.
    #[inline]
    pub fn other(self) -> Seat {
        match self {
            Seat::First => Seat::Second,
            Seat::Second => Seat::First,
        }
    }
}

/// What a game may be played with besides its size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Options {
    /// Yugo: pawns that Black places before White's first turn.
    pub handicap: usize,
    /// Fugo: whether White may swap on the first turn.
    pub pie: bool,
}

/// Why a game cannot be played with a size, an option or a komi.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum OptionsError {
    #[error("size {size} is not allowed in {game} ({min} to 19)")]
    Size { game: GameKind, size: usize, min: usize },
    #[error("handicap {handicap} is not allowed in {game} on {size}x{size} ({max} at most)")]
    Handicap { game: GameKind, size: usize, handicap: usize, max: usize },
    #[error("the pie rule belongs to fugo, not to {game}")]
    Pie { game: GameKind },
    #[error("komi {komi} is not allowed in {game} ({allowed})")]
    Komi { game: GameKind, komi: HalfPoints, allowed: &'static str },
    #[error("`{0}` is not a game (yugo, linage, fugo, sligo)")]
    Game(String),
}

impl Options {
    /// Checks size and options against the game's rules.
    pub fn check(&self, game: GameKind, size: usize) -> Result<(), OptionsError> {
        let min = game.min_size();
        if !(min..=MAX_SIZE).contains(&size) {
            return Err(OptionsError::Size { game, size, min });
        }
        let max = if game == GameKind::Yugo { size * size / 2 } else { 0 };
        if self.handicap > max {
            return Err(OptionsError::Handicap { game, size, handicap: self.handicap, max });
        }
        if self.pie && game != GameKind::Fugo {
            return Err(OptionsError::Pie { game });
        }
        Ok(())
    }
}

impl GameKind {
    /// All games, in the order of the project's tables.
    pub const ALL: [GameKind; 4] = [GameKind::Yugo, GameKind::Linage, GameKind::Fugo, GameKind::Sligo];

    /// The game's name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            GameKind::Yugo => "yugo",
            GameKind::Linage => "linage",
            GameKind::Fugo => "fugo",
            GameKind::Sligo => "sligo",
        }
    }

    /// The smallest board side. A Linage board needs room for a line.
    pub fn min_size(self) -> usize {
        if self == GameKind::Linage { 3 } else { 1 }
    }

    /// True if the game is won on points, so that there is a komi.
    pub fn has_score(self) -> bool {
        self != GameKind::Fugo
    }

    /// True if play need not end: a board can come back.
    pub fn can_repeat(self) -> bool {
        matches!(self, GameKind::Fugo | GameKind::Sligo)
    }

    /// The number of turns after which a game is cut off unless configured otherwise; `None`: the game is finite.
    pub fn default_move_cap(self, size: usize) -> Option<usize> {
        match self {
            GameKind::Yugo | GameKind::Linage => None,
            GameKind::Fugo => Some(4 * size * size),
            GameKind::Sligo => Some((8 * size * size).max(100)),
        }
    }

    /// Whether margins (without komi) are odd or even in half points: Yugo's button makes them odd,
    /// the others' are whole points.
    pub fn margin_parity(self) -> i32 {
        if self == GameKind::Yugo { 1 } else { 0 }
    }

    /// True if the rules allow this komi: Yugo's is whole, Linage's n + ½, Sligo's any half point; Fugo has none.
    pub fn allows_komi(self, komi: HalfPoints) -> bool {
        match self {
            GameKind::Yugo => komi.0 % 2 == 0,
            GameKind::Linage => komi.0 % 2 != 0,
            GameKind::Sligo => true,
            GameKind::Fugo => komi.0 == 0,
        }
    }

    /// True if games can be played at this komi: those that the rules allow, and 0, which is no komi at all.
    pub fn plays_komi(self, komi: HalfPoints) -> bool {
        komi.0 == 0 || self.allows_komi(komi)
    }

    /// [`GameKind::plays_komi`] as a result that says what is allowed.
    pub fn check_komi(self, komi: HalfPoints) -> Result<HalfPoints, OptionsError> {
        if self.plays_komi(komi) {
            return Ok(komi);
        }
        let allowed = match self {
            GameKind::Yugo => "whole points only",
            GameKind::Linage => "a whole number and a half only",
            GameKind::Sligo => "any half point",
            GameKind::Fugo => "the game has no score and no komi",
        };
        Err(OptionsError::Komi { game: self, komi, allowed })
    }

    /// True if the symmetry maps the game to itself only with the players exchanged: in Linage "a quarter
    /// turn of the board, or a reflection in a diagonal, swaps Vertical and Horizontal".
    pub fn exchanges_players(self, symmetry: Symmetry) -> bool {
        self == GameKind::Linage && symmetry.transposes()
    }

    /// The symmetries that map the game to itself, players included.
    pub fn symmetries(self) -> impl Iterator<Item = Symmetry> {
        Symmetry::all().filter(move |symmetry| !self.exchanges_players(*symmetry))
    }

    /// What the rules call this player.
    pub fn player_name(self, player: Player) -> &'static str {
        match (self, player) {
            (GameKind::Linage, Player::Black) => "Vertical",
            (GameKind::Linage, Player::White) => "Horizontal",
            (_, Player::Black) => "Black",
            (_, Player::White) => "White",
        }
    }
}

impl fmt::Display for GameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for GameKind {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, OptionsError> {
        let known = GameKind::ALL.into_iter().find(|game| game.name() == text);
        known.ok_or_else(|| OptionsError::Game(text.to_string()))
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Player::Black => "black",
            Player::White => "white",
        })
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Seat::First => "first",
            Seat::Second => "second",
        })
    }
}
