//! Training a network on the records of games.

use std::ops::ControlFlow;
use std::path::Path;

use rand::Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::NetError;
use super::checkpoint::{FileError, KomiRange, NetMeta, Provenance, hex};
use super::head::{Head, Lattice, Prediction};
use super::loss::{Losses, OWNERSHIP_WEIGHT, Target, loss};
use super::model::{Architecture, Model, Network, Outputs, training_stream};
use super::planes::{plane_count, whole_count, write_planes};
use super::policy::{PolicyTarget, image_index, ownership_loss, policy_loss};
use super::resume::{LoadError, State};
use super::scaling::{Scaling, Valued, fit_scalings, scaling_at};
use super::snapshot::Snapshot;
use crate::board::Symmetry;
use crate::games::{GameKind, Player, step_count};
use crate::stats::calibration::{Forecast, Platt};

/// The learning rate falls along a cosine to this part of the first one.
const LAST_RATE: f64 = 0.05;
/// The first steps' learning rate grows in proportion.
const WARM_UP_STEPS: f64 = 50.0;

/// A position with what became of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    pub position: Snapshot,
    pub target: Target,
    /// The weight of its loss; 1 for all is usual.
    pub weight: f32,
    /// What the policy learns here, if anything.
    pub policy: Option<PolicyTarget>,
    /// The weight of the policy's loss beside that of the value.
    pub policy_weight: f32,
    /// Whom each point paid at the end, row by row from the bottom: 1 the mover, −1 the opponent, 0 nobody.
    pub owners: Option<Vec<i8>>,
    /// The game it is from: games, not positions, are held out.
    pub game_index: u64,
}

/// How to train.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// Passes through the data at most.
    pub epochs: usize,
    /// Positions a step.
    pub batch: usize,
    /// AdamW's step size at its largest.
    pub learning_rate: f64,
    /// AdamW's decoupled weight decay.
    pub weight_decay: f64,
    /// 3×3 convolutions; from four on with residual connections.
    pub layers: usize,
    /// Channels of each.
    pub channels: usize,
    /// Whether the value's head describes the margin, where the game has one, or the expected score alone.
    pub margins: bool,
    /// Parts of a batch that threads can work on side by side. Part of the result; the number of threads is not.
    pub chunks: usize,
    /// The part of the games that is held out.
    pub validation_fraction: f64,
    /// Epochs without a better held-out loss after which training ends.
    pub patience: usize,
    pub seed: u64,
    /// Positions an epoch at most, drawn anew each time.
    pub max_samples: usize,
}

impl Default for TrainConfig {
    fn default() -> Self {
        TrainConfig {
            epochs: 20,
            batch: 256,
            learning_rate: 2e-3,
            weight_decay: 1e-2,
            layers: 3,
            channels: 32,
            margins: true,
            chunks: 4,
            validation_fraction: 0.1,
            patience: 5,
            seed: 0,
            max_samples: 10_000_000,
        }
    }
}

