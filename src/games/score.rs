//! Points are kept as whole numbers of half points: no floating-point equality ever decides a game.

use std::fmt;
use std::ops::{Add, Neg, Sub};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Player;

/// A score, a margin or a komi in half points. Shown, parsed and (de)serialised in points: `3.5` is `HalfPoints(7)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct HalfPoints(pub i32);

impl HalfPoints {
    /// The value in points.
    pub fn points(self) -> f64 {
        f64::from(self.0) / 2.0
    }

    /// With its sign: `+3.5`, `-1`, `0`.
    pub fn signed(self) -> String {
        if self.0 > 0 { format!("+{self}") } else { self.to_string() }
    }

    /// From points; `None` if the number is not a multiple of a half or out of range.
    pub fn from_points(points: f64) -> Option<Self> {
        let half = points * 2.0;
        (half.fract() == 0.0 && half.abs() < 100_000.0).then_some(HalfPoints(half as i32))
    }
}

impl fmt::Display for HalfPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let half = if self.0 % 2 == 0 { "" } else { ".5" };
        f.pad(&format!("{sign}{}{half}", self.0.abs() / 2))
    }
}

impl FromStr for HalfPoints {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let points: Option<f64> = text.trim().parse().ok();
        points
            .and_then(Self::from_points)
            .ok_or_else(|| format!("`{text}` is not a number of half points, such as 3 or 3.5"))
    }
}

impl Serialize for HalfPoints {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.points())
    }
}

impl<'de> Deserialize<'de> for HalfPoints {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let points = f64::deserialize(deserializer)?;
        Self::from_points(points).ok_or_else(|| {
            serde::de::Error::custom(format!("{points} is not a number of half points, such as 3 or 3.5"))
        })
    }
}

impl Add for HalfPoints {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        HalfPoints(self.0 + other.0)
    }
}

impl Sub for HalfPoints {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        HalfPoints(self.0 - other.0)
    }
}

impl Neg for HalfPoints {
    type Output = Self;
    fn neg(self) -> Self {
        HalfPoints(-self.0)
    }
}

/// Both players' scores without komi; Yugo's button is included.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Score {
    /// The first player's: Black's or Vertical's.
    pub black: HalfPoints,
    /// The second player's: White's or Horizontal's.
    pub white: HalfPoints,
}

impl Score {
    /// The first player's score minus the second player's, without komi.
    pub fn margin(self) -> HalfPoints {
        self.black - self.white
    }

    /// The winner when `komi` is added to the second player's score; `None` is a tie.
    pub fn winner(self, komi: HalfPoints) -> Option<Player> {
        match self.margin().0.cmp(&komi.0) {
            std::cmp::Ordering::Greater => Some(Player::Black),
            std::cmp::Ordering::Less => Some(Player::White),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// The scores with the players exchanged.
    pub fn exchanged(self) -> Score {
        Score { black: self.white, white: self.black }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_points_round_trip_as_text() {
        for half in -9..=9 {
            let value = HalfPoints(half);
            assert_eq!(value.to_string().parse(), Ok(value));
            assert_eq!(value.signed().parse(), Ok(value));
        }
        assert_eq!(HalfPoints(-1).to_string(), "-0.5");
        for text in ["", "x", "0.25", "nan", "inf", "1e9"] {
            assert!(text.parse::<HalfPoints>().is_err(), "{text}");
        }
    }
}
