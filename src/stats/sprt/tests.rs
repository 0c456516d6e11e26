//! The sequential test against another program's numbers, and by matches that are simulated.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::*;
use crate::stats::binomial::wilson;

fn sprt(elo0: f64, elo1: f64) -> Sprt {
    Sprt { bounds: Bounds::new(elo0, elo1).unwrap(), errors: ErrorRates::new(0.05, 0.05).unwrap() }
}

fn llr(counts: [u64; 5], elo0: f64, elo1: f64) -> f64 {
    sprt(elo0, elo1).llr(&Pentanomial::new(counts))
}

// fastchess app/tests/sprt_test.cpp at commit 74deac2 (2026): the cases of the normalised model
#[test]
fn agrees_with_fastchess() {
    let near = |ours: f64, golden: f64| (ours - golden).abs() <= 0.005 + 3e-4 * golden.abs();
    for (counts, elo0, elo1, golden) in [
        ([365, 16618, 36029 + 200, 16974, 390], 0.0, 2.0, 2.25),
        ([127, 4883, 10311 + 401, 5150, 104], -1.75, 0.25, 3.01),
        ([0, 0, 0, 0, 5550], 0.0, 5.0, 111.82),
    ] {
        let ours = llr(counts, elo0, elo1);
        assert!(near(ours, golden), "{counts:?}: {ours} {golden}");
    }
    // single games are pairs of two equal games; their effect is not √2 times that of a game
    for ([wins, losses, draws], elo0, elo1, golden) in [
        ([36433, 36027, 68692], 0.0, 2.0, 0.92),
        ([10871, 10650, 20431], -1.75, 0.25, 2.30),
        ([4250, 0, 0], 0.0, 10.0, 120.56),
    ] {
        let root2 = std::f64::consts::SQRT_2;
        let ours = llr([losses, 0, draws, 0, wins], elo0 / root2, elo1 / root2);
        assert!(near(ours, golden), "{wins} {losses} {draws}: {ours} {golden}");
    }
}

#[test]
fn limits_are_walds() {
    let errors = ErrorRates::new(0.05, 0.05).unwrap();
    assert!((errors.upper() - 19.0_f64.ln()).abs() < 1e-14 && (errors.lower() + 19.0_f64.ln()).abs() < 1e-14);
    let errors = ErrorRates::new(0.01, 0.2).unwrap();
    assert!((errors.upper() - 80.0_f64.ln()).abs() < 1e-14);
    assert!((errors.lower() - (0.2_f64 / 0.99).ln()).abs() < 1e-14);
    assert_eq!((errors.alpha(), errors.beta()), (0.01, 0.2));
}

#[test]
fn nonsense_is_refused_in_words() {
    let bounds = |a, b| Bounds::new(a, b).unwrap_err().to_string();
    assert_eq!(bounds(5.0, 5.0), "the SPRT bound elo0 = 5 must be less than elo1 = 5");
    assert_eq!(bounds(f64::NAN, 5.0), "an SPRT bound must be a finite number, not NaN");
    assert_eq!(bounds(0.0, f64::INFINITY), "an SPRT bound must be a finite number, not inf");
    let rates = |a, b| ErrorRates::new(a, b).unwrap_err().to_string();
    assert_eq!(rates(0.0, 0.05), "alpha must lie between 0 and 1, not 0");
    assert_eq!(rates(0.05, f64::NAN), "beta must lie between 0 and 1, not NaN");
    assert_eq!(rates(0.5, 0.5), "alpha + beta must be less than 1, not 0.5 + 0.5");
    assert_eq!(Bounds::new(-1.0, 2.0).map(|b| (b.elo0(), b.elo1())), Ok((-1.0, 2.0)));
}

#[test]
fn the_verdict_is_where_the_ratio_is() {
    let test = sprt(0.0, 60.0);
    assert_eq!(test.state(&Pentanomial::default()), Verdict::Continue);
    assert_eq!(test.state(&Pentanomial::new([30, 0, 20, 0, 10])), Verdict::AcceptH0);
    assert_eq!(test.state(&Pentanomial::new([10, 0, 20, 0, 30])), Verdict::AcceptH1);
    assert_eq!(test.state(&Pentanomial::new([10, 0, 20, 0, 12])), Verdict::Continue);
}

