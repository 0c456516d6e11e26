//! Batched inference: the network as an [`Evaluator`] for the search.

use std::ops::Range;

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use rand::Rng;
use serde::Serialize;
use tch::Kind;

use super::NetError;
use super::buffer::Input;
use super::cache::{Cache, pooled};
use super::checkpoint::KomiRange;
use super::head::{Head, Lattice, Prediction};
use super::model::{Model, Network, training_stream};
use super::planes::{Number, plane_count, whole_count, write_planes, write_position};
use super::policy::image_index;
use super::scaling::{Scaling, scaling_at};
use super::snapshot::Snapshot;
use crate::board::Symmetry;
use crate::config::{Device, Inference, Precision, Reading};
use crate::games::{Game, GameKind, HalfPoints, Player, step_count};
use crate::search::{EvalError, Evaluator, Leaf, MoverValue};
use crate::stats::calibration::Platt;

/// No evaluator is made for a smaller batch: below this a row's bits may depend on its place (measured with libtorch 2.11).
/// Fewer rows give the same bits as many on some processors, which is proven before it is used.
const MIN_BATCH: usize = 16;

/// A network ready to value positions, in batches of a fixed size padded with zeros: one for each thread.
pub struct NetEvaluator {
    game: GameKind,
    head: Head,
    /// The komi that the network was trained at.
    komi: Vec<KomiRange>,
    scalings: Vec<Scaling>,
    /// The one on the boards that are valued now.
    scaling: Platt,
    inference: Inference,
    /// The batches that are evaluated, ascending: the fixed one, and smaller ones that give the same bits.
    batches: Vec<usize>,
    model: Model,
    input: Input,
    /// What the heads look at, the value's outputs and the policy's numbers (none if they are not asked for), for a whole
    /// batch; reused.
    features: Vec<f32>,
    output: Vec<f32>,
    policy: Vec<f32>,
    cache: Cache,
    reading: Reading,
    /// Where each step's number lies for each symmetry, seen as it is and transposed; on boards of the side `maps_side`.
    maps: Vec<Vec<u16>>,
    maps_side: usize,
    /// Which positions of a batch are valued, reused.
    asked: Vec<Asked>,
    /// Room for the numbers of one policy, summed over images, and as they are kept.
    sums: Vec<f32>,
    numbers: Vec<f16>,
}

/// A position whose value is asked for.
struct Asked {
    key: u128,
    /// What takes the position to the one that is valued in its place.
    symmetry: Symmetry,
}

/// What the network itself says about the fair komi of a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OwnAnswer {
    /// The margin on the game's lattice where the first player's value crosses a half: at least ½ with half a point
    /// less komi, at most ½ with half a point more.
    pub komi: HalfPoints,
    /// Of the komi beside it at which games can be played, the one at which the chances are most even.
    pub most_even: HalfPoints,
    /// How often the value crosses a half along the scan. Above 1 `komi` is the point with the fewest values on
    /// the wrong side.
    pub crossings: usize,
    /// The first player's median margin at the most even komi; `None` from a network without margins.
    pub median: Option<HalfPoints>,
    /// The first player's value at each komi that the game allows, ascending by komi.
    pub scan: Vec<(HalfPoints, f64)>,
}

impl NetEvaluator {
    pub(super) fn new(network: &Network, inference: Inference) -> Result<Self, NetError> {
        let batch = inference.batch;
        if batch < MIN_BATCH {
            return Err(NetError::SmallBatch(batch));
        }
        let game = network.game();
        let kind = if inference.precision == Precision::Bf16 { Kind::BFloat16 } else { Kind::Float };
        let device = if inference.device == Device::Cuda { tch::Device::Cuda(0) } else { tch::Device::Cpu };
        let model = Model::for_inference(network.meta.architecture, &network.weights, kind, device)?;
        let input = Input::new(batch, [plane_count(game), whole_count(game)], kind, device);
        let features = vec![0.0; batch * model.features()];
        let output = vec![0.0; batch * network.meta.architecture.head().count()];
        Ok(NetEvaluator {
            game,
            head: network.meta.architecture.head(),
            komi: network.meta.komi.clone(),
            scalings: network.meta.scalings.clone(),
            scaling: Platt::NONE,
            inference,
            batches: vec![batch],
            model,
            input,
            features,
            output,
            policy: Vec::new(),
            cache: Cache::default(),
            reading: Reading::VALUE,
            maps: Vec::new(),
            maps_side: 0,
            asked: Vec::new(),
            sums: Vec::new(),
            numbers: Vec::new(),
        })
    }

