//! Whole turns: enumeration, notation, counting.

use std::fmt;

use thiserror::Error;

use super::{Game, Phase, Special, Status, Step};

/// The one to three steps of a turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Turn {
    steps: [Step; 3],
    len: u8,
}

impl Turn {
    /// A turn that begins with `step`.
    pub fn begin(step: Step) -> Self {
        Turn { steps: [step; 3], len: 1 }
    }

    /// The turn with one more step. Panics beyond three.
    pub fn then(mut self, step: Step) -> Self {
        self.steps[self.len as usize] = step;
        self.len += 1;
        self
    }

    /// The steps in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps[..self.len as usize]
    }

    /// The turn in notation: `C3`, `pass`, `C3-D5` (a move), `C3-D4,E5` (a move, then a placement).
    pub fn text<G: Game>(&self, game: &G) -> String {
        let mut text = String::new();
        for (step, mark) in self.steps().iter().zip(["", "-", ","]) {
            text.push_str(mark);
            text.push_str(&step_name(game, *step));
        }
        text
    }

    /// The turn with every point mapped.
    pub fn map(&self, f: impl FnMut(Step) -> Step) -> Turn {
        // The unused places too: they hold the first step, and comparisons look at them.
        Turn { steps: self.steps.map(f), len: self.len }
    }
}

/// A step in notation.
pub fn step_name<G: Game>(game: &G, step: Step) -> String {
    match step {
        Step::Point(point) => game.point_name(point),
        Step::Special(special) => special.name().to_string(),
    }
}

/// Why a text is not a turn that can be played.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum TurnError {
    #[error("the game is over")]
    Over,
    #[error(transparent)]
    Point(#[from] crate::board::PointError),
    #[error("`{0}` has not the form of a turn")]
    Form(String),
    #[error("{0}")]
    Illegal(&'static str),
    #[error("the turn is not complete")]
    Incomplete,
    #[error("the turn is complete after `{0}`")]
    TooLong(String),
}

/// A point's name or a special as a step.
pub fn parse_step<G: Game>(game: &G, text: &str) -> Result<Step, TurnError> {
    match Special::ALL.into_iter().find(|special| special.name().eq_ignore_ascii_case(text)) {
        Some(special) => Ok(Step::Special(special)),
        None => Ok(Step::Point(game.parse_point(text)?)),
    }
}

/// The turn that `text` names at the start of a turn, checked step by step against the rules.
pub fn parse_turn<G: Game>(game: &G, text: &str) -> Result<Turn, TurnError> {
    debug_assert_eq!(game.phase(), Phase::Start);
    let (start, rest) = match text.split_once('-') {
        Some((start, rest)) => (start, Some(rest)),
        None => (text, None),
    };
    let mut parts = vec![start];
    if let Some(rest) = rest {
        parts.extend(rest.splitn(2, ','));
    }
    let mut position = game.clone();
    let mut turn: Option<Turn> = None;
    for part in &parts {
        if let Some(turn) = turn
            && position.phase() == Phase::Start
        {
            return Err(TurnError::TooLong(turn.text(game)));
        }
        let step = parse_step(game, part)?;
        match position.status() {
            Status::Over(_) => return Err(TurnError::Over),
            Status::Running(steps) if !steps.contains(step) => return Err(TurnError::Illegal(position.fault(step))),
            Status::Running(_) => {}
        }
        position.play(step);
        turn = Some(turn.map_or(Turn::begin(step), |turn| turn.then(step)));
    }
    if position.phase() != Phase::Start {
        return Err(TurnError::Incomplete);
    }
    turn.ok_or_else(|| TurnError::Form(text.to_string()))
}

/// All legal turns with the positions they lead to, in the order of their steps; none when the game is over.
/// The position must be at the start of a turn.
pub fn turns<G: Game>(game: &G) -> Vec<(Turn, G)> {
    let mut found = Vec::new();
    collect(game, None, &mut found);
    found
}

fn collect<G: Game>(game: &G, turn: Option<Turn>, found: &mut Vec<(Turn, G)>) {
    let Status::Running(steps) = game.status() else { return };
    for step in steps.iter() {
        let mut next = game.clone();
        next.play(step);
        let turn = turn.map_or(Turn::begin(step), |turn| turn.then(step));
        if next.phase() == Phase::Start {
            found.push((turn, next));
        } else {
            collect(&next, Some(turn), found);
        }
    }
}

/// The number of sequences of exactly `depth` turns; a game that ends earlier adds nothing.
pub fn perft<G: Game>(game: &G, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let Status::Running(steps) = game.status() else { return 0 };
    if depth == 1 && game.phase() == Phase::Start && steps.iter().all(|step| ends_turn(game, step)) {
        return steps.len() as u64;
    }
    let mut count = 0;
    for step in steps.iter() {
        let mut next = game.clone();
        next.play(step);
        count += perft(&next, if next.phase() == Phase::Start { depth - 1 } else { depth });
    }
    count
}

/// True if `step` is a whole turn.
fn ends_turn<G: Game>(game: &G, step: Step) -> bool {
    match step {
        Step::Special(_) => true,
        Step::Point(point) => game.cell(point) == super::Cell::Empty,
    }
}

impl fmt::Display for super::End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            super::End::Passes => "pass",
            super::End::NoMove => "no_move",
        })
    }
}
