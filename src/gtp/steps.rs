//! Steps as the protocol has them: "a step is one vertex played by the side to move", and `pass` stands for the button and
//! the swap while these are there, for neither allows a pass.

use crate::games::{Game, Played, Special, Status, Step, step_name};

/// The legal steps of a game; none when it is over.
pub(super) fn legal_steps<G: Game>(game: &Played<G>) -> Vec<Step> {
    match game.position().status() {
        Status::Running(steps) if game.ending().is_none() => steps.iter().collect(),
        _ => Vec::new(),
    }
}

/// The step that is meant by one that the protocol names.
pub(super) fn meant<G: Game>(game: &Played<G>, step: Step) -> Step {
    let legal = legal_steps(game);
    let is_pass = step == Step::PASS && !legal.contains(&Step::PASS);
    let others = [Special::Button, Special::Swap].map(Step::Special);
    others.into_iter().find(|other| is_pass && legal.contains(other)).unwrap_or(step)
}

/// What the protocol calls a step.
pub(super) fn vertex<G: Game>(position: &G, step: Step) -> String {
    match step {
        Step::Point(_) => step_name(position, step),
        Step::Special(_) => "pass".to_string(),
    }
}
