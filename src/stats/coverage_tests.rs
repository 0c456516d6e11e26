//! Do the intervals hold the truth as often as they say? Exact where the outcomes can be listed, by
//! simulation with fixed seeds elsewhere.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::binomial::{clopper_pearson, ln_pmf, wilson};
use super::elo::Pentanomial;
use super::komi_lattice::{Design, FairKomi, KomiSample, KomiStatus, MarginLattice, fair_komi};
use super::logistic::{LogisticPoint, fit_logistic};
use super::next_komi::next_komi;
use super::wdl::{Outcome, Wdl};

#[test]
fn binomial_intervals() {
    let (mut wilson_sum, mut cases) = (0.0, 0.0);
    for n in [1_u64, 2, 5, 10, 30, 100] {
        let exact: Vec<_> = (0..=n).map(|k| clopper_pearson(k, n, 0.95)).collect();
        let score: Vec<_> = (0..=n).map(|k| wilson(k, n, 0.95)).collect();
        for i in 1..200 {
            let p = f64::from(i) / 200.0;
            let covered = |intervals: &[super::Interval]| -> f64 {
                (0..=n).filter(|k| intervals[*k as usize].contains(p)).map(|k| ln_pmf(k, n, p).exp()).sum()
            };
            assert!(covered(&exact) >= 0.95 - 1e-9, "n {n} p {p}");
            let by_wilson = covered(&score);
            assert!(by_wilson > 0.78, "n {n} p {p}: {by_wilson}");
            wilson_sum += by_wilson;
            cases += 1.0;
        }
    }
    assert!(wilson_sum / cases > 0.945, "{}", wilson_sum / cases);
}

#[test]
fn score_interval_with_draws() {
    // every trinomial outcome of n games
    for n in [5_u64, 20] {
        let mut sum = 0.0;
        let mut cases = 0.0;
        let outcomes: Vec<(Wdl, super::Interval)> = (0..=n)
            .flat_map(|w| (0..=n - w).map(move |d| Wdl::new(w, d, n - w - d)))
            .map(|wdl| (wdl, wdl.score_interval(0.95)))
            .collect();
        for draw in [0.1, 0.3, 0.6, 0.9] {
            for i in 1..20 {
                let win_of_decisive = f64::from(i) / 20.0;
                let truth = 0.5 * draw + (1.0 - draw) * win_of_decisive;
                let covered: f64 = outcomes
                    .iter()
                    .filter(|(_, interval)| interval.contains(truth))
                    .map(|(wdl, _)| {
                        (ln_pmf(wdl.draws, n, draw) + ln_pmf(wdl.wins, wdl.decisive(), win_of_decisive)).exp()
                    })
                    .sum();
                assert!(covered > 0.85, "n {n} draw {draw} {win_of_decisive}: {covered}");
                sum += covered;
                cases += 1.0;
            }
        }
        assert!(sum / cases > 0.945, "n {n}: {}", sum / cases);
    }
}

#[test]
fn pentanomial_interval() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for (pairs, shares) in [
        (10, [0.05, 0.1, 0.6, 0.15, 0.1]),
        (10, [0.0, 0.0, 0.05, 0.15, 0.8]),
        (10, [0.02, 0.0, 0.96, 0.0, 0.02]),
        (40, [0.3, 0.1, 0.2, 0.1, 0.3]),
        (100, [0.01, 0.0, 0.9, 0.04, 0.05]),
        (400, [0.1, 0.2, 0.4, 0.2, 0.1]),
    ] {
        let truth: f64 = (0..5).map(|i| i as f64 / 4.0 * shares[i]).sum();
        let runs = 2000;
        let mut covered = 0;
        for _ in 0..runs {
            let mut counts = Pentanomial::default();
            for _ in 0..pairs {
                counts.counts[pick(&mut rng, &shares)] += 1;
            }
            covered += i32::from(counts.score_interval(0.95).contains(truth));
        }
        let rate = f64::from(covered) / f64::from(runs);
        assert!(rate > 0.935, "{pairs} pairs {shares:?}: {rate}");
    }
}

#[test]
fn logistic_root() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for (root, slope, games) in [(1.3, -0.6, 60), (-2.0, -0.3, 40), (0.0, -1.5, 30)] {
        let (mut fieller, mut profile, mut runs) = (0, 0, 0);
        for _ in 0..800 {
            let points: Vec<LogisticPoint> = [-4.0, -2.0, 0.0, 2.0, 4.0]
                .into_iter()
                .map(|komi| {
                    let p = 1.0 / (1.0 + f64::exp(-slope * (komi - root)));
                    let won = (0..games).filter(|_| rng.random_bool(p)).count();
                    LogisticPoint { komi, successes: won as f64, trials: f64::from(games) }
                })
                .collect();
            // a separated sample makes no claim
            let Ok(fit) = fit_logistic(&points) else {
                continue;
            };
            runs += 1;
            fieller += i32::from(fit.fieller(0.95).is_none_or(|i| i.contains(root)));
            profile += i32::from(fit.profile(0.95).is_none_or(|i| i.contains(root)));
        }
        let (f, p) = (f64::from(fieller) / f64::from(runs), f64::from(profile) / f64::from(runs));
        assert!(runs > 600 && f > 0.93 && p > 0.93, "root {root}: {f} {p} of {runs}");
    }
}

