//! Which step is played after a search.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::RootStep;
use crate::config::Variation;
use crate::games::Step;

/// How a step is chosen from the root's visits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Choice {
    /// The most visited step; of equals the better valued, then the first.
    Most,
    /// Drawn in proportion to visits^(1/temperature).
    Temperature(f32),
    /// Drawn in proportion to visits among the steps whose value is at most so much below that of the most visited.
    Near(f32),
}

/// How steps are chosen, by the number of the turn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChoiceRule {
    /// For turns before `early_turns`, the game's first being turn 0.
    pub early: Choice,
    pub early_turns: usize,
    /// For all later turns.
    pub late: Choice,
}

impl ChoiceRule {
    /// Always the most visited step.
    pub const MOST: ChoiceRule = ChoiceRule { early: Choice::Most, early_turns: 0, late: Choice::Most };

    /// How measurements choose: "each of the first t turns is drawn in proportion to visits among the steps whose
    /// value is within δ of the best".
    pub fn measured(variation: Variation) -> ChoiceRule {
        let Variation { drawn_turns, delta } = variation;
        ChoiceRule { early: Choice::Near(delta), early_turns: drawn_turns, late: Choice::Most }
    }

    /// The choice for a turn.
    pub fn at(&self, turn: usize) -> Choice {
        if turn < self.early_turns { self.early } else { self.late }
    }
}

/// The step to play. `steps` holds at least one visited step, else the first step is returned.
pub fn choose(steps: &[RootStep], choice: Choice, rng: &mut ChaCha8Rng) -> Step {
    match choice {
        Choice::Most => most(steps).step,
        Choice::Temperature(temperature) => {
            // Relative to the most visited step, so that small temperatures do not overflow.
            let top = steps.iter().map(|step| step.visits).max().unwrap_or(0).max(1) as f32;
            draw(steps, |step| (step.visits as f32 / top).powf(1.0 / temperature.max(1e-3)), rng)
        }
        Choice::Near(delta) => {
            // The best step is the one that the search trusts most: a single lucky visit makes no step best.
            let best = most(steps).value.map_or(f32::NEG_INFINITY, |value| value.0);
            let near = |step: &RootStep| step.value.is_some_and(|value| value.0 >= best - delta);
            draw(steps, |step| if near(step) { step.visits as f32 } else { 0.0 }, rng)
        }
    }
}

fn most(steps: &[RootStep]) -> RootStep {
    let key = |step: &RootStep| (step.visits, step.value.map_or(0.0, |value| value.0));
    let mut best = steps[0];
    for step in &steps[1..] {
        if key(step) > key(&best) {
            best = *step;
        }
    }
    best
}

fn draw(steps: &[RootStep], weight: impl Fn(&RootStep) -> f32, rng: &mut ChaCha8Rng) -> Step {
    let total: f32 = steps.iter().map(&weight).sum();
    if total <= 0.0 {
        return most(steps).step;
    }
    let mut left = rng.random::<f32>() * total;
    let mut last = most(steps).step;
    for step in steps {
        let weight = weight(step);
        if weight > 0.0 {
            last = step.step;
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
    }
    last
}
