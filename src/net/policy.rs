//! The policy: a number for each step, and what it is trained towards.
//!
//! There is one for each step, by its number ([`crate::games::step_number`]). Softmax over the legal steps makes probabilities of them. As planes, they are seen from the mover's side:
//! transposed in Linage when Horizontal is to move.

use crate::board::Symmetry;

/// Where a step's number lies for the image of a board: `transposed` if the image is seen so.
pub(super) fn image_index(index: usize, size: usize, symmetry: Symmetry, transposed: bool) -> usize {
    if index >= size * size {
        return index;
    }
    let (row, column) = symmetry.map(size, index / size, index % size);
    if transposed { column * size + row } else { row * size + column }
}

/// Which steps a search thought good: shares by step, by the steps' numbers, that sum to 1.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyTarget {
    shares: Vec<(u16, f32)>,
}

impl PolicyTarget {
    /// From weights by step; `None` if none is above 0.
    pub fn new(weights: impl IntoIterator<Item = (usize, f32)>) -> Option<Self> {
        let mut shares: Vec<(u16, f32)> = weights
            .into_iter()
            .filter(|(_, weight)| *weight > 0.0)
            .map(|(step, weight)| (step as u16, weight))
            .collect();
        let sum: f32 = shares.iter().map(|(_, weight)| weight).sum();
        shares.iter_mut().for_each(|(_, weight)| *weight /= sum);
        (sum > 0.0 && sum.is_finite()).then_some(PolicyTarget { shares })
    }

    /// The shares by step.
    pub fn shares(&self) -> &[(u16, f32)] {
        &self.shares
    }

    /// Writes the target for an image of the board: one share for each step.
    pub(super) fn write(&self, size: usize, symmetry: Symmetry, transposed: bool, target: &mut [f64]) {
        target.fill(0.0);
        for (step, share) in &self.shares {
            target[image_index(usize::from(*step), size, symmetry, transposed)] = f64::from(*share);
        }
    }
}

/// The cross-entropy of the policy with `target` in nats, and its derivative by each number.
///
/// The softmax runs over all steps, legal or not: a trainer knows no rules, and the network learns which are not.
pub(super) fn policy_loss(raw: &[f32], target: &[f64], gradient: &mut [f64]) -> f64 {
    let largest = raw.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
    let mut sum = 0.0;
    for (share, raw) in gradient.iter_mut().zip(raw) {
        *share = f64::from(raw - largest).exp();
        sum += *share;
    }
    let mut loss = 0.0;
    for ((share, raw), target) in gradient.iter_mut().zip(raw).zip(target) {
        loss += target * (f64::ln(sum) - f64::from(raw - largest));
        *share = *share / sum - target;
    }
    loss
}

/// The mean cross-entropy over all points of who is paid for them, and its derivative by each number. A `target` is 1 for
/// the mover's points, −1 for the opponent's and 0 for nobody's, which count as half each.
pub(super) fn ownership_loss(raw: &[f32], target: impl Iterator<Item = i8>, gradient: &mut [f64]) -> f64 {
    let points = raw.len() as f64;
    let mut loss = 0.0;
    for ((slope, raw), owner) in gradient.iter_mut().zip(raw).zip(target) {
        let (raw, wanted) = (f64::from(*raw), 0.5 + 0.5 * f64::from(owner));
        // −w ln σ(x) − (1 − w) ln σ(−x), without cancellation.
        loss += (raw.max(0.0) - wanted * raw + (-raw.abs()).exp().ln_1p()) / points;
        *slope = (1.0 / (1.0 + (-raw).exp()) - wanted) / points;
    }
    loss
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// The largest distance between `gradient` and finite differences of `loss`.
    fn error(raw: &[f32], gradient: &[f64], loss: impl Fn(&[f32]) -> f64) -> f64 {
        let slope = |i: usize| {
            let (mut up, mut down) = (raw.to_vec(), raw.to_vec());
            up[i] += 1e-2;
            down[i] -= 1e-2;
            (loss(&up) - loss(&down)) / f64::from(up[i] - down[i])
        };
        (0..raw.len()).map(|i| (slope(i) - gradient[i]).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..50 {
            let raw: Vec<f32> = (0..12).map(|_| rng.random_range(-3.0..3.0)).collect();
            let shares = PolicyTarget::new([(3, 2.0), (11, 1.0), (0, rng.random())]).expect("weights");
            let mut target = vec![0.0; 12];
            shares.write(3, Symmetry::IDENTITY, false, &mut target);
            let mut gradient = vec![0.0; 12];
            policy_loss(&raw, &target, &mut gradient);
            assert!(error(&raw, &gradient, |raw| policy_loss(raw, &target, &mut [0.0; 12])) < 1e-4);

            let owners: Vec<i8> = (0..12).map(|_| rng.random_range(-1..=1)).collect();
            let loss = |raw: &[f32], gradient: &mut [f64]| ownership_loss(raw, owners.iter().copied(), gradient);
            loss(&raw, &mut gradient);
            assert!(error(&raw, &gradient, |raw| loss(raw, &mut [0.0; 12])) < 1e-4);
        }
    }

    #[test]
    fn a_perfect_policy_loses_no_more_than_the_targets_entropy() {
        let target = [0.5, 0.25, 0.25, 0.0];
        let raw = [0.5f32, 0.25, 0.25, 1e-30].map(f32::ln);
        let entropy = -target.iter().filter(|share| **share > 0.0).map(|share: &f64| share * share.ln()).sum::<f64>();
        let mut gradient = [0.0; 4];
        assert!((policy_loss(&raw, &target, &mut gradient) - entropy).abs() < 1e-6);
        assert!(gradient.iter().all(|slope| slope.abs() < 1e-6));
    }

    #[test]
    fn specials_stay_and_points_go_where_the_board_goes() {
        let turned = Symmetry::all().nth(5).expect("eight");
        let (row, column) = turned.map(4, 1, 2);
        assert_eq!(image_index(6, 4, turned, false), 4 * row + column);
        assert_eq!(image_index(6, 4, turned, true), 4 * column + row);
        assert_eq!(image_index(17, 4, turned, true), 17);
        assert_eq!(PolicyTarget::new([(1, 0.0)]), None);
    }

    #[test]
    fn extreme_numbers_stay_finite() {
        for raw in [[1e30f32, -1e30, 0.0], [-1e30, -1e30, -1e30]] {
            let mut gradient = [0.0; 3];
            assert!(policy_loss(&raw, &[0.5, 0.5, 0.0], &mut gradient).is_finite());
            assert!(ownership_loss(&raw, [1, -1, 0].into_iter(), &mut gradient).is_finite());
            assert!(gradient.iter().all(|slope| slope.is_finite()));
        }
    }
}
