//! The binomial distribution: exact tests and intervals. All functions read k > n as k = n.

use super::interval::{Interval, alpha_of};
use super::normal::critical_value;
pub use super::special::ln_gamma;
use super::special::{inc_beta_pair, ln_binomial_term};

/// ln P(X = k) for X binomial (n, p). Negative infinity where impossible, NaN unless 0 <= p <= 1.
pub fn ln_pmf(k: u64, n: u64, p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if k > n {
        return f64::NEG_INFINITY;
    }
    if n == 0 {
        return 0.0;
    }
    ln_binomial_term(k as f64, n as f64, p, 1.0 - p)
}

/// P(X <= k) for X binomial (n, p).
pub fn lower_tail(k: u64, n: u64, p: f64) -> f64 {
    if k >= n {
        return 1.0;
    }
    inc_beta_pair(k as f64 + 1.0, (n - k) as f64, p).1
}

/// P(X >= k) for X binomial (n, p): the one-sided exact p-value against "success is not likelier
/// than p".
pub fn upper_tail(k: u64, n: u64, p: f64) -> f64 {
    let k = k.min(n);
    if k == 0 {
        return 1.0;
    }
    inc_beta_pair(k as f64, (n - k) as f64 + 1.0, p).0
}

/// The exact two-sided p-value of k successes in n trials against success probability p: the total
/// probability of all outcomes not likelier than k. At p = ½ it is twice the smaller tail, at most
/// 1.
pub fn two_sided_test(k: u64, n: u64, p: f64) -> f64 {
    let k = k.min(n);
    if n == 0 {
        return 1.0;
    }
    // A relative slack, so that outcomes equally likely in exact arithmetic count as such.
    let limit = ln_pmf(k, n, p) + 1e-7;
    let mode = (((n as f64 + 1.0) * p).floor() as u64).min(n);
    if ln_pmf(mode, n, p) <= limit {
        return 1.0;
    }
    if k < mode {
        // first outcome above the mode that is not likelier than k
        let (mut likelier, mut beyond) = (mode, n + 1);
        while beyond - likelier > 1 {
            let mid = likelier + (beyond - likelier) / 2;
            if ln_pmf(mid, n, p) > limit {
                likelier = mid;
            } else {
                beyond = mid;
            }
        }
        let other = if beyond > n {
            0.0
        } else {
            upper_tail(beyond, n, p)
        };
        (lower_tail(k, n, p) + other).min(1.0)
    } else {
        two_sided_test(n - k, n, 1.0 - p)
    }
}

/// The exact interval of Clopper & Pearson (Biometrika 1934) for a success probability: it covers
/// with at least the given level for every n and p. `[0, 1]` for n = 0.
pub fn clopper_pearson(k: u64, n: u64, level: f64) -> Interval {
    let k = k.min(n);
    let half = alpha_of(level) / 2.0;
    Interval {
        lo: clopper_pearson_lower(k, n, half),
        hi: 1.0 - clopper_pearson_lower(n - k, n, half),
    }
}

/// The largest p (up to rounding, never above it) at which P(X >= k) <= half.
fn clopper_pearson_lower(k: u64, n: u64, half: f64) -> f64 {
    if k == 0 {
        return 0.0;
    }
    let (mut below, mut above) = (0.0, 1.0);
    for _ in 0..80 {
        let mid = 0.5 * (below + above);
        if upper_tail(k, n, mid) <= half {
            below = mid;
        } else {
            above = mid;
        }
    }
    below
}

/// Wilson's score interval (JASA 1927) for a success probability: close to its level on average,
/// at some p a little below. `[0, 1]` for n = 0. Only for outcomes that cannot be drawn; see
/// [`super::Wdl::score_interval`] otherwise.
pub fn wilson(k: u64, n: u64, level: f64) -> Interval {
    let k = k.min(n);
    if n == 0 {
        return Interval::UNIT;
    }
    wilson_fraction(k as f64 / n as f64, n as f64, level)
}

