//! Wins, draws and losses of one side, and its score.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

use super::binomial::wilson;
use super::interval::Interval;
use super::normal::critical_value;

/// The result of one game for one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Lost.
    Loss,
    /// Drawn.
    Draw,
    /// Won.
    Win,
}

impl Outcome {
    /// Half points of score: 0, 1 or 2.
    pub fn half_points(self) -> u8 {
        match self {
            Outcome::Loss => 0,
            Outcome::Draw => 1,
            Outcome::Win => 2,
        }
    }

    /// The same game seen from the other side.
    pub fn negated(self) -> Self {
        match self {
            Outcome::Loss => Outcome::Win,
            Outcome::Draw => Outcome::Draw,
            Outcome::Win => Outcome::Loss,
        }
    }
}

/// Counts of results for one side. Games without a result are not in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Wdl {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Wdl {
    /// Counts in the order wins, draws, losses.
    pub fn new(wins: u64, draws: u64, losses: u64) -> Self {
        Self {
            wins,
            draws,
            losses,
        }
    }

    /// Counts one more game.
    pub fn record(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Loss => self.losses += 1,
            Outcome::Draw => self.draws += 1,
            Outcome::Win => self.wins += 1,
        }
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Number of games that were not drawn.
    pub fn decisive(&self) -> u64 {
        self.wins + self.losses
    }

    /// The same games seen from the other side.
    pub fn negated(&self) -> Self {
        Self {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }

    /// (wins + ½ draws) / games, in `[0, 1]`; `None` without games.
    pub fn score(&self) -> Option<f64> {
        let games = self.games();
        (games > 0).then(|| (self.wins as f64 + 0.5 * self.draws as f64) / games as f64)
    }

    /// An interval for the expected score, draws counted as ½.
    ///
    /// The score is ½ + (P(win) - P(loss))/2, so this is the interval for a difference of paired
    /// proportions by inverting the score test: T. Tango, "Equivalence test and confidence interval
    /// for the difference in proportions for the paired-sample design", Statistics in Medicine 17
    /// (1998) 891-908. It needs no correction in small samples: without draws it is Wilson's
    /// interval, with nothing but draws it still has width z²/(n + z²), and without games it is
    /// `[0, 1]`.
    pub fn score_interval(&self, level: f64) -> Interval {
        if self.games() == 0 {
            return Interval::UNIT;
        }
        let z = critical_value(level);
        Interval {
            lo: 0.5 + 0.5 * self.lowest_difference(z),
            hi: 0.5 - 0.5 * self.negated().lowest_difference(z),
        }
    }

    /// The smallest P(win) - P(loss) that the score test at critical value z does not reject.
    fn lowest_difference(&self, z: f64) -> f64 {
        if self.wins == 0 && self.draws == 0 {
            return -1.0;
        }
        let n = self.games() as f64;
        let (b, c) = (self.wins as f64, self.losses as f64);
        let rejected = |delta: f64| {
            // maximum-likelihood P(loss) under P(win) - P(loss) = delta
            let linear = -b - c + (2.0 * n - b + c) * delta;
            let constant = -c * delta * (1.0 - delta);
            let root = (linear * linear - 8.0 * n * constant).max(0.0).sqrt();
            let loss = (root - linear) / (4.0 * n);
            let variance = (2.0 * loss + delta * (1.0 - delta)).max(0.0);
            b - c - n * delta >= z * (n * variance).sqrt()
        };
        let (mut below, mut above) = (-1.0, (b - c) / n);
        for _ in 0..60 {
            let mid = 0.5 * (below + above);
            if rejected(mid) {
                below = mid;
            } else {
                above = mid;
            }
        }
        below
    }

    /// wins / (wins + losses); `None` when every game was drawn.
    pub fn decisive_score(&self) -> Option<f64> {
        let decisive = self.decisive();
        (decisive > 0).then(|| self.wins as f64 / decisive as f64)
    }

    /// Wilson's interval for the probability of winning a game that is not drawn.
    pub fn decisive_interval(&self, level: f64) -> Interval {
        wilson(self.wins, self.decisive(), level)
    }
}

