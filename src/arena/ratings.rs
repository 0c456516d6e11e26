//! Ratings of many engines from matches between them, which are played where they tell most.

use std::path::Path;

use serde::Serialize;

use super::contenders::{Contender, StartProgram, play_contenders};
use super::matches::MatchError;
use super::report::Evidence;
use crate::config::{MatchConfig, RateConfig};
use crate::records::{MEASURED_SHARD, Manifest, RunDir, RunInfo, run_toml};
use crate::search::{PlayoutPolicy, part_seed};
use crate::selfplay::{Control, OutputError, PlayError, Workers, config_toml, game_rows};
use crate::stats::elo::{EloEstimate, score_from_elo};
use crate::stats::normal::critical_value;
use crate::stats::ratings::{Encounter, Ratings, RatingsError};
use crate::stats::{Interval, LEVEL, Pentanomial};

/// The standard deviation of a difference, in Elo, of which nothing is known.
const UNKNOWN: f64 = 1000.0;

/// The next pairs of two engines if one of them is another program, whose games are played one after another.
const SINGLE_PAIRS: u64 = 8;

/// An engine with its rating.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RatedEngine {
    pub name: String,
    /// The engine in words.
    pub engine: String,
    /// Elo above the anchor with its 95 % interval; `None` if the games say nothing of it.
    pub elo: Option<EloEstimate>,
    /// Its pairs, and what it scored in them.
    pub pairs: u64,
    pub score: Option<f64>,
}

/// Two engines and the pairs that they played.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Meeting {
    pub a: String,
    pub b: String,
    /// Pairs that differ modulo symmetry, as `a` scored them.
    pub pairs: Pentanomial,
    pub score: Option<f64>,
    pub interval: Interval,
}

/// What a rating run has found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RatingReport {
    /// Best first.
    pub engines: Vec<RatedEngine>,
    pub meetings: Vec<Meeting>,
    /// The engine whose rating is 0.
    pub anchor: String,
}

