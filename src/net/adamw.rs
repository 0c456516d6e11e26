//! AdamW (Loshchilov & Hutter 2019) on plain numbers. libtorch's own optimisers cannot be saved and resumed.

use super::model::Architecture;

const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.999;
const EPSILON: f64 = 1e-8;
/// Gradients longer than this are shortened to it.
const CLIP: f64 = 5.0;

/// The optimiser's state: running means of the gradient and of its square.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AdamW {
    pub first: Vec<f32>,
    pub second: Vec<f32>,
    pub step: u64,
    /// Which weights decay: those of convolutions and matrices, not biases.
    decays: Vec<bool>,
}

impl AdamW {
    pub(super) fn new(architecture: &Architecture) -> Self {
        let mut decays = vec![false; architecture.weights()];
        for spec in architecture.tensors().iter().filter(|spec| spec.shape.len() > 1) {
            decays[spec.range.clone()].fill(true);
        }
        AdamW { first: vec![0.0; decays.len()], second: vec![0.0; decays.len()], step: 0, decays }
    }

    /// One step against `gradient`. False, with nothing changed, if the gradient holds a NaN or an infinity.
    pub(super) fn update(&mut self, weights: &mut [f32], gradient: &[f32], rate: f64, decay: f64) -> bool {
        let length = gradient.iter().map(|g| f64::from(*g) * f64::from(*g)).sum::<f64>().sqrt();
        if !length.is_finite() {
            return false;
        }
        self.step += 1;
        let shorten = if length > CLIP { CLIP / length } else { 1.0 } as f32;
        let steps = self.step.min(1 << 20) as i32;
        let unbias_1 = (1.0 / (1.0 - BETA_1.powi(steps))) as f32;
        let unbias_2 = (1.0 / (1.0 - BETA_2.powi(steps))) as f32;
        let (beta_1, beta_2, rate, epsilon) = (BETA_1 as f32, BETA_2 as f32, rate as f32, EPSILON as f32);
        let keep = 1.0 - rate * decay as f32;
        let moments = self.first.iter_mut().zip(&mut self.second).zip(&self.decays);
        for ((weight, gradient), ((first, second), decays)) in weights.iter_mut().zip(gradient).zip(moments) {
            let gradient = shorten * gradient;
            *first = beta_1 * *first + (1.0 - beta_1) * gradient;
            *second = beta_2 * *second + (1.0 - beta_2) * gradient * gradient;
            let kept = if *decays { keep * *weight } else { *weight };
            *weight = kept - rate * (unbias_1 * *first) / ((unbias_2 * *second).sqrt() + epsilon);
        }
        true
    }
}