/// Wilson's interval for an observed share `score` of `n` trials, n > 0 real (an effective size).
pub(crate) fn wilson_fraction(score: f64, n: f64, level: f64) -> Interval {
    let z2 = critical_value(level).powi(2);
    let centre = 0.5 + (score - 0.5) * n / (n + z2);
    let half = (z2 * (n * score * (1.0 - score) + z2 / 4.0)).sqrt() / (n + z2);
    Interval {
        lo: if score == 0.0 {
            0.0
        } else {
            (centre - half).max(0.0)
        },
        hi: if score == 1.0 {
            1.0
        } else {
            (centre + half).min(1.0)
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_agree_with_plain_sums() {
        for n in [1_u64, 2, 7, 30, 200] {
            for p in [0.01, 0.3, 0.5, 0.93] {
                let mass: Vec<f64> = (0..=n).map(|k| ln_pmf(k, n, p).exp()).collect();
                assert!((mass.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                for k in 0..=n {
                    let lower: f64 = mass[..=k as usize].iter().sum();
                    let upper: f64 = mass[k as usize..].iter().sum();
                    assert!((lower_tail(k, n, p) - lower).abs() < 1e-12);
                    assert!((upper_tail(k, n, p) - upper).abs() < 1e-12);
                    let own = mass[k as usize] * (1.0 + 1e-7);
                    let two: f64 = mass.iter().filter(|m| **m <= own).sum();
                    assert!((two_sided_test(k, n, p) - two).abs() < 1e-10, "{k} {n} {p}");
                }
            }
        }
    }

    // R 4: binom.test(682, 925, p = 0.75) gives p = 0.3825, interval [0.7076683, 0.7654066].
    #[test]
    fn agrees_with_r_on_its_own_example() {
        assert!((two_sided_test(682, 925, 0.75) - 0.3825).abs() < 5e-5);
        let i = clopper_pearson(682, 925, 0.95);
        assert!((i.lo - 0.707_668_3).abs() < 1e-7 && (i.hi - 0.765_406_6).abs() < 1e-7);
    }

    #[test]
    fn published_and_closed_form_intervals() {
        let i = clopper_pearson(0, 10, 0.95);
        assert_eq!(i.lo, 0.0);
        assert!((i.hi - (1.0 - 0.025_f64.powf(0.1))).abs() < 1e-14);
        // Newcombe (1998), Table I: 81/263 by Wilson is 0.2553 to 0.3662, exact 0.2527 to 0.3676
        let w = wilson(81, 263, 0.95);
        assert!((w.lo - 0.2553).abs() < 5e-5 && (w.hi - 0.3662).abs() < 5e-5);
        let c = clopper_pearson(81, 263, 0.95);
        assert!((c.lo - 0.2527).abs() < 5e-5 && (c.hi - 0.3676).abs() < 5e-5);
    }

    #[test]
    fn degenerate_counts() {
        assert_eq!(clopper_pearson(0, 0, 0.95), Interval::UNIT);
        assert_eq!(wilson(0, 0, 0.95), Interval::UNIT);
        assert_eq!(wilson(0, 5, 0.95).lo, 0.0);
        assert_eq!(wilson(5, 5, 0.95).hi, 1.0);
        assert_eq!(wilson(9, 5, 0.95), wilson(5, 5, 0.95));
        assert!(wilson(5, 5, 0.95).lo < 0.6);
        assert_eq!(two_sided_test(0, 0, 0.5), 1.0);
        assert_eq!(upper_tail(0, 0, 0.5), 1.0);
        assert_eq!(ln_pmf(0, 0, 0.5), 0.0);
        assert_eq!(ln_pmf(3, 2, 0.5), f64::NEG_INFINITY);
        assert!(ln_pmf(1, 2, 1.5).is_nan());
        for level in [0.0, 1.0, f64::NAN, -3.0, 9.0] {
            let i = clopper_pearson(3, 10, level);
            assert!(i.lo <= 0.301 && i.hi >= 0.299);
        }
        assert!(clopper_pearson(500_000_000, 1_000_000_000, 0.95).width() < 1e-4);
        for p in [0.0, 1.0] {
            assert!(two_sided_test(1, 3, p) <= 1.0);
        }
    }

    #[test]
    fn swapping_the_sides_mirrors_the_interval() {
        for n in [1_u64, 4, 33, 1000] {
            for k in (0..=n).step_by(1 + n as usize / 7) {
                for method in [wilson, clopper_pearson] {
                    let (a, b) = (method(k, n, 0.9), method(n - k, n, 0.9).complement());
                    assert!((a.lo - b.lo).abs() < 1e-14 && (a.hi - b.hi).abs() < 1e-14);
                }
            }
        }
    }
}
