//! The interval type shared by all estimators, and how a confidence level is read.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A closed interval. An end the data do not bound is infinite, or the natural bound (0 or 1 for a
/// score). Infinite ends are serialised as null, since JSON has no infinity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    #[serde(serialize_with = "write_end", deserialize_with = "read_lo")]
    pub lo: f64,
    /// Upper end.
    #[serde(serialize_with = "write_end", deserialize_with = "read_hi")]
    pub hi: f64,
}

impl Interval {
    /// All probabilities: what no data say about a score.
    pub const UNIT: Interval = Interval { lo: 0.0, hi: 1.0 };

    /// An interval from its ends, lower first.
    pub fn new(lo: f64, hi: f64) -> Self {
        Self { lo, hi }
    }

    /// Whether `x` lies inside, ends included.
    pub fn contains(&self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// Upper minus lower end.
    pub fn width(&self) -> f64 {
        self.hi - self.lo
    }

    /// The image under an increasing function (for instance score to Elo).
    pub fn map(&self, increasing: impl Fn(f64) -> f64) -> Self {
        Self {
            lo: increasing(self.lo),
            hi: increasing(self.hi),
        }
    }

    /// The image of a score interval when the two sides change places: `[1 - hi, 1 - lo]`.
    pub fn complement(&self) -> Self {
        Self {
            lo: 1.0 - self.hi,
            hi: 1.0 - self.lo,
        }
    }
}

/// `[lo, hi]`; three decimals unless a precision is asked for (`{:.1}`).
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(3);
        write!(f, "[{:.digits$}, {:.digits$}]", self.lo, self.hi)
    }
}

fn write_end<S: Serializer>(end: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    end.is_finite().then_some(*end).serialize(serializer)
}

fn read_lo<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NEG_INFINITY))
}

fn read_hi<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
}

/// The error probability `1 - level`, kept in `[1e-12, 1]`; a level that is no number reads as the
/// strictest one, so that nonsense widens an interval instead of narrowing it.
pub(crate) fn alpha_of(level: f64) -> f64 {
    if level.is_nan() {
        1e-12
    } else {
        (1.0 - level).clamp(1e-12, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_its_ends() {
        let i = Interval::new(0.25, 0.75);
        assert_eq!(i.to_string(), "[0.250, 0.750]");
        assert_eq!(format!("{i:.1}"), "[0.2, 0.8]");
        assert_eq!(
            Interval::new(f64::NEG_INFINITY, 1.0).to_string(),
            "[-inf, 1.000]"
        );
        assert_eq!(i.complement(), i);
        assert!(i.contains(0.25) && !i.contains(0.76));
        assert_eq!(i.width(), 0.5);
        assert_eq!(i.map(|x| 2.0 * x), Interval::new(0.5, 1.5));
    }

    #[test]
    fn nonsense_levels_widen() {
        assert_eq!(alpha_of(f64::NAN), 1e-12);
        assert_eq!(alpha_of(7.0), 1e-12);
        assert_eq!(alpha_of(-7.0), 1.0);
    }
}