/// Why a training cannot begin or go on.
#[derive(Debug, Error)]
pub enum TrainError {
    #[error("{name} = {value} is not possible: {allowed}")]
    Config { name: &'static str, value: String, allowed: &'static str },
    #[error("there is nothing to train on: {0}")]
    NoData(&'static str),
    #[error("sample {index}: {what}")]
    Sample { index: usize, what: String },
    #[error("the network to start from {0}")]
    Start(String),
    #[error("{0}")]
    Net(#[from] NetError),
    #[error("training broke down in epoch {epoch}: {what} (a smaller learning rate may help)")]
    Diverged { epoch: usize, what: &'static str },
    #[error("{0}")]
    File(#[from] FileError),
    #[error("the state of an unfinished training is damaged: {0}; delete it to begin again")]
    State(FileError),
    #[error("{path} belongs to another training (its config, data or first weights differ): delete it or name another")]
    OtherTraining { path: String },
    #[error("the threads could not be started: {0}")]
    Threads(String),
}

impl TrainConfig {
    /// Fails on the first value that is not possible.
    pub fn check(&self) -> Result<(), TrainError> {
        let fault = |name, value: String, allowed| Err(TrainError::Config { name, value, allowed });
        let counts = [
            ("epochs", self.epochs, 1_000_000),
            ("batch", self.batch, 65_536),
            ("layers", self.layers, 64),
            ("channels", self.channels, 1024),
            ("chunks", self.chunks, self.batch),
            ("patience", self.patience, usize::MAX),
            ("max_samples", self.max_samples, usize::MAX),
        ];
        for (name, value, most) in counts {
            if value == 0 {
                return fault(name, value.to_string(), "1 is the least");
            }
            if value > most {
                let allowed = if name == "chunks" { "no more than the batch has rows" } else { "that is too many" };
                return fault(name, value.to_string(), allowed);
            }
        }
        if !(self.learning_rate > 0.0 && self.learning_rate <= 1.0) {
            return fault("learning_rate", self.learning_rate.to_string(), "above 0, at most 1");
        }
        if !(0.0..=1.0).contains(&self.weight_decay) {
            return fault("weight_decay", self.weight_decay.to_string(), "from 0 to 1");
        }
        if !(0.0..=0.9).contains(&self.validation_fraction) {
            return fault("validation_fraction", self.validation_fraction.to_string(), "from 0 to 0.9");
        }
        Ok(())
    }
}

/// One bar of a reliability diagram.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Bin {
    /// The weight of the positions in it.
    pub weight: f64,
    /// Their mean value.
    pub value: f64,
    /// Their mean outcome.
    pub outcome: f64,
}

/// How far the network's values are probabilities.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Calibration {
    /// Positions with values in [0, 0.1), [0.1, 0.2) and so on.
    pub bins: [Bin; 10],
    /// The expected calibration error: the mean distance between value and outcome over the bins, by weight.
    pub error: f64,
}

impl Calibration {
    /// From values with their outcomes.
    pub fn of(pairs: &[HeldOut]) -> Self {
        let mut bins = [Bin::default(); 10];
        for pair in pairs {
            let bin = &mut bins[((pair.value * 10.0) as usize).min(9)];
            let weight = f64::from(pair.weight);
            bin.weight += weight;
            bin.value += weight * f64::from(pair.value);
            bin.outcome += weight * f64::from(pair.outcome);
        }
        let total: f64 = bins.iter().map(|bin| bin.weight).sum();
        let mut error = 0.0;
        for bin in bins.iter_mut().filter(|bin| bin.weight > 0.0) {
            error += (bin.value - bin.outcome).abs() / total;
            bin.value /= bin.weight;
            bin.outcome /= bin.weight;
        }
        Calibration { bins, error }
    }
}

/// What the network said about a held-out position, and what happened.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HeldOut {
    /// The network's value for the mover.
    pub value: f32,
    /// The outcome for the mover.
    pub outcome: f32,
    pub weight: f32,
    /// The board's side.
    pub size: usize,
    /// The position's game.
    pub game_index: u64,
}

/// What an epoch brought.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EpochReport {
    /// From 1.
    pub epoch: usize,
    /// The learning rate at its end.
    pub learning_rate: f64,
    /// Mean losses while training, with the weights changing.
    pub train: Losses,
    /// Mean losses on the held-out games with the epoch's last weights; `None` if no game is held out.
    pub held_out: Option<Losses>,
    /// Of values that are not scaled yet.
    pub calibration: Option<Calibration>,
}

impl EpochReport {
    /// What epochs are compared by: the held-out loss if there is one.
    pub fn score(&self) -> f64 {
        self.held_out.unwrap_or(self.train).total()
    }

    pub(super) fn to_numbers(&self) -> Vec<f64> {
        let mut numbers = vec![self.epoch as f64, self.learning_rate];
        numbers.extend(self.train.to_array());
        if let (Some(held_out), Some(calibration)) = (&self.held_out, &self.calibration) {
            numbers.extend(held_out.to_array());
            numbers.extend(calibration.bins.iter().flat_map(|bin| [bin.weight, bin.value, bin.outcome]));
            numbers.push(calibration.error);
        }
        numbers
    }

