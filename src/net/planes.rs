//! Positions as planes: what each channel of the network's input means.

use super::snapshot::{Snapshot, Stage};
use crate::board::{Bits, Geometry};
use crate::games::{Button, Cell, GameKind, Player};

/// Changes whenever a plane's meaning or place changes: a network fits one layout only.
pub const LAYOUT_VERSION: u32 = 1;

/// One channel. "Own" is the mover's, "enemy" the opponent's. Marks are 1, the rest 0.
///
/// In Linage the board is transposed when Horizontal is to move, so the mover always plays Vertical: own lines are
/// the vertical ones. Whole planes hold one number on all points, and come last: the head reads them from one point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plane {
    /// All points; beyond the edge the convolutions see zeros.
    Board,
    /// Own pieces; in Linage all stones.
    Own,
    /// Enemy pieces.
    Enemy,
    /// Own kings.
    OwnKing,
    /// Enemy kings.
    EnemyKing,
    /// Own groups without a liberty. Groups with three or more are what the four sets below leave.
    OwnNone,
    /// Own groups with one liberty.
    OwnOne,
    /// Own groups with two liberties.
    OwnTwo,
    /// Enemy groups without a liberty.
    EnemyNone,
    /// Enemy groups with one liberty.
    EnemyOne,
    /// Enemy groups with two liberties.
    EnemyTwo,
    /// Empty regions that touch own pieces only; in Linage regions without horizontal lines.
    OwnRegion,
    /// Empty regions that touch enemy pieces only; in Linage regions without vertical lines.
    EnemyRegion,
    /// Middles of own (vertical) lines.
    OwnLine,
    /// Middles of enemy (horizontal) lines.
    EnemyLine,
    /// Fugo: where the mover may place if none of the own groups is smothered.
    OwnPlace,
    /// Fugo: where the enemy could, on this board.
    EnemyPlace,
    /// The stone picked up.
    Picked,
    /// Whole: the mover's komi in points, divided by n.
    Komi,
    /// Whole: (n − 9) / 10.
    Size,
    /// Whole: own score minus enemy score without komi if the game ended here, in points, divided by n.
    Lead,
    /// Whole: the last turn was a pass.
    Passed,
    /// Whole: the mover holds the button.
    OwnButton,
    /// Whole: the enemy holds the button.
    EnemyButton,
    /// Whole: handicap pawns left to place, divided by n.
    Handicap,
    /// Whole: a stone has been picked up.
    PickedUp,
    /// Whole: a stone has been moved in this turn.
    Moved,
    /// Whole: the mover may swap.
    Swap,
}

use Plane::*;

const YUGO: &[Plane] = &[
    Board,
    Own,
    Enemy,
    OwnKing,
    EnemyKing,
    OwnNone,
    OwnOne,
    OwnTwo,
    EnemyNone,
    EnemyOne,
    EnemyTwo,
    OwnRegion,
    EnemyRegion,
    Komi,
    Size,
    Lead,
    Passed,
    OwnButton,
    EnemyButton,
    Handicap,
];
const LINAGE: &[Plane] = &[Board, Own, OwnRegion, EnemyRegion, OwnLine, EnemyLine, Komi, Size, Lead, Passed];
const FUGO: &[Plane] = &[
    Board, Own, Enemy, OwnNone, OwnOne, OwnTwo, EnemyNone, EnemyOne, EnemyTwo, OwnPlace, EnemyPlace, Picked, Size,
    PickedUp, Swap,
];
const SLIGO: &[Plane] = &[
    Board,
    Own,
    Enemy,
    OwnNone,
    OwnOne,
    OwnTwo,
    EnemyNone,
    EnemyOne,
    EnemyTwo,
    OwnRegion,
    EnemyRegion,
    Picked,
    Komi,
    Size,
    Lead,
    Passed,
    PickedUp,
    Moved,
];

/// The most planes that a game has.
pub const MAX_PLANES: usize = YUGO.len();

