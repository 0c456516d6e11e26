//! Logistic regression of results on komi, its root, and whether it fits.
//!
//! Model: ln(P / (1 - P)) = a + b·komi with P the first player's expected score. The fair komi is
//! the root -a/b (a median effective dose). Komi may be in any unit; answers are in the same. A
//! drawn game counts as half a success of one trial; its true variance is smaller, so intervals err
//! on the wide side.
//!
//! Sources: iteratively reweighted least squares (McCullagh & Nelder 1989); Fieller (JRSS B 1954)
//! and the profile likelihood for the root, compared in Kelly, "The median lethal dose: design and
//! estimation" (The Statistician 2001); existence of the estimate: Albert & Anderson (Biometrika
//! 1984).

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::interval::Interval;
use super::normal::critical_value;
use super::special::chi2_survival;
use super::wdl::Wdl;

/// Results at one komi.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogisticPoint {
    /// Komi, in the caller's unit.
    pub komi: f64,
    /// Wins plus half the draws of the first player; need not be whole.
    pub successes: f64,
    /// Games; need not be whole.
    pub trials: f64,
}

impl LogisticPoint {
    /// A point from counts.
    pub fn from_wdl(komi: f64, wdl: Wdl) -> Self {
        Self { komi, successes: wdl.wins as f64 + 0.5 * wdl.draws as f64, trials: wdl.games() as f64 }
    }

    fn is_valid(&self) -> bool {
        self.komi.is_finite() && self.trials.is_finite() && (0.0..=self.trials).contains(&self.successes)
    }
}

/// Why there is no fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LogisticError {
    /// A point has a komi that is no number, or successes outside `0..=trials`.
    InvalidPoint {
        /// Index of the first such point.
        index: usize,
    },
    /// Games at fewer than two different komi.
    TooFewKomi,
    /// All games won, or all lost.
    OneOutcome,
    /// Wins and losses do not overlap: the slope is infinite and any root between these komi fits
    /// (they may be equal when games of both kinds meet at one komi only).
    Separated {
        /// Lower end of the possible roots.
        lo: f64,
        /// Upper end of the possible roots.
        hi: f64,
    },
    /// The iteration did not settle (numbers too extreme).
    NotConverged,
}

impl fmt::Display for LogisticError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidPoint { index } => write!(f, "point {index} makes no sense"),
            Self::TooFewKomi => f.write_str("games at two different komi are needed"),
            Self::OneOutcome => f.write_str("all games ended the same way"),
            Self::Separated { lo, hi } => {
                write!(f, "wins and losses are separated between komi {lo} and {hi}: the slope is infinite")
            }
            Self::NotConverged => f.write_str("the logistic fit did not converge"),
        }
    }
}

impl Error for LogisticError {}

/// A fitted curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogisticFit {
    /// Intercept: log odds at komi 0.
    pub a: f64,
    /// Slope: log odds per unit of komi; negative when komi helps the second player.
    pub b: f64,
    /// Variance of `a`.
    pub var_a: f64,
    /// Covariance of `a` and `b`.
    pub cov_ab: f64,
    /// Variance of `b`.
    pub var_b: f64,
    /// Maximised log-likelihood (without binomial coefficients).
    pub log_likelihood: f64,
    points: Vec<LogisticPoint>,
}

/// How well the curve fits the points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GoodnessOfFit {
    /// Pearson's chi-squared.
    pub pearson: f64,
    /// Deviance.
    pub deviance: f64,
    /// Degrees of freedom: different komi minus 2.
    pub dof: u32,
    /// P-value of Pearson's statistic; `None` without degrees of freedom. Small: the curve does not
    /// fit.
    pub pearson_p: Option<f64>,
    /// P-value of the deviance.
    pub deviance_p: Option<f64>,
}

/// ln(1 + e^x) without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn log_likelihood(points: &[LogisticPoint], a: f64, b: f64) -> f64 {
    points
        .iter()
        .map(|p| {
            let eta = a + b * p.komi;
            p.successes * eta - p.trials * softplus(eta)
        })
        .sum()
}