    pub(super) fn from_numbers(numbers: &[f64]) -> Option<Self> {
        const HELD_OUT: usize = 2 + Losses::COUNT;
        const BINS: usize = HELD_OUT + Losses::COUNT;
        const ERROR: usize = BINS + 30;
        let losses = |at: usize| Some(Losses::from_array(*numbers.get(at..)?.first_chunk()?));
        let calibration = || -> Option<Calibration> {
            let mut bins = [Bin::default(); 10];
            for (bin, numbers) in bins.iter_mut().zip(numbers.get(BINS..ERROR)?.chunks_exact(3)) {
                *bin = Bin { weight: numbers[0], value: numbers[1], outcome: numbers[2] };
            }
            Some(Calibration { bins, error: *numbers.get(ERROR)? })
        };
        [HELD_OUT, ERROR + 1].contains(&numbers.len()).then_some(())?;
        Some(EpochReport {
            epoch: numbers[0] as usize,
            learning_rate: numbers[1],
            train: losses(2)?,
            held_out: losses(HELD_OUT),
            calibration: calibration(),
        })
    }
}

/// What a training tells while it runs.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// A step was made: this many of the epoch's steps are done.
    Step { epoch: usize, done: usize, of: usize },
    /// Some more held-out positions were looked at.
    HeldOut { done: usize, of: usize },
    /// An epoch is over, and its state is saved if there is a file for it.
    Epoch(&'a EpochReport),
}

/// Why a training ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finish {
    /// All epochs are done.
    Epochs,
    /// The loss did not get better for as long as the config's patience.
    Patience,
    /// The caller asked for it. Resuming goes on after the last whole epoch.
    Stopped,
}

/// The result of a training.
#[derive(Clone, PartialEq, Debug)]
pub struct Trained {
    /// The network after the best epoch, its values scaled as fits best to the held-out games; as it was at the start if
    /// no epoch was finished.
    pub network: Network,
    pub history: Vec<EpochReport>,
    pub finish: Finish,
    /// That network's answers on the held-out games; none if training was stopped.
    pub held_out: Vec<HeldOut>,
}

/// A training about to begin: data, config and first weights.
pub struct Trainer<'a> {
    config: TrainConfig,
    architecture: Architecture,
    samples: &'a [Sample],
    train: Vec<u32>,
    pub(super) held_out: Vec<u32>,
    first_weights: Vec<f32>,
    provenance: Provenance,
    data_hash: String,
}

/// A sample and the symmetry under which it is looked at.
type Row = (u32, Symmetry);

/// What a network says about the held-out positions, and its mean losses there.
type Answers = (Vec<HeldOut>, Option<Losses>);

impl<'a> Trainer<'a> {
    /// Prepares a training, from random weights or from another network's.
    pub fn new(
        config: TrainConfig,
        samples: &'a [Sample],
        start: Option<&Network>,
        provenance: Provenance,
    ) -> Result<Self, TrainError> {
        config.check()?;
        let game = samples.first().ok_or(TrainError::NoData("no positions"))?.position.game();
        if samples.len() > u32::MAX as usize {
            return Err(TrainError::NoData("more than 2³² positions"));
        }
        for (index, sample) in samples.iter().enumerate() {
            check_sample(sample, game).map_err(|what| TrainError::Sample { index, what })?;
        }
        let TrainConfig { layers, channels, margins, .. } = config;
        let architecture = Architecture { game, layers, channels, margins };
        architecture.check()?;
        let first_weights = match start {
            None => architecture.first_weights(config.seed),
            Some(network) if network.meta.architecture == architecture => network.weights.clone(),
            Some(network) => {
                return Err(TrainError::Start(format!(
                    "is for {}, not for {architecture}; give data of that game, and the same shape",
                    network.meta.architecture
                )));
            }
        };
        let (mut train, mut held_out) = (Vec::new(), Vec::new());
        for (index, sample) in samples.iter().enumerate() {
            let part = if is_held_out(sample.game_index, &config) { &mut held_out } else { &mut train };
            part.push(index as u32);
        }
        if train.is_empty() {
            return Err(TrainError::NoData("all games are held out"));
        }
        let data_hash = hash_samples(samples);
        Ok(Trainer { config, architecture, samples, train, held_out, first_weights, provenance, data_hash })
    }

    /// The number of positions to train on, and of those held out.
    pub fn counts(&self) -> (usize, usize) {
        (self.train.len(), self.held_out.len())
    }

    /// The SHA-256 of the data.
    pub fn data_hash(&self) -> &str {
        &self.data_hash
    }

