//! Positions as planes: what each channel of the network's input means.

use half::bf16;
use tch::Kind;

use super::scene::Scene;
use super::snapshot::{Snapshot, Stage};
use crate::board::{Bits, Geometry};
use crate::games::{Game, GameKind, HalfPoints};

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

/// The numbers that planes are written in.
pub(super) trait Number: Copy {
    /// What libtorch calls them.
    const KIND: Kind;
    const ZERO: Self;
    const ONE: Self;
    /// The nearest such number.
    fn of(number: f32) -> Self;
}

impl Number for f32 {
    const KIND: Kind = Kind::Float;
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;

    fn of(number: f32) -> f32 {
        number
    }
}

impl Number for bf16 {
    const KIND: Kind = Kind::BFloat16;
    const ZERO: bf16 = bf16::ZERO;
    const ONE: bf16 = bf16::ONE;

    fn of(number: f32) -> bf16 {
        bf16::from_f32(number)
    }
}

/// Writes the position's planes, channels last: `out[(row · n + column) · planes + plane]`, rows from the bottom, and
/// the numbers of the whole planes once more into `whole`.
/// `out` must hold n·n·[`plane_count`] numbers and `whole` [`whole_count`]; all of them are written.
pub(super) fn write_planes<T: Number>(snapshot: &Snapshot, out: &mut [T], whole: &mut [f32]) {
    // As everywhere: small boards pay for small boards.
    match snapshot.size() {
        0..=7 => write(&Scene::<1>::of_snapshot(snapshot), out, whole),
        8..=10 => write(&Scene::<2>::of_snapshot(snapshot), out, whole),
        11..=13 => write(&Scene::<3>::of_snapshot(snapshot), out, whole),
        _ => write(&Scene::<6>::of_snapshot(snapshot), out, whole),
    }
}

/// As [`write_planes`], straight from a game's bitboards.
pub(super) fn write_position<G: Game, T: Number>(position: &G, komi: HalfPoints, out: &mut [T], whole: &mut [f32]) {
    match position.size() {
        0..=7 => write(&Scene::<1>::of_game(position, komi), out, whole),
        8..=10 => write(&Scene::<2>::of_game(position, komi), out, whole),
        11..=13 => write(&Scene::<3>::of_game(position, komi), out, whole),
        _ => write(&Scene::<6>::of_game(position, komi), out, whole),
    }
}

/// Which channel each plane is, `NONE` where the game has no such plane.
type Channels = [u8; Swap as usize + 1];
const NONE: u8 = u8::MAX;

const fn channels(planes: &[Plane]) -> Channels {
    let mut channels = [NONE; Swap as usize + 1];
    let mut at = 0;
    while at < planes.len() {
        channels[planes[at] as usize] = at as u8;
        at += 1;
    }
    channels
}

static CHANNELS: [Channels; 4] = [channels(YUGO), channels(LINAGE), channels(FUGO), channels(SLIGO)];

struct Writer<'a, T, const W: usize> {
    board: Geometry<W>,
    channels: &'static Channels,
    planes: usize,
    transposed: bool,
    out: &'a mut [T],
}

