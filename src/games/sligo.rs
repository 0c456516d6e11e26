//! Sligo: Slither's placements and movements, Go's captures.

use super::both::Both;
use super::position::{board_methods, key, unreachable};
use super::{
    Cell, End, Game, GameKind, HalfPoints, Options, Phase, Pieces, Player, PositionError, Score, Specials,
    StartPosition, Status, Step, StepSet,
};
use crate::board::{Bits, Geometry, Point, PointError, Symmetry};
use Player::{Black, White};

/// A position of Sligo.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sligo<const W: usize> {
    board: Geometry<W>,
    stones: Both<Bits<W>>,
    to_move: Player,
    passes: u8,
    phase: Phase,
}

impl<const W: usize> Sligo<W> {
    /// The board.
    pub(crate) fn board(&self) -> &Geometry<W> {
        &self.board
    }

    /// The empty points.
    pub(crate) fn empty(&self) -> Bits<W> {
        self.board.all().without(self.stones.all())
    }

    /// The points where the mover may place without a movement.
    pub(crate) fn direct_placements(&self) -> Bits<W> {
        self.placements(self.own())
    }

    /// True if moving the stone on `from` can begin a legal turn.
    pub(crate) fn can_move(&self, from: Point) -> bool {
        let stone = Bits::single(from);
        let near = self.board.neighbours(stone) | self.board.diagonals(stone);
        (near & self.empty()).iter().any(|to| self.has_placement(from, to, false))
    }

    /// The mover's stones.
    pub(crate) fn own(&self) -> Bits<W> {
        *self.stones.of(self.to_move)
    }

    fn enemy(&self) -> Bits<W> {
        *self.stones.of(self.to_move.other())
    }

    /// The points where a placement keeps the mover's stones `own` free of weak pairs.
    fn free_of_weak_pairs(&self, own: Bits<W>) -> Bits<W> {
        let pairs = WeakPairs::new(&self.board, own);
        let mut points = self.board.all().without(own | pairs.made);
        // "There is no like-colored stone orthogonally adjacent to both": the new stone must heal every
        // pair that the movement left.
        for lower in pairs.rising {
            let lower = Bits::single(lower);
            points &= self.board.north(lower) | self.board.east(lower);
        }
        for lower in pairs.falling {
            let lower = Bits::single(lower);
            points &= self.board.north(lower) | self.board.west(lower);
        }
        points
    }

    /// The points where the mover, whose stones are `own`, may place: "after placing a stone, remove all
    /// surrounded enemy groups. In the resulting position, there must be no weak pairs and no surrounded groups
    /// of any color on the board."
    ///
    /// The enemy needs no look: no group of his is surrounded once such groups are removed, and none of his
    /// stones is diagonal to another without a common neighbour, since that neighbour would be of their group.
    fn placements(&self, own: Bits<W>) -> Bits<W> {
        let enemy = self.enemy();
        let empty = self.board.all().without(own | enemy);
        let candidates = empty & self.free_of_weak_pairs(own);
        if candidates.is_empty() {
            return candidates;
        }
        let own_groups = self.board.liberties(own, empty);
        let enemy_groups = self.board.liberties(enemy, empty);
        let breathing = self.board.neighbours(empty) | own_groups.spare | enemy_groups.last;
        if (own_groups.none | enemy_groups.none).is_empty() {
            return candidates & breathing;
        }
        // The movement took somebody's last liberty: what a placement then captures decides.
        candidates.iter().filter(|point| self.leaves_own_free(own, *point)).collect()
    }

    /// True if after a placement and its captures no group of the mover's is surrounded.
    fn leaves_own_free(&self, own: Bits<W>, point: Point) -> bool {
        let own = own | Bits::single(point);
        let empty = self.board.all().without(own | self.enemy());
        let empty = empty | self.board.surrounded(self.enemy(), empty);
        self.board.surrounded(own, empty).is_empty()
    }

    /// The mover's stones after moving one.
    fn moved(&self, from: Point, to: Point) -> Bits<W> {
        let mut own = self.own();
        own.remove(from);
        own.insert(to);
        own
    }

