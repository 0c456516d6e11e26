//! The fair komi from games at several komi.
//!
//! "k* is the lattice point with S(k−½) ≥ ½ ≥ S(k+½), and its interval all lattice points not excluded by exact
//! tests at the neighbouring komi": see [`crate::stats::fair_komi`].

use std::collections::BTreeMap;

use serde::Serialize;

use super::course::Values;
use super::own::{ButtonEffect, SearchAnswer, button_effect, search_answer};
use crate::games::{GameKind, HalfPoints};
use crate::records::{GameRow, Tally, canonical_hash, first_outcome, game_key, tally};
use crate::stats::komi_lattice::{Design, FairKomi, KomiSample, MarginLattice, fair_komi};
use crate::stats::next_komi::next_komi;
use crate::stats::smooth::{KomiGame, SmoothKomi, smooth_komi};
use crate::stats::{Interval, LEVEL};

/// How many turns an opening has whose games are resampled together.
const CLUSTER_TURNS: usize = 2;
/// The seed of that resampling; any will do.
const BOOTSTRAP_SEED: u64 = 1;
/// A smooth fit whose test says less than this does not fit.
const REJECTED: f64 = 0.05;

/// The results at one komi.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AtKomi {
    pub komi: HalfPoints,
    pub tally: Tally,
}

/// The komi to play with.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BestKomi {
    /// Of the komi at most half a point from the fair one that the rules allow and that were measured, the one whose
    /// score is nearest ½.
    pub komi: HalfPoints,
    /// The first player's score there.
    pub score: f64,
    /// Its 95 % interval.
    pub interval: Interval,
    /// True if it lies at most half a point from the fair komi. Else no fair komi was found, or none was measured
    /// near it, and this is only the best of what was measured.
    pub is_near: bool,
}

/// What games at several komi say.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Fair {
    pub game: GameKind,
    pub size: usize,
    /// Results by komi, ascending.
    pub at: Vec<AtKomi>,
    /// All games together.
    pub all: Tally,
    /// The fair komi on the lattice of margins, in half points.
    pub lattice: FairKomi,
    /// The smooth fit; `None` where it does not fit or does not identify a root.
    pub smooth: Option<SmoothKomi>,
    pub best: Option<BestKomi>,
    /// The estimate from decisive games, where repetitions near the fair komi are too many to be passed over.
    pub decisive: Option<FairKomi>,
    /// What the searches themselves say: see [`Fair::with_searches`].
    pub search: Option<SearchAnswer>,
    /// Yugo: the effect of the button, in the games nearest the fair komi.
    pub button: Option<ButtonEffect>,
    pub warnings: Vec<String>,
}

/// The margins that a game on this board can end with.
pub fn lattice(game: GameKind, size: usize) -> MarginLattice {
    let points = 2 * (size * size) as i32;
    // Yugo's button belongs to one player at the end, so its margins reach half a point beyond the board.
    let most = points + game.margin_parity();
    MarginLattice { odd: game.margin_parity() == 1, min: Some(-most), max: Some(most) }
}

/// The komi nearest to `komi` (in points) at which no margin can tie, at most half a point beyond the greatest margin.
pub fn measurable_near(game: GameKind, size: usize, komi: f64) -> HalfPoints {
    let lattice = lattice(game, size);
    let most = f64::from(lattice.max.unwrap_or(0) + 1) / 2.0;
    let komi = komi.clamp(-most, most);
    let half = (komi * 2.0).floor() as i32;
    let candidates = [half - 1, half, half + 1, half + 2];
    let distance = |candidate: i32| (f64::from(candidate) / 2.0 - komi).abs();
    let near = candidates.into_iter().filter(|candidate| lattice.measurable(*candidate));
    HalfPoints(near.min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap_or(half))
}

/// Results by komi.
fn by_komi(rows: &[GameRow]) -> Vec<AtKomi> {
    let mut pools: BTreeMap<HalfPoints, Vec<&GameRow>> = BTreeMap::new();
    for row in rows {
        pools.entry(row.komi).or_default().push(row);
    }
    pools.into_iter().map(|(komi, rows)| AtKomi { komi, tally: tally(rows) }).collect()
}

fn samples(at: &[AtKomi], lattice: &MarginLattice) -> Vec<KomiSample> {
    let measured = at.iter().filter(|at| lattice.measurable(at.komi.0));
    measured.map(|at| KomiSample { komi: at.komi.0, wdl: at.tally.wdl, unique: at.tally.unique }).collect()
}