/// Fits the curve by Newton's method with step halving; at most 100 iterations.
///
/// Points without games are ignored, points at one komi added up.
///
/// # Errors
/// When the points make no sense or have no finite maximum-likelihood estimate; see
/// [`LogisticError`].
pub fn fit_logistic(points: &[LogisticPoint]) -> Result<LogisticFit, LogisticError> {
    if let Some(index) = points.iter().position(|p| !p.is_valid()) {
        return Err(LogisticError::InvalidPoint { index });
    }
    let points = merged(points);
    check_overlap(&points)?;

    // Centre and scale, so that the iteration does not depend on the unit.
    let (first, last) = (points[0].komi, points[points.len() - 1].komi);
    let centre = first + 0.5 * (last - first);
    let scale = 0.5 * (last - first);
    let scaled: Vec<LogisticPoint> =
        points.iter().map(|p| LogisticPoint { komi: (p.komi - centre) / scale, ..*p }).collect();
    let (a, b, information) = newton(&scaled).ok_or(LogisticError::NotConverged)?;
    let [aa, ab, bb] = information;
    let determinant = aa * bb - ab * ab;
    // back to the caller's unit: intercept a - b·centre/scale, slope b/scale
    let shift = centre / scale;
    let (va, cab, vb) = (bb / determinant, -ab / determinant, aa / determinant);
    let fit = LogisticFit {
        a: a - b * shift,
        b: b / scale,
        var_a: va - 2.0 * shift * cab + shift * shift * vb,
        cov_ab: (cab - shift * vb) / scale,
        var_b: vb / (scale * scale),
        log_likelihood: log_likelihood(&scaled, a, b),
        points,
    };
    let numbers = [fit.a, fit.b, fit.var_a, fit.cov_ab, fit.var_b];
    if numbers.iter().all(|x| x.is_finite()) && fit.var_b > 0.0 { Ok(fit) } else { Err(LogisticError::NotConverged) }
}

/// Points with games, sorted by komi, equal komi added up.
fn merged(points: &[LogisticPoint]) -> Vec<LogisticPoint> {
    let mut sorted: Vec<LogisticPoint> = points.iter().copied().filter(|p| p.trials > 0.0).collect();
    sorted.sort_by(|p, q| p.komi.total_cmp(&q.komi));
    let mut out: Vec<LogisticPoint> = Vec::new();
    for point in sorted {
        match out.last_mut() {
            Some(last) if last.komi == point.komi => {
                last.successes += point.successes;
                last.trials += point.trials;
            }
            _ => out.push(point),
        }
    }
    out
}

/// The estimate is finite just when the komi of successes and of failures overlap in more than a
/// point.
fn check_overlap(points: &[LogisticPoint]) -> Result<(), LogisticError> {
    if points.len() < 2 {
        return Err(LogisticError::TooFewKomi);
    }
    let range = |keep: fn(&LogisticPoint) -> bool| {
        let mut komi = points.iter().filter(|p| keep(p)).map(|p| p.komi);
        let first = komi.next();
        first.map(|first| (first, komi.next_back().unwrap_or(first)))
    };
    let successes = range(|p| p.successes > 0.0);
    let failures = range(|p| p.successes < p.trials);
    let (Some(won), Some(lost)) = (successes, failures) else {
        return Err(LogisticError::OneOutcome);
    };
    if won.1 <= lost.0 {
        return Err(LogisticError::Separated { lo: won.1, hi: lost.0 });
    }
    if lost.1 <= won.0 {
        return Err(LogisticError::Separated { lo: lost.1, hi: won.0 });
    }
    Ok(())
}

