//! Linage: one pool of stones, regions and lines. `Black` is Vertical, `White` is Horizontal.

use super::position::{board_methods, key, unreachable};
use super::{
    Cell, End, Game, GameKind, HalfPoints, Options, Phase, Pieces, Player, PositionError, Score, Specials,
    StartPosition, Status, Step, StepSet,
};
use crate::board::{Bits, Geometry, Point, PointError, Symmetry};
use Player::{Black, White};

/// A position of Linage.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Linage<const W: usize> {
    board: Geometry<W>,
    stones: Bits<W>,
    to_move: Player,
    passes: u8,
}

/// The middle points of the lines among some empty points: "a line is a set of three orthogonally
/// contiguous empty points on the same row or column".
#[derive(Clone, Copy)]
struct Lines<const W: usize> {
    horizontal: Bits<W>,
    vertical: Bits<W>,
}

impl<const W: usize> Lines<W> {
    fn of(board: &Geometry<W>, empty: Bits<W>) -> Self {
        Lines {
            horizontal: empty & board.east(empty) & board.west(empty),
            vertical: empty & board.north(empty) & board.south(empty),
        }
    }

    /// The lines that are left once the points of `taken` are not empty any more.
    #[inline]
    fn after(self, taken: Bits<W>, board: &Geometry<W>) -> Self {
        let [north, east, south, west] = board.steps(taken);
        Lines {
            horizontal: self.horizontal.without(taken | east | west),
            vertical: self.vertical.without(taken | north | south),
        }
    }

    /// The points on horizontal and on vertical lines.
    #[inline]
    fn points(self, board: &Geometry<W>) -> [Bits<W>; 2] {
        // A middle point is never at the edge, so no step leaves the board.
        let ([_, east, _, west], [north, _, south, _]) = (board.steps(self.horizontal), board.steps(self.vertical));
        [self.horizontal | east | west, self.vertical | north | south]
    }

    fn any(self) -> bool {
        !(self.horizontal | self.vertical).is_empty()
    }
}

/// The empty points of a board on which every region holds a line, and which of them are in free regions.
#[derive(Clone, Copy)]
pub(crate) struct Regions<const W: usize> {
    board: Geometry<W>,
    empty: Bits<W>,
    lines: Lines<W>,
    free: Bits<W>,
}

impl<const W: usize> Regions<W> {
    fn of(board: Geometry<W>, empty: Bits<W>) -> Self {
        let lines = Lines::of(&board, empty);
        let [with_horizontal, with_vertical] =
            lines.points(&board).map(|points| board.flood_until_all(points, empty, empty));
        // "A region is free if it's owned by neither player": it holds lines of both directions.
        Regions { board, empty, lines, free: with_horizontal & with_vertical }
    }

    /// The points in free regions.
    #[inline]
    pub(crate) fn free(&self) -> Bits<W> {
        self.free
    }

    /// The points orthogonally adjacent to `point`.
    #[inline]
    pub(crate) fn beside(&self, point: Bits<W>) -> Bits<W> {
        self.board.neighbours(point)
    }

    /// Places a stone on `point`, which must be in a free region, if that is legal, and says whether it was.
    #[inline(always)] // Called, it would get its sets through memory.
    pub(crate) fn place(&mut self, point: Bits<W>) -> bool {
        let Some(left) = self.left_by(point) else { return false };
        self.empty = left.empty;
        self.lines = left.lines;
        self.free = self.free.without(point);
        for line_points in left.lines.points(&self.board) {
            let with_line = self.board.flood_until_all(line_points, left.empty, left.beside);
            // Parts of the region that no line of this direction reaches are not free any more. (If all are reached
            // the flood may have stopped early, and tells nothing of other points.)
            if !left.beside.without(with_line).is_empty() {
                self.free &= with_line;
            }
        }
        true
    }

    /// What a stone on `point`, which must be in a free region, leaves, if that is legal: "at all times, every region
    /// must include at least one line".
    #[inline(always)] // Called, it would get its sets through memory.
    fn left_by(&self, point: Bits<W>) -> Option<Left<W>> {
        let empty = self.empty.without(point);
        let lines = self.lines.after(point, &self.board);
        let [horizontal, vertical] = lines.points(&self.board);
        // Every part that the stone leaves of the region is next to it, and there is one: no single point is free.
        let beside = self.beside(point) & empty;
        let with_line = self.board.flood_until_all(horizontal | vertical, empty, beside);
        beside.without(with_line).is_empty().then_some(Left { empty, lines, beside })
    }

    /// "Place a stone on an empty point which is part of a free region. At all times, every region must include at
    /// least one line."
    fn placements(&self) -> Bits<W> {
        let doubtful = self.free & self.doubtful();
        let mut legal = self.free.without(doubtful);
        let mut rest = doubtful.without(self.cutting_off_few());
        while !rest.is_empty() {
            let point = rest.lowest();
            rest = rest.without(point);
            if self.left_by(point).is_some() {
                legal |= point;
            }
        }
        legal
    }

    /// Points of free regions that alone join one or two points to the rest, too few for a line.
    fn cutting_off_few(&self) -> Bits<W> {
        let (board, empty) = (&self.board, self.empty);
        let mut beside = [Bits::EMPTY; 3];
        for near in [board.north(empty), board.south(empty), board.east(empty), board.west(empty)] {
            let [once, twice, thrice] = beside;
            beside = [once | near, twice | once & near, thrice | twice & near];
        }
        let [once, twice, thrice] = beside.map(|points| points & empty);
        let ends = once.without(twice);
        let beside_ends = board.neighbours(ends);
        let stems = twice.without(thrice) & beside_ends;
        // A stem is beside two points, its end and the one that joins both to the rest.
        beside_ends | board.neighbours(stems).without(ends)
    }