    /// What to take from the network; at first no more than its value.
    pub fn read(&mut self, reading: Reading) {
        self.reading = reading;
        self.cache = Cache::default();
    }

    /// The game that the network plays.
    pub fn game(&self) -> GameKind {
        self.game
    }

    fn batch(&self) -> usize {
        self.inference.batch
    }

    /// Evaluates smaller batches than the fixed one where fewer positions are to be valued. They must have been proven
    /// to give the same bits: see [`NetEvaluator::prove_batch_invariance`].
    pub fn use_batches(&mut self, proven: &[usize]) {
        self.batches = proven.to_vec();
    }

    /// Runs the network on a whole batch of whatever the input holds, and returns its rows: for measuring. `plain`:
    /// every operation is libtorch's own.
    pub fn forward_blank(&mut self, size: usize, plain: bool) -> Result<usize, NetError> {
        self.set_side(size)?;
        if plain {
            let _guard = tch::no_grad_guard();
            let [planes, whole] = self.input.tensors(self.batch())?;
            let outputs = self.model.forward(&planes, &whole)?;
            drop(outputs.value.f_to_device(tch::Device::Cpu)?);
            drop(outputs.policy.f_to_device(tch::Device::Cpu)?);
        } else {
            self.forward(self.batch())?;
        }
        Ok(self.batch())
    }

    /// Makes ready for boards of this side.
    fn set_side(&mut self, side: usize) -> Result<(), NetError> {
        self.input.set_side(side)?;
        self.scaling = scaling_at(&self.scalings, side);
        self.policy.resize(if self.reading.policy { self.batch() * step_count(side) } else { 0 }, 0.0);
        if self.reading.policy && self.maps_side != side {
            let map = |symmetry: Symmetry, transposed| {
                (0..step_count(side)).map(|step| image_index(step, side, symmetry, transposed) as u16).collect()
            };
            self.maps = Symmetry::all().flat_map(|symmetry| [map(symmetry, false), map(symmetry, true)]).collect();
            self.maps_side = side;
        }
        Ok(())
    }

    /// Where each step's number lies for an image.
    fn map(&self, symmetry: Symmetry, transposed: bool) -> &[u16] {
        &self.maps[2 * symmetry.index() + transposed as usize]
    }

    /// Writes a policy that was valued in another orientation: `symmetry` takes the position to it.
    fn hand_out(&self, symmetry: Symmetry, numbers: &[f16], policy: &mut Vec<f32>) {
        policy.clear();
        if symmetry == Symmetry::IDENTITY {
            policy.resize(numbers.len(), 0.0);
            numbers.convert_to_f32_slice(policy);
        } else {
            policy.extend(self.map(symmetry, false).iter().map(|at| numbers[usize::from(*at)].to_f32()));
        }
    }