    /// Trains with this many threads, which changes the time but no bit of the result.
    ///
    /// With a `checkpoint` path the state is saved there after each epoch, and a training that was interrupted goes
    /// on from there to the same result. `progress` is told of each step and epoch and can stop the training.
    pub fn run(
        &self,
        threads: usize,
        checkpoint: Option<&Path>,
        mut progress: impl FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Trained, TrainError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
        let pool = pool.map_err(|error| TrainError::Threads(error.to_string()))?;
        let fingerprint = self.fingerprint();
        let mut state = match checkpoint {
            Some(path) => self.resume(path, &fingerprint)?,
            None => None,
        }
        .unwrap_or_else(|| State::new(&self.architecture, &self.first_weights));
        let chunks = (0..self.config.chunks).map(|_| Chunk::new(self)).collect::<Result<_, NetError>>()?;
        let mut work = Work { chunks, pool };
        let mut finish = loop {
            if let Some(finish) = self.finish(&state.history) {
                break finish;
            }
            let Some(report) = self.epoch(&mut state, &mut work, &mut progress)? else { break Finish::Stopped };
            let better = state.history.iter().all(|earlier| report.score() < earlier.score());
            if better {
                state.best.clone_from(&state.weights);
            }
            state.history.push(report);
            if let Some(path) = checkpoint {
                state.save(path, &fingerprint)?;
            }
            if let Some(report) = state.history.last()
                && progress(Progress::Epoch(report)).is_break()
                && self.finish(&state.history).is_none()
            {
                break Finish::Stopped;
            }
        };
        let mut held_out = Vec::new();
        if finish != Finish::Stopped {
            match self.answers(&mut work, &state.best, state.history.len(), &mut progress)? {
                Some((answers, _)) => held_out = answers,
                None => finish = Finish::Stopped,
            }
        }
        let scalings = scale(&mut held_out);
        Ok(Trained { network: self.network(&state, scalings), history: state.history, finish, held_out })
    }

    fn resume(&self, path: &Path, fingerprint: &str) -> Result<Option<State>, TrainError> {
        State::load(path, &self.architecture, fingerprint).map_err(|error| match error {
            LoadError::File(error) => TrainError::State(error),
            LoadError::Other => TrainError::OtherTraining { path: path.display().to_string() },
        })
    }

    /// Whether the training is over after these epochs.
    fn finish(&self, history: &[EpochReport]) -> Option<Finish> {
        if history.len() >= self.config.epochs {
            return Some(Finish::Epochs);
        }
        let best = best_epoch(history)?;
        (history.len() - best >= self.config.patience).then_some(Finish::Patience)
    }

    fn network(&self, state: &State, scalings: Vec<Scaling>) -> Network {
        let mut meta = NetMeta::new(self.architecture, self.config.seed, self.provenance.clone());
        meta.sizes = self.samples.iter().map(|sample| sample.position.size()).collect();
        meta.sizes.sort_unstable();
        meta.sizes.dedup();
        meta.komi = meta.sizes.iter().filter_map(|size| self.komi_range(*size)).collect();
        meta.scalings = scalings;
        meta.data_hash.clone_from(&self.data_hash);
        if let Some(epoch) = best_epoch(&state.history) {
            meta.epoch = epoch;
            meta.held_out_loss = state.history[epoch - 1].held_out.map(|losses| losses.total() as f32);
        }
        Network { meta, weights: state.best.clone() }
    }

    /// The komi of the positions on boards of this side, but for the outermost twentieth on either end.
    fn komi_range(&self, size: usize) -> Option<KomiRange> {
        let positions = self.samples.iter().map(|sample| &sample.position).filter(|position| position.size() == size);
        // Komi helps the second player.
        let sign = |player| if player == Player::Black { -1 } else { 1 };
        let mut komi: Vec<i32> = positions.map(|position| sign(position.to_move()) * position.komi().0).collect();
        komi.sort_unstable();
        let end = komi.len() / 20;
        let known = self.architecture.game.has_score() && !komi.is_empty();
        known.then(|| KomiRange { size, low: komi[end], high: komi[komi.len() - 1 - end] })
    }

