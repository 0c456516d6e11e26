//! Batched inference: the network as an [`Evaluator`] for the search.

use rand::Rng;

use super::NetError;
use super::head::{Lattice, Prediction, output_count};
use super::model::{Model, Network, training_stream};
use super::planes::{plane_count, write_planes};
use super::snapshot::Snapshot;
use crate::games::{Game, GameKind, HalfPoints, Player};
use crate::search::{EvalError, Evaluator, Leaf, MoverValue};

/// Below this a row's bits depend on its place (measured with libtorch 2.11).
const MIN_BATCH: usize = 16;

/// A network ready to value positions, in batches of a fixed size padded with zeros: one for each thread.
pub struct NetEvaluator {
    game: GameKind,
    batch: usize,
    model: Model,
    /// Planes of a whole batch, reused.
    input: Vec<f32>,
    /// The network's outputs for a whole batch, reused.
    output: Vec<f32>,
    scratch: Snapshot,
}

/// What the network itself says about the fair komi of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct FairKomi {
    /// The margin on the game's lattice where the first player's value crosses a half: at least ½ with half a point
    /// less komi, at most ½ with half a point more.
    pub komi: HalfPoints,
    /// How often the value crosses a half along the scan. Above 1 `komi` is the point with the fewest values on
    /// the wrong side.
    pub crossings: usize,
    /// The first player's median margin at that komi.
    pub median: HalfPoints,
    /// The first player's value at each komi that the game allows, ascending by komi.
    pub scan: Vec<(HalfPoints, f64)>,
}

impl NetEvaluator {
    pub(super) fn new(network: &Network, batch: usize) -> Result<Self, NetError> {
        if batch < MIN_BATCH {
            return Err(NetError::SmallBatch(batch));
        }
        let game = network.game();
        let model = Model::new(network.meta.architecture, &network.weights, false)?;
        let output = vec![0.0; batch * output_count(game)];
        Ok(NetEvaluator { game, batch, model, input: Vec::new(), output, scratch: Snapshot::blank(game) })
    }

    /// The game that the network plays.
    pub fn game(&self) -> GameKind {
        self.game
    }

    /// The numbers that one row of the input takes.
    fn row_len(&self, size: usize) -> usize {
        size * size * plane_count(self.game)
    }

    /// Makes room for a batch of boards of this side; rows from `rows` on become zeros.
    fn prepare(&mut self, size: usize, rows: usize) {
        let row_len = self.row_len(size);
        self.input.resize(self.batch * row_len, 0.0);
        self.input[rows * row_len..].fill(0.0);
    }

    /// Runs the network on the whole input buffer.
    fn run(&mut self, size: usize) -> Result<(), NetError> {
        let _guard = tch::no_grad_guard();
        let outputs = self.model.forward(&self.input, self.batch, size)?;
        outputs.f_copy_data(&mut self.output, self.batch * output_count(self.game))?;
        Ok(())
    }

    fn prediction(&self, row: usize, size: usize, komi: HalfPoints) -> Result<Prediction, NetError> {
        let count = output_count(self.game);
        let raw = &self.output[row * count..(row + 1) * count];
        let prediction = Prediction::new(self.game, size, komi, raw);
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
        let row_len = self.row_len(size);
        let mut predictions = Vec::with_capacity(positions.len());
        for group in positions.chunks(self.batch) {
            self.prepare(size, group.len());
            for (row, position) in self.input.chunks_exact_mut(row_len).zip(group) {
                if position.game() != self.game {
                    return Err(NetError::OtherGame { network: self.game, game: position.game() });
                }
                if position.size() != size {
                    return Err(NetError::MixedSizes(size, position.size()));
                }
                write_planes(position, row);
            }
            self.run(size)?;
            for (row, position) in group.iter().enumerate() {
                predictions.push(self.prediction(row, size, position.komi())?);
            }
        }
        Ok(predictions)
    }