impl<T: Number, const W: usize> Writer<'_, T, W> {
    fn mark(&mut self, plane: Plane, points: Bits<W>) {
        let channel = self.channels[plane as usize];
        if channel == NONE {
            return;
        }
        for point in points {
            let dense = if self.transposed { self.board.dense_transposed(point) } else { self.board.dense(point) };
            self.out[dense * self.planes + channel as usize] = T::ONE;
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

fn write<T: Number, const W: usize>(scene: &Scene<W>, out: &mut [T], whole: &mut [f32]) {
    let Scene { board, game, own, enemy, own_kings, enemy_kings, .. } = *scene;
    let n = board.n();
    let planes = layout(game);
    assert_eq!(out.len(), n * n * planes.len(), "the buffer must hold the position's planes");
    out.fill(T::ZERO);
    let channels = &CHANNELS[game as usize];
    let mut writer = Writer { board, channels, planes: planes.len(), transposed: scene.transposed, out };
    let empty = board.all().without(own | enemy);
    writer.mark(Own, own);
    writer.mark(Enemy, enemy);
    writer.mark(OwnKing, own_kings);
    writer.mark(EnemyKing, enemy_kings);
    if let Stage::Picked(dense) = scene.stage {
        writer.mark(Picked, Bits::single(board.from_dense(dense as usize)));
    }

    let mut lead = 0;
    if game == GameKind::Linage {
        let horizontal = empty & board.east(empty) & board.west(empty);
        let vertical = empty & board.north(empty) & board.south(empty);
        // Horizontal's board is transposed, which makes horizontal lines vertical.
        let (own_lines, enemy_lines) = if scene.transposed { (horizontal, vertical) } else { (vertical, horizontal) };
        writer.mark(OwnLine, own_lines);
        writer.mark(EnemyLine, enemy_lines);
        let own_region = empty.without(board.flood(enemy_lines, empty));
        let enemy_region = empty.without(board.flood(own_lines, empty));
        writer.mark(OwnRegion, own_region);
        writer.mark(EnemyRegion, enemy_region);
        lead = 2 * (own_region.len() as i32 - enemy_region.len() as i32);
    } else {
        let own_none = writer.mark_liberties(own, empty, [OwnNone, OwnOne, OwnTwo]);
        let enemy_none = writer.mark_liberties(enemy, empty, [EnemyNone, EnemyOne, EnemyTwo]);
        if game == GameKind::Fugo {
            let (own, enemy) = (board.liberties(own, empty), board.liberties(enemy, empty));
            let open = board.neighbours(empty);
            writer.mark(OwnPlace, empty & (open | own.spare | enemy.last));
            writer.mark(EnemyPlace, empty & (open | enemy.spare | own.last));
        } else {
            let regions = board.territories(own, enemy);
            writer.mark(OwnRegion, regions.black);
            writer.mark(EnemyRegion, regions.white);
            let (mut own_paid, mut enemy_paid) = (own | regions.black, enemy | regions.white);
            if game == GameKind::Yugo {
                // Pieces without a liberty do not count for their owner; their kings count for the other side.
                own_paid = own_paid.without(own_none) | enemy_kings & enemy_none;
                enemy_paid = enemy_paid.without(enemy_none) | own_kings & own_none;
            }
            lead = 2 * (own_paid.len() as i32 - enemy_paid.len() as i32);
        }
    }
    lead += scene.own_button as i32 - scene.enemy_button as i32;

    let side = n as f32;
    // No margin is beyond n², so neither is what a komi can mean.
    let komi = (scene.komi.0 as f32 / 2.0 / side).clamp(-side, side);
    let first_whole = planes.len() - whole.len();
    let mut pixel = [T::ZERO; MAX_PLANES];
    let pixel = &mut pixel[..whole.len()];
    for ((value, number), plane) in whole.iter_mut().zip(pixel.iter_mut()).zip(&planes[first_whole..]) {
        *value = match plane {
            Komi => komi,
            Size => size_scale(n),
            Lead => lead as f32 / 2.0 / side,
            Passed => scene.passed as u8 as f32,
            OwnButton => scene.own_button as u8 as f32,
            EnemyButton => scene.enemy_button as u8 as f32,
            Handicap => scene.handicap_left as f32 / side,
            PickedUp => matches!(scene.stage, Stage::Picked(_)) as u8 as f32,
            Moved => (scene.stage == Stage::Moved) as u8 as f32,
            Swap => scene.swap_open as u8 as f32,
            _ => 0.0,
        };
        *number = T::of(*value);
    }
    // `Board` is the first plane of every game.
    for point in writer.out.chunks_exact_mut(planes.len()) {
        point[0] = T::ONE;
        point[first_whole..].copy_from_slice(pixel);
    }
}
