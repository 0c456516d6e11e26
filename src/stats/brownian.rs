//! Brownian motion with drift between two absorbing barriers.
//!
//! Sums over the images of the starting point (Borodin & Salminen, "Handbook of Brownian Motion",
//! part II, 3.0; D. Siegmund, "Sequential Analysis", 1985, ch. III). Every term is a product of an
//! exponential and a normal tail, taken together so that neither overflows.

use super::normal::scaled_normal_tail;

/// Standard deviations beyond which a normal tail is nothing (below 1e-15).
const FAR: f64 = 8.0;

/// Variance after which nothing is left between the barriers, in squared distances between them:
/// a share of about exp(-π²/2 · 10), or 1e-21, has survived.
const LONG: f64 = 10.0;

/// A motion that starts at 0 and stops at the first barrier it meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Motion {
    /// Mean per unit of time.
    pub drift: f64,
    /// Variance per unit of time; positive.
    pub variance: f64,
    /// Lower barrier; negative.
    pub lower: f64,
    /// Upper barrier; positive.
    pub upper: f64,
}

impl Motion {
    /// Probability of having met the upper barrier, and so not the lower, by `time` >= 0.
    pub fn upper_by(&self, time: f64) -> f64 {
        let deviation = (self.variance * time).sqrt();
        if deviation == 0.0 {
            return 0.0;
        }
        if self.is_over(time) {
            return self.upper_ever();
        }
        let width = self.upper - self.lower;
        let to_upper = |distance: f64| self.image_passage(distance, time, deviation);
        let sum: f64 = (0..self.images(deviation, time))
            .map(|k| {
                let shift = 2.0 * f64::from(k) * width;
                to_upper(shift + self.upper) - to_upper(shift + 2.0 * width - self.upper)
            })
            .sum();
        sum.clamp(0.0, 1.0)
    }

    /// Probability of having met the lower barrier, and so not the upper, by `time` >= 0.
    pub fn lower_by(&self, time: f64) -> f64 {
        self.mirrored().upper_by(time)
    }

    /// Probability of having met the lower barrier by `time`, or no barrier and being below `y`
    /// (between the barriers).
    pub fn below(&self, time: f64, y: f64) -> f64 {
        let deviation = (self.variance * time).sqrt();
        if deviation == 0.0 {
            return if y > 0.0 { 1.0 } else { 0.0 };
        }
        let stopped = self.lower_by(time);
        if self.is_over(time) {
            return stopped;
        }
        let width = self.upper - self.lower;
        let images = self.images(deviation, time) as i32;
        let alive: f64 = (-images..=images)
            .map(|k| {
                let source = 2.0 * f64::from(k) * width;
                self.image_mass(source, y, time, deviation)
                    - self.image_mass(source + 2.0 * self.upper, y, time, deviation)
            })
            .sum();
        (stopped + alive.max(0.0)).min(1.0)
    }

    /// The motion upside down.
    fn mirrored(&self) -> Self {
        Self { drift: -self.drift, variance: self.variance, lower: -self.upper, upper: -self.lower }
    }

    /// Whether the motion has met a barrier by `time`, but for a negligible probability.
    fn is_over(&self, time: f64) -> bool {
        let width = self.upper - self.lower;
        let spread = self.variance * time;
        spread > LONG * width * width || self.drift.abs() * time > width + FAR * spread.sqrt()
    }

    /// Images on each side that matter: those within reach of drift and spread.
    fn images(&self, deviation: f64, time: f64) -> u32 {
        let reach = self.drift.abs() * time + FAR * deviation;
        // bounded because a motion that reaches further is over
        (reach / (2.0 * (self.upper - self.lower))).ceil() as u32 + 1
    }

    /// Probability of ever meeting the upper barrier before the lower.
    fn upper_ever(&self) -> f64 {
        let rate = 2.0 * self.drift / self.variance;
        let width = self.upper - self.lower;
        if (rate * width).abs() < 1e-12 {
            -self.lower / width
        } else if rate > 0.0 {
            (rate * self.lower).exp_m1() / (-rate * width).exp_m1()
        } else {
            (rate * self.upper).exp() * (-rate * self.lower).exp_m1() / (rate * width).exp_m1()
        }
    }

