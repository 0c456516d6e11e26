//! Yugo: pawns, kings and a button.

use super::both::Both;
use super::position::{board_methods, key, unreachable};
use super::{
    Button, Cell, End, Game, GameKind, HalfPoints, Options, Phase, Player, PositionError, Score, Specials,
    StartPosition, Status, Step, StepSet,
};
use crate::board::{Bits, Geometry, Point, PointError, Symmetry};
use Player::{Black, White};

/// A position of Yugo.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Yugo<const W: usize> {
    board: Geometry<W>,
    pieces: Both<Pieces<W>>,
    to_move: Player,
    passes: u8,
    button: Option<Player>,
    handicap_left: u16,
}

/// One player's pieces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Pieces<const W: usize> {
    all: Bits<W>,
    kings: Bits<W>,
}

impl<const W: usize> Pieces<W> {
    const NONE: Self = Pieces { all: Bits::EMPTY, kings: Bits::EMPTY };

    fn pawns(self) -> Bits<W> {
        self.all.without(self.kings)
    }

    /// Takes the pawns among `points` off the board.
    fn remove_pawns(&mut self, points: Bits<W>) {
        self.all = self.all.without(points) | self.kings;
    }

    fn map(self, board: &Geometry<W>, symmetry: Symmetry) -> Self {
        Pieces { all: board.map_bits(symmetry, self.all), kings: board.map_bits(symmetry, self.kings) }
    }
}

/// Where pieces may be placed.
struct Placements<const W: usize> {
    pawns: Bits<W>,
    kings: Bits<W>,
}

impl<const W: usize> Yugo<W> {
    /// The board.
    pub(crate) fn board(&self) -> &Geometry<W> {
        &self.board
    }

    /// The mover's pieces.
    pub(crate) fn own(&self) -> Bits<W> {
        self.pieces.of(self.to_move).all
    }

    fn enemy(&self) -> Bits<W> {
        self.pieces.of(self.to_move.other()).all
    }

    pub(crate) fn empty(&self) -> Bits<W> {
        self.board.all().without(self.pieces.black.all | self.pieces.white.all)
    }

    /// "Place a pawn of their color on an empty point such that the number of surrounded groups remains
    /// unchanged" / "Place a king of their color on an empty point such that the number of surrounded enemy
    /// groups is increased."
    ///
    /// Filling a point takes a liberty from the groups next to it and joins own ones; no group next to an
    /// empty point is surrounded. So enemy groups become surrounded exactly where the point is the last
    /// liberty of one, and the own group exactly where it has no empty point left.
    fn placements(&self) -> Placements<W> {
        let empty = self.empty();
        let own = self.board.liberties(self.own(), empty);
        let enemy = self.board.liberties(self.enemy(), empty);
        let breathing = self.board.neighbours(empty) | own.spare;
        Placements { pawns: (empty & breathing).without(enemy.last), kings: enemy.last }
    }

    /// The points where the mover may place a piece, either kind of which is told apart by `placements`.
    pub(crate) fn all_placements(&self) -> Bits<W> {
        if self.handicap_left > 0 {
            return self.placements().pawns;
        }
        self.board.placements(self.own(), self.enemy())
    }

    /// Places a piece on the empty `point`, or returns false if none is legal there. The turn is not ended.
    ///
    /// "Place a king ... and remove all pawns from all such groups. In the resulting position, if there are any
    /// surrounded friendly groups, remove all pawns from them as well."
    pub(crate) fn try_place(&mut self, point: Point) -> bool {
        let around = self.board.around(point);
        let (own, single) = (self.own(), Bits::single(point));
        let empty = self.empty().without(single);
        let free = self.board.neighbours(empty);
        // Only groups next to the point can have lost their last liberty.
        let surrounded = self.board.surrounded_of(around, self.enemy(), free);
        let mover = self.pieces.of_mut(self.to_move);
        if surrounded.is_empty() {
            let lives = free.meets(single) || self.board.reaches(around, own, free);
            if lives {
                mover.all |= single;
            }
            return lives;
        }
        mover.all |= single;
        mover.kings |= single;
        self.pieces.of_mut(self.to_move.other()).remove_pawns(surrounded);
        // An own group that is surrounded now holds the new king: all others were looked at when they became so.
        let group = self.board.surrounded_of(single, self.own(), self.board.neighbours(self.empty()));
        self.pieces.of_mut(self.to_move).remove_pawns(group);
        true
    }

    /// What every turn ends with.
    pub(crate) fn end_turn(&mut self, pass: bool) {
        self.passes = if pass { self.passes + 1 } else { 0 };
        self.handicap_left = self.handicap_left.saturating_sub(1);
        if self.handicap_left == 0 {
            self.to_move = self.to_move.other();
        }
    }

    /// The pieces of `player` in groups without a liberty.
    fn surrounded(&self, player: Player) -> Bits<W> {
        self.board.surrounded(self.pieces.of(player).all, self.empty())
    }

