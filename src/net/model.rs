//! The model: a fully convolutional trunk, global pooling, small heads. No layer depends on the board's size.

use std::cell::Cell;
use std::fmt;
use std::ops::Range;

use rand::SeedableRng;
use rand::distr::Distribution;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tch::{Kind, TchError, Tensor};

use super::checkpoint::NetMeta;
use super::head::Head;
use super::heads::Heads;
use super::linear::{Linear, in_groups};
use super::planes::{plane_count, size_scale, whole_count};
use super::trunk::{Activation, add_relu, pool, relu};
use super::{NetError, NetEvaluator, Provenance, runtime};
use crate::config::Inference;
use crate::games::{GameKind, Special};

/// The width of the head's hidden layer.
const HIDDEN: usize = 64;

/// The policy's head has no more channels.
const MAX_POLICY_CHANNELS: usize = 32;

/// From this many layers on the trunk has residual connections around pairs of layers.
const RESIDUAL_FROM: usize = 4;

/// The model's shape.
///
/// `layers` 3×3 convolutions of `channels` channels with ReLU (from four on, pairs after the first are residual
/// blocks); means and maxima over all points, the means once more times (n − 9)/10, and the whole planes' numbers;
/// a hidden layer; the outputs of the value's head. The policy's head looks at each point's channels and at what is pooled,
/// as in KataGo (Wu 2019), and takes the numbers of the specials from the hidden layer. Where there is a score, a further
/// number for each point says who will be paid for it, which is learnt for the trunk's sake. There is no batch norm: a chunk's gradient then depends on nothing
/// outside the chunk, training and play run the same arithmetic, and nothing is left to fold. He's initialisation,
/// with each residual branch starting at zero (Fixup, Zhang et al. 2019), trains these depths as well without it:
/// tried with 3 and 7 layers on 20 000 Yugo positions, held-out losses came out no worse.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    pub game: GameKind,
    pub layers: usize,
    pub channels: usize,
    /// Whether the value's head describes the margin, where the game has one, or the expected score alone.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub margins: bool,
}

fn yes() -> bool {
    true
}

fn is_yes(flag: &bool) -> bool {
    *flag
}

/// One of the model's tensors.
pub(super) struct TensorSpec {
    pub name: String,
    /// As libtorch wants it: convolutions are output × input × 3 × 3.
    pub shape: Vec<usize>,
    /// Its place among all weights.
    pub range: Range<usize>,
    /// The variance of its first weights, times its inputs.
    gain: f32,
}

/// He's initialisation before a ReLU.
const HE: f32 = 2.0;
/// Small, so that the first answers are the biases'.
const SMALL: f32 = 0.1;
/// Biases, and the ends of residual branches.
const ZERO: f32 = 0.0;

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Architecture { game, layers, channels, margins } = self;
        let rest = if *margins { "" } else { " without margins" };
        write!(f, "{game} with {layers} layers of {channels} channels{rest}")
    }
}

impl Architecture {
    /// Fails where no model can be built.
    pub fn check(&self) -> Result<(), NetError> {
        if (1..=64).contains(&self.layers) && (1..=1024).contains(&self.channels) {
            return Ok(());
        }
        Err(NetError::Architecture { layers: self.layers, channels: self.channels })
    }

