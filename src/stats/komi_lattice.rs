//! The fair komi on the lattice of margins, with an interval from exact tests.
//!
//! All komi and margins here are integers in **half points** (komi 7 is half-points 14).
//!
//! S(k) is the first player's expected score at komi k. It does not increase with k. Margins of a
//! game lie on a lattice of step 2 half points; komi is measured only halfway between lattice
//! points, where a margin cannot tie (repetition may still draw). The fair komi k* is the lattice
//! point with S(k* - 1) >= ½ >= S(k* + 1), in half points.
//!
//! # Estimate
//! Isotonic (non-increasing) regression of the measured scores by pooling adjacent violators
//! (Ayer et al., Ann. Math. Statist. 1955), weighted by the effective number of games, in integer
//! arithmetic, so that "above ½" is never a matter of rounding.
//!
//! # Interval
//! Each side gets half of the error probability alpha. Lattice point k is too high when S(k - 1) <
//! ½; evidence is the one-sided exact sign test of wins against losses at the measured komi below k
//! (draws dropped: S < ½ exactly when a win is less likely than a loss), since S(c) < ½ at c <= k -
//! 1 implies it. The nearest such komi is tested at ¾ of alpha/2, the second at ⅛, the third at
//! 1/16 and so on: the Bonferroni inequality, so games at different komi may depend on each other,
//! as they do when they share openings. Points are then rejected from the highest downwards as long
//! as each test rejects; such a fixed sequence needs no further correction (Maurer, Hothorn &
//! Lehmacher 1995). In a fixed design the interval therefore holds k* with at least the stated
//! probability, whatever the shape of S.
//!
//! Where the number of games or the decision to stop depended on the results
//! ([`Design::Adaptive`]), the sign test is replaced by its anytime-valid form: the likelihood
//! ratio against ½, averaged over a uniform prior on the alternative, is a martingale, so its
//! reciprocal is a p-value at every stopping time (Ville 1939; Robbins, Ann. Math. Statist. 1970).
//! The shares of alpha still go by the rank of a komi among those measured, which such a design
//! chooses as well: for it the coverage is backed by simulation (see the tests), not by proof alone.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::binomial::{ln_pmf, lower_tail, upper_tail};
use super::effective::effective_counts;
use super::interval::alpha_of;
use super::isotonic::{Block, isotonic};
use super::wdl::Wdl;

/// Results at one komi. The arithmetic is exact up to 2^40 games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KomiSample {
    /// Komi in half points.
    pub komi: i32,
    /// Results for the first player.
    pub wdl: Wdl,
    /// Number of distinct games among them: what they count for in tests.
    pub unique: u64,
}

impl KomiSample {
    /// A sample in which every game differs.
    pub fn distinct(komi: i32, wdl: Wdl) -> Self {
        Self {
            komi,
            wdl,
            unique: wdl.games(),
        }
    }
}

/// The margins a game can end with: every second half point, within what the board allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarginLattice {
    /// Whether margins are odd numbers of half points (n + ½ points: Yugo) rather than even (whole
    /// points).
    pub odd: bool,
    /// The smallest possible margin of the first player in half points, if known.
    pub min: Option<i32>,
    /// The largest possible margin in half points, if known.
    pub max: Option<i32>,
}

impl MarginLattice {
    /// Whether `half_points` is a possible parity of a margin (the range is not looked at).
    pub fn holds(&self, half_points: i32) -> bool {
        (half_points.rem_euclid(2) == 1) == self.odd
    }

    /// Whether no margin can tie at this komi (half points).
    pub fn measurable(&self, komi: i32) -> bool {
        !self.holds(komi)
    }

    fn negated(&self) -> Self {
        Self {
            odd: self.odd,
            min: self.max.map(|x| -x),
            max: self.min.map(|x| -x),
        }
    }

