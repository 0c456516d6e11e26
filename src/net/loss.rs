//! What training makes small, with its gradient: both in plain `f64`, so that libtorch only has to carry the gradient on.

use super::head::{Head, Lattice, MIXTURES, MarginMixture, sigmoid};
use crate::games::HalfPoints;

/// What became of a position, from the mover's view.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Target {
    /// 1 a win, ½ a draw, 0 a loss.
    pub outcome: f32,
    /// The final margin without komi; `None` in Fugo and after a repetition.
    pub margin: Option<HalfPoints>,
    /// True if the game ended by repetition.
    pub repetition: bool,
}

/// Mean losses in nats.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize)]
pub struct Losses {
    /// Negative log-likelihood of the margin on its lattice (0 where there is none).
    pub margin: f64,
    /// Cross-entropy of the expected score at the game's komi with the outcome.
    pub outcome: f64,
    /// Cross-entropy of the repetition (0 where none can happen).
    pub repetition: f64,
    /// Cross-entropy of the policy with its target; positions without a target count as 0.
    pub policy: f64,
    /// Mean cross-entropy of the points' owners (0 where nobody is paid).
    pub ownership: f64,
}

/// How much the owners count beside the rest, which is what the network is for.
pub(super) const OWNERSHIP_WEIGHT: f64 = 0.5;

/// How much the margins count beside the outcome, which follows from their distribution. Their loss is ten times that of
/// the outcome; counted in full, a few logistics are fitted to the margins as well as they can be, and what they say of the
/// outcome is too cautious.
const MARGIN_WEIGHT: f64 = 0.15;

impl Losses {
    /// How many there are.
    pub(super) const COUNT: usize = 5;

    /// What training makes small: the sum, in which margins and owners count for less.
    pub fn total(&self) -> f64 {
        let value = MARGIN_WEIGHT * self.margin + self.outcome + self.repetition;
        value + self.policy + OWNERSHIP_WEIGHT * self.ownership
    }

    /// The single losses, in the order of the fields.
    pub fn to_array(self) -> [f64; Losses::COUNT] {
        [self.margin, self.outcome, self.repetition, self.policy, self.ownership]
    }

    pub(super) fn from_array([margin, outcome, repetition, policy, ownership]: [f64; Losses::COUNT]) -> Self {
        Losses { margin, outcome, repetition, policy, ownership }
    }

    pub(super) fn add(&mut self, other: &Losses, weight: f64) {
        let (own, other) = (self.to_array(), other.to_array());
        *self = Losses::from_array(std::array::from_fn(|i| own[i] + weight * other[i]));
    }

    pub(super) fn scaled(&self, factor: f64) -> Losses {
        Losses::from_array(self.to_array().map(|loss| factor * loss))
    }
}

/// Probabilities below this have the loss of this one: one lost bet must not outweigh a batch.
const FLOOR: f64 = 1e-9;

/// −ln σ(x).
fn minus_log_sigmoid(x: f64) -> f64 {
    if x < -30.0 { -x } else { (-x).exp().ln_1p() }
}

