//! A session on one board: the game as it stands, what can be taken back, and the engine.

use std::time::Instant;

use super::agreement::Agreement;
use super::protocol::Reply;
use super::serve::Shared;
use super::steps::{legal_steps, meant, vertex};
use crate::board::PointSet;
use crate::config::limits;
use crate::games::{
    Cell, Ending, Game, GameKind, HalfPoints, Options, Phase, Played, Player, Status, Step, Turn, parse_step,
    parse_turn,
};
use crate::net::NetEvaluator;
use crate::search::{EvalError, PlayoutPolicy};
use crate::selfplay::{Engine, Limit, Thinker};

/// The game, and what belongs to it that its rules do not know.
#[derive(Clone)]
pub(super) struct State<G> {
    pub played: Played<G>,
    /// The pieces that each player has taken off the board, Black first.
    pub captured: [usize; 2],
    pub agreement: Agreement,
}

/// How many pieces a player has on the board.
fn count<G: Game>(position: &G, player: Player) -> usize {
    let pieces = position.pieces();
    if player == Player::Black { pieces.black.len() } else { pieces.white.len() }
}

/// A session on one board.
pub(super) struct Session<G> {
    pub shared: Shared,
    pub thinker: Thinker<G>,
    /// The network as it is asked about margins.
    pub predictor: Option<NetEvaluator>,
    pub now: State<G>,
    /// The states before each command that can be taken back.
    before: Vec<State<G>>,
}

impl<G: PlayoutPolicy> Session<G> {
    /// With an empty board.
    pub fn new(shared: Shared, engine: &Engine) -> Result<Self, EvalError> {
        let played = Played::new(G::new(shared.size, shared.options), None);
        let thinker = Thinker::new(engine, shared.setting.seed, shared.komi, played.position())?;
        let now = State { played, captured: [0; 2], agreement: Agreement::default() };
        let predictor = engine.net_evaluator().map_err(|error| EvalError::Network(error.to_string()))?;
        Ok(Session { shared, thinker, predictor, now, before: Vec::new() })
    }

    /// The position on the board.
    pub fn position(&self) -> &G {
        self.now.played.position()
    }

    /// How the game ended, if it has.
    pub fn ending(&self) -> Option<Ending> {
        self.now.played.ending()
    }

    /// Begins anew on an empty board with these options.
    pub fn clear(&mut self, options: Options) {
        self.shared.options = options;
        self.before.clear();
        let played = Played::new(G::new(self.shared.size, options), None);
        self.now = State { played, captured: [0; 2], agreement: Agreement::default() };
        self.forget();
    }

    /// The engine forgets what it has searched.
    pub fn forget(&mut self) {
        self.thinker.restart(self.shared.komi, self.now.played.position());
    }

    /// Sets the komi of the game.
    pub fn set_komi(&mut self, komi: HalfPoints) {
        self.shared.komi = komi;
        self.forget();
    }

    /// Notes the state as one to come back to.
    pub fn keep(&mut self) {
        self.before.push(self.now.clone());
    }

    /// Takes back what the last such command did.
    pub fn undo(&mut self) -> Reply {
        self.now = self.before.pop().ok_or("cannot undo")?;
        self.forget();
        Ok(String::new())
    }

    /// The colour that a word names; Linage's players have names of their own as well.
    pub fn colour(&self, word: &str) -> Result<Player, String> {
        let word = word.to_ascii_lowercase();
        let named = |player: Player| G::KIND.player_name(player).to_ascii_lowercase();
        let is =
            |player: Player| [player.to_string(), named(player)].iter().any(|name| *name == word || name[..1] == word);
        [Player::Black, Player::White].into_iter().find(|player| is(*player)).ok_or(format!("`{word}` is not a colour"))
    }

    /// The colour that a word names, which must be to move.
    pub fn mover(&self, word: &str) -> Result<Player, String> {
        let colour = self.colour(word)?;
        let to_move = self.position().to_move();
        if colour == to_move { Ok(colour) } else { Err(format!("illegal move: it is {to_move}'s turn")) }
    }

    /// The legal steps; none when the game is over.
    pub fn legal_steps(&self) -> Vec<Step> {
        legal_steps(&self.now.played)
    }

    /// What the protocol calls a step.
    pub fn vertex(&self, step: Step) -> String {
        vertex(self.position(), step)
    }

