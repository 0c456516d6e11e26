//! Positions as the network sees them, whether they come from the search or from a file.

use thiserror::Error;

use crate::board::{Geometry, MAX_SIZE, PointError, Symmetry};
use crate::games::{Button, Cell, Game, GameKind, HalfPoints, Phase, Player, Special, Status};

/// How far the turn has come, with points as dense numbers (row by row from the bottom).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// Nothing of the turn has been played.
    Start,
    /// The stone on this point has been picked up, but still stands there.
    Picked(u16),
    /// A stone has been moved; the placement is to come. Where it came from matters to no rule, so it is not kept.
    Moved,
}

/// All that the network is told about a position. Planes are written from this alone, so training and play agree.
///
/// Fugo's `swapped` is not part of it: who sits where changes no value for the player to move. Neither is the
/// colour to move, for the board and the komi are seen from the mover's side.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Snapshot {
    pub(super) game: GameKind,
    pub(super) size: u8,
    /// The cells, row by row from the bottom.
    pub(super) cells: Vec<Cell>,
    pub(super) stage: Stage,
    pub(super) to_move: Player,
    /// True if the last turn was a pass.
    pub(super) passed: bool,
    pub(super) button: Button,
    pub(super) handicap_left: u16,
    /// True if `swap` may be played now.
    pub(super) swap_open: bool,
    /// The mover's komi: what is added to the mover's score (negative for the first player at a positive komi).
    pub(super) komi: HalfPoints,
}

/// The fields of a position as files hold them.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    pub game: GameKind,
    pub size: usize,
    /// Rows from the top, joined by `/`, in the characters of [`Cell::character`].
    pub board: &'a str,
    /// `start`, `picked` or `moved`.
    pub phase: &'a str,
    /// In phase `picked` the picked stone's point (`C3`); otherwise not read.
    pub picked: &'a str,
    pub to_move: Player,
    /// Passes made in a row just before.
    pub passes: u8,
    pub button: Button,
    pub handicap_left: usize,
    /// True if `swap` may be played in this position.
    pub swap_open: bool,
    /// What is added to the mover's score.
    pub komi: HalfPoints,
}

/// Why fields are no position.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SnapshotError {
    #[error("size {size} is not allowed in {game}")]
    Size { game: GameKind, size: usize },
    #[error("the board has {found} rows, not {size}")]
    Rows { found: usize, size: usize },
    #[error("row {row} from the top has {found} points, not {size}")]
    Row { row: usize, found: usize, size: usize },
    #[error("`{character}` in row {row} from the top is not a piece of {game}")]
    Character { character: char, row: usize, game: GameKind },
    #[error("`{phase}` is not a phase of {game}")]
    Phase { phase: String, game: GameKind },
    #[error("the picked stone: {0}")]
    Picked(#[from] PointError),
    #[error("{handicap} handicap pawns are left on {size}x{size}")]
    Handicap { handicap: usize, size: usize },
}

impl Snapshot {
    /// A place to write snapshots to with [`Snapshot::read`] or [`Snapshot::map_into`].
    pub fn blank(game: GameKind) -> Self {
        Snapshot {
            game,
            size: 0,
            cells: Vec::new(),
            stage: Stage::Start,
            to_move: Player::Black,
            passed: false,
            button: Button::Absent,
            handicap_left: 0,
            swap_open: false,
            komi: HalfPoints(0),
        }
    }

    /// The position of a game played at `komi` (which is added to the second player's score).
    pub fn of<G: Game>(position: &G, komi: HalfPoints) -> Self {
        let mut snapshot = Snapshot::blank(G::KIND);
        snapshot.read(position, komi);
        snapshot
    }

    /// As [`Snapshot::of`], into memory that is there already.
    pub fn read<G: Game>(&mut self, position: &G, komi: HalfPoints) {
        let n = position.size();
        self.game = G::KIND;
        self.size = n as u8;
        self.cells.clear();
        self.cells.extend((0..n * n).map(|dense| position.cell(position.from_dense(dense))));
        self.stage = match position.phase() {
            Phase::Start => Stage::Start,
            Phase::Picked(point) => Stage::Picked(position.dense(point) as u16),
            Phase::Moved(..) => Stage::Moved,
        };
        self.to_move = position.to_move();
        self.passed = position.passes() == 1;
        self.button = position.button();
        self.handicap_left = position.handicap_left() as u16;
        self.swap_open = may_swap(position);
        self.komi = if self.to_move == Player::White { komi } else { -komi };
    }