    /// Probability that a motion without barriers passes `distance` > 0 by `time`, weighted as an
    /// image of the upper barrier.
    fn image_passage(&self, distance: f64, time: f64, deviation: f64) -> f64 {
        let speed = self.drift.abs();
        let weight = self.drift * self.upper / self.variance;
        let pull = speed * distance / self.variance;
        scaled_normal_tail(weight - pull, (distance - speed * time) / deviation)
            + scaled_normal_tail(weight + pull, (distance + speed * time) / deviation)
    }

    /// Mass between the lower barrier and `y` at `time` of the image that started at `source`.
    fn image_mass(&self, source: f64, y: f64, time: f64, deviation: f64) -> f64 {
        let weight = self.drift * source / self.variance;
        let scaled = |x: f64| (x - source - self.drift * time) / deviation;
        // from the side where the tails are small
        if source > 0.0 {
            scaled_normal_tail(weight, -scaled(y)) - scaled_normal_tail(weight, -scaled(self.lower))
        } else {
            scaled_normal_tail(weight, scaled(self.lower)) - scaled_normal_tail(weight, scaled(y))
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;

    fn motions() -> impl Iterator<Item = Motion> {
        [-30.0, -2.0, -0.3, 0.0, 1e-9, 0.7, 5.0, 200.0].into_iter().flat_map(|drift| {
            [(-1.0, 1.0), (-3.0, 0.5), (-0.2, 2.0)].into_iter().flat_map(move |(lower, upper)| {
                [0.01, 1.0, 4.0].map(|variance| Motion { drift, variance, lower, upper })
            })
        })
    }

    #[test]
    fn probabilities_add_up() {
        for motion in motions() {
            for time in [1e-6, 0.01, 0.3, 2.0, 9.0, 1e3, 1e9] {
                let (up, down) = (motion.upper_by(time), motion.lower_by(time));
                let rest = motion.below(time, motion.upper);
                assert!((up + rest - 1.0).abs() < 1e-9, "{motion:?} {time}: {up} {down} {rest}");
                assert!((motion.below(time, motion.lower) - down).abs() < 1e-12);
                let middle = motion.below(time, 0.5 * (motion.lower + motion.upper));
                assert!(down - 1e-12 <= middle && middle <= rest + 1e-12);
            }
        }
    }

    #[test]
    fn time_only_adds() {
        for motion in motions() {
            let mut last = 0.0;
            for i in 0..200 {
                let now = motion.upper_by(1e-3 * 1.1_f64.powi(i));
                assert!(now >= last - 1e-9, "{motion:?}: {last} {now}");
                last = now;
            }
            assert!((last - motion.upper_ever()).abs() < 1e-9, "{motion:?}");
        }
    }

    #[test]
    fn one_far_barrier_is_the_inverse_gaussian() {
        // Φ((μT - b)/√T) + e^(2μb) Φ(-(μT + b)/√T) at μ = ½, b = 1, T = 2
        let motion = Motion { drift: 0.5, variance: 1.0, lower: -1e3, upper: 1.0 };
        let exact = 0.5 + std::f64::consts::E * super::super::normal::normal_cdf(-2.0 / 2.0_f64.sqrt());
        assert!((motion.upper_by(2.0) - exact).abs() < 1e-12);
    }

    #[test]
    fn a_fine_walk_behaves_so() {
        let mut rng = ChaCha8Rng::seed_from_u64(21);
        let motion = Motion { drift: 0.4, variance: 1.0, lower: -1.0, upper: 1.5 };
        let (runs, steps, time, y) = (4000, 1000, 1.2, 0.3);
        let (mut up, mut below) = (0, 0);
        for _ in 0..runs {
            let step = time / f64::from(steps);
            // Siegmund's correction for looking only now and then: 0.5826 standard deviations
            let margin = 0.5826 * step.sqrt();
            let mut x = 0.0;
            for _ in 0..steps {
                let noise: f64 = StandardNormal.sample(&mut rng);
                x += motion.drift * step + step.sqrt() * noise;
                if x >= motion.upper - margin || x <= motion.lower + margin {
                    break;
                }
            }
            up += i32::from(x >= motion.upper - margin);
            below += i32::from(x < y);
        }
        for (count, p) in [(up, motion.upper_by(time)), (below, motion.below(time, y))] {
            let error = (p * (1.0 - p) / f64::from(runs)).sqrt();
            assert!((f64::from(count) / f64::from(runs) - p).abs() < 4.0 * error, "{count} of {runs}: {p}");
        }
    }
}
