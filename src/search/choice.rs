//! Which step is played after a search.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::RootStep;
use super::arena::Certain;
use crate::config::Variation;
use crate::games::Step;

/// How a step is chosen from the root's visits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Choice {
    /// The search's own choice, which in PUCT is the most visited step; of equals the better valued, then the first.
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

/// The steps that may be played: those that are certain to win, or else those that are not certain to lose, as far as they
/// have been visited, and any loss that the search prefers to the best of these and values higher, which can only be for
/// the margin.
pub(super) fn worth_playing(steps: &[RootStep]) -> Vec<RootStep> {
    let of = |keep: &dyn Fn(&RootStep) -> bool| -> Vec<RootStep> {
        steps.iter().filter(|step| keep(step)).copied().collect()
    };
    let wins = of(&|step| step.certain == Some(Certain::Win));
    if !wins.is_empty() {
        return wins;
    }
    let is_open = |step: &RootStep| step.certain != Some(Certain::Loss) && step.visits > 0;
    let open = of(&is_open);
    if open.is_empty() {
        return steps.to_vec();
    }
    let best = most(&open);
    of(&|step| is_open(step) || step.rank > best.rank && step.value > best.value)
}

/// The step to play. `steps` holds at least one visited step, else the first step is returned.
///
/// Nothing is drawn where a step is certain to win.
pub fn choose(steps: &[RootStep], choice: Choice, rng: &mut ChaCha8Rng) -> Step {
    let steps = &worth_playing(steps);
    if steps.iter().any(|step| step.certain == Some(Certain::Win)) {
        return most(steps).step;
    }
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
    let key = |step: &RootStep| (step.rank, step.value.map_or(0.0, |value| value.0));
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

#[cfg(test)]
mod tests {
    use super::super::MoverValue;
    use super::super::testing::rng;
    use super::*;
    use crate::board::Point;

    /// Steps with these visits and values, in order.
    fn steps(known: &[(u32, f32)]) -> Vec<RootStep> {
        let step = |(index, (visits, value)): (usize, &(u32, f32))| RootStep {
            step: Step::Point(Point::from_index(index)),
            visits: *visits,
            value: (*visits > 0).then_some(MoverValue(*value)),
            is_settled: false,
            certain: None,
            prior: 0.0,
            rank: *visits as f32,
        };
        known.iter().enumerate().map(step).collect()
    }

    /// How often each of the steps is chosen.
    fn counts(steps: &[RootStep], choice: Choice, draws: u32) -> Vec<u32> {
        let mut rng = rng(1);
        let mut counts = vec![0; steps.len()];
        for _ in 0..draws {
            let chosen = choose(steps, choice, &mut rng);
            counts[steps.iter().position(|known| known.step == chosen).expect("one of them")] += 1;
        }
        counts
    }

    /// Pearson's statistic against these shares; no share may be 0.
    fn chi_square(counts: &[u32], shares: &[f64]) -> f64 {
        let all: f64 = counts.iter().map(|count| f64::from(*count)).sum();
        let term = |(count, share): (&u32, &f64)| (f64::from(*count) - all * share).powi(2) / (all * share);
        counts.iter().zip(shares).map(term).sum()
    }

    #[test]
    fn the_most_visited_step_then_the_better_then_the_first() {
        let most = |known: &[(u32, f32)]| counts(&steps(known), Choice::Most, 1).iter().position(|count| *count == 1);
        assert_eq!(most(&[(3, 0.9), (5, 0.1), (4, 0.9)]), Some(1));
        assert_eq!(most(&[(5, 0.1), (5, 0.3), (4, 0.9), (5, 0.2)]), Some(1));
        assert_eq!(most(&[(2, 0.5), (5, 0.3), (5, 0.3)]), Some(1));
        assert_eq!(most(&[(0, 0.0), (0, 0.0)]), Some(0));
        assert_eq!(most(&[(0, 0.0), (1, 0.0)]), Some(1));
    }

    #[test]
    fn temperature_draws_by_visits() {
        let known = steps(&[(10, 0.1), (20, 0.9), (0, 0.0), (40, 0.5), (30, 0.2)]);
        for (temperature, power) in [(1.0f32, 1.0), (0.5, 2.0), (2.0, 0.5)] {
            let counts = counts(&known, Choice::Temperature(temperature), 20_000);
            assert_eq!(counts[2], 0, "a step without visits");
            let weights = [10f64, 20.0, 40.0, 30.0].map(|visits| visits.powf(power));
            let shares = weights.map(|weight| weight / weights.iter().sum::<f64>());
            let counts = [counts[0], counts[1], counts[3], counts[4]];
            // The 99.9 % point for three degrees of freedom.
            assert!(chi_square(&counts, &shares) < 16.3, "{temperature}: {counts:?}");
        }
    }

    #[test]
    fn extreme_temperatures_stay_finite() {
        let known = steps(&[(1, 0.1), (1_000_000, 0.9), (999, 0.5)]);
        assert_eq!(counts(&known, Choice::Temperature(0.01), 100), [0, 100, 0]);
        assert_eq!(counts(&known, Choice::Temperature(0.0), 100), [0, 100, 0]);
        let even = counts(&known, Choice::Temperature(100.0), 3000);
        assert!(even.iter().all(|count| *count > 800), "{even:?}");
    }

    #[test]
    fn near_draws_by_visits_among_the_best() {
        let known = steps(&[(10, 0.52), (20, 0.60), (39, 0.54), (30, 0.98), (0, 0.0), (40, 0.60)]);
        let counts = counts(&known, Choice::Near(0.05), 20_000);
        assert_eq!([counts[0], counts[2], counts[4]], [0; 3], "more than δ worse, or never visited");
        // The 99.9 % point for two degrees of freedom.
        assert!(chi_square(&[counts[1], counts[3], counts[5]], &[20.0 / 90.0, 30.0 / 90.0, 40.0 / 90.0]) < 13.9);
    }

    #[test]
    fn near_never_picks_a_step_worse_than_the_most_visited_by_more_than_delta() {
        let mut rng = rng(2);
        for _ in 0..2000 {
            let known: Vec<(u32, f32)> =
                (0..rng.random_range(1..30)).map(|_| (rng.random_range(0..9), rng.random())).collect();
            let known = steps(&known);
            let delta = rng.random_range(0.0..0.3);
            let chosen = choose(&known, Choice::Near(delta), &mut rng);
            let most = choose(&known, Choice::Most, &mut rng);
            let Some(best) = known.iter().find(|known| known.step == most).and_then(|known| known.value) else {
                assert_eq!(chosen, known[0].step, "nothing was visited");
                continue;
            };
            let chosen = known.iter().find(|known| known.step == chosen).and_then(|known| known.value);
            assert!(chosen.is_some_and(|value| value.0 >= best.0 - delta));
        }
    }

    #[test]
    fn a_lucky_step_is_chosen_no_more_often_than_it_was_visited() {
        let counts = counts(&steps(&[(90, 0.5), (1, 1.0), (9, 0.499)]), Choice::Near(0.0), 9100);
        assert!(counts[0] > 8900 && counts[1] > 50 && counts[2] == 0, "{counts:?}");
    }

    #[test]
    fn certain_wins_come_first_and_certain_losses_last() {
        let worth = |known: &[(u32, f32, Option<Certain>)]| {
            let mut found = steps(&known.iter().map(|(visits, value, _)| (*visits, *value)).collect::<Vec<_>>());
            found.iter_mut().zip(known).for_each(|(step, known)| step.certain = known.2);
            let worth = worth_playing(&found);
            let place = |step: &RootStep| worth.iter().any(|worth| worth.step == step.step);
            found.iter().map(place).collect::<Vec<bool>>()
        };
        let (win, draw, loss) = (Some(Certain::Win), Some(Certain::Draw), Some(Certain::Loss));
        assert_eq!(worth(&[(5, 1.0, win), (9, 0.9, None), (2, 1.0, win)]), [true, false, true]);
        let margins = [(5, 0.93, win), (9, 0.97, None), (9, 0.5, draw), (9, 0.97, win)];
        assert_eq!(worth(&margins), [true, false, false, true], "no margin is worth a certain win");
        assert_eq!(
            worth(&[(5, 0.0, loss), (1, 0.1, None), (0, 0.0, None), (3, 0.5, draw)]),
            [false, true, false, true]
        );
        assert_eq!(worth(&[(5, 0.08, loss), (1, 0.02, None)]), [true, true], "a loss by little beats a hope");
        assert_eq!(worth(&[(5, 0.0, loss), (1, 0.0, loss), (0, 0.0, None)]), [true; 3]);
    }

    #[test]
    fn measurements_draw_their_first_turns() {
        let rule = ChoiceRule::measured(Variation { drawn_turns: 3, delta: 0.02 });
        assert_eq!(
            [0, 2, 3, 99].map(|turn| rule.at(turn)),
            [Choice::Near(0.02), Choice::Near(0.02), Choice::Most, Choice::Most]
        );
        assert_eq!(ChoiceRule::MOST.at(0), Choice::Most);
    }

    #[test]
    fn certain_choices_draw_nothing() {
        let mut untouched = rng(3);
        choose(&steps(&[(1, 0.5), (2, 0.5)]), Choice::Most, &mut untouched);
        assert_eq!(untouched, rng(3));
    }
}