    /// The position that a file's fields describe.
    pub fn from_fields(fields: &Fields<'_>) -> Result<Self, SnapshotError> {
        let (game, size) = (fields.game, fields.size);
        if !(game.min_size()..=MAX_SIZE).contains(&size) {
            return Err(SnapshotError::Size { game, size });
        }
        let found = fields.board.split('/').count();
        if found != size {
            return Err(SnapshotError::Rows { found, size });
        }
        if fields.handicap_left > size * size {
            return Err(SnapshotError::Handicap { handicap: fields.handicap_left, size });
        }
        let mut cells = vec![Cell::Empty; size * size];
        for (index, text) in fields.board.split('/').enumerate() {
            let row = index + 1;
            let found = text.chars().count();
            if found != size {
                return Err(SnapshotError::Row { row, found, size });
            }
            for (column, character) in text.chars().enumerate() {
                let cell = Cell::from_character(character).filter(|cell| game_has(game, *cell));
                let cell = cell.ok_or(SnapshotError::Character { character, row, game })?;
                cells[(size - row) * size + column] = cell;
            }
        }
        let stage = match (fields.phase, game) {
            ("start", _) => Stage::Start,
            ("picked", GameKind::Fugo | GameKind::Sligo) => {
                let board = Geometry::<6>::new(size);
                Stage::Picked(board.dense(board.parse(fields.picked)?) as u16)
            }
            ("moved", GameKind::Sligo) => Stage::Moved,
            (phase, game) => {
                return Err(SnapshotError::Phase { phase: phase.chars().take(20).collect(), game });
            }
        };
        Ok(Snapshot {
            game,
            size: size as u8,
            cells,
            stage,
            to_move: fields.to_move,
            passed: fields.passes == 1,
            button: fields.button,
            handicap_left: fields.handicap_left as u16,
            swap_open: fields.swap_open,
            komi: fields.komi,
        })
    }

    /// Which game this is.
    pub fn game(&self) -> GameKind {
        self.game
    }

    /// The board's side.
    pub fn size(&self) -> usize {
        self.size as usize
    }

    /// The player to move.
    pub fn to_move(&self) -> Player {
        self.to_move
    }

    /// What is added to the mover's score.
    pub fn komi(&self) -> HalfPoints {
        self.komi
    }

    /// The same position with another komi (added to the mover's score).
    pub fn with_komi(&self, komi: HalfPoints) -> Self {
        Snapshot { komi, ..self.clone() }
    }

    /// True if the network sees the position's image transposed: in Linage when Horizontal is to move there.
    pub(super) fn is_transposed_after(&self, symmetry: Symmetry) -> bool {
        let exchanged = self.game.exchanges_players(symmetry);
        let mover = if exchanged { self.to_move.other() } else { self.to_move };
        self.game == GameKind::Linage && mover == Player::White
    }

    /// The position's image. Where the symmetry exchanges the players' roles (Linage), the image has the other
    /// player to move; komi and targets are the mover's, so they stay.
    pub fn mapped(&self, symmetry: Symmetry) -> Self {
        let mut image = Snapshot::blank(self.game);
        self.map_into(symmetry, &mut image);
        image
    }

    /// As [`Snapshot::mapped`], into memory that is there already.
    pub fn map_into(&self, symmetry: Symmetry, image: &mut Snapshot) {
        let n = self.size();
        let map = |dense: usize| {
            let (row, column) = symmetry.map(n, dense / n, dense % n);
            row * n + column
        };
        image.cells.clear();
        image.cells.resize(n * n, Cell::Empty);
        for (dense, cell) in self.cells.iter().enumerate() {
            image.cells[map(dense)] = *cell;
        }
        image.game = self.game;
        image.size = self.size;
        image.stage = match self.stage {
            Stage::Picked(dense) => Stage::Picked(map(dense as usize) as u16),
            stage => stage,
        };
        let exchanged = self.game.exchanges_players(symmetry);
        image.to_move = if exchanged { self.to_move.other() } else { self.to_move };
        image.passed = self.passed;
        image.button = self.button;
        image.handicap_left = self.handicap_left;
        image.swap_open = self.swap_open;
        image.komi = self.komi;
    }
}

/// True if White may swap now. Asked without the costly list of steps except on White's first turn.
pub(super) fn may_swap<G: Game>(position: &G) -> bool {
    if G::KIND != GameKind::Fugo || position.to_move() != Player::White || position.piece_count() != 1 {
        return false;
    }
    matches!(position.status(), Status::Running(steps) if steps.specials.contains(Special::Swap))
}

fn game_has(game: GameKind, cell: Cell) -> bool {
    match cell {
        Cell::Empty | Cell::Stone(Player::Black) => true,
        Cell::Stone(Player::White) => game != GameKind::Linage,
        Cell::King(_) => game == GameKind::Yugo,
    }
}