    /// Sums up what the rows of a position's images say, as means, with `valued` to move in the first of them.
    fn sum_policies<G: Game>(&mut self, rows: Range<usize>, valued: Player) {
        let width = step_count(self.input.side());
        let images = rows.len();
        let mut sums = std::mem::take(&mut self.sums);
        sums.clear();
        sums.resize(width, 0.0);
        for (row, symmetry) in rows.zip(G::KIND.symmetries()) {
            let mover = if G::KIND.exchanges_players(symmetry) { valued.other() } else { valued };
            let transposed = G::KIND == GameKind::Linage && mover == Player::White;
            let said = &self.policy[row * width..(row + 1) * width];
            if symmetry == Symmetry::IDENTITY && !transposed {
                sums.iter_mut().zip(said).for_each(|(sum, number)| *sum += number);
            } else {
                let map = self.map(symmetry, transposed);
                sums.iter_mut().zip(map).for_each(|(sum, at)| *sum += said[usize::from(*at)]);
            }
        }
        if images > 1 {
            sums.iter_mut().for_each(|sum| *sum /= images as f32);
        }
        self.sums = sums;
    }

    /// Runs the network on the first `rows` rows of the input and on padding.
    fn run(&mut self, rows: usize) -> Result<(), NetError> {
        let batch = self.batches.iter().copied().find(|batch| *batch >= rows).unwrap_or(self.batch());
        self.input.pad(rows, batch);
        self.forward(batch)
    }

    /// Runs the network on the first `batch` rows of the input, whatever they hold.
    fn forward(&mut self, batch: usize) -> Result<(), NetError> {
        let _guard = tch::no_grad_guard();
        let [planes, whole] = self.input.tensors(batch)?;
        let width = step_count(self.input.side());
        let value = &mut self.output[..batch * self.head.count()];
        let used = if self.reading.policy { batch * width } else { 0 };
        let policy = &mut self.policy[..used];
        if self.inference.device == Device::Cuda {
            let outputs = self.model.forward(&planes, &whole)?;
            if !policy.is_empty() {
                outputs.policy.f_to_device(tch::Device::Cpu)?.f_copy_data(policy, batch * width)?;
            }
            let count = value.len();
            outputs.value.f_to_device(tch::Device::Cpu)?.f_copy_data(value, count)?;
            return Ok(());
        }
        let (whole, features) = (self.input.whole(batch), &mut self.features[..batch * self.model.features()]);
        match self.inference.precision {
            Precision::Bf16 => self.model.infer::<bf16>(&planes, whole, features, [value, policy])?,
            _ => self.model.infer::<f32>(&planes, whole, features, [value, policy])?,
        }
        Ok(())
    }

    /// Writes a position into a row of the input.
    fn write<G: Game>(&mut self, row: usize, position: &G, komi: HalfPoints) {
        match self.inference.precision {
            Precision::Bf16 => {
                self.input.write::<bf16>(row, |planes, whole| write_position(position, komi, planes, whole))
            }
            _ => self.input.write::<f32>(row, |planes, whole| write_position(position, komi, planes, whole)),
        }
    }

    fn prediction(&self, row: usize, size: usize, komi: HalfPoints) -> Result<Prediction, NetError> {
        let count = self.head.count();
        let raw = &self.output[row * count..(row + 1) * count];
        let prediction = Prediction::new(self.head, size, komi, raw, self.scaling);
        if raw.iter().all(|x| x.is_finite()) && prediction.value.is_finite() {
            Ok(prediction)
        } else {
            Err(NetError::NotFinite)
        }
    }

    /// What the network says about each position, in order. Any number of positions, all on boards of one size.
    pub fn predict(&mut self, positions: &[Snapshot]) -> Result<Vec<Prediction>, NetError> {
        let Some(first) = positions.first() else { return Ok(Vec::new()) };
        let size = first.size();
        let mut predictions = Vec::with_capacity(positions.len());
        for group in positions.chunks(self.batch()) {
            self.set_side(size)?;
            for (row, position) in group.iter().enumerate() {
                if position.game() != self.game {
                    return Err(NetError::OtherGame { network: self.game, game: position.game() });
                }
                if position.size() != size {
                    return Err(NetError::MixedSizes(size, position.size()));
                }
                match self.inference.precision {
                    Precision::Bf16 => self.input.write::<bf16>(row, |out, whole| write_planes(position, out, whole)),
                    _ => self.input.write::<f32>(row, |out, whole| write_planes(position, out, whole)),
                }
            }
            self.run(group.len())?;
            for (row, position) in group.iter().enumerate() {
                predictions.push(self.prediction(row, size, position.komi())?);
            }
        }
        Ok(predictions)
    }