    /// The komi at which the network gives both players the same chances in `position` (an empty board, to speak of a
    /// game's fair komi): the network is asked at every komi, each being an input. `None` in Fugo, which has no komi.
    pub fn fair_komi(&mut self, position: &Snapshot) -> Result<Option<FairKomi>, NetError> {
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
        let komi: Vec<HalfPoints> = (-lattice.max - 1..=lattice.max + 1).step_by(2).map(HalfPoints).collect();
        let asked: Vec<Snapshot> = komi.iter().map(|komi| at(*komi)).collect();
        let answers = self.predict(&asked)?;
        let scan: Vec<(HalfPoints, f64)> =
            komi.iter().zip(&answers).map(|(komi, answer)| (*komi, for_first(answer.value))).collect();

        // The cut between two neighbours with the fewest values on the wrong side: one at a single crossing.
        let below = |value: f64| (value < 0.5) as usize;
        let mut wrong: usize = scan.iter().map(|(_, value)| 1 - below(*value)).sum();
        let mut best = (usize::MAX, lattice.max);
        for pair in scan.windows(2) {
            // The first of the pair moves to the side where the value should be at least a half.
            wrong = wrong + below(pair[0].1) - (1 - below(pair[0].1));
            best = best.min((wrong, pair[0].0.0 + 1));
        }
        let crossings = scan.windows(2).filter(|pair| below(pair[0].1) != below(pair[1].1)).count();
        let komi = HalfPoints(best.1);
        let median = self.predict(&[at(komi)])?.first().and_then(|answer| answer.margin).map(|margin| margin.median());
        let median = HalfPoints(-sign * median.unwrap_or_default().0);
        Ok(Some(FairKomi { komi, crossings, median, scan }))
    }

    /// Proves, for this batch size on boards of this side, that a row's bits depend neither on its place nor on its
    /// neighbours nor on padding. Results can be reproduced only where that holds; it takes a few batches' time.
    pub fn prove_batch_invariance(&mut self, size: usize) -> Result<(), NetError> {
        let (batch, row_len, count) = (self.batch, self.row_len(size), output_count(self.game));
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
        let mut ask = |input: Vec<f32>| -> Result<Vec<u32>, NetError> {
            self.input = input;
            self.run(size)?;
            Ok(self.output.iter().map(|number| number.to_bits()).collect())
        };
        let answers = ask(rows.clone())?;
        let row_of = |answers: &[u32], row: usize| answers[row * count..(row + 1) * count].to_vec();
        let fault = |what| NetError::NotInvariant { batch, size, what };

        if ask(rows.clone())? != answers {
            return Err(fault("the call"));
        }
        for shift in [1, 3, batch / 2, batch - 1] {
            let mut turned = rows.clone();
            turned.rotate_right(shift * row_len);
            let turned = ask(turned)?;
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
            let mixed = ask(mixed)?;
            if (0..batch).filter(|row| row % 2 != parity).any(|row| row_of(&mixed, row) != row_of(&answers, row)) {
                return Err(fault("its neighbours"));
            }
        }
        for filled in [1, batch / 2 + 1] {
            let mut padded = rows.clone();
            padded[filled * row_len..].fill(0.0);
            let padded = ask(padded)?;
            if (0..filled).any(|row| row_of(&padded, row) != row_of(&answers, row)) {
                return Err(fault("the padding"));
            }
        }
        Ok(())
    }
}

impl<G: Game> Evaluator<G> for NetEvaluator {
    fn batch(&self) -> usize {
        self.batch
    }

    fn evaluate(&mut self, leaves: &mut [Leaf<'_, G>]) -> Result<(), EvalError> {
        if G::KIND != self.game {
            return Err(EvalError::OtherGame { network: self.game, game: G::KIND });
        }
        let failed = |error: NetError| EvalError::Network(error.to_string());
        if leaves.len() > self.batch {
            return Err(failed(NetError::TooMany { rows: leaves.len(), batch: self.batch }));
        }
        let Some(first) = leaves.first() else { return Ok(()) };
        let size = first.position.size();
        self.prepare(size, leaves.len());
        let row_len = self.row_len(size);
        for (row, leaf) in self.input.chunks_exact_mut(row_len).zip(leaves.iter()) {
            if leaf.position.size() != size {
                return Err(failed(NetError::MixedSizes(size, leaf.position.size())));
            }
            self.scratch.read(leaf.position, leaf.komi);
            write_planes(&self.scratch, row);
        }
        self.run(size).map_err(failed)?;
        for (row, leaf) in leaves.iter_mut().enumerate() {
            let komi = if leaf.position.to_move() == Player::White { leaf.komi } else { -leaf.komi };
            leaf.value = MoverValue(self.prediction(row, size, komi).map_err(failed)?.value as f32);
        }
        Ok(())
    }
}