    /// The model's tensors, in the order of their weights.
    pub(super) fn tensors(&self) -> Vec<TensorSpec> {
        let mut specs: Vec<TensorSpec> = Vec::new();
        let mut add = |name: &str, shape: &[usize], gain: f32| {
            let start = specs.last().map_or(0, |spec| spec.range.end);
            let range = start..start + shape.iter().product::<usize>();
            specs.push(TensorSpec { name: name.to_string(), shape: shape.to_vec(), range, gain });
        };
        let channels = self.channels;
        for layer in 0..self.layers {
            let inputs = if layer == 0 { plane_count(self.game) } else { channels };
            let gain = if self.ends_block(layer) { ZERO } else { HE };
            add(&format!("trunk.{layer}.weight"), &[channels, inputs, 3, 3], gain);
            add(&format!("trunk.{layer}.bias"), &[channels], ZERO);
        }
        // In the order of [`HeadTensor`].
        let (pooled, policy) = (self.features(), self.policy_channels());
        add("head.hidden.weight", &[HIDDEN, pooled], HE);
        add("head.hidden.bias", &[HIDDEN], ZERO);
        add("head.output.weight", &[self.head().count(), HIDDEN], SMALL);
        add("head.output.bias", &[self.head().count()], ZERO);
        add("policy.point.weight", &[policy, channels], HE);
        add("policy.pooled.weight", &[policy, pooled], SMALL);
        add("policy.pooled.bias", &[policy], ZERO);
        add("policy.output.weight", &[1, policy], SMALL);
        add("policy.special.weight", &[Special::ALL.len(), HIDDEN], SMALL);
        add("policy.special.bias", &[Special::ALL.len()], ZERO);
        if self.game.has_score() {
            add("ownership.weight", &[1, channels], SMALL);
            add("ownership.bias", &[1], ZERO);
        }
        specs
    }

    /// The value's head.
    pub(super) fn head(&self) -> Head {
        Head { game: self.game, margins: self.margins && self.game.has_score() }
    }

    /// The numbers that the heads look at in each row.
    pub(super) fn features(&self) -> usize {
        3 * self.channels + whole_count(self.game)
    }

    fn policy_channels(&self) -> usize {
        (self.channels / 2).clamp(1, MAX_POLICY_CHANNELS)
    }

    /// The number of weights.
    pub fn weights(&self) -> usize {
        self.tensors().last().map_or(0, |spec| spec.range.end)
    }

    fn residual(&self) -> bool {
        self.layers >= RESIDUAL_FROM
    }

    /// True if the layer is the second of a residual block: the first layer stands alone, then come pairs.
    fn ends_block(&self, layer: usize) -> bool {
        self.residual() && layer > 0 && layer.is_multiple_of(2)
    }

    /// Weights to start training from, drawn from the seed.
    pub(super) fn first_weights(&self, seed: u64) -> Vec<f32> {
        let mut rng = training_stream(seed, "weights", 0);
        let mut weights = vec![0.0; self.weights()];
        let specs = self.tensors();
        for spec in specs.iter().filter(|spec| spec.gain > 0.0) {
            let fan_in: usize = spec.shape[1..].iter().product();
            let deviation = (spec.gain / fan_in as f32).sqrt();
            for weight in &mut weights[spec.range.clone()] {
                let draw: f32 = StandardNormal.sample(&mut rng);
                *weight = deviation * draw;
            }
        }
        let biases = &specs[2 * self.layers + HeadTensor::OutputBias as usize];
        weights[biases.range.clone()].copy_from_slice(&self.head().first_biases());
        weights
    }
}

/// The tensors after those of the trunk.
#[derive(Clone, Copy)]
enum HeadTensor {
    HiddenWeight,
    HiddenBias,
    OutputWeight,
    OutputBias,
    PolicyPoint,
    PolicyPooled,
    PolicyBias,
    PolicyOutput,
    SpecialWeight,
    SpecialBias,
    OwnershipWeight,
    OwnershipBias,
}

use HeadTensor::*;

/// A stream of random numbers for training: nothing but the seed, the use and an index is in its key.
pub(super) fn training_stream(seed: u64, using: &str, index: u64) -> ChaCha8Rng {
    let mut hash = Sha256::new();
    hash.update(b"fairkomi training ");
    hash.update(using.as_bytes());
    hash.update(seed.to_le_bytes());
    hash.update(index.to_le_bytes());
    ChaCha8Rng::from_seed(hash.finalize().into())
}