    /// Tells this training from others.
    fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(format!("{:?} {:?} {:?}", self.config, self.architecture, self.provenance));
        hash.update(self.data_hash.as_bytes());
        for weight in &self.first_weights {
            hash.update(weight.to_le_bytes());
        }
        hex(&hash.finalize())
    }

    /// The epoch's batches: each of one board size, sizes mixed; all batches of a size are about equally full.
    fn batches(&self, epoch: usize) -> Vec<Vec<Row>> {
        let mut rng = training_stream(self.config.seed, "epoch", epoch as u64);
        let mut order = self.train.clone();
        order.shuffle(&mut rng);
        order.truncate(self.config.max_samples);
        let symmetries: Vec<Symmetry> = self.architecture.game.symmetries().collect();
        let mut batches = Vec::new();
        for of_size in self.by_size(&order) {
            let rows: Vec<Row> =
                of_size.into_iter().map(|index| (index, symmetries[rng.random_range(0..symmetries.len())])).collect();
            let count = rows.len().div_ceil(self.config.batch);
            let bound = |batch: usize| rows.len() * batch / count;
            batches.extend((0..count).map(|batch| rows[bound(batch)..bound(batch + 1)].to_vec()));
        }
        batches.shuffle(&mut rng);
        batches
    }

    /// Samples sorted by board size, their order otherwise kept.
    fn by_size(&self, indices: &[u32]) -> Vec<Vec<u32>> {
        let mut of_size: Vec<Vec<u32>> = vec![Vec::new(); crate::board::MAX_SIZE + 1];
        for index in indices {
            of_size[self.samples[*index as usize].position.size()].push(*index);
        }
        of_size.retain(|indices| !indices.is_empty());
        of_size
    }

    /// The rows of a batch that one chunk takes at most.
    fn chunk_rows(&self) -> usize {
        self.config.batch.div_ceil(self.config.chunks)
    }

    /// Trains for one epoch; `None` if the caller stopped it, the state then being of no more use.
    fn epoch(
        &self,
        state: &mut State,
        work: &mut Work,
        progress: &mut impl FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Option<EpochReport>, TrainError> {
        let epoch = state.history.len() + 1;
        let diverged = |what| TrainError::Diverged { epoch, what };
        let batches = self.batches(epoch);
        let mut gradient = vec![0.0; state.weights.len()];
        let (mut losses, mut weight, mut rate) = (Losses::default(), 0.0, 0.0);
        for (done, batch) in batches.iter().enumerate() {
            let pieces: Vec<&[Row]> = batch.chunks(self.chunk_rows()).collect();
            let results: Vec<Result<(), NetError>> = work.pool.install(|| {
                let pairs = work.chunks.par_iter_mut().zip(pieces.par_iter());
                pairs.map(|(chunk, rows)| chunk.train(self.samples, &state.weights, rows)).collect()
            });
            for result in results {
                result.map_err(|error| match error {
                    NetError::NotFinite => diverged("the network's answers are no finite numbers"),
                    error => TrainError::Net(error),
                })?;
            }
            // In the order of the chunks, whoever was ready first.
            let used = &work.chunks[..pieces.len()];
            let batch_weight: f64 = used.iter().map(|chunk| chunk.weight).sum();
            if batch_weight > 0.0 {
                gradient.fill(0.0);
                for chunk in used {
                    gradient.iter_mut().zip(&chunk.gradient).for_each(|(sum, part)| *sum += part);
                    losses.add(&chunk.losses, 1.0);
                }
                let scale = (1.0 / batch_weight) as f32;
                gradient.iter_mut().for_each(|sum| *sum *= scale);
                rate = self.rate(epoch, done, batches.len(), state.optimiser.step);
                if !state.optimiser.update(&mut state.weights, &gradient, rate, self.config.weight_decay) {
                    return Err(diverged("the gradient is not finite"));
                }
                weight += batch_weight;
            }
            if progress(Progress::Step { epoch, done: done + 1, of: batches.len() }).is_break() {
                return Ok(None);
            }
        }
        if weight == 0.0 {
            return Err(TrainError::NoData("all weights are 0"));
        }
        let Some((pairs, held_out)) = self.answers(work, &state.weights, epoch, progress)? else { return Ok(None) };
        Ok(Some(EpochReport {
            epoch,
            learning_rate: rate,
            train: losses.scaled(1.0 / weight),
            held_out,
            calibration: held_out.map(|_| Calibration::of(&pairs)),
        }))
    }

    /// The learning rate of a step: a short rise, then a cosine over all epochs.
    fn rate(&self, epoch: usize, done: usize, of: usize, step: u64) -> f64 {
        let part = ((epoch - 1) as f64 + done as f64 / of as f64) / self.config.epochs as f64;
        let cosine = 0.5 * (1.0 + (std::f64::consts::PI * part).cos());
        let rise = ((step + 1) as f64 / WARM_UP_STEPS).min(1.0);
        self.config.learning_rate * rise * (LAST_RATE + (1.0 - LAST_RATE) * cosine)
    }

    /// What a network with these weights says about the held-out samples; `None` if the caller stopped it.
    fn answers(
        &self,
        work: &mut Work,
        weights: &[f32],
        epoch: usize,
        progress: &mut impl FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Option<Answers>, TrainError> {
        let mut pairs = Vec::with_capacity(self.held_out.len());
        let (mut losses, mut weight) = (Losses::default(), 0.0);
        for of_size in self.by_size(&self.held_out) {
            let rows: Vec<Row> = of_size.into_iter().map(|index| (index, Symmetry::IDENTITY)).collect();
            let pieces: Vec<&[Row]> = rows.chunks(self.chunk_rows()).collect();
            for round in pieces.chunks(self.config.chunks) {
                let results: Vec<Result<(), NetError>> = work.pool.install(|| {
                    let pairs = work.chunks.par_iter_mut().zip(round.par_iter());
                    pairs.map(|(chunk, rows)| chunk.answer(self.samples, weights, rows)).collect()
                });
                for (result, (chunk, rows)) in results.into_iter().zip(work.chunks.iter().zip(round)) {
                    result.map_err(|error| match error {
                        NetError::NotFinite => {
                            TrainError::Diverged { epoch, what: "the network's answers are no finite numbers" }
                        }
                        error => TrainError::Net(error),
                    })?;
                    losses.add(&chunk.losses, 1.0);
                    weight += chunk.weight;
                    for ((index, _), value) in rows.iter().zip(&chunk.values) {
                        let sample = &self.samples[*index as usize];
                        pairs.push(HeldOut {
                            value: *value,
                            outcome: sample.target.outcome,
                            weight: sample.weight,
                            size: sample.position.size(),
                            game_index: sample.game_index,
                        });
                    }
                }
                if progress(Progress::HeldOut { done: pairs.len(), of: self.held_out.len() }).is_break() {
                    return Ok(None);
                }
            }
        }
        let mean = (weight > 0.0).then(|| losses.scaled(1.0 / weight));
        Ok(Some((pairs, mean)))
    }
}

/// Scales the values as fits best to their outcomes; returns how.
fn scale(held_out: &mut [HeldOut]) -> Vec<Scaling> {
    let scalings = fit_scalings(held_out.iter().map(|answer| Valued {
        forecast: Forecast { predicted: f64::from(answer.value), outcome: f64::from(answer.outcome) },
        size: answer.size,
        game_index: answer.game_index,
    }));
    for answer in held_out {
        answer.value = scaling_at(&scalings, answer.size).scaled(f64::from(answer.value)) as f32;
    }
    scalings
}

/// The best epoch, from 1; the earliest of equals.
fn best_epoch(history: &[EpochReport]) -> Option<usize> {
    let scores = history.iter().map(EpochReport::score).enumerate();
    scores.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index + 1)
}