    /// Where the stone on `from` may move: "to an orthogonally or diagonally adjacent empty point", such that a
    /// legal placement follows.
    fn destinations(&self, from: Point, for_search: bool) -> Bits<W> {
        let stone = Bits::single(from);
        let near = self.board.neighbours(stone) | self.board.diagonals(stone);
        let empty = near.without(self.own() | self.enemy());
        empty.iter().filter(|to| self.has_placement(from, *to, for_search)).collect()
    }

    /// The placements that may follow a movement from `from`, after which the mover's stones are `own`. The search
    /// does without "move, then place on the point just left": it makes the same board as placing at the destination
    /// directly, and is legal exactly where that is.
    fn after_movement(&self, own: Bits<W>, from: Point, for_search: bool) -> Bits<W> {
        let mut points = self.placements(own);
        if for_search {
            points.remove(from);
        }
        points
    }

    /// True if [`Sligo::after_movement`] holds a point, mostly without finding them all.
    fn has_placement(&self, from: Point, to: Point, for_search: bool) -> bool {
        let own = self.moved(from, to);
        let empty = self.board.all().without(own | self.enemy());
        let mut candidates = empty & self.free_of_weak_pairs(own);
        if for_search {
            candidates.remove(from);
        }
        // Before the turn no group was surrounded, and the moved stone's is not now: the point it left is a liberty
        // of its own, or of a stone beside both points. (Enemies on both points between would be a weak pair.) So
        // any placement with an empty neighbour will do.
        candidates.meets(self.board.neighbours(empty))
            || !candidates.is_empty() && !self.after_movement(own, from, for_search).is_empty()
    }

    fn steps(&self, for_search: bool) -> Status<Bits<W>> {
        if let Some(end) = self.end() {
            return Status::Over(end);
        }
        let status = |points, specials| Status::Running(StepSet { points, specials });
        match self.phase {
            Phase::Start => {
                let movable = self.own().iter().filter(|from| !self.destinations(*from, for_search).is_empty());
                status(self.placements(self.own()) | movable.collect(), Specials::PASS)
            }
            Phase::Picked(from) => status(self.destinations(from, for_search), Specials::NONE),
            Phase::Moved(from, _) => status(self.after_movement(self.own(), from, for_search), Specials::NONE),
        }
    }

    fn place(&mut self, point: Point) {
        let player = self.to_move;
        self.stones.of_mut(player).insert(point);
        let empty = self.board.all().without(self.stones.all());
        let captured = self.board.surrounded(self.enemy(), empty);
        let enemy = self.stones.of_mut(player.other());
        *enemy = enemy.without(captured);
        self.phase = Phase::Start;
        self.to_move = player.other();
    }
}

/// "A weak pair is a set of two like-colored, diagonally adjacent stones such that there is no like-colored
/// stone orthogonally adjacent to both."
struct WeakPairs<const W: usize> {
    /// Lower stones of weak pairs whose upper stone is one column to the right.
    rising: Bits<W>,
    /// Lower stones of weak pairs whose upper stone is one column to the left.
    falling: Bits<W>,
    /// Points at which a further stone would form a weak pair.
    made: Bits<W>,
}

impl<const W: usize> WeakPairs<W> {
    fn new(board: &Geometry<W>, stones: Bits<W>) -> Self {
        // `north` holds the points whose northern neighbour is one of the stones, and so on.
        let (north, south) = (board.south(stones), board.north(stones));
        let (east, west) = (board.west(stones), board.east(stones));
        let north_east = board.west(north).without(north | east);
        let north_west = board.east(north).without(north | west);
        let south_east = board.west(south).without(south | east);
        let south_west = board.east(south).without(south | west);
        WeakPairs {
            rising: stones & north_east,
            falling: stones & north_west,
            made: north_east | north_west | south_east | south_west,
        }
    }
}

impl<const W: usize> Game for Sligo<W> {
    type Points = Bits<W>;
    const KIND: GameKind = GameKind::Sligo;

    fn new(n: usize, _options: Options) -> Self {
        Sligo { board: Geometry::new(n), stones: Both::NONE, to_move: Black, passes: 0, phase: Phase::Start }
    }