#[test]
fn fits_have_the_effect_asked_for_and_no_likelier_rival() {
    for counts in
        [[10, 20, 40, 20, 10], [0, 0, 456, 2, 0], [0, 0, 0, 0, 9], [3, 0, 1, 384, 0], [0, 3, 0, 0, 0], [5, 0, 0, 0, 5]]
    {
        let observed = Distribution::observed(&Pentanomial::new(counts));
        for effect in [-3.0, -0.4, -0.05, 0.0, 0.2, 0.7, 1.5] {
            let fitted = observed.constrained(effect);
            let mean = fitted.mean_of(|i| LEANS[i]);
            let deviation = fitted.mean_of(|i| (LEANS[i] - mean).powi(2)).sqrt();
            assert!((mean / deviation - effect).abs() < 1e-6, "{counts:?} {effect}: {}", mean / deviation);
            let best = observed.log_likelihood(&fitted);
            for rival in rivals(effect) {
                assert!(observed.log_likelihood(&rival) <= best + 1e-9, "{counts:?} {effect}");
            }
        }
    }
}

/// Many distributions with an effect per pair, found by mixing random ones with LL or WW.
fn rivals(effect: f64) -> impl Iterator<Item = Distribution> {
    let mut rng = ChaCha8Rng::seed_from_u64(22);
    let effect_of = |d: &Distribution| {
        let mean = d.mean_of(|i| LEANS[i]);
        mean / d.mean_of(|i| (LEANS[i] - mean).powi(2)).sqrt()
    };
    (0..300).map(move |_| {
        let raw: [f64; 5] = std::array::from_fn(|_| rng.random_range(0.0_f64..1.0).powi(6));
        let base = Distribution::normalised(raw);
        let end = if effect_of(&base) < effect { 4 } else { 0 };
        let mixed = |weight: f64| {
            let mut shares = base.shares.map(|share| share * (1.0 - weight));
            shares[end] += weight;
            Distribution::normalised(shares)
        };
        let (mut lo, mut hi) = (0.0, 1.0);
        for _ in 0..60 {
            let mid = 0.5 * (lo + hi);
            if (effect_of(&mixed(mid)) < effect) == (end == 4) { lo = mid } else { hi = mid }
        }
        mixed(lo)
    })
}

#[test]
fn degenerate_counts_are_weighed_sensibly() {
    assert_eq!(llr([0; 5], 0.0, 60.0), 0.0);
    // under H1 a won pair has probability (1 + t/√(1 + t²))/2, under H0 ½
    let t = effect_of(60.0);
    let each = (1.0 + t / t.hypot(1.0)).ln();
    for n in [1, 10, 1000] {
        assert!((llr([0, 0, 0, 0, n], 0.0, 60.0) / (n as f64 * each) - 1.0).abs() < 0.01);
    }
    assert!(llr([7, 0, 0, 0, 0], 0.0, 60.0) < 0.0);
    assert!(llr([0, 0, 50, 0, 0], 0.0, 60.0) < 0.0);
    assert!(llr([0, 0, 50, 0, 0], -30.0, 30.0).abs() < 1e-9);
    // bounds that fastchess once hung on (its issues 877 and 879)
    assert!(llr([144, 3, 1, 0, 0], -1500.0, -500.0).is_finite());
}

#[test]
fn a_pair_won_instead_of_lost_raises_the_ratio() {
    for counts in [[10, 20, 30, 20, 10], [3, 0, 5, 0, 2], [2, 40, 3, 30, 1]] {
        for (elo0, elo1) in [(0.0, 60.0), (-20.0, 10.0), (-100.0, -50.0)] {
            for (worse, better) in [(0, 4), (1, 3)] {
                let mut moved = counts;
                let mut last = f64::NEG_INFINITY;
                while moved[worse] > 0 {
                    let now = llr(moved, elo0, elo1);
                    assert!(now > last, "{moved:?}: {last} {now}");
                    last = now;
                    moved[worse] -= 1;
                    moved[better] += 1;
                }
            }
        }
    }
}

#[test]
fn overshoot_is_half_the_mean_square_over_the_mean() {
    let mut overshoot = Overshoot::default();
    assert_eq!(overshoot.expected(), 0.0);
    for height in [-1.0, 1.0, 0.5, 3.0, 2.9] {
        overshoot.observe(height);
    }
    assert_eq!(overshoot.expected(), (1.0 + 4.0) / (1.0 + 2.0) / 2.0);
}