    /// Points with an empty neighbour that is not at once seen to keep a line, by itself or through a neighbour of its
    /// own, if the point is taken.
    fn doubtful(&self) -> Bits<W> {
        let (board, empty) = (&self.board, self.empty);
        let Lines { horizontal, vertical } = self.lines;
        let [on_horizontal, on_vertical] = self.lines.points(board);
        let on_any = on_horizontal | on_vertical;
        // Lines across the way to a neighbour avoid the point, and so does the line that leads away from it.
        let kept_east = on_vertical | board.west(horizontal);
        let kept_west = on_vertical | board.east(horizontal);
        let kept_north = on_horizontal | board.south(vertical);
        let kept_south = on_horizontal | board.north(vertical);
        // No line through a point diagonal to the taken one holds that one.
        let (by_row, by_column) = (board.east(on_any) | board.west(on_any), board.north(on_any) | board.south(on_any));
        let east = empty.without(kept_east | board.west(kept_east) | by_column);
        let west = empty.without(kept_west | board.east(kept_west) | by_column);
        let north = empty.without(kept_north | board.south(kept_north) | by_row);
        let south = empty.without(kept_south | board.north(kept_south) | by_row);
        board.west(east) | board.east(west) | board.south(north) | board.north(south)
    }
}

/// A board after a placement.
struct Left<const W: usize> {
    empty: Bits<W>,
    lines: Lines<W>,
    /// The empty points next to the stone placed.
    beside: Bits<W>,
}

impl<const W: usize> Linage<W> {
    fn empty(&self) -> Bits<W> {
        self.board.all().without(self.stones)
    }

    /// The board's regions.
    pub(crate) fn regions(&self) -> Regions<W> {
        Regions::of(self.board, self.empty())
    }

    /// "A region is owned by Vertical if it contains no horizontal lines, and by Horizontal if it contains no
    /// vertical lines." "A player's score is the number of points in the regions that they own."
    fn owned(&self) -> [Bits<W>; 2] {
        let empty = self.empty();
        let lines = Lines::of(&self.board, empty);
        let with_horizontal = self.board.flood(lines.horizontal, empty);
        let with_vertical = self.board.flood(lines.vertical, empty);
        [empty.without(with_horizontal), empty.without(with_vertical)]
    }
}

impl<const W: usize> Game for Linage<W> {
    type Points = Bits<W>;
    const KIND: GameKind = GameKind::Linage;

    fn new(n: usize, _options: Options) -> Self {
        Linage { board: Geometry::new(n), stones: Bits::EMPTY, to_move: Black, passes: 0 }
    }

    fn from_position(start: &StartPosition) -> Result<Self, PositionError> {
        let mut game = Self::new(start.size, Options::default());
        let [stones] = start.points(GameKind::Linage, &game.board, [Cell::Stone(Black)])?;
        game.stones = stones;
        game.to_move = start.to_move;
        let empty = game.empty();
        let bare = game.board.groups(empty).find(|region| !Lines::of(&game.board, *region).any());
        match bare {
            Some(region) => Err(unreachable(&game.board, "a region holds no line", region)),
            None => Ok(game),
        }
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
        Status::Running(StepSet { points: self.regions().placements(), specials: Specials::PASS })
    }

    fn play(&mut self, step: Step) {
        match step {
            Step::Point(point) => {
                self.stones.insert(point);
                self.passes = 0;
            }
            Step::Special(_) => self.passes += 1,
        }
        self.to_move = self.to_move.other();
    }

    fn fault(&self, step: Step) -> &'static str {
        let Step::Point(point) = step else { return "only a point or pass may be played" };
        if self.stones.contains(point) {
            return "the point is not empty";
        }
        if self.regions().free.contains(point) {
            "a region would be left without a line"
        } else {
            "the point is not in a free region"
        }
    }

    fn end(&self) -> Option<End> {
        (self.passes == 2).then_some(End::Passes)
    }

    fn score(&self) -> Option<Score> {
        let [black, white] = self.owned().map(|points| HalfPoints(2 * points.len() as i32));
        Some(Score { black, white })
    }

    fn owner(&self, point: Point) -> Option<Player> {
        let [vertical, horizontal] = self.owned();
        if vertical.contains(point) {
            Some(Black)
        } else if horizontal.contains(point) {
            Some(White)
        } else {
            None
        }
    }

    fn cell(&self, point: Point) -> Cell {
        if self.stones.contains(point) { Cell::Stone(Black) } else { Cell::Empty }
    }

    fn passes(&self) -> u8 {
        self.passes
    }

    fn board_key(&self) -> u128 {
        key([self.stones], self.to_move)
    }

    fn pieces(&self) -> Pieces<Bits<W>> {
        Pieces { black: self.stones, white: Bits::EMPTY, black_kings: Bits::EMPTY, white_kings: Bits::EMPTY }
    }

    fn mapped(&self, symmetry: Symmetry) -> Self {
        let stones = self.board.map_bits(symmetry, self.stones);
        let to_move = if GameKind::Linage.exchanges_players(symmetry) { self.to_move.other() } else { self.to_move };
        Linage { stones, to_move, ..self.clone() }
    }

    board_methods!();
}