    /// The komi at which the network gives both players the same chances in `position` (an empty board, to speak of a
    /// game's fair komi): the network is asked at every komi that it was trained at, each being an input. Where none of
    /// them is fair, the answer is the end of them that comes nearest. `None` in Fugo, which has no komi.
    ///
    /// Values are taken as they are before scaling: its shift is right on the average over games, which says nothing of one
    /// position.
    pub fn fair_komi(&mut self, position: &Snapshot) -> Result<Option<OwnAnswer>, NetError> {
        let (game, size) = (self.game, position.size());
        if position.game() != game {
            return Err(NetError::OtherGame { network: game, game: position.game() });
        }
        if !game.has_score() {
            return Ok(None);
        }
        // Komi helps the second player.
        let sign = if position.to_move() == Player::Black { -1 } else { 1 };
        let at = |komi: HalfPoints| position.with_komi(HalfPoints(sign * komi.0));
        let for_first = |value: f64| if sign < 0 { value } else { 1.0 - value };
        // At komi half-way between margins there are no ties, and every game but Sligo allows no others.
        let lattice = Lattice::of(game, size);
        let all = (-lattice.max - 1..=lattice.max + 1).step_by(2);
        let seen = self.komi.iter().find(|seen| seen.size == size);
        let is_seen = |komi: &i32| seen.is_none_or(|seen| (seen.low - 1..=seen.high + 1).contains(komi));
        let komi: Vec<HalfPoints> = all.filter(is_seen).map(HalfPoints).collect();
        let asked: Vec<Snapshot> = komi.iter().map(|komi| at(*komi)).collect();
        let answers = self.predict(&asked)?;
        let scan: Vec<(HalfPoints, f64)> =
            komi.iter().zip(&answers).map(|(komi, answer)| (*komi, for_first(answer.plain))).collect();

        // The cut, between two neighbours or at an end, with the fewest values on the wrong side: none at a single crossing.
        let below = |value: f64| value < 0.5;
        let mut wrong = scan.iter().filter(|(_, value)| !below(*value)).count();
        let mut best = (usize::MAX, 0);
        for cut in 0..=scan.len() {
            let komi = scan.get(cut).map_or_else(|| scan.last().map_or(0, |last| last.0.0 + 1), |next| next.0.0 - 1);
            if komi.abs() <= lattice.max {
                best = best.min((wrong, komi));
            }
            if let Some((_, value)) = scan.get(cut) {
                // It moves to the side where the value should be at least a half.
                wrong = if below(*value) { wrong + 1 } else { wrong - 1 };
            }
        }
        let crossings = scan.windows(2).filter(|pair| below(pair[0].1) != below(pair[1].1)).count();
        let komi = HalfPoints(best.1);
        let beside = scan.iter().filter(|(at, _)| (at.0 - komi.0).abs() <= 1);
        let even = beside.min_by(|a, b| (a.1 - 0.5).abs().total_cmp(&(b.1 - 0.5).abs()));
        let most_even = even.map_or(komi, |(komi, _)| *komi);
        let median = self.predict(&[at(most_even)])?.first().and_then(|answer| answer.margin);
        let median = median.map(|margin| HalfPoints(-sign * margin.median().0));
        Ok(Some(OwnAnswer { komi, most_even, crossings, median, scan }))
    }