/// Maximises over both parameters; returns them and the information matrix (aa, ab, bb).
fn newton(points: &[LogisticPoint]) -> Option<(f64, f64, [f64; 3])> {
    let (mut a, mut b) = (0.0, 0.0);
    let mut best = log_likelihood(points, a, b);
    let mut settled = false;
    for _ in 0..100 {
        let (mut score_a, mut score_b) = (0.0, 0.0);
        let mut information = [0.0; 3];
        for p in points {
            let share = sigmoid(a + b * p.komi);
            let residual = p.successes - p.trials * share;
            let weight = p.trials * share * (1.0 - share);
            score_a += residual;
            score_b += residual * p.komi;
            information[0] += weight;
            information[1] += weight * p.komi;
            information[2] += weight * p.komi * p.komi;
        }
        let [aa, ab, bb] = information;
        let determinant = aa * bb - ab * ab;
        if determinant.is_nan() || determinant <= 0.0 {
            return None;
        }
        let mut step_a = (bb * score_a - ab * score_b) / determinant;
        let mut step_b = (aa * score_b - ab * score_a) / determinant;
        if settled {
            return Some((a, b, information));
        }
        // Twice the likelihood still to gain. So near the maximum Newton's steps are right, and differences of
        // likelihoods are rounding.
        settled = step_a * score_a + step_b * score_b < 1e-12;
        if settled {
            a += step_a;
            b += step_b;
            continue;
        }
        let mut improved = false;
        for _ in 0..60 {
            let value = log_likelihood(points, a + step_a, b + step_b);
            if value >= best {
                best = value;
                a += step_a;
                b += step_b;
                improved = true;
                break;
            }
            step_a *= 0.5;
            step_b *= 0.5;
        }
        if !improved {
            // as high as rounding allows
            return Some((a, b, information));
        }
    }
    None
}

impl LogisticFit {
    /// The points fitted: with games, by komi, equal komi added up.
    pub fn points(&self) -> &[LogisticPoint] {
        &self.points
    }

    /// Fitted expected score of the first player.
    pub fn score(&self, komi: f64) -> f64 {
        sigmoid(self.a + self.b * komi)
    }

    /// The fair komi -a/b; `None` for a flat curve.
    pub fn root(&self) -> Option<f64> {
        let root = -self.a / self.b;
        root.is_finite().then_some(root)
    }

    /// Fieller's interval for the fair komi; `None`, not identified, when the interval of the slope
    /// includes 0.
    pub fn fieller(&self, level: f64) -> Option<Interval> {
        let z2 = critical_value(level).powi(2);
        let root = self.root()?;
        // In terms of u = komi - root the fitted log odds are b·u, so nothing cancels.
        let var_0 = self.var_a + root * (2.0 * self.cov_ab + root * self.var_b);
        let cov_0 = self.cov_ab + root * self.var_b;
        let square = self.b * self.b - z2 * self.var_b;
        if square.is_nan() || square <= 0.0 {
            return None;
        }
        let discriminant = (z2 * cov_0).powi(2) + square * z2 * var_0.max(0.0);
        let middle = z2 * cov_0 / square;
        let half = discriminant.sqrt() / square;
        Some(Interval::new(root + middle - half, root + middle + half))
    }

    /// Profile-likelihood interval for the fair komi: all k at which twice the loss of
    /// log-likelihood, with the slope refitted, stays below the critical value. `None`, not
    /// identified, when a curve that does not depend on komi stays below it as well: then the set
    /// is unbounded.
    pub fn profile(&self, level: f64) -> Option<Interval> {
        let z2 = critical_value(level).powi(2);
        let root = self.root()?;
        let (won, games) = self.points.iter().fold((0.0, 0.0), |(s, n), p| (s + p.successes, n + p.trials));
        let lost = games - won;
        let flat = won * (won / games).ln() + lost * (lost / games).ln();
        let limit = self.log_likelihood - z2 / 2.0;
        if flat.is_nan() || flat >= limit {
            return None;
        }
        let span = self.points[self.points.len() - 1].komi - self.points[0].komi;
        let outside = |k: f64| self.best_through(k) < limit;
        let end = |direction: f64| {
            let mut step = span / 64.0;
            let mut inside = root;
            let mut beyond = None;
            for _ in 0..200 {
                let k = root + direction * step;
                if outside(k) {
                    beyond = Some(k);
                    break;
                }
                inside = k;
                step *= 2.0;
            }
            let mut beyond = beyond?;
            for _ in 0..60 {
                let middle = inside + 0.5 * (beyond - inside);
                if outside(middle) {
                    beyond = middle;
                } else {
                    inside = middle;
                }
            }
            Some(beyond)
        };
        Some(Interval::new(end(-1.0)?, end(1.0)?))
    }