#[test]
fn a_stopped_test_stays_stopped() {
    let mut test = Sequential::new(sprt(0.0, 60.0));
    assert!(test.estimate(0.95).is_none());
    let mut fed = 0;
    while test.record(Outcome::Win, Outcome::Win) == Verdict::Continue {
        fed += 1;
    }
    let stopped = test.clone();
    assert_eq!(stopped.pairs().pairs(), fed + 1);
    for _ in 0..50 {
        assert_eq!(test.record(Outcome::Loss, Outcome::Loss), Verdict::AcceptH1);
    }
    assert_eq!(test, stopped);
    assert!(test.llr() <= test.sprt().errors.upper() + 0.3 && test.verdict() == Verdict::AcceptH1);
    // all pairs won: the Elo is bounded from below only
    let estimate = test.estimate(0.95).unwrap();
    assert!(estimate.interval.lo > 0.0 && estimate.interval.lo.is_finite(), "{estimate:?}");
    assert!(estimate.interval.hi == f64::INFINITY && estimate.elo > estimate.interval.lo);
}

#[test]
fn far_from_the_limits_the_estimate_is_the_plain_one() {
    let mut test = Sequential::new(sprt(-400.0, 400.0));
    test.pairs = Pentanomial::new([4, 8, 20, 9, 4]);
    test.sprt.errors = ErrorRates::new(1e-200, 1e-200).unwrap();
    test.llr = test.sprt.llr(&test.pairs);
    let (ours, plain) = (test.estimate(0.95).unwrap(), test.pairs.nelo(0.95).unwrap());
    assert!((ours.elo - plain.elo).abs() < 0.1, "{ours:?} {plain:?}");
    assert!((ours.interval.width() / plain.interval.width() - 1.0).abs() < 0.05, "{ours:?} {plain:?}");
}

/// A pair drawn from shares of the classes.
fn pair(shares: &[f64; 5], rng: &mut ChaCha8Rng) -> (Outcome, Outcome) {
    use Outcome::{Draw, Loss, Win};
    let mut left: f64 = rng.random_range(0.0..1.0);
    let classes = [(Loss, Loss), (Loss, Draw), (Win, Loss), (Win, Draw), (Win, Win)];
    for (share, class) in shares.iter().zip(classes) {
        left -= share;
        if left < 0.0 {
            return class;
        }
    }
    classes[4]
}

fn play(shares: &[f64; 5], limit: u64, rng: &mut ChaCha8Rng) -> Sequential {
    let mut test = Sequential::new(sprt(0.0, 60.0));
    while test.verdict() == Verdict::Continue && test.pairs().pairs() < limit {
        let (first, second) = pair(shares, rng);
        test.record(first, second);
    }
    test
}

/// Shares with a normalised Elo, by tilting others.
fn at(nelo: f64, shares: [f64; 5]) -> [f64; 5] {
    Distribution::normalised(shares).constrained(effect_of(nelo)).shares
}

#[test]
fn wrong_verdicts_are_as_rare_as_asked() {
    let mut rng = ChaCha8Rng::seed_from_u64(23);
    let runs = 1000;
    // three standard deviations of a count of wrong verdicts at 5 %
    let most = 0.05 + 3.0 * (0.05 * 0.95 / f64::from(runs)).sqrt();
    for shares in [[0.2, 0.05, 0.5, 0.05, 0.2], [0.03, 0.1, 0.74, 0.1, 0.03]] {
        for (nelo, right) in [(0.0, Verdict::AcceptH0), (60.0, Verdict::AcceptH1)] {
            let truth = at(nelo, shares);
            let wrong = (0..runs).filter(|_| play(&truth, u64::MAX, &mut rng).verdict() != right).count();
            let rate = wrong as f64 / f64::from(runs);
            println!("wrong verdicts at {nelo} with {shares:?}: {rate}");
            assert!(rate <= most, "{nelo} {shares:?}: {rate} above {most}");
        }
    }
}

