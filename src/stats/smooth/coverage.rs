//! Do the intervals hold the true root as often as they say? By simulated measurements with fixed seeds.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::*;
use crate::stats::coverage_tests::next_block;
use crate::stats::komi_lattice::{KomiSample, MarginLattice};
use crate::stats::{LEVEL, Wdl};

/// A made-up game with margins of logistic distribution, rounded to the lattice, so that the curve is exact at every komi
/// where margins cannot tie; and how it is measured.
struct Model {
    name: &'static str,
    lattice: MarginLattice,
    /// Points.
    root: f64,
    /// Points per unit of log odds.
    scale: f64,
    /// Share of games drawn by repetition.
    draws: f64,
    /// Whether the fair komi itself may be played, which the last block of a measurement then does.
    ties: bool,
    /// Number and games of the blocks.
    blocks: (usize, usize),
    openings: Option<Openings>,
}

/// How openings shift games; without, all games differ.
#[derive(Clone, Copy)]
struct Openings {
    number: usize,
    /// Standard deviation of the openings' shifts of the log odds.
    spread: f64,
    /// Each opening is rarer than the one before by this factor.
    decline: f64,
}

const WHOLE: MarginLattice = MarginLattice { odd: false, min: Some(-50), max: Some(50) };
const HALF: MarginLattice = MarginLattice { odd: true, min: Some(-51), max: Some(51) };

const PLAIN: Model = Model {
    name: "half margins",
    lattice: HALF,
    root: 2.3,
    scale: 2.5,
    draws: 0.0,
    ties: false,
    blocks: (8, 64),
    openings: None,
};

fn independent() -> Vec<Model> {
    let whole = Model { lattice: WHOLE, ties: true, ..PLAIN };
    vec![
        PLAIN,
        Model { name: "wide", root: -6.8, scale: 6.0, blocks: (16, 32), ..whole },
        Model { name: "draws", root: 5.4, scale: 3.0, draws: 0.25, ..whole },
        Model { name: "many draws", root: -3.1, scale: 4.0, draws: 0.3, ..PLAIN },
        Model { name: "steep", root: 0.7, scale: 0.8, ..whole },
        Model { name: "far, many games", root: 9.1, scale: 1.2, blocks: (32, 128), ..PLAIN },
        Model { name: "few games", blocks: (8, 32), ..PLAIN },
    ]
}

fn clustered() -> Vec<Model> {
    let even = Openings { number: 40, spread: 1.0, decline: 1.0 };
    let model = |name, openings| Model { name, blocks: (16, 32), openings: Some(openings), ..PLAIN };
    vec![
        model("40 openings", even),
        model("12 openings", Openings { number: 12, ..even }),
        model("uneven openings", Openings { number: 100, decline: 0.95, ..even }),
        Model { lattice: WHOLE, ties: true, draws: 0.2, ..model("openings, draws", Openings { spread: 0.7, ..even }) },
    ]
}

impl Model {
    fn outcome(&self, komi: i32, shift: f64, rng: &mut ChaCha8Rng) -> Outcome {
        let u: f64 = rng.random_range(f64::EPSILON..1.0);
        let lead = 2.0 * (self.root + self.scale * (shift + (u / (1.0 - u)).ln())) - f64::from(komi);
        if rng.random_bool(self.draws) || !self.lattice.measurable(komi) && lead.abs() < 1.0 {
            Outcome::Draw
        } else if lead > 0.0 {
            Outcome::Win
        } else {
            Outcome::Loss
        }
    }

    /// Games in blocks at the komi that a measurement would choose.
    fn measure(&self, rng: &mut ChaCha8Rng) -> Vec<KomiGame> {
        let shifts: Option<Vec<f64>> = self.openings.map(|openings| {
            (0..openings.number).map(|_| rng.sample::<f64, _>(StandardNormal) * openings.spread).collect()
        });
        let mut games: Vec<KomiGame> = Vec::new();
        let mut samples: Vec<KomiSample> = Vec::new();
        let (blocks, block) = self.blocks;
        for i in 0..blocks {
            let komi = next_block(&samples, &self.lattice, self.ties && i + 1 == blocks);
            let mut wdl = Wdl::default();
            for _ in 0..block {
                let cluster = self.openings.map_or(games.len(), |openings| openings.draw(rng));
                let shift = shifts.as_ref().map_or(0.0, |shifts| shifts[cluster]);
                let outcome = self.outcome(komi, shift, rng);
                wdl.record(outcome);
                let id = games.len() as u128;
                games.push(KomiGame { komi: f64::from(komi) / 2.0, outcome, id, cluster: cluster as u64 });
            }
            samples.push(KomiSample::distinct(komi, wdl));
        }
        games
    }
}