/// The losses of one position, and their sum's derivative by each output in `gradient`.
///
/// `raw` and `gradient` hold as many numbers as the head has; the margin, if there is one, must be on the lattice.
pub(super) fn loss(
    head: Head,
    size: usize,
    komi: HalfPoints,
    raw: &[f32],
    target: &Target,
    gradient: &mut [f64],
) -> Losses {
    let game = head.game;
    gradient.fill(0.0);
    let mut losses = Losses::default();
    let logit = |i: usize| f64::from(raw[i]);
    let outcome = f64::from(target.outcome);

    // The expected score of a game with a result, and its complement: both kept, for precision.
    let mixture = head.margins.then(|| MarginMixture::new(game, size, raw));
    let lattice = Lattice::of(game, size);
    let bounds = lattice.bounds(komi);
    let (win, lose) = match &mixture {
        Some(mixture) => {
            let half = |tail: [f64; 2]| 0.5 * (tail[0] + tail[1]);
            (half(bounds.map(|bound| mixture.above(bound))), half(bounds.map(|bound| mixture.below(bound))))
        }
        None => (sigmoid(logit(0)), sigmoid(-logit(0))),
    };
    let last = head.count() - 1;
    let repetition = if game.can_repeat() { sigmoid(logit(last)) } else { 0.0 };
    let value = ((1.0 - repetition) * win + 0.5 * repetition).max(FLOOR);
    let complement = ((1.0 - repetition) * lose + 0.5 * repetition).max(FLOOR);
    losses.outcome = -outcome * value.ln() - (1.0 - outcome) * complement.ln();
    // The derivative by `win`, `lose` being 1 − `win`.
    let by_win = (1.0 - repetition) * ((1.0 - outcome) / complement - outcome / value);

    if game.can_repeat() {
        let logit = logit(last);
        let hit = target.repetition as u8 as f64;
        losses.repetition = minus_log_sigmoid(if target.repetition { logit } else { -logit });
        let by_repetition = -outcome * (0.5 - win) / value - (1.0 - outcome) * (0.5 - lose) / complement;
        gradient[last] = repetition - hit + by_repetition * repetition * (1.0 - repetition);
    }
    let Some(mixture) = mixture else {
        gradient[0] = by_win * win * lose;
        return losses;
    };

    let (weights, locations, scales) = (mixture.weights, mixture.locations, mixture.scales);
    let mut by_location = [0.0; MIXTURES];
    let mut by_scale = [0.0; MIXTURES];
    for bound in bounds.into_iter().filter(|bound| bound.is_finite()) {
        let all = mixture.above(bound);
        for i in 0..MIXTURES {
            let x = (bound - locations[i]) / scales[i];
            let (tail, density) = (sigmoid(-x), sigmoid(x) * sigmoid(-x));
            gradient[i] += 0.5 * by_win * weights[i] * (tail - all);
            by_location[i] += 0.5 * by_win * weights[i] * density / scales[i];
            by_scale[i] += 0.5 * by_win * weights[i] * density * x / scales[i];
        }
    }

    if let Some(margin) = target.margin {
        // ln(σ(b) − σ(a)) = ln σ(b) + ln σ(−a) + ln(1 − e^(a − b)): no cancellation however far out the margin is.
        let [low, high] = lattice.cell(margin);
        let mut log_mass = [0.0; MIXTURES];
        for i in 0..MIXTURES {
            let (a, b) = ((low - locations[i]) / scales[i], (high - locations[i]) / scales[i]);
            log_mass[i] = weights[i].max(f64::MIN_POSITIVE).ln() + (-(-(b - a)).exp_m1()).ln()
                - minus_log_sigmoid(b)
                - minus_log_sigmoid(-a);
        }
        let largest = log_mass.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = log_mass.iter().map(|mass| (mass - largest).exp()).sum();
        losses.margin = -(largest + sum.ln());
        for i in 0..MIXTURES {
            let share = (log_mass[i] - largest).exp() / sum;
            let (a, b) = ((low - locations[i]) / scales[i], (high - locations[i]) / scales[i]);
            let (up, down) = (sigmoid(-b), sigmoid(a));
            let between = 1.0 / (b - a).exp_m1();
            // At an infinite bound the terms x·σ(−x) vanish.
            let times = |x: f64, y: f64| if x.is_finite() { x * y } else { 0.0 };
            let by_log_scale = times(b, up) - times(a, down) + times(b - a, between);
            gradient[i] += MARGIN_WEIGHT * (weights[i] - share);
            by_location[i] += MARGIN_WEIGHT * share * (up - down) / scales[i];
            by_scale[i] += MARGIN_WEIGHT * share * by_log_scale / scales[i];
        }
    }
    let n = size as f64;
    for i in 0..MIXTURES {
        gradient[MIXTURES + i] += n * by_location[i];
        gradient[2 * MIXTURES + i] += n * sigmoid(logit(2 * MIXTURES + i)) * by_scale[i];
    }
    losses
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::games::GameKind;

    /// The heads that networks of a game can have.
    fn heads(game: GameKind) -> impl Iterator<Item = Head> {
        [true, false]
            .into_iter()
            .filter(move |margins| game.has_score() || !margins)
            .map(move |margins| Head { game, margins })
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for head in GameKind::ALL.into_iter().flat_map(heads) {
            let game = head.game;
            let lattice = Lattice::of(game, 5);
            let margins: Vec<HalfPoints> = lattice.points().collect();
            for _ in 0..200 {
                let raw: Vec<f32> = (0..head.count()).map(|_| rng.random_range(-2.0..2.0)).collect();
                // The first and the last margin have infinite bounds: look at them often.
                let margin = match rng.random_range(0..4) {
                    0 => margins[0],
                    1 => margins[margins.len() - 1],
                    _ => margins[rng.random_range(0..margins.len())],
                };
                let target = Target {
                    outcome: [0.0, 0.5, 1.0][rng.random_range(0..3)],
                    margin: (game.has_score() && rng.random_bool(0.8)).then_some(margin),
                    repetition: game.can_repeat() && rng.random_bool(0.3),
                };
                let komi = HalfPoints(if game.has_score() { rng.random_range(-60..60) } else { 0 });
                let mut gradient = vec![0.0; raw.len()];
                let at = |raw: &[f32]| loss(head, 5, komi, raw, &target, &mut vec![0.0; raw.len()]).total();
                loss(head, 5, komi, &raw, &target, &mut gradient);
                for i in 0..raw.len() {
                    let (mut up, mut down) = (raw.clone(), raw.clone());
                    up[i] += 1e-3;
                    down[i] -= 1e-3;
                    let slope = (at(&up) - at(&down)) / f64::from(up[i] - down[i]);
                    let tolerance = 1e-4 * (1.0 + slope.abs());
                    assert!((slope - gradient[i]).abs() < tolerance, "{game} {i}: {slope} {}", gradient[i]);
                }
            }
        }
    }

    #[test]
    fn the_margin_loss_is_the_log_of_the_probability() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for game in GameKind::ALL.into_iter().filter(|game| game.has_score()) {
            let head = Head { game, margins: true };
            let raw: Vec<f32> = (0..head.count()).map(|_| rng.random_range(-1.0..1.0)).collect();
            let mixture = MarginMixture::new(game, 6, &raw);
            for margin in mixture.margins() {
                let target = Target { outcome: 1.0, margin: Some(margin), repetition: false };
                let mut gradient = vec![0.0; raw.len()];
                let losses = loss(head, 6, HalfPoints(1), &raw, &target, &mut gradient);
                assert!((losses.margin + mixture.probability(margin).ln()).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn extreme_outputs_give_finite_losses_and_gradients() {
        for head in GameKind::ALL.into_iter().flat_map(heads) {
            let game = head.game;
            for size in [1, 19] {
                for scale in [1e2, 1e6, 1e30] {
                    for sign in 0..4 {
                        let sign = |i: usize| if (i + sign).is_multiple_of(3) { 1.0 } else { -1.0 };
                        let raw: Vec<f32> = (0..head.count()).map(|i| scale * sign(i)).collect();
                        let margin = Lattice::of(game, size).points().next().filter(|_| game.has_score());
                        for outcome in [0.0, 0.5, 1.0] {
                            let target = Target { outcome, margin, repetition: game.can_repeat() };
                            let mut gradient = vec![0.0; raw.len()];
                            let losses = loss(head, size, HalfPoints(7), &raw, &target, &mut gradient);
                            assert!(losses.total().is_finite(), "{game} {raw:?}");
                            assert!(gradient.iter().all(|g| g.is_finite()), "{game} {raw:?} {gradient:?}");
                        }
                    }
                }
            }
        }
    }
}
