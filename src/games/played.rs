//! A game being played: the position, its turns, and the two ends that are no rule of the games.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{End, Game, GameKind, HalfPoints, Options, Phase, Player, StartPosition, Step, Turn};

/// What a game is played under, besides the rules themselves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    pub game: GameKind,
    pub size: usize,
    pub options: Options,
    /// Points added to the second player's score.
    pub komi: HalfPoints,
    /// Turns after which the game is cut off without a result.
    pub move_cap: Option<usize>,
}

/// How a played game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Two passes in succession.
    Pass,
    /// The player to move had no move and lost.
    NoMove,
    /// A turn brought back an earlier board with the same player to move: a draw.
    Repetition,
    /// The move cap was reached: no result.
    MoveCap,
    /// In a match: a player gave up, and has lost.
    Resign,
    /// In a match: a program took longer than it may.
    Timeout,
    /// In a match: a program ended, or could not be started.
    Crash,
    /// In a match: a program played an illegal move.
    Illegal,
    /// In a match: what a program said was no answer of the protocol, or it refused what is legal.
    Protocol,
}

impl Ending {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Pass => "pass",
            Ending::NoMove => "no_move",
            Ending::Repetition => "repetition",
            Ending::MoveCap => "move_cap",
            Ending::Resign => "resign",
            Ending::Timeout => "timeout",
            Ending::Crash => "crash",
            Ending::Illegal => "illegal",
            Ending::Protocol => "protocol",
        }
    }

    /// True if the game was over before its rules ended it, because one player gave up or failed.
    pub fn is_forfeit(self) -> bool {
        matches!(self, Ending::Resign | Ending::Timeout | Ending::Crash | Ending::Illegal | Ending::Protocol)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl From<End> for Ending {
    fn from(end: End) -> Self {
        match end {
            End::Passes => Ending::Pass,
            End::NoMove => Ending::NoMove,
        }
    }
}

/// A game from its start, with all turns played so far.
#[derive(Clone, Debug)]
pub struct Played<G> {
    position: G,
    turns: Vec<Turn>,
    partial: Option<Turn>,
    /// Keys of the boards at the turn ends so far, the start's included; empty where boards cannot come back.
    keys: Vec<u128>,
    move_cap: Option<usize>,
    ending: Option<Ending>,
    /// Who has forfeited the game.
    loser: Option<Player>,
}

impl<G: Game> Played<G> {
    /// A game about to begin at `position`, cut off after `move_cap` turns.
    pub fn new(position: G, move_cap: Option<usize>) -> Self {
        let keys = if G::KIND.can_repeat() { vec![position.board_key()] } else { Vec::new() };
        let capped = (move_cap == Some(0)).then_some(Ending::MoveCap);
        let ending = position.end().map(Ending::from).or(capped);
        Played { position, turns: Vec::new(), partial: None, keys, move_cap, ending, loser: None }
    }

    /// The position, possibly amid a turn.
    pub fn position(&self) -> &G {
        &self.position
    }

    /// The finished turns.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The steps of the turn that is being played, if it has begun.
    pub fn partial(&self) -> Option<Turn> {
        self.partial
    }

    /// How the game ended, if it has.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// The boards at turn ends so far, as keys.
    pub fn keys(&self) -> &[u128] {
        &self.keys
    }

    /// Turns left until the cap.
    pub fn turns_left(&self) -> Option<usize> {
        self.move_cap.map(|cap| cap.saturating_sub(self.turns.len()))
    }

    /// Plays a legal step of a running game.
    ///
    /// "A turn that changes the board and brings back an earlier board with the same player to move ends
    /// it as a draw (`repetition`). A move cap ends it without a result (`move_cap`)."
    pub fn play(&mut self, step: Step) {
        debug_assert!(self.ending.is_none(), "the game is over");
        self.position.play(step);
        let turn = self.partial.map_or(Turn::begin(step), |turn| turn.then(step));
        if self.position.phase() != Phase::Start {
            self.partial = Some(turn);
            return;
        }
        self.partial = None;
        self.turns.push(turn);
        let repeated = changes_board(turn) && self.keys.contains(&self.position.board_key());
        if G::KIND.can_repeat() {
            self.keys.push(self.position.board_key());
        }
        self.ending = if repeated {
            Some(Ending::Repetition)
        } else if let Some(end) = self.position.end() {
            Some(end.into())
        } else if self.turns_left() == Some(0) {
            Some(Ending::MoveCap)
        } else {
            None
        };
    }

    /// Ends a running game at the start of a turn: `loser` gave up or failed, in the way that `ending` says.
    pub fn forfeit(&mut self, loser: Player, ending: Ending) {
        debug_assert!(ending.is_forfeit() && self.ending.is_none() && self.partial.is_none());
        self.ending = Some(ending);
        self.loser = Some(loser);
    }

    /// Goes on with a game that has ended with two passes: "If the players don't agree which groups should be removed, play is
    /// resumed." Returns false where there is nothing to resume.
    pub fn resume(&mut self) -> bool {
        if self.ending != Some(Ending::Pass) {
            return false;
        }
        let Ok(position) = G::from_position(&StartPosition::of(&self.position)) else { return false };
        self.position = position;
        self.ending = None;
        true
    }

    /// The winner at `komi` of a finished game with a result; `None` for a draw.
    /// A game that hit the move cap has no result: ask [`Played::ending`] first.
    pub fn winner(&self, komi: HalfPoints) -> Option<Player> {
        match self.ending {
            Some(Ending::Pass | Ending::NoMove) => self.position.winner(komi),
            _ => self.loser.map(Player::other),
        }
    }
}

/// True unless the turn is a pass, the button or a swap.
pub fn changes_board(turn: Turn) -> bool {
    matches!(turn.steps()[0], Step::Point(_))
}
