//! Elo from pairs of games with colours reversed (pentanomial counts).
//!
//! The unit of evidence is the pair: both games share an opening, so they are not independent.
//! Sources: the pentanomial model and normalised Elo of fishtest and fastchess (M. Van den Bergh,
//! "Normalized Elo", 2020).

use serde::{Deserialize, Serialize};

use super::binomial::wilson_fraction;
use super::interval::Interval;
use super::normal::{critical_value, normal_cdf};
use super::wdl::Outcome;

/// Elo difference at an expected score in `[0, 1]`; infinite at the ends, NaN outside.
pub fn elo_from_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// Expected score at an Elo difference; 0 and 1 at the infinities.
pub fn score_from_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Elo per unit of normalised score: 800 / ln 10.
pub(super) const NORMALISED_ELO: f64 = 800.0 / std::f64::consts::LN_10;

/// Pairs added in all when no variance shows, half of them lost twice and half won twice.
const PSEUDO_PAIRS: f64 = 4.0;

/// Counts of pairs of games by what one engine scored in the two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pentanomial {
    /// Pairs scored LL, LD, LW or DD, DW, WW: 0, ½, 1, 1½ and 2 points of two.
    pub counts: [u64; 5],
}

/// An Elo difference. Ends may be infinite: ten pairs won twice each bound it only from below.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EloEstimate {
    /// The value at the observed score (infinite when everything was won or lost).
    pub elo: f64,
    /// Its confidence interval.
    pub interval: Interval,
}

impl Pentanomial {
    /// Counts in the order LL, LD, LW or DD, DW, WW.
    pub fn new(counts: [u64; 5]) -> Self {
        Self { counts }
    }