    fn check(&self) -> Result<(), LatticeError> {
        for end in [self.min, self.max].into_iter().flatten() {
            check_size(end)?;
            if !self.holds(end) {
                return Err(LatticeError::EndOffLattice { margin: end });
            }
        }
        match (self.min, self.max) {
            (Some(min), Some(max)) if min > max => Err(LatticeError::EmptyRange { min, max }),
            _ => Ok(()),
        }
    }
}

/// How the games came about, which decides the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Design {
    /// The number of games at each komi was fixed beforehand: exact binomial tests.
    Fixed,
    /// The choice of komi or the moment of stopping looked at the results: anytime-valid tests,
    /// which are wider.
    Adaptive,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KomiStatus {
    /// There is an estimate, and the data (or the range of possible margins) close the interval on
    /// both sides.
    Identified,
    /// The first player won every game just below k* and lost every game just above it (or no
    /// margin is possible beyond). The interval says how far the number of distinct games proves
    /// it.
    CleanSeparation,
    /// No answer yet, or only half of one.
    NotIdentified {
        /// Why.
        reason: NotIdentified,
    },
}

/// Why there is no identified fair komi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotIdentified {
    /// No games.
    NoData,
    /// The first player scores above ½ at every measured komi: measure higher ones.
    OnlyAbove,
    /// The first player scores below ½ at every measured komi: measure lower ones.
    OnlyBelow,
    /// The score crosses ½ somewhere between these komi (half points), but not between neighbours.
    Gap {
        /// The highest measured komi with a score of ½ or more.
        below: i32,
        /// The lowest measured komi with a score of ½ or less.
        above: i32,
    },
    /// There is an estimate, but no test rejects lower komi.
    OpenBelow,
    /// There is an estimate, but no test rejects higher komi.
    OpenAbove,
    /// There is an estimate, but no test rejects anything.
    TooFewGames,
}

impl fmt::Display for NotIdentified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoData => f.write_str("no games"),
            Self::OnlyAbove => f.write_str("the first player is ahead at every measured komi"),
            Self::OnlyBelow => f.write_str("the first player is behind at every measured komi"),
            Self::Gap { below, above } => write!(
                f,
                "the score crosses one half somewhere between komi {} and {}",
                f64::from(*below) / 2.0,
                f64::from(*above) / 2.0
            ),
            Self::OpenBelow => f.write_str("too few games to exclude lower komi"),
            Self::OpenAbove => f.write_str("too few games to exclude higher komi"),
            Self::TooFewGames => f.write_str("too few games to exclude any komi"),
        }
    }
}

/// A fair komi, all numbers in half points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FairKomi {
    /// The estimate. When several lattice points fit equally well (a fitted score of exactly ½),
    /// the one nearest the middle of them; of two, the one nearer 0, and of -1 and +1 the latter.
    pub k_star: Option<i32>,
    /// The lowest and highest lattice point that fit as well as `k_star`.
    pub fitting: Option<(i32, i32)>,
    /// The lowest lattice point not excluded; `None` when neither data nor the possible margins
    /// bound it.
    pub lo: Option<i32>,
    /// The highest lattice point not excluded; `None` when unbounded.
    pub hi: Option<i32>,
    /// Whether games, not just the range of possible margins, set `lo`.
    pub lo_tested: bool,
    /// Whether games, not just the range of possible margins, set `hi`.
    pub hi_tested: bool,
    /// Whether some measured score rose with komi, so that neighbours were pooled.
    pub pooled: bool,
    /// How much of an answer this is.
    pub status: KomiStatus,
}

/// Input that makes no sense for the lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatticeError {
    /// At this komi (half points) a margin can tie.
    KomiCanTie {
        /// The komi.
        komi: i32,
    },
    /// An end of the range of margins is not on the lattice.
    EndOffLattice {
        /// The margin in half points.
        margin: i32,
    },
    /// The smallest margin is above the largest.
    EmptyRange {
        /// Smallest margin.
        min: i32,
        /// Largest margin.
        max: i32,
    },
    /// A number of half points beyond ±2^28.
    OutOfRange {
        /// The number.
        half_points: i32,
    },
}

