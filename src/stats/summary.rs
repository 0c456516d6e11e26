//! Plain summaries of integer samples (margins in half points, game lengths), and the cluster
//! bootstrap.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::interval::{Interval, alpha_of};

/// The mean; `None` of nothing.
pub fn mean(values: &[i64]) -> Option<f64> {
    let sum: i128 = values.iter().copied().map(i128::from).sum();
    (!values.is_empty()).then(|| sum as f64 / values.len() as f64)
}

/// The sample standard deviation (divisor n - 1); `None` of fewer than two.
pub fn standard_deviation(values: &[i64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|&x| (x as f64 - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// The q-quantile, linear between order statistics (type 7 of Hyndman & Fan, Am. Stat. 1996); q is
/// kept in `[0, 1]`. `None` of nothing or for q not a number.
pub fn quantile(values: &[i64], q: f64) -> Option<f64> {
    let floats: Vec<f64> = values.iter().map(|&x| x as f64).collect();
    quantile_f64(&floats, q)
}

/// As [`quantile`], of real numbers in any order.
pub fn quantile_f64(values: &[f64], q: f64) -> Option<f64> {
    if values.is_empty() || q.is_nan() {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let position = q.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let share = position - below as f64;
    if share == 0.0 {
        return Some(sorted[below]);
    }
    Some(sorted[below] * (1.0 - share) + sorted[above] * share)
}

/// The median.
pub fn median(values: &[i64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// How often each value occurs, in order of the values.
pub fn histogram(values: &[i64]) -> BTreeMap<i64, u64> {
    let mut counts = BTreeMap::new();
    for &value in values {
        *counts.entry(value).or_insert(0) += 1;
    }
    counts
}

/// Counts in bins of `width` (0 is read as 1), keyed by the lowest value of the bin, a multiple of
/// `width`.
pub fn binned_histogram(values: &[i64], width: u32) -> BTreeMap<i64, u64> {
    let width = i64::from(width.max(1));
    let mut counts = BTreeMap::new();
    for &value in values {
        *counts
            .entry(value.saturating_sub(value.rem_euclid(width)))
            .or_insert(0) += 1;
    }
    counts
}

/// A statistic with its bootstrap interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bootstrap {
    /// The statistic of the sample itself.
    pub estimate: f64,
    /// Percentile interval.
    pub interval: Interval,
    /// Number of clusters: the sample size that counts.
    pub clusters: usize,
    /// Resamples in which the statistic existed.
    pub resamples: usize,
    /// Resamples in which it did not (for instance a root that was not identified).
    pub failed: usize,
}

/// Percentile bootstrap that draws whole clusters (games sharing an opening) with replacement
/// (Davison & Hinkley, "Bootstrap Methods and their Application", 1997, section 3.8).
///
/// `items` come with their cluster id; `statistic` answers `None` where it does not exist, and such
/// resamples are counted apart. The random stream is a ChaCha8 seeded with `seed`; the answer
/// depends on nothing else. `None` when there is no resample, no item, or the statistic of the
/// whole sample does not exist. With a single cluster nothing can vary, and the interval is the
/// whole line.
pub fn cluster_bootstrap<T>(
    items: &[(u64, T)],
    statistic: impl Fn(&[&T]) -> Option<f64>,
    resamples: usize,
    level: f64,
    seed: u64,
) -> Option<Bootstrap> {
    let mut clusters: BTreeMap<u64, Vec<&T>> = BTreeMap::new();
    for (id, item) in items {
        clusters.entry(*id).or_default().push(item);
    }
    let clusters: Vec<Vec<&T>> = clusters.into_values().collect();
    let estimate = statistic(&clusters.concat())?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut values = Vec::with_capacity(resamples);
    let mut sample = Vec::with_capacity(items.len());
    let count = clusters.len() as u64;
    for _ in 0..resamples {
        if count == 0 {
            break;
        }
        sample.clear();
        for _ in 0..count {
            sample.extend_from_slice(&clusters[rng.random_range(0..count) as usize]);
        }
        values.extend(statistic(&sample).filter(|value| !value.is_nan()));
    }
    let half = alpha_of(level) / 2.0;
    let (lo, hi) = (
        quantile_f64(&values, half)?,
        quantile_f64(&values, 1.0 - half)?,
    );
    Some(Bootstrap {
        estimate,
        interval: if clusters.len() < 2 {
            Interval::new(f64::NEG_INFINITY, f64::INFINITY)
        } else {
            Interval::new(lo, hi)
        },
        clusters: clusters.len(),
        resamples: values.len(),
        failed: resamples - values.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_by_hand() {
        let values = [4, -2, 4, 10];
        assert_eq!(mean(&values), Some(4.0));
        assert!((standard_deviation(&values).unwrap() - 24_f64.sqrt()).abs() < 1e-12);
        assert_eq!(median(&values), Some(4.0));
        assert_eq!(quantile(&values, 0.25), Some(2.5));
        assert_eq!(quantile(&values, 2.0), Some(10.0));
        assert_eq!(
            histogram(&values),
            BTreeMap::from([(-2, 1), (4, 2), (10, 1)])
        );
        assert_eq!(
            binned_histogram(&[-1, 0, 4, 5, -5], 5),
            BTreeMap::from([(-5, 2), (0, 2), (5, 1)])
        );
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(mean(&[]), None);
        assert_eq!(standard_deviation(&[3]), None);
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[1], f64::NAN), None);
        assert_eq!(mean(&[i64::MAX, i64::MAX]), Some(i64::MAX as f64));
        assert!(histogram(&[]).is_empty());
        assert_eq!(binned_histogram(&[i64::MIN], 0).len(), 1);
        let none: [(u64, i64); 0] = [];
        assert_eq!(cluster_bootstrap(&none, |_| None, 10, 0.95, 1), None);
        assert_eq!(cluster_bootstrap(&none, |_| Some(1.0), 10, 0.95, 1), None);
        assert_eq!(
            cluster_bootstrap(&[(1, 2)], |_| Some(1.0), 0, 0.95, 1),
            None
        );
    }

    fn share(items: &[&i64]) -> Option<f64> {
        Some(items.iter().copied().sum::<i64>() as f64 / items.len() as f64)
    }

    #[test]
    fn bootstrap_repeats_and_respects_clusters() {
        // 20 clusters of 10 equal games: the sample is worth 20, not 200
        let items: Vec<(u64, i64)> = (0..200).map(|i| (i / 10, (i / 10 % 2) as i64)).collect();
        let a = cluster_bootstrap(&items, share, 500, 0.95, 7).unwrap();
        let b = cluster_bootstrap(&items, share, 500, 0.95, 7).unwrap();
        assert_eq!(a, b);
        assert_eq!((a.estimate, a.clusters, a.resamples), (0.5, 20, 500));
        assert!(
            a.interval.width() > 0.35 && a.interval.width() < 0.55,
            "{}",
            a.interval
        );
        let alone: Vec<(u64, i64)> = (0..200).map(|i| (i, (i / 10 % 2) as i64)).collect();
        let c = cluster_bootstrap(&alone, share, 500, 0.95, 7).unwrap();
        assert!(c.interval.width() < 0.2);
    }

    #[test]
    fn one_cluster_proves_nothing() {
        let items = [(3, 1_i64), (3, 0), (3, 1)];
        let found = cluster_bootstrap(&items, share, 50, 0.95, 7).unwrap();
        assert_eq!(found.interval.width(), f64::INFINITY);
    }

    #[test]
    fn missing_statistics_are_counted() {
        let items: Vec<(u64, i64)> = (0..4).map(|i| (i, i as i64)).collect();
        let found = cluster_bootstrap(
            &items,
            |sample| sample.iter().any(|x| **x == 0).then_some(1.0),
            200,
            0.95,
            3,
        )
        .unwrap();
        assert_eq!(found.resamples + found.failed, 200);
        assert!(found.failed > 20 && found.failed < 120);
    }
}