impl Add for Wdl {
    type Output = Wdl;

    fn add(self, other: Wdl) -> Wdl {
        Wdl {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

impl AddAssign for Wdl {
    fn add_assign(&mut self, other: Wdl) {
        *self = *self + other;
    }
}

impl Sum for Wdl {
    fn sum<I: Iterator<Item = Wdl>>(iter: I) -> Wdl {
        iter.fold(Wdl::default(), Add::add)
    }
}

/// `wins/draws/losses`.
impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.wins, self.draws, self.losses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_draws_it_is_wilson() {
        for (w, l) in [(0, 4), (1, 0), (3, 7), (50, 50), (811, 3)] {
            let wdl = Wdl::new(w, 0, l);
            let (a, b) = (wdl.score_interval(0.95), wdl.decisive_interval(0.95));
            assert!((a.lo - b.lo).abs() < 1e-9, "{wdl}: {a} {b}");
            assert!((a.hi - b.hi).abs() < 1e-9, "{wdl}: {a} {b}");
        }
    }

    #[test]
    fn all_draws_keep_an_honest_width() {
        let z2 = 1.959_963_984_540_054_f64.powi(2);
        for n in [1_u64, 10, 1000] {
            let i = Wdl::new(0, n, 0).score_interval(0.95);
            let half = 0.5 * z2 / (n as f64 + z2);
            assert!((i.hi - 0.5 - half).abs() < 1e-9 && (0.5 - i.lo - half).abs() < 1e-9);
        }
    }

    #[test]
    fn draws_narrow_the_interval() {
        let without = Wdl::new(50, 0, 50).score_interval(0.95).width();
        let with = Wdl::new(25, 50, 25).score_interval(0.95).width();
        assert!(with < without);
    }

    #[test]
    fn large_samples_agree_with_the_plain_variance() {
        let wdl = Wdl::new(30_000, 50_000, 20_000);
        let (s, n) = (wdl.score().unwrap(), wdl.games() as f64);
        let variance = (0.3 + 0.25 * 0.5 - s * s) / n;
        let i = wdl.score_interval(0.95);
        assert!((i.width() / (2.0 * 1.96 * variance.sqrt()) - 1.0).abs() < 1e-3);
        assert!(((i.lo + i.hi) / 2.0 - s).abs() < 1e-4);
    }

    #[test]
    fn other_side_sees_the_mirror() {
        for wdl in [
            Wdl::new(3, 1, 0),
            Wdl::new(0, 0, 9),
            Wdl::new(10, 5, 2),
            Wdl::new(0, 3, 1),
        ] {
            let (a, b) = (
                wdl.score_interval(0.9),
                wdl.negated().score_interval(0.9).complement(),
            );
            assert!((a.lo - b.lo).abs() < 1e-14 && (a.hi - b.hi).abs() < 1e-14);
            assert!(a.contains(wdl.score().unwrap()) && a.width() > 0.0);
            assert_eq!(wdl.negated().negated(), wdl);
        }
    }

    #[test]
    fn empty_counts() {
        let none = Wdl::default();
        assert_eq!(none.score(), None);
        assert_eq!(none.decisive_score(), None);
        assert_eq!(none.score_interval(0.95), Interval::UNIT);
        assert_eq!(none.decisive_interval(0.95), Interval::UNIT);
        assert_eq!(Wdl::new(0, 5, 0).decisive_score(), None);
    }

    #[test]
    fn counts_add_up() {
        let mut wdl = Wdl::default();
        for outcome in [Outcome::Win, Outcome::Draw, Outcome::Win, Outcome::Loss] {
            wdl.record(outcome);
        }
        assert_eq!(wdl, Wdl::new(2, 1, 1));
        assert_eq!(wdl.to_string(), "2/1/1");
        assert_eq!([wdl, wdl].into_iter().sum::<Wdl>(), Wdl::new(4, 2, 2));
        assert_eq!(wdl.score(), Some(0.625));
        assert_eq!(Outcome::Win.negated().half_points(), 0);
    }
}