    /// Proves, for this batch size on boards of this side, that a row's bits depend neither on its place nor on its
    /// neighbours nor on padding. Results can be reproduced only where that holds; it takes a few batches' time.
    ///
    /// Returns the batches whose rows have these same bits, and uses them from now on: where few positions are left, a
    /// smaller batch will do. Nothing is proven of a GPU, whose results are not promised to be the same bits.
    pub fn prove_batch_invariance(&mut self, size: usize) -> Result<Vec<usize>, NetError> {
        let (batch, outputs, policy) = (self.batch(), self.head.count(), step_count(size));
        let count = outputs + policy;
        self.batches = vec![batch];
        if self.inference.device == Device::Cuda {
            return Ok(self.batches.clone());
        }
        let row_len = size * size * plane_count(self.game) + whole_count(self.game);
        let mut rng = training_stream(size as u64, "invariance", batch as u64);
        let mut draw = || -> Vec<f32> {
            let numbers = std::iter::repeat_with(|| match rng.random_range(0..3) {
                0 => rng.random_range(-1.0..1.0),
                1 => 1.0,
                _ => 0.0,
            });
            numbers.take(batch * row_len).collect()
        };
        let (rows, others) = (draw(), draw());
        // All that a search may take.
        self.read(Reading { policy: true, ..self.reading });
        let mut ask = |rows: &[f32], batch: usize| -> Result<Vec<u32>, NetError> {
            self.set_side(size)?;
            for (row, numbers) in rows.chunks_exact(row_len).enumerate() {
                match self.inference.precision {
                    Precision::Bf16 => self.input.write::<bf16>(row, |out, whole| spread(numbers, out, whole)),
                    _ => self.input.write::<f32>(row, |out, whole| spread(numbers, out, whole)),
                }
            }
            self.forward(batch)?;
            let rows = self.output.chunks_exact(outputs).zip(self.policy.chunks_exact(policy)).take(batch);
            Ok(rows.flat_map(|(output, policy)| output.iter().chain(policy)).map(|number| number.to_bits()).collect())
        };
        let answers = ask(&rows, batch)?;
        let row_of = |answers: &[u32], row: usize| answers[row * count..(row + 1) * count].to_vec();
        let fault = |what| NetError::NotInvariant { batch, size, what };

        if ask(&rows, batch)? != answers {
            return Err(fault("the call"));
        }
        for shift in [1, 3, batch / 2, batch - 1] {
            let mut turned = rows.clone();
            turned.rotate_right(shift * row_len);
            let turned = ask(&turned, batch)?;
            if (0..batch).any(|row| row_of(&turned, (row + shift) % batch) != row_of(&answers, row)) {
                return Err(fault("its place in the batch"));
            }
        }
        for parity in [0, 1] {
            let mut mixed = rows.clone();
            for row in (0..batch).filter(|row| row % 2 == parity) {
                let place = row * row_len..(row + 1) * row_len;
                mixed[place.clone()].copy_from_slice(&others[place]);
            }
            let mixed = ask(&mixed, batch)?;
            if (0..batch).filter(|row| row % 2 != parity).any(|row| row_of(&mixed, row) != row_of(&answers, row)) {
                return Err(fault("its neighbours"));
            }
        }
        for filled in [1, batch / 2 + 1] {
            let mut padded = rows.clone();
            padded[filled * row_len..].fill(0.0);
            let padded = ask(&padded, batch)?;
            if (0..filled).any(|row| row_of(&padded, row) != row_of(&answers, row)) {
                return Err(fault("the padding"));
            }
        }
        let mut proven = Vec::new();
        for smaller in smaller_batches(batch) {
            let groups = rows.chunks_exact(smaller * row_len).zip(answers.chunks_exact(smaller * count));
            let mut same = true;
            for (rows, answers) in groups {
                same &= ask(rows, smaller)? == answers;
            }
            if same {
                proven.push(smaller);
            }
        }
        proven.push(batch);
        self.batches = proven.clone();
        Ok(proven)
    }
}

/// The smaller batches worth a try, ascending.
fn smaller_batches(batch: usize) -> Vec<usize> {
    let mut smaller: Vec<usize> = [batch / 8, batch / 4, batch / 2, batch / 4 * 3].map(|size| size / 16 * 16).into();
    smaller.extend([1, 2, 4, 8, MIN_BATCH]);
    smaller.retain(|size| (1..batch).contains(size));
    smaller.sort_unstable();
    smaller.dedup();
    smaller
}