impl fmt::Display for LatticeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KomiCanTie { komi } => write!(
                f,
                "komi {} lies on the margin lattice, where games can tie",
                f64::from(*komi) / 2.0
            ),
            Self::EndOffLattice { margin } => write!(
                f,
                "a margin of {} points is not on the lattice",
                f64::from(*margin) / 2.0
            ),
            Self::EmptyRange { min, max } => write!(
                f,
                "the smallest margin {} is above the largest {}",
                f64::from(*min) / 2.0,
                f64::from(*max) / 2.0
            ),
            Self::OutOfRange { half_points } => {
                write!(f, "{half_points} half points are out of range")
            }
        }
    }
}

impl Error for LatticeError {}

/// Estimates the fair komi and its interval at two-sided confidence `level`.
///
/// Samples may come in any order; equal komi are added up and those without effective games
/// ignored.
///
/// # Errors
/// When a komi or an end of the range does not fit the lattice.
pub fn fair_komi(
    samples: &[KomiSample],
    lattice: &MarginLattice,
    level: f64,
    design: Design,
) -> Result<FairKomi, LatticeError> {
    Ok(Analysis::new(samples, lattice)?.fair_komi(level, design))
}

pub(super) fn check_size(half_points: i32) -> Result<(), LatticeError> {
    if half_points.unsigned_abs() > 1 << 28 {
        return Err(LatticeError::OutOfRange { half_points });
    }
    Ok(())
}

/// One measured komi, ready for tests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) komi: i32,
    raw: Wdl,
    pub(super) effective: Wdl,
}

impl Point {
    fn negated(&self) -> Self {
        Self {
            komi: -self.komi,
            raw: self.raw.negated(),
            effective: self.effective.negated(),
        }
    }
}

/// Cleaned samples, sorted by komi, with their isotonic fit.
pub(super) struct Analysis {
    pub(super) lattice: MarginLattice,
    pub(super) points: Vec<Point>,
    /// Sign of the fitted score minus ½ at each point: 1, 0, -1, never increasing.
    pub(super) signs: Vec<i32>,
    /// Fitted score minus ½ at each point, drawn towards 0 where there are few games; to plan with.
    pub(super) leans: Vec<f64>,
    /// Whether the fit had to pool.
    pooled: bool,
}

impl Analysis {
    pub(super) fn new(
        samples: &[KomiSample],
        lattice: &MarginLattice,
    ) -> Result<Self, LatticeError> {
        lattice.check()?;
        let mut merged: BTreeMap<i32, (Wdl, u64)> = BTreeMap::new();
        for sample in samples {
            check_size(sample.komi)?;
            if !lattice.measurable(sample.komi) {
                return Err(LatticeError::KomiCanTie { komi: sample.komi });
            }
            let entry = merged.entry(sample.komi).or_default();
            entry.0 += sample.wdl;
            entry.1 += sample.unique.min(sample.wdl.games());
        }
        let points: Vec<Point> = merged
            .into_iter()
            .map(|(komi, (raw, unique))| Point {
                komi,
                raw,
                effective: effective_counts(raw, unique),
            })
            .filter(|point| point.effective.games() > 0)
            .collect();
        let scores: Vec<Block> = points
            .iter()
            .map(|point| Block::new(point.raw, point.effective.games()))
            .collect();
        let (blocks, pooled) = isotonic(&scores);
        Ok(Self {
            lattice: *lattice,
            points,
            signs: blocks.iter().map(Block::sign).collect(),
            leans: blocks.iter().map(Block::lean).collect(),
            pooled,
        })
    }