/// A network: its description and its weights. Plain data, to be shared among threads; each builds its own
/// [`NetEvaluator`].
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    pub(super) meta: NetMeta,
    /// One after the other in the order of [`Architecture::tensors`].
    pub(super) weights: Vec<f32>,
}

impl Network {
    /// A network that has learnt nothing: random weights.
    pub fn untrained(architecture: Architecture, seed: u64) -> Result<Self, NetError> {
        architecture.check()?;
        let weights = architecture.first_weights(seed);
        Ok(Network { meta: NetMeta::new(architecture, seed, Provenance::default()), weights })
    }

    /// What is known about the network.
    pub fn meta(&self) -> &NetMeta {
        &self.meta
    }

    /// The game it plays.
    pub fn game(&self) -> GameKind {
        self.meta.architecture.game
    }

    /// An evaluator with its own copy of the weights, for one thread. The batch is at least 16.
    pub fn evaluator(&self, inference: Inference) -> Result<NetEvaluator, NetError> {
        NetEvaluator::new(self, inference)
    }
}

/// Makes libtorch work in this thread alone. Once for the whole program is not enough: oneDNN asks OpenMP, whose
/// setting is each thread's own, and libtorch hands its own on to a thread only in some operations. A thread left out
/// would share convolutions among all cores, many times slower where these are busy.
pub(super) fn single_threaded_here() {
    thread_local! {
        static DONE: Cell<bool> = const { Cell::new(false) };
    }
    if !DONE.replace(true) {
        runtime::set_single_threaded();
        tch::set_num_threads(1);
    }
}

/// What the network gives for a batch.
pub(super) struct Outputs {
    /// rows × the numbers of the value's head.
    pub value: Tensor,
    /// rows × [`crate::games::step_count`].
    pub policy: Tensor,
    /// rows × points: above 0 for the mover's points; where there is a score.
    pub ownership: Option<Tensor>,
}

/// The model's tensors in libtorch, for one thread.
pub(super) struct Model {
    architecture: Architecture,
    specs: Vec<TensorSpec>,
    tensors: Vec<Tensor>,
    /// For inference on the CPU: the heads' weights once more.
    heads: Heads,
}

impl Model {
    /// A model whose weights have gradients, on the CPU.
    pub(super) fn for_training(architecture: Architecture, weights: &[f32]) -> Result<Self, TchError> {
        Model::new(architecture, weights, Kind::Float, tch::Device::Cpu, true)
    }

    /// A model for inference, whose convolutions compute in numbers of `kind`; the heads, which are small, always
    /// compute in 32 bits.
    pub(super) fn for_inference(
        architecture: Architecture,
        weights: &[f32],
        kind: Kind,
        device: tch::Device,
    ) -> Result<Self, TchError> {
        Model::new(architecture, weights, kind, device, false)
    }

    fn new(
        architecture: Architecture,
        weights: &[f32],
        kind: Kind,
        device: tch::Device,
        training: bool,
    ) -> Result<Self, TchError> {
        let specs = architecture.tensors();
        let mut tensors = Vec::with_capacity(specs.len());
        for (index, spec) in specs.iter().enumerate() {
            let kind = if index < 2 * architecture.layers { kind } else { Kind::Float };
            let tensor = tensor_of(spec, weights)?.f_to_device(device)?.f_to_kind(kind)?;
            // Convolutions want their weights in the memory order of the planes: channels last.
            let tensor = match spec.shape.len() {
                4 => tensor.f_permute([0, 2, 3, 1])?.f_contiguous()?.f_permute([0, 3, 1, 2])?,
                _ => tensor,
            };
            tensors.push(tensor.f_set_requires_grad(training)?);
        }
        let of = |tensor: HeadTensor| &weights[specs[2 * architecture.layers + tensor as usize].range.clone()];
        let heads = Heads {
            hidden: Linear::new(of(HiddenWeight), of(HiddenBias)),
            value: Linear::new(of(OutputWeight), of(OutputBias)),
            point: Linear::new(of(PolicyPoint), of(PolicyBias)),
            pooled: Linear::new(of(PolicyPooled), of(PolicyBias)),
            output: in_groups(of(PolicyOutput)),
            special: Linear::new(of(SpecialWeight), of(SpecialBias)),
        };
        Ok(Model { architecture, specs, tensors, heads })
    }