impl Openings {
    /// The number of an opening.
    fn draw(&self, rng: &mut ChaCha8Rng) -> usize {
        if self.decline == 1.0 {
            return rng.random_range(0..self.number);
        }
        let all = 1.0 - self.decline.powi(self.number as i32);
        let u: f64 = rng.random_range(0.0..1.0);
        (((1.0 - u * all).ln() / self.decline.ln()) as usize).min(self.number - 1)
    }
}

/// Intervals claimed, how many of them hold the root, and their widths.
#[derive(Default)]
struct Claims {
    made: u32,
    held: u32,
    width: f64,
}

impl Claims {
    fn add(&mut self, interval: Option<Interval>, root: f64) {
        if let Some(interval) = interval {
            self.made += 1;
            self.held += u32::from(interval.contains(root));
            self.width += interval.width();
        }
    }

    fn rate(&self) -> f64 {
        f64::from(self.held) / f64::from(self.made)
    }
}

/// What many measurements claimed.
#[derive(Default)]
struct Coverage {
    profile: Claims,
    fieller: Claims,
    bootstrap: Claims,
    /// Fits rejected at the 5 % level.
    misfits: u32,
}

fn coverage(model: &Model, runs: u64, resamples: usize) -> Coverage {
    let mut found = Coverage::default();
    for run in 0..runs {
        let games = model.measure(&mut ChaCha8Rng::seed_from_u64(run));
        let Some(smooth) = smooth_komi_with(&games, LEVEL, run, resamples) else { continue };
        found.profile.add(Some(smooth.profile), model.root);
        found.fieller.add(smooth.fieller, model.root);
        found.bootstrap.add(smooth.bootstrap.interval, model.root);
        found.misfits += u32::from(smooth.fit_p.is_some_and(|p| p < 0.05));
    }
    found
}

/// The share of runs that hold the root among those that make a claim, the number of claims, the mean width in points.
fn row(model: &Model, found: &Coverage) -> String {
    let cells = [&found.profile, &found.fieller, &found.bootstrap].map(|claims| {
        let width = claims.width / f64::from(claims.made);
        format!("{:5.1} % of {:4}, width {:4.2}", 100.0 * claims.rate(), claims.made, width)
    });
    let misfits = 100.0 * f64::from(found.misfits) / f64::from(found.profile.made);
    format!("{:16} | {} | {misfits:4.1} %", model.name, cells.join(" | "))
}

fn check_independent(model: &Model, found: &Coverage, margin: f64) {
    for (name, claims) in [("profile", &found.profile), ("Fieller", &found.fieller)] {
        assert!((claims.rate() - LEVEL).abs() <= margin, "{}: {name} {}", model.name, claims.rate());
    }
}

#[test]
fn coverage_of_independent_games() {
    for model in independent().iter().filter(|model| model.blocks.0 * model.blocks.1 < 1000) {
        let found = coverage(model, 300, 0);
        println!("{}", row(model, &found));
        assert!(found.profile.made >= 290, "{}: {} claims", model.name, found.profile.made);
        check_independent(model, &found, 0.035);
    }
}

#[test]
fn coverage_of_clustered_games() {
    for model in &clustered()[..2] {
        let found = coverage(model, 200, 200);
        println!("{}", row(model, &found));
        let (profile, bootstrap) = (found.profile.rate(), found.bootstrap.rate());
        assert!(found.bootstrap.made >= 190, "{}: {} claims", model.name, found.bootstrap.made);
        assert!(bootstrap > 0.9 && bootstrap > profile + 0.1, "{}: {profile} {bootstrap}", model.name);
    }
}

/// The figures of 1000 measurements each, as a table:
/// `cargo test --release --lib coverage -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn coverage_at_length() {
    let mut table =
        String::from("model            | profile | Fieller | bootstrap by openings | fits rejected at 5 %\n");
    let measure = |model: Model| {
        let found = coverage(&model, 1000, RESAMPLES);
        table += &format!("{}\n", row(&model, &found));
        (model, found)
    };
    let mut measured: Vec<(Model, Coverage)> = independent().into_iter().chain(clustered()).map(measure).collect();
    println!("{table}");
    let clustered = measured.split_off(independent().len());
    for (model, found) in &measured {
        check_independent(model, found, 0.02);
    }
    for (model, found) in &clustered {
        let (profile, bootstrap) = (found.profile.rate(), found.bootstrap.rate());
        assert!(bootstrap >= 0.92 && bootstrap > profile + 0.05, "{}: {profile} {bootstrap}", model.name);
    }
}
