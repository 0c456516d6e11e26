//! How well predicted scores match results.

use serde::{Deserialize, Serialize};

/// A prediction and what came of it, both expected scores in `[0, 1]` from one and the same view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Predicted expected score.
    pub predicted: f64,
    /// Score reached: 0, ½ or 1.
    pub outcome: f64,
}

impl Forecast {
    /// Whether both numbers lie in `[0, 1]`.
    pub fn is_valid(&self) -> bool {
        (0.0..=1.0).contains(&self.predicted) && (0.0..=1.0).contains(&self.outcome)
    }
}

/// One bin of a reliability diagram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReliabilityBin {
    /// Lower edge of the predictions, inside the bin.
    pub lo: f64,
    /// Upper edge, outside the bin (inside for the last one).
    pub hi: f64,
    /// Number of forecasts.
    pub count: u64,
    /// Mean prediction; `None` in an empty bin.
    pub mean_predicted: Option<f64>,
    /// Mean outcome; `None` in an empty bin.
    pub mean_outcome: Option<f64>,
}

/// A reliability diagram and its summary numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// Bins of equal width over `[0, 1]`, lowest first.
    pub bins: Vec<ReliabilityBin>,
    /// Forecasts used.
    pub count: u64,
    /// Forecasts left out because a number was not in `[0, 1]`.
    pub rejected: u64,
    /// Expected calibration error; `None` without forecasts.
    pub ece: Option<f64>,
    /// Mean squared error (Brier 1950); `None` without forecasts.
    pub brier: Option<f64>,
    /// Mean cross-entropy in nats; `None` without forecasts.
    pub log_loss: Option<f64>,
}

/// Sorts forecasts into `bins` bins of equal width (10 for deciles; 0 is read as 1).
///
/// The expected calibration error is the mean over forecasts of |mean prediction - mean outcome| of
/// their bin (Guo et al., ICML 2017). Forecasts that are not numbers in `[0, 1]` are counted, not
/// used.
pub fn reliability(forecasts: &[Forecast], bins: usize) -> Reliability {
    let bins = bins.max(1);
    let valid: Vec<Forecast> = forecasts.iter().copied().filter(Forecast::is_valid).collect();
    let mut sums = vec![(0_u64, 0.0, 0.0); bins];
    for forecast in &valid {
        let index = bin_of(forecast.predicted, bins);
        let sum = &mut sums[index];
        sum.0 += 1;
        sum.1 += forecast.predicted;
        sum.2 += forecast.outcome;
    }
    let count = valid.len() as u64;
    let gap: f64 = sums.iter().map(|(_, p, o)| (p - o).abs()).sum();
    let bins = sums
        .iter()
        .enumerate()
        .map(|(i, &(n, predicted, outcome))| ReliabilityBin {
            lo: i as f64 / bins as f64,
            hi: (i + 1) as f64 / bins as f64,
            count: n,
            mean_predicted: (n > 0).then(|| predicted / n as f64),
            mean_outcome: (n > 0).then(|| outcome / n as f64),
        })
        .collect();
    Reliability {
        bins,
        count,
        rejected: forecasts.len() as u64 - count,
        ece: (count > 0).then(|| gap / count as f64),
        brier: brier_score(&valid),
        log_loss: log_loss(&valid),
    }
}

/// Which of so many bins of equal width a prediction in `[0, 1]` belongs to.
pub fn bin_of(predicted: f64, bins: usize) -> usize {
    ((predicted * bins as f64) as usize).min(bins - 1)
}

/// Mean squared difference of prediction and outcome; `None` without valid forecasts.
pub fn brier_score(forecasts: &[Forecast]) -> Option<f64> {
    mean_over_valid(forecasts, |f| (f.predicted - f.outcome).powi(2))
}

/// Mean cross-entropy -[o ln p + (1 - o) ln(1 - p)] in nats, with p kept 1e-12 away from 0 and 1,
/// so that one wrong certainty costs much and not everything; `None` without valid forecasts.
pub fn log_loss(forecasts: &[Forecast]) -> Option<f64> {
    mean_over_valid(forecasts, |f| {
        let p = f.predicted.clamp(1e-12, 1.0 - 1e-12);
        -(f.outcome * p.ln() + (1.0 - f.outcome) * (-p).ln_1p())
    })
}

fn mean_over_valid(forecasts: &[Forecast], loss: impl Fn(&Forecast) -> f64) -> Option<f64> {
    let losses: Vec<f64> = forecasts.iter().filter(|f| f.is_valid()).map(loss).collect();
    (!losses.is_empty()).then(|| losses.iter().sum::<f64>() / losses.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forecast(predicted: f64, outcome: f64) -> Forecast {
        Forecast { predicted, outcome }
    }

    #[test]
    fn bins_by_hand() {
        let r = reliability(
            &[
                forecast(0.05, 0.0),
                forecast(0.05, 1.0),
                forecast(1.0, 1.0),
                forecast(0.1, 0.5),
                forecast(f64::NAN, 1.0),
                forecast(0.5, 2.0),
            ],
            10,
        );
        assert_eq!((r.count, r.rejected, r.bins.len()), (4, 2, 10));
        assert_eq!(r.bins[0].count, 2);
        assert_eq!(r.bins[0].mean_outcome, Some(0.5));
        assert_eq!(r.bins[1].count, 1);
        assert_eq!(r.bins[9].mean_predicted, Some(1.0));
        assert_eq!(r.bins[5].mean_outcome, None);
        assert!((r.ece.unwrap() - (0.9 + 0.4) / 4.0).abs() < 1e-12);
        let brier = (0.0025 + 0.9025 + 0.0 + 0.16) / 4.0;
        assert!((r.brier.unwrap() - brier).abs() < 1e-12);
    }

    #[test]
    fn losses_of_plain_forecasts() {
        let even = [forecast(0.5, 1.0), forecast(0.5, 0.0), forecast(0.5, 0.5)];
        assert!((log_loss(&even).unwrap() - std::f64::consts::LN_2).abs() < 1e-12);
        assert!((brier_score(&even).unwrap() - 0.5 / 3.0).abs() < 1e-12);
        let wrong = log_loss(&[forecast(1.0, 0.0)]).unwrap();
        assert!(wrong > 27.0 && wrong.is_finite());
        assert!(log_loss(&[forecast(1.0, 1.0)]).unwrap() < 1e-11);
    }

    #[test]
    fn nothing_to_judge() {
        let r = reliability(&[], 0);
        assert_eq!((r.count, r.bins.len(), r.ece), (0, 1, None));
        assert_eq!(brier_score(&[forecast(-1.0, 0.0)]), None);
        assert_eq!(log_loss(&[]), None);
    }

    #[test]
    fn the_other_view_is_as_well_calibrated() {
        let list: Vec<Forecast> =
            (0..96).map(|i| forecast((f64::from(i) + 0.5) / 96.0, f64::from(i % 3) / 2.0)).collect();
        let other: Vec<Forecast> = list.iter().map(|f| forecast(1.0 - f.predicted, 1.0 - f.outcome)).collect();
        let (a, b) = (reliability(&list, 10), reliability(&other, 10));
        assert!((a.ece.unwrap() - b.ece.unwrap()).abs() < 1e-12);
        assert!((a.log_loss.unwrap() - b.log_loss.unwrap()).abs() < 1e-12);
    }
}