/// Why there are no ratings.
#[derive(Debug, thiserror::Error)]
pub enum RateError {
    #[error(transparent)]
    Match(#[from] MatchError),
    #[error(transparent)]
    Ratings(#[from] RatingsError),
    #[error("the config cannot be written: {0}")]
    Config(#[from] toml::ser::Error),
}

/// All that is played and known.
struct Table<'a> {
    config: &'a RateConfig,
    engines: &'a [Contender],
    info: &'a RunInfo,
    out: &'a Path,
    /// One for each two engines, `a` before `b`; the pairs played, and those of them that differ.
    meetings: Vec<(u64, Encounter)>,
}

/// Plays at least `config.pairs` pairs in all, or what is left of them, in the directory `out`, which must have been claimed; which
/// engines meet next depends on the games before and on nothing else.
pub fn rate<G: PlayoutPolicy>(
    config: &RateConfig,
    engines: &[Contender],
    start: &StartProgram<'_, G>,
    info: &RunInfo,
    out: &Path,
    workers: Workers,
    control: Control<'_>,
) -> Result<RatingReport, RateError> {
    let meetings = twos(engines.len()).map(|(a, b)| (0, Encounter { a, b, pairs: Pentanomial::default() })).collect();
    let mut table = Table { config, engines, info, out, meetings };
    loop {
        let played: u64 = table.meetings.iter().map(|(pairs, _)| pairs).sum();
        if played >= config.pairs {
            return Ok(table.report()?);
        }
        let next = table.next()?;
        table.play::<G>(next, start, workers, control)?;
    }
}

/// Each two of so many engines.
fn twos(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}

/// The folder of two engines' games.
fn part(config: &RateConfig, a: usize, b: usize) -> String {
    format!("{}-v-{}", config.engines[a].name, config.engines[b].name)
}

/// How many games of a rating run are there already, of those that it asks for.
pub fn games_rated(config: &RateConfig, out: &Path) -> u64 {
    let parts = twos(config.engines.len()).map(|(a, b)| part(config, a, b));
    let games: u64 = parts.filter_map(|part| Manifest::load(&out.join(part)).ok()).map(|part| part.games()).sum();
    games.min(2 * config.pairs)
}

impl Table<'_> {
    fn ratings(&self) -> Result<Ratings, RatingsError> {
        let encounters: Vec<Encounter> = self.meetings.iter().map(|(_, encounter)| *encounter).collect();
        Ratings::new(self.engines.len(), self.config.anchor, &encounters)
    }

    /// The meeting whose next pairs are expected to tell most: a pair of two engines has information p(1 − p) on their
    /// difference, p being the expected score, and the less is known of the difference the more that is worth.
    fn next(&self) -> Result<usize, RatingsError> {
        let ratings = self.ratings()?;
        let gain = |(_, Encounter { a, b, .. }): &(u64, Encounter)| match ratings.difference(*a, *b, LEVEL) {
            None => 0.25 * UNKNOWN * UNKNOWN,
            Some(EloEstimate { elo, interval }) => {
                let width = (interval.hi - interval.lo) / (2.0 * critical_value(LEVEL));
                let deviation = if width.is_finite() { width.min(UNKNOWN) } else { UNKNOWN };
                let expected = score_from_elo(elo.clamp(-UNKNOWN, UNKNOWN));
                expected * (1.0 - expected) * deviation * deviation
            }
        };
        let gains = self.meetings.iter().map(gain);
        // Of equals the first.
        let best = gains
            .enumerate()
            .fold((0, f64::NEG_INFINITY), |best, (at, gain)| if gain > best.1 { (at, gain) } else { best });
        Ok(best.0)
    }

    /// Plays a meeting's next pairs: as many as fill a batch, in whole shards.
    fn play<G: PlayoutPolicy>(
        &mut self,
        at: usize,
        start: &StartProgram<'_, G>,
        workers: Workers,
        control: Control<'_>,
    ) -> Result<(), RateError> {
        let (before, Encounter { a, b, .. }) = self.meetings[at];
        let engines = [&self.engines[a], &self.engines[b]];
        let rated = [&self.config.engines[a], &self.config.engines[b]];
        let pairs = match engines {
            [Contender::Engine(_), Contender::Engine(_)] => {
                (self.config.inference.batch as u64 / 2).next_multiple_of(MEASURED_SHARD / 2)
            }
            _ => SINGLE_PAIRS,
        };
        let part = part(self.config, a, b);
        let searches = rated.map(|engine| self.config.search.with_visits(engine.visits));
        let programs = rated.map(|engine| engine.command.clone());
        // How many pairs there will be is not known, and no part of what is played.
        let whole = MatchConfig {
            seed: part_seed(self.config.seed, &part),
            komi: self.config.komi,
            opening_turns: self.config.opening_turns,
            program_limit: self.config.program_limit.filter(|_| programs.iter().any(Option::is_some)),
            void_faults: self.config.void_faults,
            programs,
            ..MatchConfig::between(searches, self.config.board, self.config.inference)
        };
        let text = config_toml(&whole, &engines.map(Contender::tag))?;
        let failed = |error| MatchError::Play(PlayError::Output(OutputError::Run(error)));
        let mut dir = RunDir::open_or_create(&self.out.join(&part), &run_toml(&text, self.info)).map_err(failed)?;
        let now = MatchConfig { pairs: before + pairs, ..whole };
        play_contenders::<G>(&now, engines, start, &mut dir, workers, control, &|_| ())?;
        // A run with more pairs may have played this meeting further.
        let mut rows = game_rows(dir.path()).map_err(MatchError::Read)?;
        rows.retain(|row| row.game_index < 2 * now.pairs);
        let counted = Evidence::of(&rows, &now).pentanomial;
        self.meetings[at] = (now.pairs, Encounter { a, b, pairs: counted });
        Ok(())
    }

    fn report(&self) -> Result<RatingReport, RatingsError> {
        let ratings = self.ratings()?;
        let engine = |index: usize| {
            let own = self.meetings.iter().filter_map(|(_, encounter)| match encounter {
                Encounter { a, pairs, .. } if *a == index => Some(*pairs),
                Encounter { b, pairs, .. } if *b == index => Some(pairs.negated()),
                _ => None,
            });
            let all = own.fold(Pentanomial::default(), |sum, pairs| sum.and(&pairs));
            RatedEngine {
                name: self.config.engines[index].name.clone(),
                engine: self.engines[index].describe(),
                elo: ratings.rating(index, LEVEL),
                pairs: all.pairs(),
                score: all.score(),
            }
        };
        let mut engines: Vec<RatedEngine> = (0..self.engines.len()).map(engine).collect();
        // Of engines that won or lost all their games the bounds tell which is better, and then the score.
        let key = |engine: &RatedEngine| {
            let elo = engine.elo.map_or([f64::NEG_INFINITY; 3], |elo| [elo.elo, elo.interval.lo, elo.interval.hi]);
            [elo[0], elo[1], elo[2], engine.score.unwrap_or(0.0)]
        };
        engines.sort_by(|a, b| {
            let pairs = key(b).into_iter().zip(key(a));
            pairs.map(|(b, a)| b.total_cmp(&a)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        let name = |index: usize| self.config.engines[index].name.clone();
        let played = self.meetings.iter().filter(|(pairs, _)| *pairs > 0);
        let meetings = played.map(|(_, Encounter { a, b, pairs })| Meeting {
            a: name(*a),
            b: name(*b),
            pairs: *pairs,
            score: pairs.score(),
            interval: pairs.score_interval(LEVEL),
        });
        Ok(RatingReport { engines, meetings: meetings.collect(), anchor: name(self.config.anchor) })
    }
}
