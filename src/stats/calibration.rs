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

/// Platt scaling: a prediction's logit times `factor`, plus `shift`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Platt {
    /// Above 0. Above 1 predictions go away from a half, below 1 they come nearer.
    pub factor: f64,
    pub shift: f64,
}

impl Platt {
    /// Leaves predictions as they are.
    pub const NONE: Platt = Platt { factor: 1.0, shift: 0.0 };

    /// The prediction scaled; 0 and 1 stay.
    pub fn scaled(self, predicted: f64) -> f64 {
        // In the usual case no bit is to change.
        if self == Self::NONE {
            return predicted;
        }
        let yes = predicted.powf(self.factor) * self.shift.exp();
        yes / (yes + (1.0 - predicted).powf(self.factor))
    }
}

/// How far the factor lies from 1 and the shift from 0 before anything is known: so much that a few hundred forecasts decide.
const PRIOR_DEVIATION: f64 = 0.5;

/// Predictions nearer to 0 or 1 are taken for this near when a scaling is fitted: what is certain and fails once in a
/// while must not decide how sure the rest should be.
const NEAREST: f64 = 1e-3;

/// Newton's steps at most; it takes five or so.
const NEWTON_STEPS: usize = 50;

/// The scaling with which the forecasts have the greatest likelihood, each group counting for one forecast however many
/// it has (positions of one game share their outcome). Platt (1999), with normal priors, so that few groups change little and
/// none nothing. The factor is 1/8 at least.
pub fn fit_platt(groups: &[Vec<Forecast>]) -> Platt {
    let logit = |forecast: &Forecast| {
        let p = forecast.predicted.clamp(NEAREST, 1.0 - NEAREST);
        (p / (1.0 - p)).ln()
    };
    let terms: Vec<(f64, f64, f64)> = groups
        .iter()
        .flat_map(|group| {
            let valid = group.iter().filter(|forecast| forecast.is_valid());
            valid.map(|forecast| (1.0 / group.len() as f64, logit(forecast), forecast.outcome))
        })
        .collect();
    let precision = PRIOR_DEVIATION.powi(-2);
    // −ln σ(y), which is convex, for both outcomes: so is the sum.
    let soft = |y: f64| (-y.abs()).exp().ln_1p() + (-y).max(0.0);
    let loss = |Platt { factor, shift }: Platt| {
        let fit = terms.iter().map(|(weight, x, outcome)| {
            let y = factor * x + shift;
            weight * (outcome * soft(y) + (1.0 - outcome) * soft(-y))
        });
        fit.sum::<f64>() + 0.5 * precision * ((factor - 1.0).powi(2) + shift.powi(2))
    };
    let mut best = Platt::NONE;
    for _ in 0..NEWTON_STEPS {
        // The slopes by factor and shift, and the second derivatives.
        let (mut a, mut b) = (precision * (best.factor - 1.0), precision * best.shift);
        let (mut aa, mut ab, mut bb) = (precision, 0.0, precision);
        for (weight, x, outcome) in &terms {
            let p = 1.0 / (1.0 + (-best.factor * x - best.shift).exp());
            let (slope, bend) = (weight * (p - outcome), weight * p * (1.0 - p));
            (a, b) = (a + slope * x, b + slope);
            (aa, ab, bb) = (aa + bend * x * x, ab + bend * x, bb + bend);
        }
        let determinant = aa * bb - ab * ab;
        let (by_factor, by_shift) = ((b * ab - a * bb) / determinant, (a * ab - b * aa) / determinant);
        let step = |length: f64| Platt {
            factor: (best.factor + length * by_factor).max(0.125),
            shift: best.shift + length * by_shift,
        };
        // Shorter steps where the whole one goes too far.
        let before = loss(best);
        let Some(next) = (0..30).map(|halvings| step(0.5_f64.powi(halvings))).find(|next| loss(*next) < before) else {
            break;
        };
        best = next;
    }
    best
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
    fn the_scaling_is_found_again() {
        assert_eq!(fit_platt(&[]), Platt::NONE);
        // Whoever says p is right as often as the scaled p says.
        for (factor, shift) in [(0.4, 0.0), (1.0, 0.3), (2.5, -0.5), (1.3, 0.0)] {
            let groups: Vec<Vec<Forecast>> = (0..40_000)
                .map(|i| {
                    let p = f64::from(i % 200 + 1) / 201.0;
                    let rank = (f64::from(i / 200) + 0.5) / 200.0;
                    vec![forecast(p, f64::from(u8::from(rank < Platt { factor, shift }.scaled(p))))]
                })
                .collect();
            let found = fit_platt(&groups);
            assert!((found.factor / factor - 1.0).abs() < 0.02, "{found:?} for {factor}");
            assert!((found.shift - shift).abs() < 0.02, "{found:?} for {shift}");
        }
    }

    #[test]
    fn a_game_counts_once_and_few_games_for_little() {
        let shy = |copies: usize| [vec![forecast(0.7, 1.0); copies], vec![forecast(0.3, 0.0); copies]];
        let few = fit_platt(&shy(1));
        let copied = fit_platt(&shy(1000));
        assert!((few.factor - copied.factor).abs() < 1e-9 && few.shift.abs() < 1e-9, "{few:?} {copied:?}");
        let many = fit_platt(&vec![shy(1); 500].concat());
        assert!(1.0 < few.factor && few.factor < 1.3 && many.factor > 2.5, "{few:?} {many:?}");
        // One lost certainty in a thousand games is what is to be expected.
        let mut certain = vec![vec![forecast(1.0, 1.0)]; 999];
        certain.push(vec![forecast(1.0, 0.0)]);
        let found = fit_platt(&certain);
        assert!((found.factor - 1.0).abs() < 0.1 && found.shift.abs() < 0.1, "{found:?}");
        // However wrong the forecasts are, their order stays.
        let wrong = fit_platt(&vec![[vec![forecast(0.9, 0.0)], vec![forecast(0.1, 1.0)]]; 500].concat());
        assert_eq!(wrong.factor, 0.125);
    }

    #[test]
    fn scaling_keeps_the_order_and_what_is_certain() {
        for (factor, shift) in [(0.125, 0.0), (0.7, 0.5), (1.0, 0.0), (8.0, -0.5)] {
            let platt = Platt { factor, shift };
            let values: Vec<f64> = (0..=100).map(|i| platt.scaled(f64::from(i) / 100.0)).collect();
            assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
            assert_eq!((values[0], values[100]), (0.0, 1.0));
            assert!((values[50] - 1.0 / (1.0 + (-shift).exp())).abs() < 1e-12);
        }
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
