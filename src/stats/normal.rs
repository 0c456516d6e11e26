//! The normal distribution and the error function.

use std::f64::consts::{PI, SQRT_2};

/// erf(x), to about 1e-15.
pub fn erf(x: f64) -> f64 {
    if x.abs() < 2.0 { erf_series(x) } else { (1.0 - erfc_fraction(x.abs())).copysign(x) }
}

/// erfc(x) = 1 - erf(x), with small relative error also where it is tiny.
pub fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        f64::NAN
    } else if x >= 2.0 {
        erfc_fraction(x)
    } else if x <= -2.0 {
        2.0 - erfc_fraction(-x)
    } else {
        1.0 - erf_series(x)
    }
}

/// Abramowitz & Stegun 7.1.6: all terms have one sign, so nothing cancels.
fn erf_series(x: f64) -> f64 {
    let x2 = x * x;
    let mut term = x;
    let mut sum = x;
    for n in 1..200 {
        term *= 2.0 * x2 / f64::from(2 * n + 1);
        let next = sum + term;
        if next == sum {
            break;
        }
        sum = next;
    }
    2.0 / PI.sqrt() * (-x2).exp() * sum
}

/// erfc(x) for x >= 2.
fn erfc_fraction(x: f64) -> f64 {
    // exp gives 0 by itself where erfc is below the smallest positive f64
    (-x * x).exp() * scaled_erfc_fraction(x)
}

/// e^(x²) erfc(x) for x >= 2: Abramowitz & Stegun 7.1.14 from the inside out.
fn scaled_erfc_fraction(x: f64) -> f64 {
    let mut tail = x;
    for n in (1..=120).rev() {
        tail = x + f64::from(n) / 2.0 / tail;
    }
    1.0 / (PI.sqrt() * tail)
}

/// Φ(x), the standard normal distribution function.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * erfc(-x / SQRT_2)
}

/// e^a · Φ(-x), also where the first factor overflows and the second vanishes.
pub(super) fn scaled_normal_tail(a: f64, x: f64) -> f64 {
    if x >= 3.0 { 0.5 * (a - 0.5 * x * x).exp() * scaled_erfc_fraction(x / SQRT_2) } else { a.exp() * normal_cdf(-x) }
}

/// Φ⁻¹(p), to about 1e-13 relative for p above 1e-300. Infinite at 0 and 1, NaN outside.
///
/// Start from Abramowitz & Stegun 26.2.23, then Halley steps on the exact tail.
pub fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    if p == 0.5 {
        return 0.0;
    }
    let t = (-2.0 * p.ln()).sqrt();
    let mut x =
        -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for _ in 0..6 {
        let density = (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
        if density == 0.0 {
            break;
        }
        let u = (normal_cdf(x) - p) / density;
        let step = u / (1.0 + 0.5 * x * u);
        x -= step;
        if step.abs() < 1e-16 * x.abs() {
            break;
        }
    }
    x
}

/// The two-sided critical value: z with P(|Z| <= z) = `level` (1.96 for 0.95).
pub fn critical_value(level: f64) -> f64 {
    -normal_quantile(super::interval::alpha_of(level) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Reference values: mpmath 1.3 at 40 digits.
    #[test]
    fn error_function_matches_references() {
        for (x, value) in [
            (0.1, 0.112_462_916_018_284_9),
            (0.5, 0.520_499_877_813_046_5),
            (1.0, 0.842_700_792_949_714_9),
            (1.9, 0.992_790_429_235_257_5),
            (2.1, 0.997_020_533_343_667),
            (3.0, 0.999_977_909_503_001_4),
        ] {
            assert!((erf(x) - value).abs() < 2e-15, "erf {x}");
            assert_eq!(erf(-x), -erf(x));
        }
        for (x, value) in
            [(2.0, 4.677_734_981_047_266e-3), (5.0, 1.537_459_794_428_034_8e-12), (10.0, 2.088_487_583_762_545e-45)]
        {
            assert!((erfc(x) / value - 1.0).abs() < 1e-13, "erfc {x}");
        }
        assert!(erf(f64::NAN).is_nan() && erfc(f64::NAN).is_nan());
        assert_eq!(erf(f64::INFINITY), 1.0);
        assert_eq!(erfc(f64::NEG_INFINITY), 2.0);
    }

    #[test]
    fn scaled_tail_matches_its_factors() {
        for x in [-6.0, -1.0, 0.0, 2.9, 3.0, 3.1, 10.0] {
            for a in [-20.0, 0.0, 5.0_f64] {
                let product = a.exp() * normal_cdf(-x);
                assert!((scaled_normal_tail(a, x) / product - 1.0).abs() < 1e-12, "{a} {x}");
            }
        }
        // Mills' ratio: Φ(-x) is about φ(x)/x (1 - 1/x²)
        let x = 100.0_f64;
        let expected = (1.0 - 1e-4) / (x * (2.0 * PI).sqrt());
        assert!((scaled_normal_tail(0.5 * x * x, x) / expected - 1.0).abs() < 1e-7);
        assert_eq!(scaled_normal_tail(1e4, f64::INFINITY), 0.0);
    }

    #[test]
    fn quantile_matches_references() {
        for (p, value) in [
            (0.975, 1.959_963_984_540_054_2),
            (0.9, 1.281_551_565_544_600_5),
            (0.6, 0.253_347_103_135_799_8),
            (1e-10, -6.361_340_902_404_056),
            (1e-100, -21.273_453_560_965_324),
        ] {
            assert!((normal_quantile(p) / value - 1.0).abs() < 1e-12, "quantile of {p}: {}", normal_quantile(p));
        }
        assert_eq!(normal_quantile(0.5), 0.0);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        assert!(normal_quantile(1.5).is_nan() && normal_quantile(f64::NAN).is_nan());
        assert!(normal_quantile(5e-324) < -38.0);
    }

    #[test]
    fn quantile_inverts_the_distribution() {
        for i in 1..1000 {
            let p = f64::from(i) / 1000.0;
            assert!((normal_cdf(normal_quantile(p)) - p).abs() < 1e-14);
            let x = f64::from(i) / 100.0 - 7.0;
            if x <= 1.0 {
                assert!((normal_quantile(normal_cdf(x)) - x).abs() < 1e-12 * x.abs().max(1.0));
            }
            let (low, high) = (normal_quantile(0.5 - p / 2.0), normal_quantile(0.5 + p / 2.0));
            assert!((low + high).abs() < 1e-13);
        }
        assert!((critical_value(0.95) - 1.959_963_984_540_054).abs() < 1e-12);
    }
}