    /// The highest komi with fitted score >= ½ and the lowest with <= ½; below and above the
    /// possible margins the score is known without games.
    pub(super) fn bracket(&self) -> (Option<i32>, Option<i32>) {
        let measured = |wanted: fn(i32) -> bool| {
            self.points
                .iter()
                .zip(&self.signs)
                .filter(move |(_, sign)| wanted(**sign))
                .map(|(point, _)| point.komi)
        };
        let known_win = self.lattice.min.map(|min| min - 1);
        let known_loss = self.lattice.max.map(|max| max + 1);
        (
            measured(|sign| sign >= 0).max().max(known_win),
            measured(|sign| sign <= 0)
                .min()
                .into_iter()
                .chain(known_loss)
                .min(),
        )
    }

    /// The lattice points that the fit calls fair: lowest and highest.
    fn fitting(&self) -> Option<(i32, i32)> {
        if self.points.is_empty() && self.lattice.min != self.lattice.max {
            return None;
        }
        let (below, above) = self.bracket();
        let (below, above) = (below?, above?);
        if above - below > 2 {
            return None;
        }
        if above > below {
            return Some((below + 1, below + 1));
        }
        // a fitted score of exactly ½ from `above` to `below`: the points on both sides of each fit
        let min = self.lattice.min.unwrap_or(i32::MIN);
        let max = self.lattice.max.unwrap_or(i32::MAX);
        Some(((above - 1).max(min), (below + 1).min(max)))
    }

    pub(super) fn fair_komi(&self, level: f64, design: Design) -> FairKomi {
        let fitting = self.fitting();
        let per_side = alpha_of(level) / 2.0;
        let tested_hi = highest_kept(&self.points, per_side, design);
        let mirrored: Vec<Point> = self.points.iter().rev().map(Point::negated).collect();
        let tested_lo = highest_kept(&mirrored, per_side, design).map(|k| -k);
        let clip = |tested: Option<i32>, end: Option<i32>| match (tested, end) {
            (Some(k), Some(end)) if k < end => (Some(k), true),
            (_, Some(end)) => (Some(end), false),
            (tested, None) => (tested, tested.is_some()),
        };
        let (mut hi, hi_tested) = clip(tested_hi, self.lattice.max);
        let (mirrored_lo, lo_tested) = clip(tested_lo.map(|k| -k), self.lattice.negated().max);
        let mut lo = mirrored_lo.map(|k| -k);
        if let Some((first, last)) = fitting {
            // the tests never exclude an estimate unless effective counts were rounded; never show
            // that
            lo = lo.map(|k| k.min(first));
            hi = hi.map(|k| k.max(last));
        }
        if let (Some(a), Some(b)) = (lo, hi) {
            (lo, hi) = (Some(a.min(b)), Some(a.max(b)));
        }
        let status = self.status(fitting, lo_tested, hi_tested);
        FairKomi {
            k_star: fitting.map(|(first, last)| self.middle(first, last)),
            fitting,
            lo,
            hi,
            lo_tested,
            hi_tested,
            pooled: self.pooled,
            status,
        }
    }

    /// The lattice point nearest the middle of two; of two such the one nearer 0; of -1 and 1 the
    /// latter.
    fn middle(&self, first: i32, last: i32) -> i32 {
        let sum = first + last;
        if self.lattice.holds(sum / 2) {
            return sum / 2;
        }
        // the middle is a measurable komi between two lattice points
        let (a, b) = (sum / 2 - 1, sum / 2 + 1);
        if a.abs() < b.abs() { a } else { b }
    }

