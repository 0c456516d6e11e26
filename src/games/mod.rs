//! The rules: the trait [`Game`], one file for each game, and what all games share.
//!
//! A *turn* is what the rules call a move; it is made of one to three *steps* (a point, or one special),
//! and the search branches on steps. Only the rules' own ends are known here; repetition and move caps
//! belong to a [`Played`] game.

mod both;
mod fugo;
mod kind;
mod linage;
mod played;
mod position;
mod score;
mod sligo;
mod step;
mod turn;
mod yugo;

pub use fugo::Fugo;
pub use kind::{GameKind, Options, OptionsError, Player, Seat};
pub use linage::Linage;
pub(crate) use linage::Regions;
pub use played::{Ending, Played, Rules};
pub use position::{PositionError, StartPosition};
pub use score::{HalfPoints, Score};
pub use sligo::Sligo;
pub(crate) use sligo::View;
pub use step::{Phase, Special, Specials, Step, StepSet, step_count, step_number};
pub use turn::{Turn, TurnError, parse_step, parse_turn, perft, step_name, turns};
pub use yugo::Yugo;

use std::fmt::Debug;
use std::hash::Hash;

use crate::board::{Point, PointSet, Symmetry};

/// How the rules themselves end a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// Both players passed in succession (Yugo, Linage, Sligo).
    Passes,
    /// The player to move has no move and loses (Fugo).
    NoMove,
}

/// Whether a game goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status<P> {
    /// The game is over.
    Over(End),
    /// The game goes on with one of these steps; there is at least one.
    Running(StepSet<P>),
}

/// What stands on a point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A stone or pawn; in Linage, where stones belong to nobody, always Black's.
    Stone(Player),
    /// A king (Yugo).
    King(Player),
}

impl Cell {
    /// The cell as a board character: `.`, `X`/`O` for black/white, `#`/`@` for their kings.
    pub fn character(self) -> char {
        match self {
            Cell::Empty => '.',
            Cell::Stone(Player::Black) => 'X',
            Cell::Stone(Player::White) => 'O',
            Cell::King(Player::Black) => '#',
            Cell::King(Player::White) => '@',
        }
    }

    /// The inverse of [`Cell::character`].
    pub fn from_character(c: char) -> Option<Cell> {
        Some(match c {
            '.' => Cell::Empty,
            'X' => Cell::Stone(Player::Black),
            'O' => Cell::Stone(Player::White),
            '#' => Cell::King(Player::Black),
            '@' => Cell::King(Player::White),
            _ => return None,
        })
    }
}

/// The pieces on a board as sets; in Linage, where stones belong to nobody, all are Black's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pieces<P> {
    /// Black's pieces, kings included.
    pub black: P,
    /// White's pieces, kings included.
    pub white: P,
    pub black_kings: P,
    pub white_kings: P,
}

/// The state of Yugo's button.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Button {
    /// The game has no button.
    Absent,
    /// Nobody has taken it yet.
    Free,
    /// This player took it.
    Taken(Player),
}