/// A game is held out or not by its index alone: a network that learns on from another, with another seed, must not be
/// measured by games that the other has learnt from.
fn is_held_out(game_index: u64, config: &TrainConfig) -> bool {
    // SplitMix64's finaliser (Steele, Lea & Flood 2014) stirs all bits.
    let stir = |mut x: u64| {
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    let mixed = stir(game_index.wrapping_add(0x9e37_79b9_7f4a_7c15));
    // 53 bits fit a double exactly.
    ((mixed >> 11) as f64) < config.validation_fraction * (1u64 << 53) as f64
}

fn check_sample(sample: &Sample, game: GameKind) -> Result<(), String> {
    let (position, target) = (&sample.position, &sample.target);
    if position.game() != game {
        return Err(format!("a position of {}, after positions of {game}", position.game()));
    }
    if ![0.0, 0.5, 1.0].contains(&target.outcome) {
        return Err(format!("the outcome {} is not 0, 0.5 or 1", target.outcome));
    }
    if !(sample.weight >= 0.0 && sample.weight.is_finite()) {
        return Err(format!("the weight {} is not a number from 0 up", sample.weight));
    }
    let points = position.size() * position.size();
    if !(sample.policy_weight >= 0.0 && sample.policy_weight.is_finite()) {
        return Err(format!("the policy's weight {} is not a number from 0 up", sample.policy_weight));
    }
    if let Some(policy) = &sample.policy
        && policy.shares().iter().any(|(step, _)| usize::from(*step) >= step_count(position.size()))
    {
        return Err("the policy knows a step that the board has not".to_string());
    }
    if let Some(owners) = &sample.owners
        && (!game.has_score() || owners.len() != points)
    {
        return Err(format!("{} owners for {points} points of {game}", owners.len()));
    }
    if target.repetition && !game.can_repeat() {
        return Err(format!("no board comes back in {game}"));
    }
    match target.margin {
        Some(_) if !game.has_score() => Err(format!("{game} has no margins")),
        Some(margin) if !Lattice::of(game, position.size()).contains(margin) => {
            Err(format!("no game of {game} on {0}x{0} ends with margin {margin}", position.size()))
        }
        _ => Ok(()),
    }
}

fn hash_samples(samples: &[Sample]) -> String {
    let mut hash = Sha256::new();
    let mut text = String::new();
    for sample in samples {
        use std::fmt::Write;
        text.clear();
        let Snapshot { game, size, cells, stage, to_move, passed, button, handicap_left, swap_open, komi } =
            &sample.position;
        text.extend(cells.iter().map(|cell| cell.character()));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{game} {size} {stage:?} {to_move} {passed} {button:?} {handicap_left} {swap_open} {} {:?} {} {} {:?} {} {:?}",
            komi.0, sample.target, sample.weight, sample.game_index, sample.policy, sample.policy_weight, sample.owners
        );
        hash.update(text.as_bytes());
    }
    hex(&hash.finalize())
}