    /// Takes other weights.
    pub(super) fn load(&mut self, weights: &[f32]) -> Result<(), TchError> {
        let _guard = tch::no_grad_guard();
        for (spec, tensor) in self.specs.iter().zip(&mut self.tensors) {
            tensor.f_copy_(&tensor_of(spec, weights)?)?;
        }
        Ok(())
    }

    /// The outputs for planes of `rows` boards of side `n`, channels last.
    pub(super) fn forward_slice(&self, planes: &[f32], rows: usize, n: usize) -> Result<Outputs, TchError> {
        let (rows, side) = (rows as i64, n as i64);
        let (channels, whole) =
            (plane_count(self.architecture.game) as i64, whole_count(self.architecture.game) as i64);
        let planes = Tensor::f_from_slice(planes)?.f_reshape([rows, side, side, channels])?;
        let whole = planes.f_select(2, 0)?.f_select(1, 0)?.f_narrow(1, channels - whole, whole)?;
        self.forward(&planes, &whole)
    }

    /// The outputs (32 bits) for planes (rows × n × n × planes, in the convolutions' numbers) and the whole planes'
    /// numbers (rows × whole planes, 32 bits).
    pub(super) fn forward(&self, planes: &Tensor, whole: &Tensor) -> Result<Outputs, TchError> {
        single_threaded_here();
        let side = planes.size()[1] as usize;
        // Seen as rows × channels × n × n with the strides of channels-last memory, which is what oneDNN looks at.
        let planes = planes.f_permute([0, 3, 1, 2])?;
        let mut x = self.convolve(0, &planes)?.f_relu_()?;
        let layers = self.architecture.layers;
        let mut layer = 1;
        while layer < layers {
            if self.architecture.residual() && layer + 1 < layers {
                let inner = self.convolve(layer, &x)?.f_relu_()?;
                x = self.convolve(layer + 1, &inner)?.f_add_(&x)?.f_relu_()?;
                layer += 2;
            } else {
                x = self.convolve(layer, &x)?.f_relu_()?;
                layer += 1;
            }
        }
        let means = x.f_mean_dim([2i64, 3].as_slice(), false, Kind::Float)?;
        let scaled = means.f_mul_scalar(f64::from(size_scale(side)))?;
        let maxima = x.f_amax([2i64, 3], false)?.f_to_kind(Kind::Float)?;
        let features = Tensor::f_cat(&[&means, &scaled, &maxima, whole], 1)?;
        let (value, hidden) = self.value(&features)?;

        let x = x.f_permute([0, 2, 3, 1])?.f_flatten(1, 2)?.f_to_kind(Kind::Float)?;
        let inner =
            x.f_linear(self.tensor(PolicyPoint), None::<&Tensor>)?.f_add(&self.pooled(&features)?.f_unsqueeze(1)?)?;
        let points = inner.f_relu()?.f_linear(self.tensor(PolicyOutput), None::<&Tensor>)?.f_squeeze_dim(2)?;
        let policy = Tensor::f_cat(&[&points, &self.specials(&hidden)?], 1)?;
        let ownership = match self.architecture.game.has_score() {
            true => {
                let (weight, bias) = (self.tensor(OwnershipWeight), self.tensor(OwnershipBias));
                Some(x.f_linear(weight, Some(bias))?.f_squeeze_dim(2)?)
            }
            false => None,
        };
        Ok(Outputs { value, policy, ownership })
    }

