//! Which komi to measure next. All komi are integers in half points; see [`super::komi_lattice`].

use super::interval::alpha_of;
use super::komi_lattice::{
    Analysis, Design, KomiSample, LatticeError, MarginLattice, Point, check_size,
};

/// The komi (half points) at which further games tell most, or `None` when a single lattice point
/// is left, that is, at the given level nothing is left to find out.
///
/// While the score stays on one side of ½ the search goes outwards from `start` with doubled steps,
/// and a wide bracket is halved. Once there is an estimate, games go where the interval is expected
/// to lose most lattice points per game still needed: an open end is closed first, far out where
/// that is cheap, and the rest goes ever nearer to the crossing; from then on at least a quarter of
/// all games lies beside the estimate itself. The answer depends on nothing but the arguments, so a
/// resumed run goes on the same way. Runs that follow it are [`Design::Adaptive`].
///
/// # Errors
/// As [`super::komi_lattice::fair_komi`].
pub fn next_komi(
    samples: &[KomiSample],
    lattice: &MarginLattice,
    start: i32,
    level: f64,
) -> Result<Option<i32>, LatticeError> {
    check_size(start)?;
    Ok(Analysis::new(samples, lattice)?.next_komi(start, level))
}

impl Analysis {
    fn next_komi(&self, start: i32, level: f64) -> Option<i32> {
        let lowest = self.lattice.min.map_or(i32::MIN / 2, |min| min + 1);
        let highest = self.lattice.max.map_or(i32::MAX / 2, |max| max - 1);
        if lowest > highest {
            return None; // one possible margin only
        }
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            let near = if self.lattice.measurable(start) {
                start
            } else if start > 0 {
                start - 1
            } else {
                start + 1
            };
            return Some(near.clamp(lowest, highest));
        };
        let step = 4.max(last.komi - first.komi);
        if self.signs.iter().all(|sign| *sign > 0) && last.komi < highest {
            return Some((last.komi + step).clamp(lowest, highest));
        }
        if self.signs.iter().all(|sign| *sign < 0) && first.komi > lowest {
            return Some((first.komi - step).clamp(lowest, highest));
        }
        let (below, above) = self.bracket();
        // with games on both sides, or up to the end of the range, both ends exist
        let (below, above) = (below?, above?);
        if above - below > 2 {
            return Some(self.between(below, above).clamp(lowest, highest));
        }
        self.concentrate(level, lowest, highest)
    }

    /// A measurable komi strictly between two others at least 4 apart, in the middle or next to it
    /// on the side of 0.
    fn between(&self, below: i32, above: i32) -> i32 {
        let middle = (below + above) / 2;
        if self.lattice.measurable(middle) {
            return middle;
        }
        let (a, b) = (middle - 1, middle + 1);
        if a.abs() < b.abs() { a } else { b }
    }

    /// The komi at which the interval should lose most lattice points per game still needed.
    fn concentrate(&self, level: f64, lowest: i32, highest: i32) -> Option<i32> {
        let found = self.fair_komi(level, Design::Adaptive);
        let (first, last) = found.fitting?;
        if found.lo.is_some() && found.lo == found.hi {
            return None;
        }
        let games = |point: &Point| point.effective.games();
        let near = |point: &&Point| (first - 1..=last + 1).contains(&point.komi);
        let beside: u64 = self.points.iter().filter(near).map(games).sum();
        let all: u64 = self.points.iter().map(games).sum();
        if found.lo_tested && found.hi_tested && beside < all / NEAR_SHARE {
            let inside = |point: &&Point| (lowest..=highest).contains(&point.komi);
            let poorest = self.points.iter().filter(near).filter(inside);
            let poorest = poorest.min_by_key(|p| (games(p), p.komi.abs(), -p.komi));
            if let Some(point) = poorest {
                return Some(point.komi);
            }
        }
        let knots = self.knots();
        // an open end counts as far out as the outermost knot
        let lo = found.lo.unwrap_or(knots.first()?.komi - 1);
        let hi = found.hi.unwrap_or(knots.last()?.komi + 1);
        // evidence in nats that an anytime-valid test on one side asks for, of some dozens of games
        let needed = (2.0 / alpha_of(level)).ln() + 2.5;
        let rate = |knot: &Knot| {
            let side = |excluded: i32, lead: f64| {
                if excluded <= 0 || lead <= 0.0 {
                    return 0.0;
                }
                let per_game = relative_entropy(lead).max(1e-6);
                f64::from(excluded / 2) / (needed / per_game - knot.games).max(4.0)
            };
            let from_above = if knot.komi > first {
                hi + 1 - knot.komi
            } else {
                0
            };
            let from_below = if knot.komi < last {
                knot.komi + 1 - lo
            } else {
                0
            };
            side(from_above, -knot.lean).max(side(from_below, knot.lean))
        };
        let far = |komi: i32| (2 * komi - first - last).abs();
        let mut choices: Vec<(f64, i32)> = knots
            .iter()
            .filter(|knot| (lowest..=highest).contains(&knot.komi))
            .filter(|knot| lo < knot.komi && knot.komi < hi)
            .map(|knot| (rate(knot), knot.komi))
            .collect();
        // ties: nearest the crossing, then nearest 0, then the higher one
        choices.sort_by(|(x, p), (y, q)| {
            y.total_cmp(x)
                .then(far(*p).cmp(&far(*q)))
                .then(p.abs().cmp(&q.abs()))
                .then(q.cmp(p))
        });
        choices.first().map(|choice| choice.1)
    }

    /// The measured komi, those halfway between neighbours, and one beyond each end where margins
    /// are not known to end, by komi.
    fn knots(&self) -> Vec<Knot> {
        let mut outer: Vec<Knot> = self
            .points
            .iter()
            .zip(&self.leans)
            .map(|(point, lean)| Knot {
                komi: point.komi,
                lean: *lean,
                games: point.effective.games() as f64,
            })
            .collect();
        let (Some(first), Some(last)) = (outer.first().copied(), outer.last().copied()) else {
            return outer;
        };
        let step = 4.max(last.komi - first.komi);
        let known = |komi: i32, lean: f64| Knot {
            komi,
            lean,
            games: 0.0,
        };
        let low = match self.lattice.min {
            Some(min) => known(min - 1, 0.5),
            None => known(first.komi - step, first.lean),
        };
        let high = match self.lattice.max {
            Some(max) => known(max + 1, -0.5),
            None => known(last.komi + step, last.lean),
        };
        if low.komi < first.komi {
            outer.insert(0, low);
        }
        if high.komi > last.komi {
            outer.push(high);
        }
        let mut all = outer.clone();
        for pair in outer.windows(2) {
            if pair[1].komi - pair[0].komi > 2 {
                let komi = self.between(pair[0].komi, pair[1].komi);
                let share = f64::from(komi - pair[0].komi) / f64::from(pair[1].komi - pair[0].komi);
                let lean = pair[0].lean + share * (pair[1].lean - pair[0].lean);
                all.push(known(komi, lean));
            }
        }
        all.sort_by_key(|knot| knot.komi);
        all
    }
}