#[test]
fn intervals_after_stopping_cover() {
    let mut rng = ChaCha8Rng::seed_from_u64(24);
    let runs = 400;
    // three standard deviations, of a count of misses at 5 % and of a coin
    let least = 0.95 - 3.0 * (0.05 * 0.95 / f64::from(runs)).sqrt();
    let bias = 3.0 * (0.25 / f64::from(runs)).sqrt();
    for (nelo, limit) in [(0.0, u64::MAX), (60.0, u64::MAX), (20.0, 60), (110.0, u64::MAX)] {
        let truth = at(nelo, [0.2, 0.05, 0.5, 0.05, 0.2]);
        let (mut covered, mut above) = (0, 0);
        for _ in 0..runs {
            let estimate = play(&truth, limit, &mut rng).estimate(0.95).unwrap();
            covered += i32::from(estimate.interval.contains(nelo));
            above += i32::from(estimate.elo > nelo);
        }
        let (covered, above) = (f64::from(covered) / f64::from(runs), f64::from(above) / f64::from(runs));
        println!("at {nelo}, limit {limit}: covered {covered}, too high {above}");
        assert!(covered >= least, "{nelo}: {covered} below {least}");
        // 0.04 for the Brownian approximation of a few dozen pairs
        assert!((above - 0.5).abs() <= bias + 0.04, "{nelo}: {above}");
    }
}

/// The figures of docs/measured.md: what many simulated matches come to.
#[test]
#[ignore = "takes minutes"]
fn many_simulated_matches() {
    let runs = 8_000;
    for shares in [[0.2, 0.05, 0.5, 0.05, 0.2], [0.03, 0.1, 0.74, 0.1, 0.03]] {
        for (nelo, right) in [(0.0, Some(Verdict::AcceptH0)), (30.0, None), (60.0, Some(Verdict::AcceptH1))] {
            let truth = at(nelo, shares);
            let simulate = |run: u64| {
                let test = play(&truth, u64::MAX, &mut ChaCha8Rng::seed_from_u64(run));
                let is_wrong = right.is_some_and(|right| test.verdict() != right);
                let estimate = test.estimate(0.95).expect("pairs were played");
                [u64::from(is_wrong), u64::from(estimate.interval.contains(nelo)), test.pairs().pairs()]
            };
            let sums = (0..runs).into_par_iter().map(simulate).reduce(|| [0; 3], |a, b| [0, 1, 2].map(|i| a[i] + b[i]));
            let rate = |count: u64| format!("{:.4} {:.4}", count as f64 / runs as f64, wilson(count, runs, 0.95));
            println!(
                "{shares:?}, normalised Elo {nelo}: wrong {}, covered {}, {:.0} pairs on average",
                right.map_or("-".to_string(), |_| rate(sums[0])),
                rate(sums[1]),
                sums[2] as f64 / runs as f64
            );
            assert!(wilson(sums[0], runs, 0.999).lo <= 0.05);
            assert!(wilson(sums[1], runs, 0.999).hi >= 0.95);
        }
    }
}

proptest! {
    #[test]
    fn always_finite_and_mirrored(
        counts in prop::array::uniform5(prop_oneof![Just(0_u64), 0..20_u64, 0..=1_000_000_u64]),
        elo0 in -800.0..800.0_f64,
        width in 0.01..400.0_f64,
    ) {
        let pairs = Pentanomial::new(counts);
        let test = sprt(elo0, elo0 + width);
        let mirror = sprt(-elo0 - width, -elo0);
        let (ours, theirs) = (test.llr(&pairs), mirror.llr(&pairs.negated()));
        prop_assert!(ours.is_finite());
        prop_assert!((ours + theirs).abs() <= 1e-6 * (1.0 + ours.abs()), "{} {}", ours, theirs);
        let state = |verdict| match verdict {
            Verdict::AcceptH0 => -1,
            Verdict::Continue => 0,
            Verdict::AcceptH1 => 1,
        };
        let near_limit = (ours.abs() - test.errors.upper()).abs() < 1e-3;
        prop_assert!(near_limit || state(test.state(&pairs)) == -state(mirror.state(&pairs.negated())));
    }

    #[test]
    fn estimates_are_ordered_and_no_nan(
        counts in prop::array::uniform5(prop_oneof![Just(0_u64), 0..20_u64, 0..=1_000_000_u64]),
        elo0 in -300.0..300.0_f64,
        width in 1.0..200.0_f64,
    ) {
        let mut test = Sequential::new(sprt(elo0, elo0 + width));
        test.pairs = Pentanomial::new(counts);
        test.llr = test.sprt.llr(&test.pairs);
        test.verdict = test.sprt.state(&test.pairs);
        match test.estimate(0.95) {
            None => prop_assert_eq!(test.pairs.pairs(), 0),
            Some(estimate) => {
                prop_assert!(estimate.interval.lo <= estimate.elo, "{:?}", estimate);
                prop_assert!(estimate.elo <= estimate.interval.hi, "{:?}", estimate);
            }
        }
    }
}