    /// The same outputs but for rounding, on the CPU, written to `value` and, unless it is empty, to `policy`. `features` is
    /// room for what the heads look at. All three hold a row for each of the planes'.
    pub(super) fn infer<T: Activation>(
        &self,
        planes: &Tensor,
        whole: &[f32],
        features: &mut [f32],
        [value, policy]: [&mut [f32]; 2],
    ) -> Result<(), TchError> {
        single_threaded_here();
        let side = planes.size()[1] as usize;
        let planes = planes.f_permute([0, 3, 1, 2])?;
        let mut x = relu::<T>(self.convolve(0, &planes)?)?;
        let layers = self.architecture.layers;
        let mut layer = 1;
        while layer < layers {
            if self.architecture.residual() && layer + 1 < layers {
                let inner = relu::<T>(self.convolve(layer, &x)?)?;
                x = add_relu::<T>(self.convolve(layer + 1, &inner)?, &x)?;
                layer += 2;
            } else {
                x = relu::<T>(self.convolve(layer, &x)?)?;
                layer += 1;
            }
        }
        pool::<T>(&x, size_scale(side), whole, self.features(), features)?;
        self.heads.answer::<T>(&x, features, value, policy)
    }

    /// The numbers that the heads look at in each row.
    pub(super) fn features(&self) -> usize {
        self.architecture.features()
    }

    fn tensor(&self, tensor: HeadTensor) -> &Tensor {
        &self.tensors[2 * self.architecture.layers + tensor as usize]
    }

    /// The value's outputs, and the hidden layer.
    fn value(&self, features: &Tensor) -> Result<(Tensor, Tensor), TchError> {
        let hidden = features.f_linear(self.tensor(HiddenWeight), Some(self.tensor(HiddenBias)))?.f_relu()?;
        Ok((hidden.f_linear(self.tensor(OutputWeight), Some(self.tensor(OutputBias)))?, hidden))
    }

    /// What the whole board adds to each point's policy channels.
    fn pooled(&self, features: &Tensor) -> Result<Tensor, TchError> {
        features.f_linear(self.tensor(PolicyPooled), Some(self.tensor(PolicyBias)))
    }

    fn specials(&self, hidden: &Tensor) -> Result<Tensor, TchError> {
        hidden.f_linear(self.tensor(SpecialWeight), Some(self.tensor(SpecialBias)))
    }

    fn convolve(&self, layer: usize, input: &Tensor) -> Result<Tensor, TchError> {
        let (weight, bias) = (&self.tensors[2 * layer], &self.tensors[2 * layer + 1]);
        input.f_conv2d(weight, Some(bias), 1, 1, 1, 1)
    }

    /// The derivative of Σ outputs × factors by each weight, written to `gradient`. The factors are those of the value,
    /// the policy and the ownership, as many as there are outputs.
    pub(super) fn backward(
        &self,
        outputs: &Outputs,
        factors: [&[f32]; 3],
        gradient: &mut [f32],
    ) -> Result<(), TchError> {
        let parts = [Some(&outputs.value), Some(&outputs.policy), outputs.ownership.as_ref()];
        let mut sum = Tensor::f_zeros([], (Kind::Float, tch::Device::Cpu))?;
        for (outputs, factors) in parts.into_iter().zip(factors) {
            let Some(outputs) = outputs else { continue };
            let factors = Tensor::f_from_slice(factors)?.f_reshape(outputs.size())?;
            sum = sum.f_add(&outputs.f_mul(&factors)?.f_sum(None::<Kind>)?)?;
        }
        let gradients = Tensor::f_run_backward(&[sum], &self.tensors, false, false)?;
        for (spec, tensor) in self.specs.iter().zip(gradients) {
            let part = &mut gradient[spec.range.clone()];
            tensor.f_copy_data(part, part.len())?;
        }
        Ok(())
    }
}

fn tensor_of(spec: &TensorSpec, weights: &[f32]) -> Result<Tensor, TchError> {
    let shape: Vec<i64> = spec.shape.iter().map(|side| *side as i64).collect();
    Tensor::f_from_slice(&weights[spec.range.clone()])?.f_reshape(shape)
}