/// One game in so many goes next to the estimate once both ends of the interval are closed.
const NEAR_SHARE: u64 = 4;

/// A komi that may be measured next.
#[derive(Clone, Copy, Debug)]
struct Knot {
    komi: i32,
    /// Expected score minus ½.
    lean: f64,
    /// Effective games so far.
    games: f64,
}

/// Evidence against ½ that a game with expected score ½ + `lean` gives on average, in nats.
fn relative_entropy(lean: f64) -> f64 {
    let part = |p: f64| if p > 0.0 { p * (2.0 * p).ln() } else { 0.0 };
    part(0.5 + lean) + part(0.5 - lean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Wdl;

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

    #[test]
    fn next_komi_brackets_then_halves_then_concentrates() {
        let next =
            |list: &[(i32, u64, u64, u64)]| next_komi(&samples(list), &WHOLE, 0, 0.95).unwrap();
        assert_eq!(next(&[]), Some(1));
        assert_eq!(next(&[(1, 9, 0, 1)]), Some(5));
        assert_eq!(next(&[(1, 9, 0, 1), (5, 9, 0, 1)]), Some(9));
        assert_eq!(next(&[(1, 9, 0, 1), (5, 9, 0, 1), (9, 9, 0, 1)]), Some(17));
        assert_eq!(next(&[(1, 9, 0, 1), (9, 1, 0, 9)]), Some(5));
        assert_eq!(next(&[(1, 9, 0, 1), (5, 1, 0, 9)]), Some(3));
        assert_eq!(next(&[(1, 9, 0, 1), (3, 1, 0, 4)]), Some(1));
        assert_eq!(next(&[(1, 40, 0, 0), (3, 0, 0, 40)]), None);
        assert_eq!(next(&[(17, 9, 0, 3)]), Some(-1));
        assert_eq!(next(&[(17, 90, 0, 3)]), None);
        assert_eq!(next(&[(1, 5, 0, 5)]), Some(-9));
        assert_eq!(
            next_komi(&[], &HALF, 7, 0.95),
            Ok(Some(6)),
            "7 half points is a margin here"
        );
    }

    #[test]
    fn unusable_input() {
        assert!(next_komi(&[], &WHOLE, i32::MAX, 0.95).is_err());
        assert!(next_komi(&samples(&[(2, 1, 0, 0)]), &WHOLE, 0, 0.95).is_err());
        let single = MarginLattice {
            odd: true,
            min: Some(5),
            max: Some(5),
        };
        assert_eq!(next_komi(&[], &single, 0, 0.95), Ok(None));
    }

    #[test]
    fn any_data_lead_to_a_possible_komi() {
        use rand::{Rng, SeedableRng};
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(2);
        for _ in 0..4000 {
            let parity = rng.random_range(0..2);
            let lattice = MarginLattice {
                odd: parity == 1,
                min: rng
                    .random_bool(0.5)
                    .then(|| 2 * rng.random_range(-9..=0) + parity),
                max: rng
                    .random_bool(0.5)
                    .then(|| 2 * rng.random_range(0..=9) + parity),
            };
            let list: Vec<KomiSample> = (0..rng.random_range(0..7))
                .map(|_| KomiSample {
                    komi: 2 * rng.random_range(-12..12) + 1 - parity,
                    wdl: Wdl::new(
                        rng.random_range(0..40),
                        rng.random_range(0..3),
                        rng.random_range(0..40),
                    ),
                    unique: rng.random_range(0..100),
                })
                .collect();
            let next = next_komi(&list, &lattice, 3, 0.95).unwrap();
            if let Some(komi) = next {
                assert!(lattice.measurable(komi));
                assert!(lattice.min.is_none_or(|min| komi > min));
                assert!(lattice.max.is_none_or(|max| komi < max));
            }
            let mut reversed = list.clone();
            reversed.reverse();
            assert_eq!(next_komi(&reversed, &lattice, 3, 0.95), Ok(next));
        }
    }
}