    /// Counts one more pair by the engine's results in its two games.
    pub fn record(&mut self, first: Outcome, second: Outcome) {
        let half_points = first.half_points() + second.half_points();
        self.counts[usize::from(half_points)] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// These pairs and others together.
    pub fn and(&self, other: &Self) -> Self {
        Self { counts: std::array::from_fn(|class| self.counts[class] + other.counts[class]) }
    }

    /// The same pairs seen from the other engine.
    pub fn negated(&self) -> Self {
        let mut counts = self.counts;
        counts.reverse();
        Self { counts }
    }

    /// Mean score per game in `[0, 1]`; `None` without pairs.
    pub fn score(&self) -> Option<f64> {
        let pairs = self.pairs();
        (pairs > 0).then(|| {
            let quarters: f64 = (0..5).map(|i| i as f64 * self.counts[i] as f64).sum();
            quarters / (4.0 * pairs as f64)
        })
    }

    /// Variance of the score of a pair (its mean score per game), as observed: 0 when all pairs
    /// scored the same. `None` without pairs.
    pub fn variance_per_pair(&self) -> Option<f64> {
        (self.pairs() > 0).then(|| self.moments(0.0).1)
    }

    /// Mean and variance per pair after adding `extra` pairs, half LL and half WW.
    fn moments(&self, extra: f64) -> (f64, f64) {
        let mut weights = self.counts.map(|count| count as f64);
        weights[0] += extra / 2.0;
        weights[4] += extra / 2.0;
        let total: f64 = weights.iter().sum();
        // summed from the middle outwards in equal pairs, so that swapping the engines mirrors
        // exactly
        let lean = (weights[4] - weights[0]) / 2.0 + (weights[3] - weights[1]) / 4.0;
        let square = (weights[4] + weights[0]) / 4.0 + (weights[3] + weights[1]) / 16.0;
        let lean = lean / total;
        (0.5 + lean, (square / total - lean * lean).max(0.0))
    }

    /// The variance used for ratios: the observed one, or where that is 0 the one after adding
    /// `PSEUDO_PAIRS` pairs, half LL and half WW.
    fn positive_variance(&self) -> f64 {
        let observed = self.moments(0.0).1;
        if observed > 0.0 { observed } else { self.moments(PSEUDO_PAIRS).1 }
    }

    /// Interval for the score per game, honest for few pairs and for no variance; `[0, 1]` without
    /// pairs.
    ///
    /// Wilson's interval (1927) at the effective sample size: the pairs, times how much smaller
    /// their variance is than that of a win-or-lose trial with the same mean (the design effect;
    /// Korn & Graubard, Survey Methodology 1998). The variance is regularised by z² pseudo-pairs,
    /// half LL and half WW (Agresti & Coull, Am. Stat. 1998), so it is never 0, and the influence
    /// fades as 1/pairs. All pairs won: Wilson's interval for `pairs` wins of `pairs`.
    pub fn score_interval(&self, level: f64) -> Interval {
        let Some(score) = self.score() else {
            return Interval::UNIT;
        };
        wilson_fraction(score, self.pairs() as f64 / self.dispersion(level), level)
    }

    /// The variance of a pair over that of a win-or-lose trial with the same mean, both after
    /// adding z² pseudo-pairs, half LL and half WW; in (0, 1].
    pub(super) fn dispersion(&self, level: f64) -> f64 {
        let (mean, variance) = self.moments(critical_value(level).powi(2).max(1.0));
        variance / (mean * (1.0 - mean))
    }

    /// The plain large-sample interval score ± z·sqrt(variance / pairs) that fastchess and
    /// cutechess print. Width 0 when no variance shows: for comparison with those tools only.
    pub fn normal_interval(&self, level: f64) -> Interval {
        let Some(score) = self.score() else {
            return Interval::UNIT;
        };
        let half = critical_value(level) * (self.moments(0.0).1 / self.pairs() as f64).sqrt();
        Interval::new(score - half, score + half)
    }

    /// Elo difference with the ends of [`Self::score_interval`]; `None` without pairs.
    pub fn elo(&self, level: f64) -> Option<EloEstimate> {
        Some(EloEstimate {
            elo: elo_from_score(self.score()?),
            interval: self.score_interval(level).map(elo_from_score),
        })
    }

    /// Normalised Elo (score - ½) / sqrt(2 variance) · 800 / ln 10 and its interval at fixed
    /// variance, as fastchess reports it; `None` without pairs. The variance is per pair and the
    /// factor 2 makes it one per game. Where no variance shows, that of four extra pairs (two LL,
    /// two WW) serves.
    pub fn nelo(&self, level: f64) -> Option<EloEstimate> {
        let score = self.score()?;
        let scale = NORMALISED_ELO / (2.0 * self.positive_variance()).sqrt();
        let elo = (score - 0.5) * scale;
        let half = critical_value(level) * NORMALISED_ELO / (2.0 * self.pairs() as f64).sqrt();
        Some(EloEstimate { elo, interval: Interval::new(elo - half, elo + half) })
    }

    /// Likelihood of superiority Φ((score - ½) / standard error); ½ without pairs. The variance is
    /// regularised as in [`Self::nelo`].
    pub fn los(&self) -> f64 {
        let Some(score) = self.score() else {
            return 0.5;
        };
        normal_cdf((score - 0.5) / (self.positive_variance() / self.pairs() as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values from fastchess, app/tests/elo_test.cpp ("EloPentanomial 1" to "3"), whose
    /// counts are ordered LL, LD, WL, DD, WD, WW, and whose tolerance is 1 %.
    #[test]
    fn agrees_with_fastchess() {
        struct Golden {
            counts: [u64; 6],
            nelo: (f64, f64),
            elo: (f64, f64),
            los: Option<f64>,
        }
        for golden in [
            Golden { counts: [34, 54, 31, 32, 64, 75], nelo: (57.94, 28.28), elo: (55.58, 27.65), los: Some(1.0) },
            Golden {
                counts: [332, 433, 457, 41, 333, 334],
                nelo: (-9.17, 10.96),
                elo: (-8.64, 10.33),
                los: Some(0.0505),
            },
            Golden { counts: [7895, 8757, 5485, 200, 568, 9999], nelo: (-19.01, 2.65), elo: (-21.04, 2.95), los: None },
        ] {
            let [ll, ld, wl, dd, wd, ww] = golden.counts;
            let pairs = Pentanomial::new([ll, ld, wl + dd, wd, ww]);
            let near = |a: f64, b: f64| (a - b).abs() <= 0.005 + 1e-4 * b.abs();
            let nelo = pairs.nelo(0.95).unwrap();
            assert!(near(nelo.elo, golden.nelo.0), "{}", nelo.elo);
            assert!(near(nelo.interval.width() / 2.0, golden.nelo.1));
            let elo = pairs.elo(0.95).unwrap();
            assert!(near(elo.elo, golden.elo.0));
            let plain = pairs.normal_interval(0.95).map(elo_from_score);
            assert!(near(plain.width() / 2.0, golden.elo.1), "{plain}");
            // the safe interval is the same thing for this many pairs
            assert!((elo.interval.width() / plain.width() - 1.0).abs() < 0.02);
            if let Some(los) = golden.los {
                assert!((pairs.los() - los).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn ten_pairs_won_bound_the_elo_from_below_only() {
        let elo = Pentanomial::new([0, 0, 0, 0, 10]).elo(0.95).unwrap();
        assert_eq!(elo.elo, f64::INFINITY);
        assert_eq!(elo.interval.hi, f64::INFINITY);
        // Wilson, 10 of 10: 0.7225
        assert!((elo.interval.lo - elo_from_score(0.722_467)).abs() < 0.1);
        let one = Pentanomial::new([0, 0, 0, 0, 1]).elo(0.95).unwrap();
        assert!(one.interval.lo < -200.0 && one.interval.lo.is_finite());
    }

    #[test]
    fn no_variance_is_not_certainty() {
        let even = Pentanomial::new([0, 0, 10, 0, 0]);
        assert_eq!(even.variance_per_pair(), Some(0.0));
        let i = even.score_interval(0.95);
        assert!(i.width() > 0.2 && (i.lo + i.hi - 1.0).abs() < 1e-14, "{i}");
        assert_eq!(even.los(), 0.5);
        assert_eq!(even.nelo(0.95).unwrap().elo, 0.0);
        let better = Pentanomial::new([0, 0, 0, 10, 0]);
        assert!(better.nelo(0.95).unwrap().elo.is_finite());
        assert!(better.los() > 0.9 && better.los() < 1.0);
        assert!(better.score_interval(0.95).width() > 0.1);
    }

    #[test]
    fn no_pairs_no_claim() {
        let none = Pentanomial::default();
        assert_eq!(none.score(), None);
        assert_eq!(none.variance_per_pair(), None);
        assert!(none.elo(0.95).is_none() && none.nelo(0.95).is_none());
        assert_eq!(none.score_interval(0.95), Interval::UNIT);
        assert_eq!(none.normal_interval(0.95), Interval::UNIT);
        assert_eq!(none.los(), 0.5);
    }

    #[test]
    fn the_other_engine_sees_the_mirror() {
        for counts in [[1, 2, 3, 4, 5], [0, 0, 1, 0, 0], [9, 0, 0, 0, 0], [0, 3, 0, 7, 1]] {
            let pairs = Pentanomial::new(counts);
            let other = pairs.negated();
            let (a, b) = (pairs.elo(0.95).unwrap(), other.elo(0.95).unwrap());
            let mirrored = |x: f64, y: f64| x == -y || (x + y).abs() < 1e-9;
            assert!(mirrored(a.elo, b.elo));
            assert!(mirrored(a.interval.lo, b.interval.hi));
            assert!(mirrored(a.interval.hi, b.interval.lo));
            assert!((pairs.los() + other.los() - 1.0).abs() < 1e-14);
            assert!(mirrored(pairs.nelo(0.9).unwrap().elo, other.nelo(0.9).unwrap().elo));
        }
    }

    #[test]
    fn scores_and_elo_invert() {
        assert_eq!(elo_from_score(0.5), 0.0);
        assert_eq!(elo_from_score(0.0), f64::NEG_INFINITY);
        assert_eq!(elo_from_score(1.0), f64::INFINITY);
        assert!(elo_from_score(1.5).is_nan() && elo_from_score(f64::NAN).is_nan());
        assert_eq!(score_from_elo(f64::NEG_INFINITY), 0.0);
        assert_eq!(score_from_elo(f64::INFINITY), 1.0);
        assert!((score_from_elo(400.0) - 10.0 / 11.0).abs() < 1e-15);
        for i in -30..=30 {
            let elo = f64::from(i) * 40.0;
            assert!((elo_from_score(score_from_elo(elo)) - elo).abs() < 1e-9);
        }
    }

    #[test]
    fn pairs_are_counted_by_their_points() {
        let mut pairs = Pentanomial::default();
        pairs.record(Outcome::Win, Outcome::Loss);
        pairs.record(Outcome::Draw, Outcome::Draw);
        pairs.record(Outcome::Win, Outcome::Win);
        pairs.record(Outcome::Loss, Outcome::Draw);
        assert_eq!(pairs.counts, [0, 1, 2, 0, 1]);
        assert_eq!(pairs.score(), Some(9.0 / 16.0));
    }
}