/// The threads, and what they work on.
struct Work {
    chunks: Vec<Chunk>,
    pool: rayon::ThreadPool,
}

/// A part of a batch: always of the same shape (padded with zeros), with its own copy of the weights, so that its
/// result does not depend on the thread that works on it.
struct Chunk {
    head: Head,
    capacity: usize,
    model: Model,
    input: Vec<f32>,
    /// Where the whole planes' numbers go, which the model reads from the planes.
    whole: Vec<f32>,
    /// The outputs for the value, the policy and the owners, and the derivative of the loss by each.
    outputs: [Vec<f32>; 3],
    factors: [Vec<f32>; 3],
    scratch: Snapshot,
    /// Summed over rows, times their weights.
    gradient: Vec<f32>,
    losses: Losses,
    weight: f64,
    values: Vec<f32>,
}

impl Chunk {
    fn new(trainer: &Trainer<'_>) -> Result<Self, NetError> {
        let game = trainer.architecture.game;
        let capacity = trainer.chunk_rows();
        Ok(Chunk {
            head: trainer.architecture.head(),
            capacity,
            model: Model::for_training(trainer.architecture, &trainer.first_weights)?,
            input: Vec::new(),
            whole: vec![0.0; whole_count(game)],
            outputs: Default::default(),
            factors: Default::default(),
            scratch: Snapshot::blank(game),
            gradient: vec![0.0; trainer.first_weights.len()],
            losses: Losses::default(),
            weight: 0.0,
            values: Vec::new(),
        })
    }

    /// The gradient of the rows' losses.
    fn train(&mut self, samples: &[Sample], weights: &[f32], rows: &[Row]) -> Result<(), NetError> {
        let outputs = self.forward(samples, weights, rows)?;
        self.model.backward(&outputs, self.factors.each_ref().map(Vec::as_slice), &mut self.gradient)?;
        Ok(())
    }

    /// The rows' values and losses.
    fn answer(&mut self, samples: &[Sample], weights: &[f32], rows: &[Row]) -> Result<(), NetError> {
        let _guard = tch::no_grad_guard();
        let _outputs = self.forward(samples, weights, rows)?;
        self.values.clear();
        let count = self.head.count();
        for ((index, _), raw) in rows.iter().zip(self.outputs[0].chunks_exact(count)) {
            let position = &samples[*index as usize].position;
            let prediction = Prediction::new(self.head, position.size(), position.komi(), raw, Platt::NONE);
            self.values.push(prediction.value as f32);
        }
        Ok(())
    }