/// A made-up game: margins (half points) with their probabilities, and a share of drawn games.
struct Model {
    name: &'static str,
    lattice: MarginLattice,
    margins: Vec<(i32, f64)>,
    draws: f64,
}

impl Model {
    fn score(&self, komi: i32) -> f64 {
        let won: f64 = self.margins.iter().filter(|(margin, _)| *margin > komi).map(|(_, p)| p).sum();
        0.5 * self.draws + (1.0 - self.draws) * won
    }

    /// The fair komi; the models are made so that there is one only.
    fn truth(&self) -> i32 {
        let mut fair =
            (-400..400).filter(|k| self.lattice.holds(*k) && self.score(k - 1) >= 0.5 && self.score(k + 1) <= 0.5);
        let found = fair.next().unwrap();
        assert_eq!(fair.next(), None, "{}", self.name);
        found
    }

    fn play(&self, komi: i32, games: u64, rng: &mut ChaCha8Rng) -> Wdl {
        let mut wdl = Wdl::default();
        let shares: Vec<f64> = self.margins.iter().map(|(_, p)| *p).collect();
        for _ in 0..games {
            wdl.record(if rng.random_bool(self.draws) {
                Outcome::Draw
            } else if self.margins[pick(rng, &shares)].0 > komi {
                Outcome::Win
            } else {
                Outcome::Loss
            });
        }
        wdl
    }
}

fn pick(rng: &mut ChaCha8Rng, shares: &[f64]) -> usize {
    let mut left: f64 = rng.random_range(0.0..shares.iter().sum());
    for (i, share) in shares.iter().enumerate() {
        if left < *share {
            return i;
        }
        left -= share;
    }
    shares.len() - 1
}

/// Margins `step` half points apart around `centre`, in logistic shape of scale `scale` half
/// points.
fn bell(lattice: &MarginLattice, centre: f64, scale: f64, step: usize) -> Vec<(i32, f64)> {
    let (min, max) = (lattice.min.unwrap(), lattice.max.unwrap());
    let raw: Vec<(i32, f64)> = (min..=max)
        .step_by(step)
        .map(|m| {
            let e = ((f64::from(m) - centre) / scale).exp();
            (m, e / (1.0 + e).powi(2))
        })
        .collect();
    let total: f64 = raw.iter().map(|(_, p)| p).sum();
    raw.into_iter().map(|(m, p)| (m, p / total)).collect()
}

fn models() -> Vec<Model> {
    let whole = MarginLattice { odd: false, min: Some(-50), max: Some(50) };
    let half = MarginLattice { odd: true, min: Some(-49), max: Some(49) };
    // just above ½ over many komi, then nothing: the hardest case for tests at many komi
    let mut plateau = vec![(-49, 0.4999)];
    plateau.push((11, 0.5001));
    vec![
        Model { name: "smooth", lattice: half, margins: bell(&half, 6.3, 5.0, 2), draws: 0.0 },
        Model { name: "wide", lattice: whole, margins: bell(&whole, -3.2, 16.0, 2), draws: 0.0 },
        Model { name: "two-point stairs", lattice: whole, margins: bell(&whole, 3.0, 5.0, 4), draws: 0.0 },
        Model { name: "draws", lattice: whole, margins: bell(&whole, 2.7, 6.0, 2), draws: 0.3 },
        Model { name: "separation", lattice: half, margins: vec![(5, 1.0)], draws: 0.0 },
        Model { name: "upper edge", lattice: whole, margins: vec![(-10, 0.4), (50, 0.6)], draws: 0.0 },
        Model { name: "lower edge", lattice: half, margins: vec![(-49, 0.55), (-47, 0.2), (1, 0.25)], draws: 0.1 },
        Model { name: "plateau", lattice: half, margins: plateau, draws: 0.0 },
    ]
}

fn holds(found: &FairKomi, truth: i32) -> bool {
    found.lo.is_none_or(|lo| lo <= truth) && found.hi.is_none_or(|hi| truth <= hi)
}

#[test]
fn lattice_interval_in_a_fixed_design() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    for model in models() {
        let truth = model.truth();
        for games in [12, 60] {
            let runs = 600;
            let mut covered = 0;
            for _ in 0..runs {
                let samples: Vec<KomiSample> = (-6..=6)
                    .map(|i| truth + 2 * i + 1)
                    .map(|komi| KomiSample::distinct(komi, model.play(komi, games, &mut rng)))
                    .collect();
                let found = fair_komi(&samples, &model.lattice, 0.95, Design::Fixed).unwrap();
                covered += i32::from(holds(&found, truth));
            }
            let rate = f64::from(covered) / f64::from(runs);
            assert!(rate >= 0.93, "{} with {games} games: {rate}", model.name);
        }
    }
}

