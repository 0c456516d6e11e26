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
    /// The stones as the player to move sees them.
    #[inline]
    pub(crate) fn view(&self) -> View<W> {
        let (own, enemy) = (*self.stones.of(self.to_move), *self.stones.of(self.to_move.other()));
        let filled = if let Phase::Moved(_, to) = self.phase { Bits::single(to) } else { Bits::EMPTY };
        View { board: self.board, own, enemy, filled }
    }

    /// Goes to a later position with no turn begun, which the mover sees as `view`.
    pub(crate) fn set(&mut self, view: View<W>, to_move: Player, passes: u8) {
        *self.stones.of_mut(to_move) = view.own;
        *self.stones.of_mut(to_move.other()) = view.enemy;
        (self.to_move, self.passes, self.phase) = (to_move, passes, Phase::Start);
    }

    fn steps(&self, for_search: bool) -> Status<Bits<W>> {
        if let Some(end) = self.end() {
            return Status::Over(end);
        }
        let view = self.view();
        let (points, specials) = match self.phase {
            Phase::Start => (view.first_steps(for_search), Specials::PASS),
            Phase::Picked(from) => (view.destinations(Bits::single(from), for_search), Specials::NONE),
            Phase::Moved(from, _) => {
                let placements = view.placements(view.free_of_weak_pairs()).all();
                (if for_search { placements.without(Bits::single(from)) } else { placements }, Specials::NONE)
            }
        };
        Status::Running(StepSet { points, specials })
    }
}

/// The stones on a board as the mover sees them.
#[derive(Clone, Copy)]
pub(crate) struct View<const W: usize> {
    board: Geometry<W>,
    own: Bits<W>,
    enemy: Bits<W>,
    /// The point to which a stone was moved in this turn.
    filled: Bits<W>,
}

impl<const W: usize> View<W> {
    #[inline]
    fn empty(&self) -> Bits<W> {
        self.board.all().without(self.own | self.enemy)
    }

    /// The points orthogonally or diagonally adjacent to `points`, or among them.
    #[inline]
    fn around(&self, points: Bits<W>) -> Bits<W> {
        let [_, east, _, west] = self.board.steps(points);
        let row = points | east | west;
        let [north, _, south, _] = self.board.steps(row);
        (row | north | south) & self.board.all()
    }

    /// The mover's stones that have somewhere to move: "to an orthogonally or diagonally adjacent empty point".
    #[inline]
    pub(crate) fn loose(&self) -> Bits<W> {
        self.own & self.around(self.empty())
    }

    /// The points to which the stone `from` may move, whatever comes after.
    #[inline]
    pub(crate) fn room(&self, from: Bits<W>) -> Bits<W> {
        self.empty() & self.around(from)
    }

    /// After moving the stone `from` to `to`.
    #[inline]
    pub(crate) fn moved(&self, from: Bits<W>, to: Bits<W>) -> Self {
        View { own: self.own.without(from) | to, filled: to, ..*self }
    }