    /// The highest log-likelihood of a curve with root k: a concave problem in the slope alone.
    fn best_through(&self, k: f64) -> f64 {
        let scale = self.points.iter().map(|p| (p.komi - k).abs()).fold(0.0, f64::max);
        if scale == 0.0 {
            return log_likelihood(&self.points, 0.0, 0.0);
        }
        let shifted: Vec<LogisticPoint> =
            self.points.iter().map(|p| LogisticPoint { komi: (p.komi - k) / scale, ..*p }).collect();
        let mut slope = 0.0;
        let mut best = log_likelihood(&shifted, 0.0, slope);
        for _ in 0..100 {
            let (mut score, mut information) = (0.0, 0.0);
            for p in &shifted {
                let share = sigmoid(slope * p.komi);
                score += (p.successes - p.trials * share) * p.komi;
                information += p.trials * share * (1.0 - share) * p.komi * p.komi;
            }
            if information.is_nan() || information <= 0.0 {
                break;
            }
            let mut step = score / information;
            let before = best;
            for _ in 0..60 {
                let value = log_likelihood(&shifted, 0.0, slope + step);
                if value >= best {
                    best = value;
                    slope += step;
                    break;
                }
                step *= 0.5;
            }
            if best - before <= 1e-12 * (1.0 + best.abs()) {
                break;
            }
        }
        best
    }