/// The komi of a measurement's next block: where it tells most, or beside the fair komi in turn when nothing is left to
/// find out, or the fair komi itself.
pub(super) fn next_block(samples: &[KomiSample], lattice: &MarginLattice, at_fair: bool) -> i32 {
    let fair = fair_komi(samples, lattice, 0.95, Design::Adaptive).unwrap().k_star;
    if let Some(fair) = fair
        && at_fair
    {
        return fair;
    }
    next_komi(samples, lattice, 0, 0.95).unwrap().unwrap_or_else(|| {
        let fair = fair.unwrap();
        let games = |komi: i32| samples.iter().filter(|s| s.komi == komi).map(|s| s.wdl.games()).sum::<u64>();
        if games(fair - 1) <= games(fair + 1) { fair - 1 } else { fair + 1 }
    })
}

/// How long a measurement goes on.
#[derive(Clone, Copy)]
struct Length {
    blocks: usize,
    /// Games a block.
    block: u64,
    /// It ends as soon as the interval is no wider, in half points.
    width: Option<i32>,
}

/// Measurements of this length: a line of a table, after a look at what must hold.
fn lattice_coverage(model: &Model, runs: i32, length: Length, rng: &mut ChaCha8Rng) -> String {
    let Length { blocks, block, width: wanted } = length;
    let truth = model.truth();
    let (mut covered, mut found_it, mut answered) = (0, 0, 0);
    let (mut fixed, mut width, mut error, mut played) = (0, 0, 0, 0);
    for _ in 0..runs {
        let mut samples: Vec<KomiSample> = Vec::new();
        for _ in 0..blocks {
            if let Some(wanted) = wanted
                && !samples.is_empty()
            {
                let found = fair_komi(&samples, &model.lattice, 0.95, Design::Adaptive).unwrap();
                if found.hi.unwrap() - found.lo.unwrap() <= wanted {
                    break;
                }
            }
            let komi = next_block(&samples, &model.lattice, false);
            samples.push(KomiSample::distinct(komi, model.play(komi, block, rng)));
        }
        let found = fair_komi(&samples, &model.lattice, 0.95, Design::Adaptive).unwrap();
        covered += i32::from(holds(&found, truth));
        found_it += i32::from(found.k_star == Some(truth));
        answered += i32::from(!matches!(found.status, KomiStatus::NotIdentified { .. }));
        let naive = fair_komi(&samples, &model.lattice, 0.95, Design::Fixed).unwrap();
        fixed += i32::from(holds(&naive, truth));
        error += found.k_star.map_or(20, |k| (k - truth).abs());
        width += found.hi.unwrap() - found.lo.unwrap();
        played += samples.len();
    }
    let rate = |count: i32| f64::from(count) / f64::from(runs);
    let [share, naive, exact, claims] = [covered, fixed, found_it, answered].map(|count| 100.0 * rate(count));
    let line = format!(
        "{:16} | {blocks:2} of {block:2} | {share:5.1} % | {naive:5.1} % | {exact:5.1} % | {claims:5.1} % | {:5.2} | {:5.2} | {:5.1}",
        model.name,
        rate(width) / 2.0,
        rate(error) / 2.0,
        played as f64 / f64::from(runs),
    );
    assert!(rate(covered) >= 0.93, "{line}");
    if wanted.is_none() && ["smooth", "two-point stairs", "draws"].contains(&model.name) {
        assert!(rate(answered) > 0.9, "{line}");
    }
    if wanted.is_none() && model.name == "separation" {
        assert_eq!((found_it, answered), (runs, runs));
    }
    line
}

const LATTICE_HEAD: &str = "model            | blocks   | held | held by fixed tests | exact | answered | width | error (points) | blocks played";

#[test]
fn lattice_interval_when_the_results_lead_the_way() {
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    for width in [None, Some(6)] {
        let length = Length { blocks: 24, block: 16, width };
        let lines: Vec<String> = models().iter().map(|model| lattice_coverage(model, 500, length, &mut rng)).collect();
        println!("{LATTICE_HEAD}\n{}", lines.join("\n"));
    }
}

/// The same with 1000 measurements, small and large, as a table:
/// `cargo test --release --lib coverage -- --ignored --nocapture`.
#[test]
#[ignore = "for its table"]
fn lattice_interval_at_length() {
    let mut rng = ChaCha8Rng::seed_from_u64(15);
    let mut lines = Vec::new();
    for (blocks, block, width) in
        [(8, 32, None), (24, 16, None), (16, 64, None), (48, 16, Some(2)), (48, 16, Some(6)), (48, 16, Some(12))]
    {
        let length = Length { blocks, block, width };
        let until = width.map_or(String::new(), |width| format!(", until {} points wide", width / 2));
        lines.push(format!("{blocks} blocks of {block}{until}"));
        lines.extend(models().iter().map(|model| lattice_coverage(model, 1000, length, &mut rng)));
    }
    println!("{LATTICE_HEAD}\n{}", lines.join("\n"));
}