    /// The empty points where a placement leaves no weak pair of the mover's.
    #[inline(always)] // Called, it would get its sets through memory.
    pub(crate) fn free_of_weak_pairs(&self) -> Bits<W> {
        let pairs = WeakPairs::new(&self.board, self.own);
        let mut points = self.empty().without(pairs.made);
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

    /// True if `point` is an eye of the mover's: an empty point all of whose neighbours are stones of his.
    #[inline]
    pub(crate) fn is_eye(&self, point: Bits<W>) -> bool {
        self.board.neighbours(point).without(self.own).is_empty()
    }

    /// True if no group of the mover's is surrounded after a placement on `point` and its captures.
    ///
    /// Before the placement none is. At the start of a turn no group on the board is. A movement leaves what the moved
    /// stone was joined to the point that it left as a liberty; and the moved stone's group has that one too, through a
    /// stone beside both points if it moved diagonally, or else one of the points between. (Enemies on both of these
    /// would be a weak pair.) So only the new stone's group matters.
    #[inline(always)] // Called, it would get its sets through memory.
    pub(crate) fn breathes(&self, point: Bits<W>) -> bool {
        let empty = self.empty().without(point);
        let beside = self.board.neighbours(point);
        beside.meets(empty) || self.joins_breathing(beside, empty) || self.captures(point, beside, empty)
    }

    /// True if a group of the mover's with one of its stones `beside` has a liberty in `empty`.
    #[inline]
    fn joins_breathing(&self, beside: Bits<W>, empty: Bits<W>) -> bool {
        let breathing = self.board.neighbours(empty) & self.own;
        beside.meets(self.own) && self.board.flood_until_any(breathing, self.own, beside).meets(beside)
    }

    /// True if the group of a new stone on `point` gains a liberty by captures, `empty` being left before them.
    #[inline(never)] // Rarely asked, and long.
    fn captures(&self, point: Bits<W>, beside: Bits<W>, empty: Bits<W>) -> bool {
        let (board, enemy) = (&self.board, self.enemy);
        let free = board.flood_until_all(board.neighbours(empty) & enemy, enemy, beside & enemy);
        if !(beside & enemy).without(free).is_empty() {
            return true;
        }
        // A movement may have taken the last liberty of enemies who stand beside the new stone's group elsewhere.
        let elsewhere = !self.filled.is_empty() && beside.meets(self.own);
        let group = || board.flood(point, self.own | point);
        elsewhere && board.neighbours(group()).meets(enemy.without(board.flood(free, enemy)))
    }

    /// Where of the `candidates`, on which a stone leaves no weak pair, the mover may place: "after placing a stone,
    /// remove all surrounded enemy groups. In the resulting position, there must be no weak pairs and no surrounded
    /// groups of any color on the board."
    ///
    /// The enemy needs no look: no group of his is surrounded once such groups are removed, and none of his
    /// stones is diagonal to another without a common neighbour, since that neighbour would be of their group.
    #[inline]
    fn placements(&self, candidates: Bits<W>) -> Placements<W> {
        let roomy = self.roomy();
        let mut found = Placements { quiet: candidates & roomy, capturing: Bits::EMPTY };
        let lone = candidates.without(roomy);
        if lone.is_empty() {
            return found;
        }
        let joining = lone & self.beside_free_groups(roomy);
        found.quiet |= joining;
        for point in lone.without(joining) {
            let point = Bits::single(point);
            let (beside, empty) = (self.board.neighbours(point), self.empty().without(point));
            if self.joins_breathing(beside, empty) {
                found.quiet |= point;
            } else if self.captures(point, beside, empty) {
                found.capturing |= point;
            }
        }
        found
    }

    /// The empty points beside others.
    #[inline]
    fn roomy(&self) -> Bits<W> {
        self.empty() & self.board.neighbours(self.empty())
    }

    /// The points beside a group of the mover's that has a liberty among `roomy` points.
    #[inline]
    fn beside_free_groups(&self, roomy: Bits<W>) -> Bits<W> {
        let breathing = self.board.neighbours(roomy) & self.own;
        self.board.neighbours(self.board.flood_until_all(breathing, self.own, self.own))
    }

    /// True if moving the stone `from` to `to` leads to a legal placement other than on the point just left.
    fn has_placement(&self, from: Bits<W>, to: Bits<W>) -> bool {
        let moved = self.moved(from, to);
        let candidates = moved.free_of_weak_pairs().without(from);
        candidates.meets(moved.roomy()) || candidates.iter().any(|point| moved.breathes(Bits::single(point)))
    }

    /// Where the mover may place at the start of a turn, and the stones that may be moved.
    fn first_steps(&self, for_search: bool) -> Bits<W> {
        let near = Near::new(&self.board, self.own);
        let placements = self.placements(self.empty().without(near.made()));
        let all = placements.all();
        let known =
            self.sure_movements(&near, placements.quiet).stones() | self.own & self.around(returns(all, for_search));
        let checked = self.loose().without(known | self.stuck(&near)).iter().filter(|from| {
            let from = Bits::single(*from);
            self.room(from).iter().any(|to| self.has_placement(from, Bits::single(to)))
        });
        all | known | checked.collect()
    }

    /// Where the stone `from` may move such that a legal placement follows.
    fn destinations(&self, from: Bits<W>, for_search: bool) -> Bits<W> {
        let near = Near::new(&self.board, self.own);
        let placements = self.placements(self.empty().without(near.made()));
        let room = self.room(from);
        let sure = self.sure_movements(&near, placements.quiet).destinations(from);
        let known = room & (sure | returns(placements.all(), for_search));
        if self.stuck(&near).meets(from) {
            return known;
        }
        known | room.without(known).iter().filter(|to| self.has_placement(from, Bits::single(*to))).collect()
    }

    /// The mover's stones that are alone beside both of two diagonal stones and whose fourth corner is the enemy's:
    /// once such a stone is moved, only a placement on the point that it left heals the weak pair.
    fn stuck(&self, near: &Near<W>) -> Bits<W> {
        let not_empty = Near::new(&self.board, self.own | self.enemy);
        let alone = near.alone();
        let stuck: [Bits<W>; 4] = std::array::from_fn(|corner| alone[corner] & not_empty.corners[corner]);
        self.own & (stuck[0] | stuck[1] | stuck[2] | stuck[3])
    }

    /// Movements that leave no weak pair, and after which one of the `quiet` placements is legal as it was before.
    ///
    /// One that is more than two rows or columns away from the stone moved is. No pair that it is in changes, nor any
    /// point beside it. And a group that it joins keeps a liberty: either the one that it had; or the point that the
    /// stone left, if the way to that liberty led through there; or, if the stone was moved onto it, one of that
    /// stone's (see [`View::breathes`]). Only a liberty by capture may be lost.
    fn sure_movements(&self, near: &Near<W>, quiet: Bits<W>) -> Movements<W> {
        let (board, empty) = (&self.board, self.empty());
        let [north, east, south, west] = near.beside;
        let [north_east, south_east, south_west, north_west] = near.corners;
        let [weak_north_east, weak_south_east, weak_south_west, weak_north_west] = near.weak();
        let [heals_north_east, heals_south_east, heals_south_west, heals_north_west] = near.alone();
        // The stone moved is beside or diagonal to its destination before, but not after. So it heals no pair there
        // then, and makes none.
        let to = |made: Bits<W>| empty.without(made);
        let northward = to(weak_north_east | weak_north_west | south_east.without(east) | south_west.without(west));
        let eastward = to(weak_north_east | weak_south_east | north_west.without(north) | south_west.without(south));
        let southward = to(weak_south_east | weak_south_west | north_east.without(east) | north_west.without(west));
        let westward = to(weak_north_west | weak_south_west | north_east.without(north) | south_east.without(south));
        let north_eastward = to(weak_north_east | weak_south_east | weak_north_west);
        let south_eastward = to(weak_north_east | weak_south_east | weak_south_west);
        let south_westward = to(weak_south_east | weak_south_west | weak_north_west);
        let north_westward = to(weak_north_east | weak_south_west | weak_north_west);
        // A pair that the stone heals alone is healed from the corner between the two as well, but from nowhere else.
        let stones = self.own.without(self.closing_in(quiet));
        let (northern, southern) = (heals_north_east | heals_north_west, heals_south_east | heals_south_west);
        let firm = stones.without(northern | southern);
        Movements {
            board: *board,
            straight: [
                firm & board.south(northward),
                firm & board.west(eastward),
                firm & board.north(southward),
                firm & board.east(westward),
            ],
            slanting: [
                stones.without(southern | heals_north_west) & board.south(board.west(north_eastward)),
                stones.without(northern | heals_south_west) & board.north(board.west(south_eastward)),
                stones.without(northern | heals_south_east) & board.north(board.east(south_westward)),
                stones.without(southern | heals_north_east) & board.south(board.east(north_westward)),
            ],
        }
    }

    /// The mover's stones that have all of `points` within two rows and columns.
    fn closing_in(&self, points: Bits<W>) -> Bits<W> {
        let mut stones = self.own;
        for point in points {
            if stones.is_empty() {
                break;
            }
            stones &= self.around(self.around(Bits::single(point)));
        }
        stones
    }

    /// The board as the other player sees it after a placement on `point`.
    /// "After placing a stone, remove all surrounded enemy groups."
    #[inline(always)] // Called, it would get its sets through memory.
    pub(crate) fn placed(&self, point: Bits<W>) -> Self {
        let own = self.own | point;
        let empty = self.board.all().without(own | self.enemy);
        // Only groups beside a point that was filled may have lost their last liberty.
        let beside = self.board.neighbours(point | self.filled) & self.enemy;
        let breathing = self.board.neighbours(empty) & self.enemy;
        let free = self.board.flood_until_all(breathing, self.enemy, beside);
        let enemy = if beside.without(free).is_empty() { self.enemy } else { free };
        View { board: self.board, own: enemy, enemy: own, filled: Bits::EMPTY }
    }

    /// The board as the other player sees it.
    #[inline]
    pub(crate) fn turned(&self) -> Self {
        View { own: self.enemy, enemy: self.own, ..*self }
    }
}

/// The points to which a stone may be moved because a placement on the point that it leaves may follow: that makes the
/// same board as placing there directly, and is legal exactly where that is, on the `placements`. The search does
/// without.
fn returns<const W: usize>(placements: Bits<W>, for_search: bool) -> Bits<W> {
    if for_search { Bits::EMPTY } else { placements }
}

/// Legal placements.
struct Placements<const W: usize> {
    /// Those after which the new stone's group has a liberty without captures.
    quiet: Bits<W>,
    /// Those after which it has none but by captures.
    capturing: Bits<W>,
}

impl<const W: usize> Placements<W> {
    fn all(&self) -> Bits<W> {
        self.quiet | self.capturing
    }
}

/// The stones that may be moved, by direction.
struct Movements<const W: usize> {
    board: Geometry<W>,
    /// By a step to the north, east, south and west.
    straight: [Bits<W>; 4],
    /// By a step to the north-east, south-east, south-west and north-west.
    slanting: [Bits<W>; 4],
}

impl<const W: usize> Movements<W> {
    /// The stones that may be moved in some direction.
    fn stones(&self) -> Bits<W> {
        self.straight.into_iter().chain(self.slanting).fold(Bits::EMPTY, |all, stones| all | stones)
    }