    /// Test of fit by Pearson's statistic and the deviance against chi-squared. Poor with few
    /// expected wins or losses at a komi; draws make both statistics small, never large.
    pub fn goodness_of_fit(&self) -> GoodnessOfFit {
        let (mut pearson, mut deviance) = (0.0, 0.0);
        let part = |seen: f64, expected: f64| {
            if seen > 0.0 { 2.0 * seen * (seen / expected).ln() } else { 0.0 }
        };
        for p in &self.points {
            let eta = self.a + self.b * p.komi;
            let (won, lost) = (p.trials * sigmoid(eta), p.trials * sigmoid(-eta));
            if p.successes != won {
                pearson += (p.successes - won).powi(2) * (1.0 / won + 1.0 / lost);
            }
            deviance += part(p.successes, won) + part(p.trials - p.successes, lost);
        }
        let deviance = deviance.max(0.0);
        let dof = self.points.len() as u32 - 2;
        GoodnessOfFit {
            pearson,
            deviance,
            dof,
            pearson_p: (dof > 0).then(|| chi2_survival(pearson, dof)),
            deviance_p: (dof > 0).then(|| chi2_survival(deviance, dof)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(list: &[(f64, f64, f64)]) -> Vec<LogisticPoint> {
        list.iter().map(|&(komi, successes, trials)| LogisticPoint { komi, successes, trials }).collect()
    }

    /// Bliss's beetle mortality data (1935), the standard example: Dobson, "An Introduction to
    /// Generalized Linear Models", table 7.2: intercept -60.72 (s.e. 5.18), slope 34.27 (2.91),
    /// deviance 11.23 on 6 degrees of freedom.
    fn beetles() -> Vec<LogisticPoint> {
        points(&[
            (1.6907, 6.0, 59.0),
            (1.7242, 13.0, 60.0),
            (1.7552, 18.0, 62.0),
            (1.7842, 28.0, 56.0),
            (1.8113, 52.0, 63.0),
            (1.8369, 53.0, 59.0),
            (1.8610, 61.0, 62.0),
            (1.8839, 60.0, 60.0),
        ])
    }

    #[test]
    fn agrees_with_the_textbook() {
        let fit = fit_logistic(&beetles()).unwrap();
        assert!((fit.a + 60.717).abs() < 2e-3, "{}", fit.a);
        assert!((fit.b - 34.270).abs() < 1e-3, "{}", fit.b);
        assert!((fit.var_a.sqrt() - 5.181).abs() < 1e-3);
        assert!((fit.var_b.sqrt() - 2.912).abs() < 1e-3);
        let test = fit.goodness_of_fit();
        assert!((test.deviance - 11.23).abs() < 5e-3);
        assert!((test.pearson - 10.03).abs() < 5e-3);
        assert_eq!(test.dof, 6);
        assert!((test.deviance_p.unwrap() - 0.0815).abs() < 5e-4);
        let root = fit.root().unwrap();
        assert!((root - 1.7717).abs() < 1e-4);
        let (fieller, profile) = (fit.fieller(0.95).unwrap(), fit.profile(0.95).unwrap());
        assert!(fieller.contains(root) && profile.contains(root));
        assert!((fieller.lo - profile.lo).abs() < 5e-4 && (fieller.hi - profile.hi).abs() < 5e-4);
        assert!((fit.score(root) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn fieller_solves_its_equation() {
        let fit = fit_logistic(&points(&[(0.0, 9.0, 12.0), (2.0, 6.0, 12.0), (5.0, 2.0, 12.0)])).unwrap();
        let i = fit.fieller(0.95).unwrap();
        let z2 = critical_value(0.95).powi(2);
        for k in [i.lo, i.hi] {
            let left = (fit.a + fit.b * k).powi(2);
            let right = z2 * (fit.var_a + 2.0 * k * fit.cov_ab + k * k * fit.var_b);
            assert!((left - right).abs() < 1e-9 * right, "{left} {right}");
        }
        let p = fit.profile(0.95).unwrap();
        for k in [p.lo, p.hi] {
            let loss = 2.0 * (fit.log_likelihood - fit.best_through(k));
            assert!((loss - z2).abs() < 1e-6, "{loss}");
        }
    }

    #[test]
    fn an_uncertain_slope_is_not_identified() {
        let fit = fit_logistic(&points(&[(0.0, 11.0, 20.0), (1.0, 10.0, 20.0)])).unwrap();
        assert_eq!(fit.fieller(0.95), None);
        assert_eq!(fit.profile(0.95), None);
        let flat = fit_logistic(&points(&[(0.0, 10.0, 20.0), (1.0, 10.0, 20.0)])).unwrap();
        assert_eq!(flat.fieller(0.95), None);
        assert_eq!(flat.profile(0.95), None);
        assert_eq!(flat.goodness_of_fit().pearson_p, None);
    }

    #[test]
    fn impossible_fits_say_why() {
        let error = |list: &[(f64, f64, f64)]| fit_logistic(&points(list)).unwrap_err();
        assert_eq!(error(&[]), LogisticError::TooFewKomi);
        assert_eq!(error(&[(1.0, 3.0, 9.0), (2.0, 0.0, 0.0)]), LogisticError::TooFewKomi);
        assert_eq!(error(&[(1.0, 9.0, 9.0), (2.0, 9.0, 9.0)]), LogisticError::OneOutcome);
        assert_eq!(error(&[(1.0, 9.0, 9.0), (2.0, 0.0, 9.0)]), LogisticError::Separated { lo: 1.0, hi: 2.0 });
        assert_eq!(
            error(&[(1.0, 0.0, 9.0), (2.0, 4.5, 9.0), (3.0, 9.0, 9.0)]),
            LogisticError::Separated { lo: 2.0, hi: 2.0 }
        );
        assert_eq!(error(&[(f64::NAN, 0.0, 9.0)]), LogisticError::InvalidPoint { index: 0 });
        assert_eq!(error(&[(1.0, 10.0, 9.0)]), LogisticError::InvalidPoint { index: 0 });
        assert!(!error(&[]).to_string().is_empty());
    }

    #[test]
    fn rounding_does_not_keep_a_fit_from_settling() {
        let fit = fit_logistic(&points(&[
            (0.0, 57.0, 64.0),
            (4.0, 33.0, 64.0),
            (6.0, 52.0, 128.0),
            (8.0, 41.0, 128.0),
            (18.0, 3.0, 64.0),
            (30.0, 1.0, 64.0),
        ]))
        .unwrap();
        let residuals = fit.points().iter().map(|p| p.successes - p.trials * fit.score(p.komi));
        assert!(residuals.sum::<f64>().abs() < 1e-9);
    }

    #[test]
    fn draws_pull_no_root_aside() {
        let list =
            [LogisticPoint::from_wdl(-1.0, Wdl::new(50, 30, 20)), LogisticPoint::from_wdl(1.0, Wdl::new(20, 30, 50))];
        let fit = fit_logistic(&list).unwrap();
        assert!(fit.root().unwrap().abs() < 1e-12);
        let i = fit.fieller(0.95).unwrap();
        assert!((i.lo + i.hi).abs() < 1e-12 && i.lo < 0.0);
    }

    #[test]
    fn swapping_the_players_negates_the_root() {
        let list = points(&[(-2.0, 30.0, 40.0), (1.0, 21.5, 40.0), (6.0, 11.0, 40.0)]);
        let other: Vec<LogisticPoint> = list
            .iter()
            .map(|p| LogisticPoint { komi: -p.komi, successes: p.trials - p.successes, trials: p.trials })
            .collect();
        let (x, y) = (fit_logistic(&list).unwrap(), fit_logistic(&other).unwrap());
        assert!((x.root().unwrap() + y.root().unwrap()).abs() < 1e-9);
        for (i, j) in
            [(x.fieller(0.9).unwrap(), y.fieller(0.9).unwrap()), (x.profile(0.9).unwrap(), y.profile(0.9).unwrap())]
        {
            assert!((i.lo + j.hi).abs() < 1e-7 && (i.hi + j.lo).abs() < 1e-7);
        }
    }

    #[test]
    fn the_unit_does_not_matter() {
        let list = points(&[(-2.0, 30.0, 40.0), (1.0, 21.5, 40.0), (6.0, 11.0, 40.0)]);
        let other: Vec<LogisticPoint> =
            list.iter().map(|p| LogisticPoint { komi: 1000.0 + 2.0 * p.komi, ..*p }).collect();
        let (x, y) = (fit_logistic(&list).unwrap(), fit_logistic(&other).unwrap());
        assert!((1000.0 + 2.0 * x.root().unwrap() - y.root().unwrap()).abs() < 1e-8);
        let (i, j) = (x.fieller(0.95).unwrap(), y.fieller(0.95).unwrap());
        assert!((1000.0 + 2.0 * i.lo - j.lo).abs() < 1e-6);
        let (i, j) = (x.profile(0.95).unwrap(), y.profile(0.95).unwrap());
        assert!((1000.0 + 2.0 * i.hi - j.hi).abs() < 1e-6);
        assert!((x.log_likelihood - y.log_likelihood).abs() < 1e-9);
    }

    #[test]
    fn odd_numbers_end() {
        for list in [
            points(&[(1e300, 1.0, 2.0), (-1e300, 1.0, 3.0)]),
            points(&[(0.0, 1e-300, 1.0), (1.0, 0.5, 1.0)]),
            points(&[(0.0, 1.0, 1e15), (1.0, 1e15 - 1.0, 1e15), (2.0, 3.0, 4.0)]),
            points(&[(0.0, 1.0, 2.0), (1e-300, 1.0, 3.0)]),
        ] {
            if let Ok(fit) = fit_logistic(&list) {
                let _ = (fit.fieller(0.95), fit.profile(0.95), fit.goodness_of_fit());
            }
        }
    }
}