    fn status(&self, fitting: Option<(i32, i32)>, lo_tested: bool, hi_tested: bool) -> KomiStatus {
        let not = |reason| KomiStatus::NotIdentified { reason };
        let Some((first, last)) = fitting else {
            let all = |wanted| self.signs.iter().all(|sign| *sign == wanted);
            return not(if self.points.is_empty() {
                NotIdentified::NoData
            } else if all(1) {
                NotIdentified::OnlyAbove
            } else if all(-1) {
                NotIdentified::OnlyBelow
            } else {
                match self.bracket() {
                    (Some(below), Some(above)) => NotIdentified::Gap { below, above },
                    (Some(_), None) => NotIdentified::OnlyAbove,
                    _ => NotIdentified::OnlyBelow,
                }
            });
        };
        if first == last && self.separated(first) {
            return KomiStatus::CleanSeparation;
        }
        // an end is closed by a test, or when games were played right at the end of what is
        // possible
        let closed_below = lo_tested || self.measured_next_to(self.lattice.min, 1);
        let closed_above = hi_tested || self.measured_next_to(self.lattice.max, -1);
        match (closed_below, closed_above) {
            (true, true) if lo_tested || hi_tested => KomiStatus::Identified,
            (true, true) | (false, false) => not(NotIdentified::TooFewGames),
            (false, true) => not(NotIdentified::OpenBelow),
            (true, false) => not(NotIdentified::OpenAbove),
        }
    }

    fn at(&self, komi: i32) -> Option<&Point> {
        self.points
            .binary_search_by_key(&komi, |point| point.komi)
            .ok()
            .map(|i| &self.points[i])
    }

    fn measured_next_to(&self, end: Option<i32>, offset: i32) -> bool {
        end.is_some_and(|end| {
            self.at(end + offset).is_some() || self.lattice.min == self.lattice.max
        })
    }

    /// Only wins at k - 1 and only losses at k + 1, one of which may follow from the possible
    /// margins.
    fn separated(&self, k: i32) -> bool {
        let (below, above) = (self.at(k - 1), self.at(k + 1));
        let only_wins = below.map(|p| p.raw.draws == 0 && p.raw.losses == 0);
        let only_losses = above.map(|p| p.raw.draws == 0 && p.raw.wins == 0);
        only_wins.unwrap_or(self.lattice.min == Some(k))
            && only_losses.unwrap_or(self.lattice.max == Some(k))
    }
}

/// The highest lattice point that the tests do not exclude as too high, or `None` when they exclude
/// none.
fn highest_kept(points: &[Point], per_side: f64, design: Design) -> Option<i32> {
    let p_values: Vec<f64> = points
        .iter()
        .map(|point| p_value_below_half(point.effective, design))
        .collect();
    let mut kept = None;
    for nearest in (0..points.len()).rev() {
        let mut share = 0.75;
        let mut rejected = false;
        for p in p_values[..=nearest].iter().rev() {
            if *p <= share * per_side {
                rejected = true;
                break;
            }
            share = if share == 0.75 { 0.125 } else { share / 2.0 };
        }
        if !rejected {
            break;
        }
        kept = Some(points[nearest].komi - 1);
    }
    kept
}

/// One-sided p-value against "the expected score is at least ½".
fn p_value_below_half(effective: Wdl, design: Design) -> f64 {
    let (losses, decisive) = (effective.losses, effective.decisive());
    match design {
        Design::Fixed => upper_tail(losses, decisive, 0.5),
        Design::Adaptive => {
            // evidence = 2^(n+1) ∫ over (½, 1) of q^losses (1-q)^wins dq; the integral is an
            // incomplete beta: B(losses + 1, wins + 1) times P(Bin(n + 1, ½) <= losses)
            let n = decisive as f64;
            let ln_beta = -(n + 1.0).ln() - ln_choose(losses, decisive);
            let ln_evidence = (n + 1.0) * std::f64::consts::LN_2
                + ln_beta
                + lower_tail(losses, decisive + 1, 0.5).ln();
            (-ln_evidence).exp().min(1.0)
        }
    }
}

