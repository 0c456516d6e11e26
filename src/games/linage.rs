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

    fn within(self, region: Bits<W>) -> Self {
        Lines { horizontal: self.horizontal & region, vertical: self.vertical & region }
    }

    /// "A region is free if it's owned by neither player": it holds lines of both directions.
    fn free(self) -> bool {
        !self.horizontal.is_empty() && !self.vertical.is_empty()
    }

    fn any(self) -> bool {
        !(self.horizontal | self.vertical).is_empty()
    }

    fn count(self) -> usize {
        self.horizontal.len() + self.vertical.len()
    }
}

/// A point lies on at most three lines of each direction.
const LINES_THROUGH_A_POINT: usize = 6;

impl<const W: usize> Linage<W> {
    fn empty(&self) -> Bits<W> {
        self.board.all().without(self.stones)
    }

    /// "Place a stone on an empty point which is part of a free region. At all times, every region must
    /// include at least one line."
    pub(crate) fn placements(&self) -> Bits<W> {
        let empty = self.empty();
        let lines = Lines::of(&self.board, empty);
        let smooth = self.without_local_cut(empty);
        let mut legal = Bits::EMPTY;
        for region in self.board.groups(empty) {
            let lines = lines.within(region);
            if !lines.free() {
                continue;
            }
            // Taking a point that cuts nothing leaves one region, which keeps a line if there are enough of them.
            let plain = if lines.count() > LINES_THROUGH_A_POINT { region & smooth } else { Bits::EMPTY };
            legal |= plain;
            for point in region.without(plain) {
                let rest = region.without(Bits::single(point));
                // A region of fewer than three points holds no line, and neither does a shapeless one.
                if self.board.groups(rest).all(|part| Lines::of(&self.board, part).any()) && !rest.is_empty() {
                    legal.insert(point);
                }
            }
        }
        legal
    }

    /// The points of `empty` whose neighbours in `empty` are all connected within the eight points around
    /// them, so that filling the point splits no region. (Others may split one or not.)
    fn without_local_cut(&self, empty: Bits<W>) -> Bits<W> {
        let board = &self.board;
        // `north` holds the points whose northern neighbour is empty, and so on.
        let (north, south) = (board.south(empty), board.north(empty));
        let (east, west) = (board.west(empty), board.east(empty));
        let north_east = board.west(north) & north & east;
        let north_west = board.east(north) & north & west;
        let south_east = board.west(south) & south & east;
        let south_west = board.east(south) & south & west;
        // Going round, a connected stretch starts at each neighbour that isn't joined to the one before it.
        let starts =
            [north.without(north_west), east.without(north_east), south.without(south_east), west.without(south_west)];
        let (mut once, mut twice) = (Bits::EMPTY, Bits::EMPTY);
        for start in starts {
            twice |= once & start;
            once |= start;
        }
        empty.without(twice)
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
        Status::Running(StepSet { points: self.placements(), specials: Specials::PASS })
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
        let empty = self.empty();
        let region = self.board.flood(Bits::single(point), empty);
        if Lines::of(&self.board, region).free() {
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
