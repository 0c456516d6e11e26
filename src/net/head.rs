//! What the network's outputs mean: a distribution of the margin, a repetition, a win.
//!
//! Score games: for each of [`MIXTURES`] logistics a weight, a location and a scale (in this order: all weights, all
//! locations, all scales), then, where boards can come back, a repetition logit. Fugo, and networks without margins: the
//! logit of the expected score, a repetition logit.
//! Plain arithmetic in `f64`, the same for training and play.

use crate::games::{GameKind, HalfPoints};
use crate::search::utility_spread;
use crate::stats::calibration::Platt;

/// How many logistics a margin is a mixture of.
pub const MIXTURES: usize = 4;

/// No logistic is narrower than this many points: nearly all on one lattice point.
const MIN_SCALE: f64 = 0.1;

/// Which numbers a network gives for a position's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Head {
    pub game: GameKind,
    /// True if they describe the margin, not the expected score alone.
    pub margins: bool,
}

impl Head {
    /// How many numbers there are.
    pub fn count(self) -> usize {
        let result = if self.margins { 3 * MIXTURES } else { 1 };
        result + self.game.can_repeat() as usize
    }

    /// The output biases to start from: locations spread over ±¾ n points, scales of half n.
    pub fn first_biases(self) -> Vec<f32> {
        let mut biases = vec![0.0; self.count()];
        if self.margins {
            for i in 0..MIXTURES {
                biases[MIXTURES + i] = 1.5 * (i as f32 / (MIXTURES - 1) as f32 - 0.5);
                biases[2 * MIXTURES + i] = -0.43; // softplus gives a half
            }
        }
        if self.game.can_repeat()
            && let Some(repetition) = biases.last_mut()
        {
            *repetition = -3.0;
        }
        biases
    }
}

pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

pub(super) fn softplus(x: f64) -> f64 {
    if x > 30.0 { x } else { x.exp().ln_1p() }
}

/// A margin's distribution: a mixture of logistics (cut off at the largest margin), discretised on the game's
/// lattice, so that a lattice point m has the mass from m − ½ to m + ½. As in PixelCNN++ (Salimans et al. 2017).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MarginMixture {
    pub(super) weights: [f64; MIXTURES],
    /// In points.
    pub(super) locations: [f64; MIXTURES],
    /// In points.
    pub(super) scales: [f64; MIXTURES],
    lattice: Lattice,
}

/// The margins that a game can end with on a board: every second half point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lattice {
    /// The largest, in half points.
    pub max: i32,
}

impl Lattice {
    pub(super) fn of(game: GameKind, size: usize) -> Self {
        Lattice { max: 2 * (size * size) as i32 + game.margin_parity() }
    }

    pub(super) fn contains(self, margin: HalfPoints) -> bool {
        margin.0.abs() <= self.max && (margin.0 - self.max) % 2 == 0
    }

    /// In half points, ascending.
    pub(super) fn points(self) -> impl Iterator<Item = HalfPoints> {
        (-self.max..=self.max).step_by(2).map(HalfPoints)
    }

    /// A bound between lattice points: infinite where no margin lies beyond it.
    fn bound(self, points: f64) -> f64 {
        let max = f64::from(self.max) / 2.0;
        if points > max {
            f64::INFINITY
        } else if points < -max {
            f64::NEG_INFINITY
        } else {
            points
        }
    }

    /// The bounds of the margin's cell.
    pub(super) fn cell(self, margin: HalfPoints) -> [f64; 2] {
        [self.bound(margin.points() - 0.5), self.bound(margin.points() + 0.5)]
    }

    /// A win with `komi` added is a margin above the second bound, a loss one below the first; between them is a tie.
    pub(super) fn bounds(self, komi: HalfPoints) -> [f64; 2] {
        let threshold = -komi;
        if self.contains(threshold) {
            self.cell(threshold)
        } else {
            // At a komi beyond all margins the parity does not matter.
            let bound = self.bound(threshold.points());
            [bound, bound]
        }
    }
}

