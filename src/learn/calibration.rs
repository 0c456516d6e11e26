//! Whether a network's values are the scores that games then bring.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rand::Rng;
use serde::Serialize;
use thiserror::Error;

use super::data::{DataError, load};
use crate::config::{Device, Inference, Precision};
use crate::games::GameKind;
use crate::net::{HeldOut, NetError, NetFile, Network, Sample, Snapshot, Valued, fit_scalings};
use crate::search::{Purpose, stream};
use crate::stats::calibration::{Forecast, Reliability, ReliabilityBin, bin_of, reliability};
use crate::stats::{Interval, Outcome, Wdl};

/// Values are sorted into so many bins of equal width.
const BINS: usize = 10;

/// Positions that are valued at a time.
const BATCH: usize = 64;

/// A network's values of one random position of each game, and the results of these games.
#[derive(Clone, PartialEq, Debug)]
pub struct NetCalibration {
    pub game: GameKind,
    pub reliability: Reliability,
    /// The 95 % interval of each bin's mean result.
    pub intervals: Vec<Interval>,
}

/// A bin as a row of a CSV file.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CalibrationRow {
    /// The bin's edges.
    pub from: f64,
    pub to: f64,
    /// Positions, each of a game of its own.
    pub positions: u64,
    /// The mean value; empty where there is no position.
    pub value: Option<f64>,
    /// The mean result, and its interval.
    pub result: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// Why it cannot be told.
#[derive(Debug, Error)]
pub enum CalibrationError {
    #[error(transparent)]
    Data(#[from] DataError),
    #[error("{path}: {error}", path = .path.display())]
    Network { path: PathBuf, error: NetError },
    #[error("{path} plays {network}, the games are of {games}; give a network of that game", path = .path.display())]
    OtherGame { path: PathBuf, network: GameKind, games: GameKind },
}

/// Asks the network about one random position of each game with a result: positions of one game share their result, so
/// more of them would pass for more evidence than there is. The positions depend on the seed and the games' numbers alone.
///
/// The games should be ones that the network has not learnt from.
pub fn calibrate(
    runs: &[(u64, PathBuf)],
    path: &Path,
    file: &NetFile,
    seed: u64,
) -> Result<NetCalibration, CalibrationError> {
    let mut games: BTreeMap<u64, Vec<Sample>> = BTreeMap::new();
    for sample in load(runs)?.samples {
        games.entry(sample.game_index).or_default().push(sample);
    }
    let found = values(path, &file.network, one_a_game(games, seed))?;
    let forecasts: Vec<Forecast> = found.iter().map(|one| one.forecast).collect();
    Ok(NetCalibration::new(file.network.game(), &forecasts))
}

/// The network with its values scaled as fits best to the results of these games, on boards of the sides they have:
/// all their positions, a game counting once. The games should be ones that the network has not learnt from.
pub fn scaled(runs: &[(u64, PathBuf)], path: &Path, file: &NetFile) -> Result<Network, CalibrationError> {
    let plain = file.network.unscaled();
    let scalings = fit_scalings(values(path, &plain, load(runs)?.samples)?);
    Ok(file.network.with_scalings(scalings))
}

/// What the network says of each position, which must be of its game.
fn values(
    path: &Path,
    network: &Network,
    samples: impl IntoIterator<Item = Sample>,
) -> Result<Vec<Valued>, CalibrationError> {
    // A batch holds boards of one size.
    let mut by_size: BTreeMap<usize, Vec<Sample>> = BTreeMap::new();
    for sample in samples {
        by_size.entry(sample.position.size()).or_default().push(sample);
    }
    let game = network.game();
    let failed = |error| CalibrationError::Network { path: path.to_path_buf(), error };
    let inference = Inference { batch: BATCH, precision: Precision::F32, device: Device::Cpu };
    let mut evaluator = network.evaluator(inference).map_err(failed)?;
    let mut found = Vec::new();
    for (size, samples) in by_size {
        let games = samples[0].position.game();
        if games != game {
            return Err(CalibrationError::OtherGame { path: path.to_path_buf(), network: game, games });
        }
        let positions: Vec<Snapshot> = samples.iter().map(|sample| sample.position.clone()).collect();
        let answers = evaluator.predict(&positions).map_err(failed)?;
        found.extend(answers.iter().zip(&samples).map(|(answer, sample)| Valued {
            forecast: Forecast { predicted: answer.value, outcome: f64::from(sample.target.outcome) },
            size,
            game_index: sample.game_index,
        }));
    }
    Ok(found)
}

/// As [`calibrate`], of what a training has held out, where its network has been asked already. `None` if that is nothing.
pub(super) fn of_held_out(game: GameKind, held_out: &[HeldOut], seed: u64) -> Option<NetCalibration> {
    let mut games: BTreeMap<u64, Vec<Forecast>> = BTreeMap::new();
    for answer in held_out {
        let forecast = Forecast { predicted: f64::from(answer.value), outcome: f64::from(answer.outcome) };
        games.entry(answer.game_index).or_default().push(forecast);
    }
    let forecasts: Vec<Forecast> = one_a_game(games, seed).collect();
    (!forecasts.is_empty()).then(|| NetCalibration::new(game, &forecasts))
}

/// One of the positions of each game, drawn.
fn one_a_game<T>(games: BTreeMap<u64, Vec<T>>, seed: u64) -> impl Iterator<Item = T> {
    games.into_iter().map(move |(game, mut positions)| {
        let at = stream(seed, Purpose::Calibration, game).random_range(0..positions.len());
        positions.swap_remove(at)
    })
}

/// The interval of each bin's mean result.
fn intervals(forecasts: &[Forecast]) -> Vec<Interval> {
    let mut results = [Wdl::default(); BINS];
    for forecast in forecasts {
        results[bin_of(forecast.predicted, BINS)].record(match forecast.outcome {
            1.0 => Outcome::Win,
            0.0 => Outcome::Loss,
            _ => Outcome::Draw,
        });
    }
    results.iter().map(|results| results.score_interval(0.95)).collect()
}

impl NetCalibration {
    fn new(game: GameKind, forecasts: &[Forecast]) -> Self {
        NetCalibration { game, reliability: reliability(forecasts, BINS), intervals: intervals(forecasts) }
    }

    /// The bins as rows.
    pub fn rows(&self) -> Vec<CalibrationRow> {
        let bins = self.reliability.bins.iter().zip(&self.intervals);
        let row = |(bin, interval): (&ReliabilityBin, &Interval)| {
            let known = (bin.count > 0).then_some(interval);
            CalibrationRow {
                from: bin.lo,
                to: bin.hi,
                positions: bin.count,
                value: bin.mean_predicted,
                result: bin.mean_outcome,
                low: known.map(|interval| interval.lo),
                high: known.map(|interval| interval.hi),
            }
        };
        bins.map(row).collect()
    }
}
