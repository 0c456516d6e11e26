//! Fugo: smothered groups, and the player who cannot move loses.

use super::both::Both;
use super::position::{board_methods, key};
use super::{
    Cell, End, Game, GameKind, Options, Phase, Pieces, Player, PositionError, Score, Specials, StartPosition, Status,
    Step, StepSet,
};
use crate::board::{Bits, Geometry, Point, PointError, Symmetry};
use Player::{Black, White};

/// A position of Fugo.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fugo<const W: usize> {
    board: Geometry<W>,
    stones: Both<Bits<W>>,
    to_move: Player,
    picked: Option<Point>,
    /// The pie rule is on and White has not played yet.
    swap_open: bool,
    swapped: bool,
}

impl<const W: usize> Fugo<W> {
    /// The board.
    pub(crate) fn board(&self) -> &Geometry<W> {
        &self.board
    }

    /// The mover's stones.
    pub(crate) fn own(&self) -> Bits<W> {
        *self.stones.of(self.to_move)
    }

    pub(crate) fn empty(&self) -> Bits<W> {
        self.board.all().without(self.stones.all())
    }

    /// "A smothered group is a group without liberties": the mover's stones in such groups.
    fn smothered(&self) -> Bits<W> {
        self.board.surrounded(self.own(), self.empty())
    }

    /// "There are no smothered friendly groups. In this case, you must place a stone of your color on an empty
    /// point. Your placement may not increase the number of smothered friendly groups unless it also increases
    /// the number of smothered enemy groups."
    fn placements(&self) -> Bits<W> {
        let empty = self.empty();
        let own = self.board.liberties(self.own(), empty);
        let enemy = self.board.liberties(*self.stones.of(self.to_move.other()), empty);
        empty & (self.board.neighbours(empty) | own.spare | enemy.last)
    }

    /// "You may only move a stone from a point where it's orthogonally adjacent to one or more enemy stones."
    fn movable(&self, smothered: Bits<W>) -> Bits<W> {
        let near_enemy = smothered & self.board.neighbours(*self.stones.of(self.to_move.other()));
        near_enemy.iter().filter(|stone| !self.destinations(*stone).is_empty()).collect()
    }

    /// "You must move one stone from one of those groups to an empty point such that, after the move, the group
    /// that now includes the moved stone has at least one liberty." The point it left counts as empty.
    fn destinations(&self, stone: Point) -> Bits<W> {
        let left = Bits::single(stone);
        let empty = self.empty();
        let empty_after = empty | left;
        let own = self.board.liberties(self.own().without(left), empty_after);
        empty & (self.board.neighbours(empty_after) | own.spare)
    }

    fn may_swap(&self) -> bool {
        self.swap_open && self.to_move == White && self.picked.is_none()
    }
}

impl<const W: usize> Game for Fugo<W> {
    type Points = Bits<W>;
    const KIND: GameKind = GameKind::Fugo;

    fn new(n: usize, options: Options) -> Self {
        let board = Geometry::new(n);
        Fugo { board, stones: Both::NONE, to_move: Black, picked: None, swap_open: options.pie, swapped: false }
    }

    fn from_position(start: &StartPosition) -> Result<Self, PositionError> {
        let mut game = Self::new(start.size, Options::default());
        [game.stones.black, game.stones.white] =
            start.points(GameKind::Fugo, &game.board, [Cell::Stone(Black), Cell::Stone(White)])?;
        game.to_move = start.to_move;
        Ok(game)
    }

    fn to_move(&self) -> Player {
        self.to_move
    }

    fn phase(&self) -> Phase {
        self.picked.map_or(Phase::Start, Phase::Picked)
    }

    fn status(&self) -> Status<Bits<W>> {
        let points = match self.picked {
            Some(stone) => self.destinations(stone),
            None => {
                let smothered = self.smothered();
                if smothered.is_empty() { self.placements() } else { self.movable(smothered) }
            }
        };
        let specials = if self.may_swap() { Specials::SWAP } else { Specials::NONE };
        let steps = StepSet { points, specials };
        // "If you have no moves available on your turn, you lose."
        if steps.is_empty() { Status::Over(End::NoMove) } else { Status::Running(steps) }
    }

    fn play(&mut self, step: Step) {
        let player = self.to_move;
        let Step::Point(point) = step else {
            self.swapped = true;
            self.swap_open = false;
            return;
        };
        match self.picked.take() {
            Some(stone) => self.stones.of_mut(player).remove(stone),
            None if self.stones.of(player).contains(point) => {
                self.picked = Some(point);
                return;
            }
            None => {}
        }
        self.stones.of_mut(player).insert(point);
        self.swap_open &= player == Black;
        self.to_move = player.other();
    }

    fn fault(&self, step: Step) -> &'static str {
        let Step::Point(point) = step else {
            return if step == Step::SWAP {
                "swap is for White's first turn, with the pie rule on"
            } else {
                "there is no pass in fugo"
            };
        };
        let occupied = self.cell(point) != Cell::Empty;
        if self.picked.is_some() {
            return if occupied { "the point is not empty" } else { "the moved stone's group would have no liberty" };
        }
        let smothered = self.smothered();
        if smothered.is_empty() {
            return if occupied {
                "the point is not empty"
            } else {
                "it would smother a friendly group and no enemy group"
            };
        }
        if !smothered.contains(point) {
            "there is a smothered friendly group: one of its stones must move"
        } else if !self.board.neighbours(*self.stones.of(self.to_move.other())).contains(point) {
            "the stone is not adjacent to an enemy stone"
        } else {
            "the stone has nowhere to go"
        }
    }

    fn score(&self) -> Option<Score> {
        None
    }

    fn owner(&self, _point: Point) -> Option<Player> {
        None
    }

    fn cell(&self, point: Point) -> Cell {
        self.stones.cell(point)
    }

    fn swapped(&self) -> bool {
        self.swapped
    }

    fn board_key(&self) -> u128 {
        key([self.stones.black, self.stones.white], self.to_move)
    }

    fn pieces(&self) -> Pieces<Bits<W>> {
        self.stones.pieces()
    }

    fn mapped(&self, symmetry: Symmetry) -> Self {
        Fugo {
            stones: self.stones.mapped(&self.board, symmetry),
            picked: self.picked.map(|point| self.board.map_point(symmetry, point)),
            ..self.clone()
        }
    }

    board_methods!();
}