    /// Runs the network on the rows, which are of one size, and finds their losses.
    fn forward(&mut self, samples: &[Sample], weights: &[f32], rows: &[Row]) -> Result<Outputs, NetError> {
        self.model.load(weights)?;
        let size = rows.first().map_or(1, |(index, _)| samples[*index as usize].position.size());
        let row_len = size * size * plane_count(self.head.game);
        self.input.resize(self.capacity * row_len, 0.0);
        self.input[rows.len() * row_len..].fill(0.0);
        for ((index, symmetry), row) in rows.iter().zip(self.input.chunks_exact_mut(row_len)) {
            samples[*index as usize].position.map_into(*symmetry, &mut self.scratch);
            write_planes(&self.scratch, row, &mut self.whole);
        }
        let outputs = self.model.forward_slice(&self.input, self.capacity, size)?;
        let tensors = [Some(&outputs.value), Some(&outputs.policy), outputs.ownership.as_ref()];
        for ((numbers, factors), tensor) in self.outputs.iter_mut().zip(&mut self.factors).zip(tensors) {
            let count = tensor.map_or(0, tch::Tensor::numel);
            numbers.resize(count, 0.0);
            factors.clear();
            factors.resize(count, 0.0);
            if let Some(tensor) = tensor {
                tensor.f_copy_data(numbers, count)?;
            }
        }
        self.losses = Losses::default();
        self.weight = 0.0;
        for (row, (index, symmetry)) in rows.iter().enumerate() {
            let sample = &samples[*index as usize];
            let losses = self.row_losses(sample, *symmetry, row)?;
            self.losses.add(&losses, f64::from(sample.weight));
            self.weight += f64::from(sample.weight);
        }
        Ok(outputs)
    }

    /// The losses of a row, and their derivatives by its outputs.
    fn row_losses(&mut self, sample: &Sample, symmetry: Symmetry, row: usize) -> Result<Losses, NetError> {
        let size = sample.position.size();
        let weight = f64::from(sample.weight);
        let Head { game, .. } = self.head;
        let widths = [self.head.count(), step_count(size), if game.has_score() { size * size } else { 0 }];
        let place = |part: usize| row * widths[part]..(row + 1) * widths[part];
        if (0..3).any(|part| self.outputs[part][place(part)].iter().any(|number| !number.is_finite())) {
            return Err(NetError::NotFinite);
        }
        let mut slopes = vec![0.0; widths.into_iter().max().unwrap_or(0)];
        let keep = |factors: &mut [f32], slopes: &[f64], weight: f64| {
            factors.iter_mut().zip(slopes).for_each(|(factor, slope)| *factor = (weight * slope) as f32);
        };

        let own = &mut slopes[..widths[0]];
        let komi = sample.position.komi();
        let mut losses = loss(self.head, size, komi, &self.outputs[0][place(0)], &sample.target, own);
        keep(&mut self.factors[0][place(0)], own, weight);

        let transposed = sample.position.is_transposed_after(symmetry);
        if let Some(policy) = &sample.policy
            && sample.policy_weight > 0.0
        {
            let mut target = vec![0.0; widths[1]];
            policy.write(size, symmetry, transposed, &mut target);
            let own = &mut slopes[..widths[1]];
            let share = f64::from(sample.policy_weight);
            losses.policy = share * policy_loss(&self.outputs[1][place(1)], &target, own);
            keep(&mut self.factors[1][place(1)], own, weight * share);
        }
        if let Some(owners) = &sample.owners {
            let mut target = vec![0; widths[2]];
            for (point, owner) in owners.iter().enumerate() {
                target[image_index(point, size, symmetry, transposed)] = *owner;
            }
            let own = &mut slopes[..widths[2]];
            losses.ownership = ownership_loss(&self.outputs[2][place(2)], target.into_iter(), own);
            keep(&mut self.factors[2][place(2)], own, weight * OWNERSHIP_WEIGHT);
        }
        Ok(losses)
    }
}