/// Writes a row's planes and whole numbers, which follow one another in `numbers`.
fn spread<T: Number>(numbers: &[f32], planes: &mut [T], whole: &mut [f32]) {
    let (of_planes, of_whole) = numbers.split_at(planes.len());
    planes.iter_mut().zip(of_planes).for_each(|(plane, number)| *plane = T::of(*number));
    whole.copy_from_slice(of_whole);
}

impl<G: Game> Evaluator<G> for NetEvaluator {
    fn batch(&self) -> usize {
        self.inference.batch / self.reading.symmetries
    }

    fn known(&mut self, position: &G, komi: HalfPoints, policy: &mut Vec<f32>) -> Option<MoverValue> {
        let (key, symmetry, _) = pooled(position, komi);
        let (value, numbers) = self.cache.get(key)?;
        if self.reading.policy {
            self.hand_out(symmetry, numbers, policy);
        }
        Some(MoverValue(value))
    }

    fn evaluate(&mut self, leaves: &mut [Leaf<'_, G>]) -> Result<(), EvalError> {
        if G::KIND != self.game {
            return Err(EvalError::OtherGame { network: self.game, game: G::KIND });
        }
        let failed = |error: NetError| EvalError::Network(error.to_string());
        let images = self.reading.symmetries;
        if leaves.len() * images > self.batch() {
            return Err(failed(NetError::TooMany { rows: leaves.len() * images, batch: self.batch() }));
        }
        let Some(first) = leaves.first() else { return Ok(()) };
        let size = first.position.size();
        self.set_side(size).map_err(failed)?;
        self.asked.clear();
        for (index, leaf) in leaves.iter().enumerate() {
            if leaf.position.size() != size {
                return Err(failed(NetError::MixedSizes(size, leaf.position.size())));
            }
            let (key, symmetry, image) = pooled(leaf.position, leaf.komi);
            let position = image.as_ref().unwrap_or(leaf.position);
            self.asked.push(Asked { key, symmetry });
            for (image, symmetry) in G::KIND.symmetries().take(images).enumerate() {
                let row = index * images + image;
                if image == 0 {
                    self.write(row, position, leaf.komi);
                } else {
                    self.write(row, &position.mapped(symmetry), leaf.komi);
                }
            }
        }
        self.run(leaves.len() * images).map_err(failed)?;
        for (index, leaf) in leaves.iter_mut().enumerate() {
            let komi = if leaf.position.to_move() == Player::White { leaf.komi } else { -leaf.komi };
            let Asked { key, symmetry } = self.asked[index];
            let rows = index * images..(index + 1) * images;
            let mut value = 0.0;
            for row in rows.clone() {
                let prediction = self.prediction(row, size, komi).map_err(failed)?;
                value += prediction.utility(size, komi, self.reading.margin_weight);
            }
            let value = (value / images as f64) as f32;
            self.numbers.clear();
            if self.reading.policy {
                // Linage's Horizontal sees the board transposed; which of the two moves in an image, its symmetry says.
                let mover = leaf.position.to_move();
                let valued = if G::KIND.exchanges_players(symmetry) { mover.other() } else { mover };
                self.sum_policies::<G>(rows, valued);
                // Kept and used in the same 16 bits, so that it does not matter where they come from.
                self.numbers.resize(self.sums.len(), f16::ZERO);
                self.numbers.convert_from_f32_slice(&self.sums);
                if !self.numbers.iter().all(|number| number.is_finite()) {
                    return Err(failed(NetError::NotFinite));
                }
                self.hand_out(symmetry, &self.numbers, leaf.policy);
            }
            self.cache.put(key, value, &self.numbers);
            leaf.value = MoverValue(value);
        }
        Ok(())
    }
}