/// The game's planes in order.
pub fn layout(game: GameKind) -> &'static [Plane] {
    match game {
        GameKind::Yugo => YUGO,
        GameKind::Linage => LINAGE,
        GameKind::Fugo => FUGO,
        GameKind::Sligo => SLIGO,
    }
}

/// The number of the game's planes.
pub fn plane_count(game: GameKind) -> usize {
    layout(game).len()
}

/// The number of whole planes, which come last.
pub(super) fn whole_count(game: GameKind) -> usize {
    layout(game).iter().filter(|plane| plane.whole()).count()
}

impl Plane {
    /// True if the plane holds one number on all points.
    pub fn whole(self) -> bool {
        matches!(self, Komi | Size | Lead | Passed | OwnButton | EnemyButton | Handicap | PickedUp | Moved | Swap)
    }
}

/// What `(n − 9) / 10` is; also the factor by which the head scales means, so that it can add up points.
pub(super) fn size_scale(n: usize) -> f32 {
    (n as f32 - 9.0) / 10.0
}

/// Writes the position's planes, channels last: `out[(row · n + column) · planes + plane]`, rows from the bottom.
/// `out` must hold n·n·[`plane_count`] numbers; all of them are written.
pub fn write_planes(snapshot: &Snapshot, out: &mut [f32]) {
    // As everywhere: small boards pay for small boards.
    match snapshot.size() {
        0..=7 => write::<1>(snapshot, out),
        8..=10 => write::<2>(snapshot, out),
        11..=13 => write::<3>(snapshot, out),
        _ => write::<6>(snapshot, out),
    }
}

struct Writer<'a, const W: usize> {
    board: Geometry<W>,
    planes: &'static [Plane],
    out: &'a mut [f32],
}

impl<const W: usize> Writer<'_, W> {
    fn mark(&mut self, plane: Plane, points: Bits<W>) {
        let Some(channel) = self.planes.iter().position(|known| *known == plane) else { return };
        for point in points {
            self.out[self.board.dense(point) * self.planes.len() + channel] = 1.0;
        }
    }

    /// Marks groups by liberties, and returns those without.
    fn mark_liberties(&mut self, stones: Bits<W>, empty: Bits<W>, [none, one, two]: [Plane; 3]) -> Bits<W> {
        let mut found = [Bits::EMPTY; 3];
        for group in self.board.groups(stones) {
            let liberties = (self.board.neighbours(group) & empty).len();
            if liberties < found.len() {
                found[liberties] |= group;
            }
        }
        for (plane, points) in [none, one, two].into_iter().zip(found) {
            self.mark(plane, points);
        }
        found[0]
    }
}

/// The pieces of both sides as the mover sees them.
struct Pieces<const W: usize> {
    own: Bits<W>,
    enemy: Bits<W>,
    own_kings: Bits<W>,
    enemy_kings: Bits<W>,
}

impl<const W: usize> Pieces<W> {
    fn of(board: &Geometry<W>, snapshot: &Snapshot) -> Self {
        let mut pieces =
            Pieces { own: Bits::EMPTY, enemy: Bits::EMPTY, own_kings: Bits::EMPTY, enemy_kings: Bits::EMPTY };
        let n = snapshot.size();
        let linage = snapshot.game == GameKind::Linage;
        let transposed = linage && snapshot.to_move == Player::White;
        let mut cells = snapshot.cells.iter();
        for row in 0..n {
            for column in 0..n {
                let (player, king) = match cells.next() {
                    Some(Cell::Stone(player)) => (*player, false),
                    Some(Cell::King(player)) => (*player, true),
                    _ => continue,
                };
                let point = if transposed { board.at(column, row) } else { board.at(row, column) };
                let own = linage || player == snapshot.to_move;
                let (all, kings) = match own {
                    true => (&mut pieces.own, &mut pieces.own_kings),
                    false => (&mut pieces.enemy, &mut pieces.enemy_kings),
                };
                all.insert(point);
                if king {
                    kings.insert(point);
                }
            }
        }
        pieces
    }
}