    /// The steps that a vertex or a whole turn in notation stands for.
    pub fn steps_of(&self, text: &str) -> Result<Vec<Step>, String> {
        let illegal = |fault: &str| format!("illegal move: {fault}");
        if self.ending().is_some() {
            return Err(illegal("the game is over"));
        }
        let position = self.position();
        if text.contains('-') {
            if position.phase() != Phase::Start {
                return Err(illegal("a turn has begun; play its next step"));
            }
            let turn = parse_turn(position, text).map_err(|error| illegal(&error.to_string()))?;
            return Ok(turn.steps().to_vec());
        }
        let step = meant(&self.now.played, parse_step(position, text).map_err(|error| error.to_string())?);
        if self.legal_steps().contains(&step) { Ok(vec![step]) } else { Err(illegal(position.fault(step))) }
    }

    /// Plays a legal step.
    pub fn play(&mut self, step: Step) {
        let before = self.position().clone();
        self.now.played.play(step);
        let after = self.now.played.position();
        let places = match (before.phase(), step) {
            (Phase::Start, Step::Point(point)) => before.cell(point) == Cell::Empty,
            (Phase::Moved(..), Step::Point(_)) => true,
            _ => false,
        };
        // Linage's stones belong to nobody, and stay.
        for player in [Player::Black, Player::White].into_iter().filter(|_| G::KIND != GameKind::Linage) {
            let placed = usize::from(places && player == before.to_move());
            self.now.captured[player.other() as usize] += count(&before, player) + placed - count(after, player);
        }
        if self.now.played.ending().is_none() {
            let root = self.now.played.position().clone();
            self.thinker.follow(step, &root);
        }
    }

    /// How long and how far the engine may search now.
    pub fn limit(&self) -> Limit {
        let setting = &self.shared.setting;
        let position = self.position();
        let steps = self.now.played.turns().len();
        let clock = self.shared.clock.limit(position.to_move(), steps, position.size());
        let time = match (setting.movetime, clock) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        let visits =
            if time.is_some() && setting.by_time { limits::MEASURED_VISITS.most as u32 } else { self.shared.visits };
        Limit { visits, until: time.map(|time| Instant::now() + time) }
    }

    /// True if a search of the position has a choice. It has none after a stone of Sligo was picked up that can only be put
    /// where its placement makes the same board as a placement at once.
    pub fn is_searched(&self) -> bool {
        matches!(self.position().search_status(), Status::Running(steps) if !steps.is_empty())
            && self.ending().is_none()
    }

    /// The engine's step for the player to move; the game must be running.
    pub fn best_step(&mut self) -> Result<Step, String> {
        let legal = self.legal_steps();
        if legal.len() == 1 || !self.is_searched() {
            // Where the search sees nothing to choose, all steps lead to boards that it reaches sooner.
            return legal.first().copied().ok_or_else(|| "the game is over".to_string());
        }
        let limit = self.limit();
        let (begun, mover) = (Instant::now(), self.position().to_move());
        self.thinker.think(&self.now.played, limit, |_| false).map_err(|error| error.to_string())?;
        self.shared.clock.spend(mover, begun.elapsed());
        Ok(self.thinker.best())
    }

    /// `genmove`: the engine plays a step.
    pub fn generate_step(&mut self, colour: &str) -> Reply {
        self.mover(colour)?;
        if self.ending().is_some() {
            return Err("the game is over".to_string());
        }
        let step = self.best_step()?;
        let vertex = self.vertex(step);
        self.keep();
        self.play(step);
        Ok(vertex)
    }

    /// The engine plays on to the end of a turn, which is answered in notation.
    pub fn generate_turn(&mut self, colour: &str) -> Reply {
        self.mover(colour)?;
        if self.ending().is_some() {
            return Err("the game is over".to_string());
        }
        if self.position().phase() != Phase::Start {
            return Err("a turn has begun; genmove goes on with it".to_string());
        }
        let start = self.position().clone();
        self.keep();
        let mut turn: Option<Turn> = None;
        loop {
            let step = self.best_step()?;
            self.play(step);
            let so_far = turn.map_or(Turn::begin(step), |turn| turn.then(step));
            if self.position().phase() == Phase::Start {
                return Ok(so_far.text(&start));
            }
            turn = Some(so_far);
        }
    }
}
