//! What the network is told about a position, as bitboards and flags.

use super::snapshot::{Snapshot, Stage, may_swap};
use crate::board::{Bits, Geometry, PointSet};
use crate::games::{Button, Cell, Game, GameKind, HalfPoints, Phase, Player};

/// A position from the mover's view. Planes are written from this alone, so training and play agree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Scene<const W: usize> {
    pub board: Geometry<W>,
    pub game: GameKind,
    /// The mover's pieces, kings included; in Linage all stones.
    pub own: Bits<W>,
    pub enemy: Bits<W>,
    pub own_kings: Bits<W>,
    pub enemy_kings: Bits<W>,
    /// True if the network sees the board transposed: in Linage when Horizontal is to move.
    pub transposed: bool,
    pub stage: Stage,
    /// True if the last turn was a pass.
    pub passed: bool,
    pub own_button: bool,
    pub enemy_button: bool,
    pub handicap_left: u16,
    pub swap_open: bool,
    /// What is added to the mover's score.
    pub komi: HalfPoints,
}

impl<const W: usize> Scene<W> {
    /// The scene of a position, of the same width, in a game played at `komi` (added to the second player's score).
    #[inline]
    pub fn of_game<G: Game>(position: &G, komi: HalfPoints) -> Self {
        let pieces = position.pieces();
        let [black, white, black_kings, white_kings] =
            [&pieces.black, &pieces.white, &pieces.black_kings, &pieces.white_kings]
                .map(|points| Bits::from_words(points.words()));
        let mover = position.to_move();
        let linage = G::KIND == GameKind::Linage;
        let (own, enemy, own_kings, enemy_kings) = match linage || mover == Player::Black {
            true => (black, white, black_kings, white_kings),
            false => (white, black, white_kings, black_kings),
        };
        let button = position.button();
        Scene {
            board: Geometry::new(position.size()),
            game: G::KIND,
            own,
            enemy,
            own_kings,
            enemy_kings,
            transposed: linage && mover == Player::White,
            stage: match position.phase() {
                Phase::Start => Stage::Start,
                Phase::Picked(point) => Stage::Picked(position.dense(point) as u16),
                Phase::Moved(..) => Stage::Moved,
            },
            passed: position.passes() == 1,
            own_button: button == Button::Taken(mover),
            enemy_button: button == Button::Taken(mover.other()),
            handicap_left: position.handicap_left() as u16,
            swap_open: may_swap(position),
            komi: if mover == Player::White { komi } else { -komi },
        }
    }

    /// The scene of a snapshot.
    pub fn of_snapshot(snapshot: &Snapshot) -> Self {
        let board = Geometry::new(snapshot.size());
        let mover = snapshot.to_move;
        let linage = snapshot.game == GameKind::Linage;
        let [mut own, mut enemy, mut own_kings, mut enemy_kings] = [Bits::EMPTY; 4];
        for (dense, cell) in snapshot.cells.iter().enumerate() {
            let (player, king) = match cell {
                Cell::Stone(player) => (*player, false),
                Cell::King(player) => (*player, true),
                Cell::Empty => continue,
            };
            let (all, kings) = match linage || player == mover {
                true => (&mut own, &mut own_kings),
                false => (&mut enemy, &mut enemy_kings),
            };
            all.insert(board.from_dense(dense));
            if king {
                kings.insert(board.from_dense(dense));
            }
        }
        Scene {
            board,
            game: snapshot.game,
            own,
            enemy,
            own_kings,
            enemy_kings,
            transposed: linage && mover == Player::White,
            stage: snapshot.stage,
            passed: snapshot.passed,
            own_button: snapshot.button == Button::Taken(mover),
            enemy_button: snapshot.button == Button::Taken(mover.other()),
            handicap_left: snapshot.handicap_left,
            swap_open: snapshot.swap_open,
            komi: snapshot.komi,
        }
    }
}