fn write<const W: usize>(snapshot: &Snapshot, out: &mut [f32]) {
    let n = snapshot.size();
    let planes = layout(snapshot.game);
    assert_eq!(out.len(), n * n * planes.len(), "the buffer must hold the position's planes");
    let board = Geometry::<W>::new(n);
    out.fill(0.0);
    let mut writer = Writer { board, planes, out };
    let Pieces { own, enemy, own_kings, enemy_kings } = Pieces::of(&board, snapshot);
    let empty = board.all().without(own | enemy);
    writer.mark(Own, own);
    writer.mark(Enemy, enemy);
    writer.mark(OwnKing, own_kings);
    writer.mark(EnemyKing, enemy_kings);
    if let Stage::Picked(dense) = snapshot.stage {
        writer.mark(Picked, Bits::single(board.from_dense(dense as usize)));
    }

    let mut lead = 0;
    if snapshot.game == GameKind::Linage {
        let horizontal = empty & board.east(empty) & board.west(empty);
        let vertical = empty & board.north(empty) & board.south(empty);
        writer.mark(OwnLine, vertical);
        writer.mark(EnemyLine, horizontal);
        let own_region = empty.without(board.flood(horizontal, empty));
        let enemy_region = empty.without(board.flood(vertical, empty));
        writer.mark(OwnRegion, own_region);
        writer.mark(EnemyRegion, enemy_region);
        lead = 2 * (own_region.len() as i32 - enemy_region.len() as i32);
    } else {
        let own_none = writer.mark_liberties(own, empty, [OwnNone, OwnOne, OwnTwo]);
        let enemy_none = writer.mark_liberties(enemy, empty, [EnemyNone, EnemyOne, EnemyTwo]);
        if snapshot.game == GameKind::Fugo {
            let (own, enemy) = (board.liberties(own, empty), board.liberties(enemy, empty));
            let open = board.neighbours(empty);
            writer.mark(OwnPlace, empty & (open | own.spare | enemy.last));
            writer.mark(EnemyPlace, empty & (open | enemy.spare | own.last));
        } else {
            let regions = board.territories(own, enemy);
            writer.mark(OwnRegion, regions.black);
            writer.mark(EnemyRegion, regions.white);
            let (mut own_paid, mut enemy_paid) = (own | regions.black, enemy | regions.white);
            if snapshot.game == GameKind::Yugo {
                // Pieces without a liberty do not count for their owner; their kings count for the other side.
                own_paid = own_paid.without(own_none) | enemy_kings & enemy_none;
                enemy_paid = enemy_paid.without(enemy_none) | own_kings & own_none;
            }
            lead = 2 * (own_paid.len() as i32 - enemy_paid.len() as i32);
        }
    }
    let (mut own_button, mut enemy_button) = (false, false);
    if let Button::Taken(player) = snapshot.button {
        own_button = player == snapshot.to_move;
        enemy_button = !own_button;
    }
    lead += own_button as i32 - enemy_button as i32;

    let side = n as f32;
    // No margin is beyond n², so neither is what a komi can mean.
    let komi = (snapshot.komi.0 as f32 / 2.0 / side).clamp(-side, side);
    let whole = planes.iter().position(|plane| plane.whole()).unwrap_or(planes.len());
    let mut pixel = [0.0; MAX_PLANES];
    let pixel = &mut pixel[..planes.len() - whole];
    for (value, plane) in pixel.iter_mut().zip(&planes[whole..]) {
        *value = match plane {
            Komi => komi,
            Size => size_scale(n),
            Lead => lead as f32 / 2.0 / side,
            Passed => snapshot.passed as u8 as f32,
            OwnButton => own_button as u8 as f32,
            EnemyButton => enemy_button as u8 as f32,
            Handicap => snapshot.handicap_left as f32 / side,
            PickedUp => matches!(snapshot.stage, Stage::Picked(_)) as u8 as f32,
            Moved => (snapshot.stage == Stage::Moved) as u8 as f32,
            Swap => snapshot.swap_open as u8 as f32,
            _ => 0.0,
        };
    }
    // `Board` is the first plane of every game.
    for point in writer.out.chunks_exact_mut(planes.len()) {
        point[0] = 1.0;
        point[whole..].copy_from_slice(pixel);
    }
}