impl MarginMixture {
    /// From the first 3·[`MIXTURES`] outputs.
    pub(super) fn new(game: GameKind, size: usize, raw: &[f32]) -> Self {
        let n = size as f64;
        let raw = |part: usize, i: usize| raw.get(part * MIXTURES + i).map_or(f64::NAN, |x| f64::from(*x));
        let largest = (0..MIXTURES).map(|i| raw(0, i)).fold(f64::NEG_INFINITY, f64::max);
        let mut mixture = MarginMixture {
            weights: std::array::from_fn(|i| (raw(0, i) - largest).exp()),
            locations: std::array::from_fn(|i| n * raw(1, i)),
            scales: std::array::from_fn(|i| MIN_SCALE + n * softplus(raw(2, i))),
            lattice: Lattice::of(game, size),
        };
        let sum: f64 = mixture.weights.iter().sum();
        mixture.weights.iter_mut().for_each(|weight| *weight /= sum);
        mixture
    }

    /// The mass above a bound (infinite bounds allowed).
    pub(super) fn above(&self, bound: f64) -> f64 {
        let tails = (0..MIXTURES).map(|i| sigmoid((self.locations[i] - bound) / self.scales[i]));
        tails.zip(self.weights).map(|(tail, weight)| weight * tail).sum()
    }

    /// The mass below a bound.
    pub(super) fn below(&self, bound: f64) -> f64 {
        let tails = (0..MIXTURES).map(|i| sigmoid((bound - self.locations[i]) / self.scales[i]));
        tails.zip(self.weights).map(|(tail, weight)| weight * tail).sum()
    }

    /// The margins that are possible, in ascending order.
    pub fn margins(&self) -> impl Iterator<Item = HalfPoints> + use<> {
        self.lattice.points()
    }

    /// The probability of this margin (mover's view, without komi); 0 off the lattice.
    pub fn probability(&self, margin: HalfPoints) -> f64 {
        if !self.lattice.contains(margin) {
            return 0.0;
        }
        let [low, high] = self.lattice.cell(margin);
        // The difference of the smaller tails keeps its precision.
        let mass = if low > 0.0 { self.above(low) - self.above(high) } else { self.below(high) - self.below(low) };
        mass.max(0.0)
    }

    /// The probabilities that the mover wins and loses with `komi` added to the mover's score.
    pub fn win_and_loss(&self, komi: HalfPoints) -> [f64; 2] {
        let [low, high] = self.lattice.bounds(komi);
        [self.above(high), self.below(low)]
    }

    /// The expected score of a game with a result, ties being a half.
    pub fn score(&self, komi: HalfPoints) -> f64 {
        let [low, high] = self.lattice.bounds(komi);
        0.5 * (self.above(low) + self.above(high))
    }

    /// The smallest margin that is reached or stayed below with a probability of at least a half.
    pub fn median(&self) -> HalfPoints {
        let reached = |margin: &HalfPoints| self.below(self.lattice.cell(*margin)[1]) >= 0.5;
        self.margins().find(reached).unwrap_or(HalfPoints(self.lattice.max))
    }

    /// The expected margin in points.
    pub fn mean(&self) -> f64 {
        self.margins().map(|margin| margin.points() * self.probability(margin)).sum()
    }
}

/// What the network says about a position, from the mover's view.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prediction {
    /// The margin if the game has a result; `None` in Fugo, and from a network without margins.
    pub margin: Option<MarginMixture>,
    /// The probability that the game ends by repetition (0 where none can happen).
    pub repetition: f64,
    /// The expected score in [0, 1] at the position's komi: draws by tie or repetition are a half.
    pub value: f64,
    /// The same before it was scaled.
    pub plain: f64,
    /// How the value is scaled; the margin's distribution and the repetition are not.
    pub scaling: Platt,
}

/// The expected score when a repetition, worth a half, may cut the game short.
fn with_repetition(score: f64, repetition: f64) -> f64 {
    // Rounding may have carried a sum of probabilities past 1; a NaN stays one.
    ((1.0 - repetition) * score + 0.5 * repetition).clamp(0.0, 1.0)
}

impl Prediction {
    pub(super) fn new(head: Head, size: usize, komi: HalfPoints, raw: &[f32], scaling: Platt) -> Self {
        let logit = |i: usize| sigmoid(raw.get(i).map_or(f64::NAN, |x| f64::from(*x)));
        let repetition = if head.game.can_repeat() { logit(head.count() - 1) } else { 0.0 };
        let margin = head.margins.then(|| MarginMixture::new(head.game, size, raw));
        let score = margin.map_or_else(|| logit(0), |margin| margin.score(komi));
        let plain = with_repetition(score, repetition);
        Prediction { margin, repetition, value: scaling.scaled(plain), plain, scaling }
    }

