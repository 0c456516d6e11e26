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
    /// "A smothered group is a group without liberties": the stones in such groups, while no stone is picked up.
    smothered: Both<Bits<W>>,
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

    fn enemy(&self) -> Bits<W> {
        *self.stones.of(self.to_move.other())
    }

    /// The mover's stones in smothered groups.
    pub(crate) fn smothered(&self) -> Bits<W> {
        *self.smothered.of(self.to_move)
    }

    /// "There are no smothered friendly groups. In this case, you must place a stone of your color on an empty
    /// point. Your placement may not increase the number of smothered friendly groups unless it also increases
    /// the number of smothered enemy groups."
    fn placements(&self) -> Bits<W> {
        self.board.placements(self.own(), self.enemy())
    }

    /// Places a stone on the empty `point`, or returns false if the rules forbid it (see `placements`). The mover has
    /// no smothered group. The turn is not ended.
    pub(crate) fn try_place(&mut self, point: Point) -> bool {
        let around = self.board.around(point);
        let single = Bits::single(point);
        let free = self.board.neighbours(self.empty().without(single));
        // Only groups next to the point can have lost their last liberty.
        let smothered = self.board.surrounded_of(around, self.enemy(), free);
        let lives = free.meets(single) || self.board.reaches(around, self.own(), free);
        if smothered.is_empty() && !lives {
            return false;
        }
        *self.stones.of_mut(self.to_move) |= single;
        *self.smothered.of_mut(self.to_move.other()) |= smothered;
        if !lives {
            *self.smothered.of_mut(self.to_move) = self.board.flood(single, self.own());
        }
        true
    }

    /// The stones that may move if they have somewhere to go: "You may only move a stone from a point where it's
    /// orthogonally adjacent to one or more enemy stones."
    pub(crate) fn exposed(&self) -> Bits<W> {
        self.smothered() & self.board.neighbours(self.enemy())
    }

    /// The stones that can begin a turn.
    fn movable(&self) -> Bits<W> {
        let exposed = self.exposed();
        let empty = self.empty();
        // To a point with an empty neighbour any stone may go.
        if empty.meets(self.board.neighbours(empty)) {
            return exposed;
        }
        exposed.iter().filter(|stone| !self.destinations(*stone).is_empty()).collect()
    }

    /// "You must move one stone from one of those groups to an empty point such that, after the move, the group
    /// that now includes the moved stone has at least one liberty." The point it left counts as empty.
    fn destinations(&self, stone: Point) -> Bits<W> {
        let left = Bits::single(stone);
        let empty = self.empty();
        let empty_after = empty | left;
        let open = empty & self.board.neighbours(empty_after);
        let closed = empty.without(open);
        let beside = self.board.neighbours(closed);
        open | closed & self.board.liberties_of(beside, self.own().without(left), empty_after).spare
    }

    /// Whether `stone` may move to the empty `point`: [`Fugo::destinations`] for one point.
    pub(crate) fn may_move(&self, stone: Point, point: Point) -> bool {
        let (from, to) = (Bits::single(stone), Bits::single(point));
        let free = self.board.neighbours((self.empty() | from).without(to));
        free.meets(to) || self.board.reaches(self.board.around(point), self.own().without(from), free)
    }

    /// Moves `stone` to `point`, which must be allowed. The turn is not ended.
    pub(crate) fn move_stone(&mut self, stone: Point, point: Point) {
        let (me, enemy) = (self.to_move, self.to_move.other());
        self.stones.of_mut(me).remove(stone);
        // What it leaves behind has a liberty there, and so have the enemy groups around.
        for player in [me, enemy] {
            let smothered = self.smothered.of_mut(player);
            smothered.remove(stone);
            let freed = self.board.flood(self.board.around(stone), *smothered);
            *smothered = smothered.without(freed);
        }
        self.stones.of_mut(me).insert(point);
        let free = self.board.neighbours(self.empty());
        let smothered = self.board.surrounded_of(self.board.around(point), self.enemy(), free);
        *self.smothered.of_mut(enemy) |= smothered;
    }

    /// What every turn but a swap ends with.
    pub(crate) fn end_turn(&mut self) {
        self.swap_open &= self.to_move == Black;
        self.to_move = self.to_move.other();
    }

    pub(crate) fn may_swap(&self) -> bool {
        self.swap_open && self.to_move == White && self.picked.is_none()
    }
}

impl<const W: usize> Game for Fugo<W> {
    type Points = Bits<W>;
    const KIND: GameKind = GameKind::Fugo;

    fn new(n: usize, options: Options) -> Self {
        let board = Geometry::new(n);
        Fugo {
            board,
            stones: Both::NONE,
            smothered: Both::NONE,
            to_move: Black,
            picked: None,
            swap_open: options.pie,
            swapped: false,
        }
    }

    fn from_position(start: &StartPosition) -> Result<Self, PositionError> {
        let mut game = Self::new(start.size, Options::default());
        [game.stones.black, game.stones.white] =
            start.points(GameKind::Fugo, &game.board, [Cell::Stone(Black), Cell::Stone(White)])?;
        let empty = game.empty();
        game.smothered = game.stones.map(|stones| game.board.surrounded(stones, empty));
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
            None if self.smothered().is_empty() => self.placements(),
            None => self.movable(),
        };
        let specials = if self.may_swap() { Specials::SWAP } else { Specials::NONE };
        let steps = StepSet { points, specials };
        // "If you have no moves available on your turn, you lose."
        if steps.is_empty() { Status::Over(End::NoMove) } else { Status::Running(steps) }
    }

    fn play(&mut self, step: Step) {
        let Step::Point(point) = step else {
            self.swapped = true;
            self.swap_open = false;
            return;
        };
        match self.picked.take() {
            Some(stone) => self.move_stone(stone, point),
            None if self.own().contains(point) => {
                self.picked = Some(point);
                return;
            }
            None => _ = self.try_place(point),
        }
        self.end_turn();
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
        } else if !self.board.neighbours(self.enemy()).contains(point) {
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
            smothered: self.smothered.mapped(&self.board, symmetry),
            picked: self.picked.map(|point| self.board.map_point(symmetry, point)),
            ..self.clone()
        }
    }

    board_methods!();
}