/// A position of one of the games: board, player to move and whatever else the rules look at.
///
/// Points passed in must come from a board of the same size. In Linage, Vertical is `Black`, Horizontal `White`.
pub trait Game: Clone + Debug + PartialEq + Eq + Hash + Send + Sync + 'static {
    /// Sets of points of this board's width.
    type Points: PointSet;

    /// Which game this is.
    const KIND: GameKind;

    /// The start of a game on an n×n board. `n` and `options` must be allowed for the game
    /// (see [`Options::check`]) and `n` must fit the width.
    fn new(n: usize, options: Options) -> Self;

    /// A position to start from, if play can lead to it.
    fn from_position(start: &StartPosition) -> Result<Self, PositionError>;

    /// The board's side.
    fn size(&self) -> usize;

    /// The player to move.
    fn to_move(&self) -> Player;

    /// How far the turn has come.
    fn phase(&self) -> Phase;

    /// Whether the game is over, else its legal steps. Each step begins, or goes on with, a legal turn.
    fn status(&self) -> Status<Self::Points>;

    /// As [`Game::status`], less steps that only lead to boards which other steps reach sooner (Sligo).
    fn search_status(&self) -> Status<Self::Points> {
        self.status()
    }

    /// Plays a step, which must be legal.
    fn play(&mut self, step: Step);

    /// Why a step is not legal, in the words of the rules; meaningless for legal steps.
    fn fault(&self, step: Step) -> &'static str;

    /// Both players' scores in half points, without komi, if the game ended here; `None` where the game has no score.
    fn score(&self) -> Option<Score>;

    /// Who would be paid for each point (owner of the territory, or of the piece that counts) if the game ended here.
    fn owner(&self, point: Point) -> Option<Player>;

    /// The pieces on the board.
    fn pieces(&self) -> Pieces<Self::Points>;

    /// What stands on `point`.
    fn cell(&self, point: Point) -> Cell;

    /// Passes made in a row just before this position (0, 1, or 2 at the end).
    fn passes(&self) -> u8 {
        0
    }

    /// Yugo's button.
    fn button(&self) -> Button {
        Button::Absent
    }

    /// Handicap pawns still to be placed (Yugo).
    fn handicap_left(&self) -> usize {
        0
    }

    /// True once the players have exchanged seats (Fugo's pie rule).
    fn swapped(&self) -> bool {
        false
    }

    /// A key of the board and the player to move; equal keys mean equal boards (exact where the board
    /// fits 128 bits, else a 128-bit hash).
    fn board_key(&self) -> u128;

    /// The number of pieces on the board.
    fn piece_count(&self) -> usize {
        let pieces = self.pieces();
        pieces.black.len() + pieces.white.len()
    }

    /// The position's image. Where the symmetry exchanges the players' roles
    /// ([`GameKind::exchanges_players`]), so does the image.
    fn mapped(&self, symmetry: Symmetry) -> Self;

    /// The point's name, as in `C3`.
    fn point_name(&self, point: Point) -> String;

    /// The point of that name.
    fn parse_point(&self, text: &str) -> Result<Point, crate::board::PointError>;

    /// The point's number from 0 to n² − 1, row by row from the bottom.
    fn dense(&self, point: Point) -> usize;

    /// The inverse of [`Game::dense`].
    #[allow(clippy::wrong_self_convention)] // A point is not made of `self`, but told by it.
    fn from_dense(&self, dense: usize) -> Point;

    /// The image of a point.
    fn map_point(&self, symmetry: Symmetry, point: Point) -> Point;

    /// The end of the game, if this is one.
    fn end(&self) -> Option<End> {
        match self.status() {
            Status::Over(end) => Some(end),
            Status::Running(_) => None,
        }
    }

    /// The winner if the game ended here with `komi` added to the second player's score; `None` is a tie.
    /// In Fugo the player to move has lost.
    fn winner(&self, komi: HalfPoints) -> Option<Player> {
        match self.score() {
            Some(score) => score.winner(komi),
            None => Some(self.to_move().other()),
        }
    }

    /// The seat of the person who is to move.
    fn seat_to_move(&self) -> Seat {
        self.seat_of(self.to_move())
    }

    /// The seat of the person who plays `player`'s colour.
    fn seat_of(&self, player: Player) -> Seat {
        match (player, self.swapped()) {
            (Player::Black, false) | (Player::White, true) => Seat::First,
            (Player::White, false) | (Player::Black, true) => Seat::Second,
        }
    }

    /// The board as text, rows from the top.
    fn rows(&self) -> Vec<String> {
        self.text_rows(|game, point| game.cell(point).character())
    }

    /// Who owns what, rows from the top: `X`, `O`, or `.` for nobody.
    fn owner_rows(&self) -> Vec<String> {
        self.text_rows(|game, point| match game.owner(point) {
            Some(Player::Black) => 'X',
            Some(Player::White) => 'O',
            None => '.',
        })
    }

    /// One character for each point, rows from the top.
    fn text_rows(&self, character: impl Fn(&Self, Point) -> char) -> Vec<String> {
        let n = self.size();
        let row = |row: usize| (0..n).map(|column| character(self, self.from_dense(row * n + column))).collect();
        (0..n).rev().map(row).collect()
    }
}

/// Runs `$body` with `$G` naming the type that plays `$kind` on a board of side `$size`.
///
/// Small boards pay for small boards: the widths are 1, 2, 3 and 6 words (sides up to 7, 10, 13 and 19).
#[macro_export]
macro_rules! with_game {
    ($kind:expr, $size:expr, $G:ident => $body:expr) => {{
        use $crate::games::{Fugo, GameKind, Linage, Sligo, Yugo};
        macro_rules! sized {
            ($T:ident) => {
                match $size {
                    0..=7 => {
                        type $G = $T<1>;
                        $body
                    }
                    8..=10 => {
                        type $G = $T<2>;
                        $body
                    }
                    11..=13 => {
                        type $G = $T<3>;
                        $body
                    }
                    _ => {
                        type $G = $T<6>;
                        $body
                    }
                }
            };
        }
        match $kind {
            GameKind::Yugo => sized!(Yugo),
            GameKind::Linage => sized!(Linage),
            GameKind::Fugo => sized!(Fugo),
            GameKind::Sligo => sized!(Sligo),
        }
    }};
}
