//! The heads, for inference on the CPU: what the features and the trunk become.

use tch::{TchError, Tensor};
use wide::f32x8;

use super::buffer::numbers;
use super::linear::{Lanes, Linear};
use super::trunk::{Activation, channels_last};

/// The weights of the heads, for the loops here.
pub(super) struct Heads {
    pub hidden: Linear,
    pub value: Linear,
    /// The trunk's channels to the policy's; its bias is what `pooled` says of the whole board.
    pub point: Linear,
    pub pooled: Linear,
    /// The weight of each policy channel.
    pub output: Vec<Lanes>,
    pub special: Linear,
}

impl Heads {
    /// Writes each row's values for its features; and its policy, for what the trunk says of its points, unless `policy`
    /// is empty.
    pub fn answer<T: Activation>(
        &self,
        trunk: &Tensor,
        features: &[f32],
        value: &mut [f32],
        policy: &mut [f32],
    ) -> Result<(), TchError> {
        let rows = value.len() / self.value.outputs();
        let mut hidden = vec![0.0; rows * self.hidden.outputs()];
        self.hidden.apply(features, &mut hidden);
        hidden.iter_mut().for_each(|number| *number = number.relu());
        self.value.apply(&hidden, value);
        if policy.is_empty() {
            return Ok(());
        }
        let mut specials = vec![0.0; rows * self.special.outputs()];
        self.special.apply(&hidden, &mut specials);

        let mut memory = channels_last(trunk)?;
        let trunk = numbers::<T>(&mut memory);
        let of_trunk = trunk.chunks_exact(trunk.len() / rows);
        let beside = features.chunks_exact(features.len() / rows).zip(specials.chunks_exact(self.special.outputs()));
        let of_rows = policy.chunks_exact_mut(policy.len() / rows);
        let mut pooled = vec![[f32x8::ZERO; 2]; self.output.len()];
        let mut room = Vec::new();
        for ((policy, trunk), (features, specials)) in of_rows.zip(of_trunk).zip(beside) {
            self.pooled.each(features, self.pooled.bias(), |_, group, sums| pooled[group] = *sums);
            let (points, last) = policy.split_at_mut(policy.len() - specials.len());
            last.copy_from_slice(specials);
            points.fill(0.0);
            self.point.each(T::widen(trunk, &mut room), &pooled, |point, group, sums| {
                points[point] += weighed(sums, &self.output[group]);
            });
        }
        Ok(())
    }
}

/// The sum of rectified numbers times their weights.
#[inline(always)]
fn weighed([low, high]: &Lanes, weights: &Lanes) -> f32 {
    let relu = |sums: f32x8| f32x8::ZERO.fast_max(sums);
    relu(*low).mul_add(weights[0], relu(*high) * weights[1]).reduce_add()
}