/// The komi at which the next games tell most; `None` when nothing is left to find out.
pub fn next_block(rows: &[GameRow], game: GameKind, size: usize, start: HalfPoints) -> Option<HalfPoints> {
    let lattice = lattice(game, size);
    let samples = samples(&by_komi(rows), &lattice);
    next_komi(&samples, &lattice, start.0, LEVEL).ok().flatten().map(HalfPoints)
}

/// The fair komi on the lattice alone.
pub fn lattice_answer(rows: &[GameRow], game: GameKind, size: usize) -> FairKomi {
    let lattice = lattice(game, size);
    estimate(&samples(&by_komi(rows), &lattice), &lattice)
}

fn estimate(samples: &[KomiSample], lattice: &MarginLattice) -> FairKomi {
    // Komi are chosen on the lattice's gaps, so the samples always suit it.
    fair_komi(samples, lattice, LEVEL, Design::Adaptive).expect("samples at measurable komi")
}

/// What the games of an adaptive measurement say.
pub fn summary(rows: &[GameRow], game: GameKind, size: usize) -> Fair {
    let lattice = lattice(game, size);
    let at = by_komi(rows);
    let samples = samples(&at, &lattice);
    let found = estimate(&samples, &lattice);
    let all = tally(rows);
    let mut warnings = all.warnings();
    let near = |at: &&AtKomi| found.k_star.is_none_or(|k| (at.komi.0 - k).abs() <= 1);
    let (repetitions, games) =
        at.iter().filter(near).fold((0, 0), |(r, g), at| (r + at.tally.repetitions, g + at.tally.games()));
    let decisive = (5 * repetitions > games).then(|| {
        warnings.push(format!("{repetitions} of {games} games near the fair komi were drawn by repetition"));
        let without_draws = |sample: &KomiSample| {
            let games = sample.wdl.games().max(1);
            let mut decisive = *sample;
            decisive.wdl.draws = 0;
            decisive.unique = sample.unique * decisive.wdl.games() / games;
            decisive
        };
        estimate(&samples.iter().map(without_draws).collect::<Vec<_>>(), &lattice)
    });
    Fair {
        game,
        size,
        smooth: smooth(rows),
        best: best(&at, game, found.k_star),
        decisive,
        search: None,
        button: button_effect(rows.iter().filter(|row| found.k_star.is_none_or(|k| (row.komi.0 - k).abs() <= 1))),
        warnings,
        lattice: found,
        at,
        all,
    }
}

impl Fair {
    /// With what the searches of these games said themselves.
    pub fn with_searches(self, rows: &[GameRow], values: &Values) -> Fair {
        Fair { search: search_answer(rows, values), ..self }
    }
}

/// The smooth fit, if the test of fit does not reject it. Games that began with the same two turns are one cluster.
fn smooth(rows: &[GameRow]) -> Option<SmoothKomi> {
    let game = |row: &GameRow| {
        let opening: Vec<&str> = row.turn_texts().take(CLUSTER_TURNS).collect();
        let cluster = canonical_hash(row.game, row.size, &opening.join(" ")).unwrap_or(u128::from(row.game_index));
        Some(KomiGame {
            komi: row.komi.points(),
            outcome: first_outcome(row)?,
            id: game_key(row),
            // Half of a hash is as good as the whole.
            cluster: cluster as u64,
        })
    };
    let games: Vec<KomiGame> = rows.iter().filter_map(game).collect();
    smooth_komi(&games, LEVEL, BOOTSTRAP_SEED).filter(|found| found.fit_p.is_none_or(|p| p >= REJECTED))
}

/// The fair komi's neighbours and itself are the candidates: farther out a score near ½ is chance. Where no fair komi
/// was found, or none of them was measured, all measured komi are.
fn best(at: &[AtKomi], game: GameKind, fair: Option<i32>) -> Option<BestKomi> {
    let known = |at: &AtKomi| at.tally.score().map(|score| (at.komi, score, at.tally.interval()));
    let allowed: Vec<_> = at.iter().filter(|at| game.allows_komi(at.komi)).filter_map(known).collect();
    let is_near = |komi: HalfPoints| fair.is_some_and(|fair| (komi.0 - fair).abs() <= 1);
    let none_near = !allowed.iter().any(|(komi, ..)| is_near(*komi));
    let candidates = allowed.into_iter().filter(|(komi, ..)| none_near || is_near(*komi));
    let (komi, score, interval) = candidates.min_by(|a, b| (a.1 - 0.5).abs().total_cmp(&(b.1 - 0.5).abs()))?;
    Some(BestKomi { komi, score, interval, is_near: is_near(komi) })
}
