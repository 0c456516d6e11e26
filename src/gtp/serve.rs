//! Reads commands, has them answered, and writes the answers.

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::clock::Clock;
use super::lines::Lines;
use super::protocol::{Reply, Request, answer};
use super::session::Session;
use crate::config::{Board, Inference, SearchConfig};
use crate::games::{GameKind, HalfPoints, Options};
use crate::net::{NetError, NetFile};
use crate::search::{EvalError, PlayoutPolicy};
use crate::selfplay::Engine;
use crate::with_game;

/// What a session begins with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Setting {
    pub board: Board,
    pub komi: HalfPoints,
    pub seed: u64,
    pub inference: Inference,
    pub search: SearchConfig,
    /// The time for each step.
    pub movetime: Option<Duration>,
    /// True if the user asked for no number of visits: where time is limited it alone counts.
    pub by_time: bool,
}

/// Why a session ended otherwise than by `quit` or the end of input.
#[derive(Debug, Error)]
pub enum GtpError {
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
    #[error(transparent)]
    Network(#[from] NetError),
    #[error(transparent)]
    Evaluation(#[from] EvalError),
}

/// What outlives a board.
pub(super) struct Shared {
    pub setting: Setting,
    pub network: Option<Arc<NetFile>>,
    pub size: usize,
    pub options: Options,
    pub komi: HalfPoints,
    /// Visits of a search.
    pub visits: u32,
    pub clock: Clock,
}

/// Where input comes from and output goes to.
pub(super) struct Io<'a> {
    pub lines: &'a mut Lines,
    pub output: &'a mut dyn Write,
}

/// What a command leads to.
pub(super) enum Outcome {
    /// This is answered.
    Reply(Reply),
    /// It has been answered.
    Answered,
    /// Success is answered, and the session goes on with a board of this side.
    NewBoard(usize),
    /// Success is answered, and the session is over.
    Quit,
}

/// A session on a board of some game and size.
pub(super) trait Sitting {
    /// Does what a command asks for.
    fn command(&mut self, request: &Request, io: &mut Io<'_>) -> Result<Outcome, GtpError>;

    /// Gives back what outlives the board.
    fn leave(self: Box<Self>) -> Shared;
}

impl<G: PlayoutPolicy> Sitting for Session<G> {
    fn command(&mut self, request: &Request, io: &mut Io<'_>) -> Result<Outcome, GtpError> {
        self.run(request, io)
    }

    fn leave(self: Box<Self>) -> Shared {
        self.shared
    }
}

/// Sits down to a board.
fn sit_down(shared: Shared) -> Result<Box<dyn Sitting>, GtpError> {
    let Setting { search, inference, board, .. } = shared.setting;
    let size = shared.size;
    let engine = match &shared.network {
        None => Engine::playouts(search),
        Some(file) => Engine::with_network(Arc::clone(file), search, size, inference)?,
    };
    Ok(with_game!(board.game, size, G => Box::new(Session::<G>::new(shared, &engine)?)))
}

/// Answers commands until `quit` or the end of input.
pub fn serve(
    setting: Setting,
    network: Option<NetFile>,
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
) -> Result<(), GtpError> {
    let Board { size, handicap, pie, .. } = setting.board;
    let shared = Shared {
        setting,
        network: network.map(Arc::new),
        size,
        options: Options { handicap, pie },
        komi: setting.komi,
        visits: setting.search.visits,
        clock: Clock::default(),
    };
    let mut sitting = sit_down(shared)?;
    let mut lines = Lines::read(input);
    while let Some(line) = lines.next() {
        let Some(request) = Request::parse(&line) else { continue };
        let outcome = sitting.command(&request, &mut Io { lines: &mut lines, output: &mut *output })?;
        let reply = match &outcome {
            Outcome::Reply(reply) => reply.clone(),
            Outcome::Answered => continue,
            Outcome::NewBoard(_) | Outcome::Quit => Ok(String::new()),
        };
        if let Outcome::NewBoard(size) = outcome {
            let shared = sitting.leave();
            let options = Options { handicap: 0, ..shared.options };
            sitting = sit_down(Shared { size, options, ..shared })?;
        }
        output.write_all(answer(request.id, &reply).as_bytes())?;
        output.flush()?;
        if matches!(outcome, Outcome::Quit) {
            break;
        }
    }
    Ok(())
}

/// The name of a game as GoGui wants it: one capital letter, then small ones.
pub(super) fn game_id(game: GameKind) -> String {
    let name = game.name();
    name[..1].to_ascii_uppercase() + &name[1..]
}