    /// Where the stone `from` may be moved.
    fn destinations(&self, from: Bits<W>) -> Bits<W> {
        let board = &self.board;
        let [north, east, south, west] = self.straight.map(|stones| stones & from);
        let [north_east, south_east, south_west, north_west] = self.slanting.map(|stones| stones & from);
        let northern = board.north(north | board.east(north_east) | board.west(north_west));
        let southern = board.south(south | board.east(south_east) | board.west(south_west));
        northern | southern | board.east(east) | board.west(west)
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
    #[inline]
    fn new(board: &Geometry<W>, stones: Bits<W>) -> Self {
        let near = Near::new(board, stones);
        let [north_east, _, _, north_west] = near.weak();
        WeakPairs { rising: stones & north_east, falling: stones & north_west, made: near.made() }
    }
}

/// Which points have stones of one colour near them. Places off the board may be among the points.
#[derive(Clone, Copy)]
struct Near<const W: usize> {
    /// The points with a stone to the north, east, south and west.
    beside: [Bits<W>; 4],
    /// The points with a stone to the north-east, south-east, south-west and north-west.
    corners: [Bits<W>; 4],
}

impl<const W: usize> Near<W> {
    #[inline]
    fn new(board: &Geometry<W>, stones: Bits<W>) -> Self {
        // To the south of stones are the points with a stone to the north, and so on.
        let [south, west, north, east] = board.steps(stones);
        let ([_, north_west, _, north_east], [_, south_west, _, south_east]) = (board.steps(north), board.steps(south));
        Near { beside: [north, east, south, west], corners: [north_east, south_east, south_west, north_west] }
    }