    /// The value, to a part of `weight` replaced by how far the margin is expected beyond the mover's `komi`: see
    /// [`crate::search::margin_utility`]. Where there are no margins, the value.
    pub fn utility(&self, size: usize, komi: HalfPoints, weight: f32) -> f64 {
        let Some(margin) = self.margin.filter(|_| weight > 0.0) else { return self.value };
        let spread = utility_spread(size);
        // The mean of a logistic function over a logistic distribution, nearly: their scales add up as deviations do.
        let soft = |i: usize| sigmoid((margin.locations[i] + komi.points()) / spread.hypot(margin.scales[i]));
        let soft: f64 = (0..MIXTURES).map(|i| margin.weights[i] * soft(i)).sum();
        let soft = with_repetition(soft, self.repetition);
        (1.0 - f64::from(weight)) * self.value + f64::from(weight) * soft
    }

    /// The value at another komi with the network's other answers as they are: it never falls as the mover's komi grows.
    pub fn value_at(&self, komi: HalfPoints) -> f64 {
        match &self.margin {
            Some(margin) => self.scaling.scaled(with_repetition(margin.score(komi), self.repetition)),
            None => self.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn random(game: GameKind, size: usize, rng: &mut ChaCha8Rng) -> Prediction {
        let head = Head { game, margins: game.has_score() };
        let raw: Vec<f32> = (0..head.count()).map(|_| rng.random_range(-3.0..3.0)).collect();
        Prediction::new(head, size, HalfPoints(0), &raw, Platt::NONE)
    }

    #[test]
    fn margins_sum_to_one_and_agree_with_wins_and_values() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for game in GameKind::ALL.into_iter().filter(|game| game.has_score()) {
            for size in [3, 5, 9, 19] {
                let prediction = random(game, size, &mut rng);
                let mixture = prediction.margin.expect("a score game");
                let sum: f64 = mixture.margins().map(|margin| mixture.probability(margin)).sum();
                assert!((sum - 1.0).abs() < 1e-9, "{game} {size}: {sum}");
                let most = 2 * (size * size) as i32 + 4;
                for komi in (-most..=most).map(HalfPoints) {
                    let mass = |wanted: fn(i32) -> bool| -> f64 {
                        let chosen = mixture.margins().filter(|margin| wanted(margin.0 + komi.0));
                        chosen.map(|margin| mixture.probability(margin)).sum()
                    };
                    let [win, loss] = mixture.win_and_loss(komi);
                    assert!((win - mass(|m| m > 0)).abs() < 1e-9);
                    assert!((loss - mass(|m| m < 0)).abs() < 1e-9);
                    let score = win + 0.5 * (1.0 - win - loss);
                    assert!((mixture.score(komi) - score).abs() < 1e-9);
                    let value = (1.0 - prediction.repetition) * score + 0.5 * prediction.repetition;
                    assert!((prediction.value_at(komi) - value).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn the_value_never_falls_as_the_movers_komi_grows() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for game in GameKind::ALL {
            for _ in 0..20 {
                let prediction = random(game, 5, &mut rng);
                let at = |prediction: &Prediction| -> Vec<f64> {
                    (-60..=60).map(|komi| prediction.value_at(HalfPoints(komi))).collect()
                };
                let values = at(&prediction);
                let scaling = Platt { factor: 2.0, shift: 0.3 };
                let sure = at(&Prediction { scaling, value: scaling.scaled(prediction.value), ..prediction });
                assert!(values.iter().zip(&sure).all(|(value, sure)| (scaling.scaled(*value) - sure).abs() < 1e-12));
                assert!(sure.windows(2).all(|pair| pair[0] <= pair[1]));
                assert!(values.windows(2).all(|pair| pair[0] <= pair[1]), "{game} {values:?}");
                assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
                if let Some(margin) = prediction.margin {
                    let below = |komi| margin.margins().filter(|m| *m < komi).map(|m| margin.probability(m)).sum();
                    let before: f64 = below(margin.median());
                    assert!(before < 0.5 && before + margin.probability(margin.median()) >= 0.5 - 1e-12);
                }
            }
        }
    }
}