    /// "Empty points in their territories, plus the number of pieces of their color in groups with one or more
    /// liberties, plus the number of enemy kings in groups without liberties."
    fn paid_points(&self, player: Player) -> Bits<W> {
        let territories = self.board.territories(self.pieces.black.all, self.pieces.white.all);
        let territory = if player == Black { territories.black } else { territories.white };
        let alive = self.pieces.of(player).all.without(self.surrounded(player));
        let taken = self.pieces.of(player.other()).kings & self.surrounded(player.other());
        territory | alive | taken
    }
}

impl<const W: usize> Game for Yugo<W> {
    type Points = Bits<W>;
    const KIND: GameKind = GameKind::Yugo;

    fn new(n: usize, options: Options) -> Self {
        let board = Geometry::new(n);
        let handicap_left = options.handicap as u16;
        Yugo {
            board,
            pieces: Both { black: Pieces::NONE, white: Pieces::NONE },
            to_move: Black,
            passes: 0,
            button: None,
            handicap_left,
        }
    }

    fn from_position(start: &StartPosition) -> Result<Self, PositionError> {
        let mut game = Self::new(start.size, Options::default());
        let cells = [Cell::Stone(Black), Cell::King(Black), Cell::Stone(White), Cell::King(White)];
        let [pawns, kings, white_pawns, white_kings] = start.points(GameKind::Yugo, &game.board, cells)?;
        game.pieces.black = Pieces { all: pawns | kings, kings };
        game.pieces.white = Pieces { all: white_pawns | white_kings, kings: white_kings };
        game.to_move = start.to_move;
        game.button = start.button;
        let lost =
            game.surrounded(Black) & game.pieces.black.pawns() | game.surrounded(White) & game.pieces.white.pawns();
        if !lost.is_empty() {
            return Err(unreachable(&game.board, "a pawn stands in a surrounded group", lost));
        }
        Ok(game)
    }

    fn to_move(&self) -> Player {
        self.to_move
    }

    fn phase(&self) -> Phase {
        Phase::Start
    }

    fn status(&self) -> Status<Bits<W>> {
        if let Some(end) = self.end() {
            return Status::Over(end);
        }
        // "Take the button, provided that none of the players has taken it before" / "Pass, provided that the
        // button is already taken."
        let specials = match self.button {
            _ if self.handicap_left > 0 => Specials::NONE,
            None => Specials::BUTTON,
            Some(_) => Specials::PASS,
        };
        Status::Running(StepSet { points: self.all_placements(), specials })
    }

    fn play(&mut self, step: Step) {
        match step {
            Step::Point(point) => _ = self.try_place(point),
            Step::BUTTON => self.button = Some(self.to_move),
            _ => {}
        }
        self.end_turn(step == Step::PASS);
    }

    fn fault(&self, step: Step) -> &'static str {
        match step {
            Step::Point(point) if self.cell(point) != Cell::Empty => "the point is not empty",
            Step::Point(point) if self.handicap_left > 0 && self.placements().kings.contains(point) => {
                "handicap pawns may surround nothing"
            }
            Step::Point(_) => "a piece there would leave only its own group surrounded",
            _ if self.handicap_left > 0 => "handicap pawns are placed first",
            Step::BUTTON => "the button is already taken",
            Step::PASS => "passing is allowed only once the button is taken",
            _ => "swap belongs to fugo",
        }
    }

    fn end(&self) -> Option<End> {
        (self.passes == 2).then_some(End::Passes)
    }

    fn score(&self) -> Option<Score> {
        let half =
            |player| HalfPoints(2 * self.paid_points(player).len() as i32 + (self.button == Some(player)) as i32);
        Some(Score { black: half(Black), white: half(White) })
    }

    fn owner(&self, point: Point) -> Option<Player> {
        [Black, White].into_iter().find(|player| self.paid_points(*player).contains(point))
    }

    fn cell(&self, point: Point) -> Cell {
        for player in [Black, White] {
            let pieces = self.pieces.of(player);
            if pieces.pawns().contains(point) {
                return Cell::Stone(player);
            }
            if pieces.kings.contains(point) {
                return Cell::King(player);
            }
        }
        Cell::Empty
    }

    fn passes(&self) -> u8 {
        self.passes
    }

    fn button(&self) -> Button {
        self.button.map_or(Button::Free, Button::Taken)
    }

    fn handicap_left(&self) -> usize {
        self.handicap_left as usize
    }

    fn board_key(&self) -> u128 {
        key(
            [self.pieces.black.pawns(), self.pieces.black.kings, self.pieces.white.pawns(), self.pieces.white.kings],
            self.to_move,
        )
    }

    fn pieces(&self) -> super::Pieces<Bits<W>> {
        let Both { black, white } = self.pieces;
        super::Pieces { black: black.all, white: white.all, black_kings: black.kings, white_kings: white.kings }
    }

    fn mapped(&self, symmetry: Symmetry) -> Self {
        Yugo { pieces: self.pieces.map(|pieces| pieces.map(&self.board, symmetry)), ..self.clone() }
    }

    board_methods!();
}