    /// The points that form a weak pair with a stone at the corner, if a stone stands there, by corner.
    #[inline]
    fn weak(&self) -> [Bits<W>; 4] {
        let [north, east, south, west] = self.beside;
        let [north_east, south_east, south_west, north_west] = self.corners;
        [
            north_east.without(north | east),
            south_east.without(south | east),
            south_west.without(south | west),
            north_west.without(north | west),
        ]
    }

    /// The points that form a weak pair with some stone, if a stone stands there.
    #[inline]
    fn made(&self) -> Bits<W> {
        let [north_east, south_east, south_west, north_west] = self.weak();
        north_east | south_east | south_west | north_west
    }

    /// The points alone beside both of two diagonal stones, by the corner between these.
    #[inline]
    fn alone(&self) -> [Bits<W>; 4] {
        let [north, east, south, west] = self.beside;
        let [north_east, south_east, south_west, north_west] = self.corners;
        [
            (north & east).without(north_east),
            (south & east).without(south_east),
            (south & west).without(south_west),
            (north & west).without(north_west),
        ]
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
            Phase::Start if self.view().own.contains(point) => self.phase = Phase::Picked(point),
            Phase::Picked(from) => {
                *self.stones.of_mut(self.to_move) = self.view().moved(Bits::single(from), Bits::single(point)).own;
                self.phase = Phase::Moved(from, point);
            }
            Phase::Start | Phase::Moved(..) => {
                self.set(self.view().placed(Bits::single(point)), self.to_move.other(), 0);
            }
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
        let view = self.view();
        match self.phase {
            Phase::Start if view.own.contains(point) => "no movement of this stone leads to a legal placement",
            Phase::Picked(from)
                if !(self.board.neighbours(Bits::single(from)) | self.board.diagonals(Bits::single(from)))
                    .contains(point) =>
            {
                "a stone moves to an adjacent point only"
            }
            _ if self.cell(point) != Cell::Empty => "the point is not empty",
            Phase::Picked(_) => "no legal placement follows that movement",
            _ if !view.free_of_weak_pairs().contains(point) => "a weak pair would be on the board",
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