/// ln of the binomial coefficient.
fn ln_choose(k: u64, n: u64) -> f64 {
    ln_pmf(k, n, 0.5) + n as f64 * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: MarginLattice = MarginLattice {
        odd: false,
        min: Some(-18),
        max: Some(18),
    };
    const HALF: MarginLattice = MarginLattice {
        odd: true,
        min: None,
        max: None,
    };

    fn samples(list: &[(i32, u64, u64, u64)]) -> Vec<KomiSample> {
        list.iter()
            .map(|&(komi, w, d, l)| KomiSample::distinct(komi, Wdl::new(w, d, l)))
            .collect()
    }

    fn fixed(list: &[(i32, u64, u64, u64)], lattice: &MarginLattice) -> FairKomi {
        fair_komi(&samples(list), lattice, 0.95, Design::Fixed).unwrap()
    }

    fn reason(found: &FairKomi) -> Option<NotIdentified> {
        match found.status {
            KomiStatus::NotIdentified { reason } => Some(reason),
            _ => None,
        }
    }

    #[test]
    fn a_plain_crossing() {
        let found = fixed(&[(3, 80, 0, 20), (5, 70, 0, 30), (7, 30, 0, 70)], &WHOLE);
        assert_eq!(found.k_star, Some(6));
        assert_eq!((found.lo, found.hi), (Some(6), Some(6)));
        assert_eq!(found.status, KomiStatus::Identified);
        assert!(!found.pooled);
    }

    #[test]
    fn a_weak_neighbour_widens_the_interval() {
        let found = fixed(
            &[
                (3, 90, 0, 10),
                (5, 53, 0, 47),
                (7, 48, 0, 52),
                (9, 10, 0, 90),
            ],
            &WHOLE,
        );
        assert_eq!(found.k_star, Some(6));
        assert_eq!((found.lo, found.hi), (Some(4), Some(8)));
    }

    #[test]
    fn clean_separation_is_an_answer() {
        let found = fixed(&[(-1, 40, 0, 0), (1, 0, 0, 40)], &HALF_EVEN);
        assert_eq!(found.k_star, Some(0));
        assert_eq!((found.lo, found.hi), (Some(0), Some(0)));
        assert_eq!(found.status, KomiStatus::CleanSeparation);
        // the same game forty times is one game: still an answer, but nothing is proven
        let once: Vec<KomiSample> = samples(&[(-1, 40, 0, 0), (1, 0, 0, 40)])
            .into_iter()
            .map(|s| KomiSample { unique: 1, ..s })
            .collect();
        let found = fair_komi(&once, &HALF_EVEN, 0.95, Design::Fixed).unwrap();
        assert_eq!(found.k_star, Some(0));
        assert_eq!((found.lo, found.hi), (None, None));
        assert_eq!(found.status, KomiStatus::CleanSeparation);
    }

    const HALF_EVEN: MarginLattice = MarginLattice {
        odd: false,
        min: None,
        max: None,
    };

    #[test]
    fn the_edge_of_the_possible_margins_needs_no_games_beyond() {
        let found = fixed(&[(17, 50, 0, 0)], &WHOLE);
        assert_eq!(found.k_star, Some(18));
        assert_eq!((found.lo, found.hi), (Some(18), Some(18)));
        assert_eq!(found.status, KomiStatus::CleanSeparation);
        let found = fixed(&[(17, 70, 0, 30)], &WHOLE);
        assert_eq!(found.status, KomiStatus::Identified);
        assert_eq!(
            (found.lo, found.lo_tested, found.hi_tested),
            (Some(18), true, false)
        );
    }

    #[test]
    fn what_is_not_identified_says_why() {
        assert_eq!(reason(&fixed(&[], &WHOLE)), Some(NotIdentified::NoData));
        let ahead = fixed(&[(1, 30, 0, 2), (9, 28, 0, 4)], &HALF_EVEN);
        assert_eq!(reason(&ahead), Some(NotIdentified::OnlyAbove));
        assert_eq!((ahead.k_star, ahead.lo, ahead.hi), (None, Some(10), None));
        let ahead = fixed(&[(1, 30, 0, 2), (9, 28, 0, 4)], &WHOLE);
        assert_eq!(reason(&ahead), Some(NotIdentified::OnlyAbove));
        assert_eq!(
            (ahead.lo, ahead.hi, ahead.hi_tested),
            (Some(10), Some(18), false)
        );
        let behind = fixed(&[(1, 3, 0, 29)], &HALF_EVEN);
        assert_eq!(reason(&behind), Some(NotIdentified::OnlyBelow));
        let gap = fixed(&[(-7, 30, 0, 0), (7, 0, 0, 30)], &WHOLE);
        assert_eq!(
            reason(&gap),
            Some(NotIdentified::Gap {
                below: -7,
                above: 7
            })
        );
        assert_eq!((gap.lo, gap.hi), (Some(-6), Some(6)));
        let few = fixed(&[(-1, 3, 0, 1), (1, 1, 0, 3)], &WHOLE);
        assert_eq!(reason(&few), Some(NotIdentified::TooFewGames));
        assert_eq!(few.k_star, Some(0));
        let open = fixed(&[(-1, 30, 0, 1), (1, 1, 0, 3)], &WHOLE);
        assert_eq!(reason(&open), Some(NotIdentified::OpenAbove));
        for shown in [few, open, gap] {
            assert!(!reason(&shown).unwrap().to_string().is_empty());
        }
    }

    #[test]
    fn rising_scores_are_pooled() {
        let found = fixed(&[(1, 45, 0, 55), (3, 60, 0, 40), (5, 10, 0, 90)], &WHOLE);
        assert!(found.pooled);
        assert_eq!(found.k_star, Some(4)); // 105 of 200 at komi ½ to 1½ points
        assert!(found.lo <= Some(4) && found.hi >= Some(4));
    }

    #[test]
    fn an_exact_half_fits_both_sides() {
        let found = fixed(&[(3, 50, 0, 50)], &WHOLE);
        assert_eq!((found.k_star, found.fitting), (Some(2), Some((2, 4))));
        let found = fixed(&[(-3, 5, 90, 5)], &WHOLE);
        assert_eq!((found.k_star, found.fitting), (Some(-2), Some((-4, -2))));
    }

    #[test]
    fn a_few_games_far_out_do_not_hide_many_nearby() {
        let found = fixed(&[(-1, 300, 0, 100), (1, 100, 0, 300), (9, 3, 0, 5)], &WHOLE);
        assert_eq!((found.lo, found.hi), (Some(0), Some(0)));
    }

    #[test]
    fn duplicates_are_no_evidence() {
        let mut list = samples(&[(-1, 300, 0, 100), (1, 100, 0, 300)]);
        for sample in &mut list {
            sample.unique = 12;
        }
        let found = fair_komi(&list, &WHOLE, 0.95, Design::Fixed).unwrap();
        assert_eq!(found.k_star, Some(0));
        assert_eq!(reason(&found), Some(NotIdentified::TooFewGames));
        assert_eq!((found.lo, found.hi), (Some(-18), Some(18)));
    }

    #[test]
    fn wrong_input_is_refused() {
        let even = samples(&[(2, 1, 0, 1)]);
        let error = fair_komi(&even, &WHOLE, 0.95, Design::Fixed).unwrap_err();
        assert_eq!(error, LatticeError::KomiCanTie { komi: 2 });
        assert!(error.to_string().contains("komi 1 "));
        assert!(fair_komi(&even, &HALF, 0.95, Design::Fixed).is_ok());
        let backwards = MarginLattice {
            odd: false,
            min: Some(4),
            max: Some(2),
        };
        assert!(fair_komi(&[], &backwards, 0.95, Design::Fixed).is_err());
        let off = MarginLattice {
            odd: true,
            min: Some(4),
            max: None,
        };
        assert!(fair_komi(&[], &off, 0.95, Design::Fixed).is_err());
        let far = samples(&[(i32::MIN + 1, 1, 0, 1)]);
        assert!(fair_komi(&far, &WHOLE, 0.95, Design::Fixed).is_err());
    }

    #[test]
    fn one_possible_margin_is_known_without_games() {
        let single = MarginLattice {
            odd: true,
            min: Some(5),
            max: Some(5),
        };
        let found = fair_komi(&[], &single, 0.95, Design::Fixed).unwrap();
        assert_eq!(
            (found.k_star, found.lo, found.hi),
            (Some(5), Some(5), Some(5))
        );
    }

    #[test]
    fn anytime_p_values_bound_the_fixed_ones() {
        for n in 0..60_u64 {
            for losses in 0..=n {
                let wdl = Wdl::new(n - losses, 3, losses);
                let any = p_value_below_half(wdl, Design::Adaptive);
                let fixed = p_value_below_half(wdl, Design::Fixed);
                assert!((0.0..=1.0).contains(&any) && any >= fixed - 1e-12, "{wdl}");
            }
        }
        // all lost: evidence 2^(n+1)/(n+1) (1 - 2^-(n+1))
        let p = p_value_below_half(Wdl::new(0, 0, 10), Design::Adaptive);
        assert!((p - 11.0 / 2047.0).abs() < 1e-12);
        // numerical integration of the likelihood ratio (mpmath)
        let p = p_value_below_half(Wdl::new(3, 2, 7), Design::Adaptive);
        assert!((p - 0.726_872_246_696_035).abs() < 1e-12);
        let p = p_value_below_half(Wdl::new(15, 0, 45), Design::Adaptive);
        assert!((p - 0.001_407_286_973_303_165).abs() < 1e-12);
    }

    #[test]
    fn nothing_random_ever_panics_and_estimates_lie_inside() {
        use rand::{Rng, SeedableRng};
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for _ in 0..4000 {
            let odd = rng.random_bool(0.5);
            let parity = i32::from(odd);
            let lattice = MarginLattice {
                odd,
                min: rng
                    .random_bool(0.5)
                    .then(|| 2 * rng.random_range(-9..=0) + parity),
                max: rng
                    .random_bool(0.5)
                    .then(|| 2 * rng.random_range(0..=9) + parity),
            };
            let list: Vec<KomiSample> = (0..rng.random_range(0..7))
                .map(|_| {
                    let most = if rng.random_bool(0.5) { 4 } else { 60 };
                    KomiSample {
                        komi: 2 * rng.random_range(-8..8) + 1 - parity,
                        wdl: Wdl::new(
                            rng.random_range(0..most),
                            rng.random_range(0..3),
                            rng.random_range(0..most),
                        ),
                        unique: rng.random_range(0..100),
                    }
                })
                .collect();
            for design in [Design::Fixed, Design::Adaptive] {
                let found = fair_komi(&list, &lattice, 0.95, design).unwrap();
                if let Some(k) = found.k_star {
                    assert!(lattice.holds(k));
                    let (first, last) = found.fitting.unwrap();
                    assert!(first <= k && k <= last);
                    assert!(found.lo.is_none_or(|lo| lo <= first), "{list:?} {found:?}");
                    assert!(found.hi.is_none_or(|hi| hi >= last), "{list:?} {found:?}");
                }
                // the game seen from the other side
                let negated: Vec<KomiSample> = list
                    .iter()
                    .map(|s| KomiSample {
                        komi: -s.komi,
                        wdl: s.wdl.negated(),
                        unique: s.unique,
                    })
                    .collect();
                let mirror = fair_komi(&negated, &lattice.negated(), 0.95, design).unwrap();
                assert_eq!(mirror.lo, found.hi.map(|k| -k));
                assert_eq!(mirror.hi, found.lo.map(|k| -k));
                assert_eq!(mirror.fitting, found.fitting.map(|(a, b)| (-b, -a)));
                if found.fitting.is_none_or(|(a, b)| a + b != 0) {
                    assert_eq!(mirror.k_star, found.k_star.map(|k| -k), "{found:?}");
                }
            }
        }
    }
}