    fn from_position(start: &StartPosition) -> Result<Self, PositionError> {
        let mut game = Self::new(start.size, Options::default());
        [game.stones.black, game.stones.white] =
            start.points(GameKind::Sligo, &game.board, [Cell::Stone(Black), Cell::Stone(White)])?;
        game.to_move = start.to_move;
        let empty = game.board.all().without(game.stones.all());
        for stones in [game.stones.black, game.stones.white] {
            let pairs = WeakPairs::new(&game.board, stones);
            let weak = pairs.rising | pairs.falling;
            if !weak.is_empty() {
                return Err(unreachable(&game.board, "there is a weak pair", weak));
            }
            let surrounded = game.board.surrounded(stones, empty);
            if !surrounded.is_empty() {
                return Err(unreachable(&game.board, "there is a surrounded group", surrounded));
            }
        }
        Ok(game)
    }

    fn to_move(&self) -> Player {
        self.to_move
    }

    fn phase(&self) -> Phase {
        self.phase
    }

    fn status(&self) -> Status<Bits<W>> {
        self.steps(false)
    }

    fn search_status(&self) -> Status<Bits<W>> {
        self.steps(true)
    }

    fn play(&mut self, step: Step) {
        let Step::Point(point) = step else {
            self.passes += 1;
            self.to_move = self.to_move.other();
            return;
        };
        self.passes = 0;
        match self.phase {
            Phase::Start if self.own().contains(point) => self.phase = Phase::Picked(point),
            Phase::Picked(from) => {
                *self.stones.of_mut(self.to_move) = self.moved(from, point);
                self.phase = Phase::Moved(from, point);
            }
            Phase::Start | Phase::Moved(..) => self.place(point),
        }
    }

    fn fault(&self, step: Step) -> &'static str {
        let Step::Point(point) = step else {
            return if step == Step::PASS {
                "a stone has been moved: a placement must follow"
            } else {
                "only points and pass may be played"
            };
        };
        let stones = self.own();
        match self.phase {
            Phase::Start if stones.contains(point) => "no movement of this stone leads to a legal placement",
            Phase::Picked(from)
                if !(self.board.neighbours(Bits::single(from)) | self.board.diagonals(Bits::single(from)))
                    .contains(point) =>
            {
                "a stone moves to an adjacent point only"
            }
            _ if self.cell(point) != Cell::Empty => "the point is not empty",
            Phase::Picked(_) => "no legal placement follows that movement",
            _ if !self.free_of_weak_pairs(stones).contains(point) => "a weak pair would be on the board",
            _ => "a group of the player's own would be surrounded",
        }
    }

    fn end(&self) -> Option<End> {
        (self.passes == 2).then_some(End::Passes)
    }

    fn score(&self) -> Option<Score> {
        let territories = self.board.territories(self.stones.black, self.stones.white);
        let half = |points: Bits<W>| HalfPoints(2 * points.len() as i32);
        Some(Score {
            black: half(self.stones.black | territories.black),
            white: half(self.stones.white | territories.white),
        })
    }

    fn owner(&self, point: Point) -> Option<Player> {
        let territories = self.board.territories(self.stones.black, self.stones.white);
        if (self.stones.black | territories.black).contains(point) {
            Some(Black)
        } else if (self.stones.white | territories.white).contains(point) {
            Some(White)
        } else {
            None
        }
    }

    fn cell(&self, point: Point) -> Cell {
        self.stones.cell(point)
    }

    fn passes(&self) -> u8 {
        self.passes
    }

    fn board_key(&self) -> u128 {
        key([self.stones.black, self.stones.white], self.to_move)
    }

    fn pieces(&self) -> Pieces<Bits<W>> {
        self.stones.pieces()
    }

    fn mapped(&self, symmetry: Symmetry) -> Self {
        let map = |point| self.board.map_point(symmetry, point);
        Sligo {
            stones: self.stones.mapped(&self.board, symmetry),
            phase: match self.phase {
                Phase::Start => Phase::Start,
                Phase::Picked(from) => Phase::Picked(map(from)),
                Phase::Moved(from, to) => Phase::Moved(map(from), map(to)),
            },
            ..self.clone()
        }
    }

    board_methods!();
}
