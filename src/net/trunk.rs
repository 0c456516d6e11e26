//! The trunk between its convolutions, for inference on the CPU.
//!
//! libtorch's own bfloat16 kernels for what little is done there take longer than the convolutions (the maximum over
//! all points alone three times as long), so these are plain loops over its memory, which the compiler vectorises.

use half::bf16;
use tch::{TchError, Tensor};

use super::buffer::numbers;
use super::linear::LANES;
use super::planes::Number;

/// Numbers that a trunk computes in.
pub(super) trait Activation: Number {
    /// As 32 bits.
    fn wide(self) -> f32;
    /// All of `numbers` as 32 bits; `room` is where they are put unless they have them.
    fn widen<'a>(numbers: &'a [Self], room: &'a mut Vec<f32>) -> &'a [f32];
    /// The number, or zero if it is negative; a NaN stays one.
    fn relu(self) -> Self;
    /// The nearest to a number of 32 bits. A NaN need not stay one, but does not become finite.
    fn narrow(number: f32) -> Self;
}

impl Activation for f32 {
    #[inline(always)]
    fn wide(self) -> f32 {
        self
    }

    #[inline(always)]
    fn widen<'a>(numbers: &'a [f32], _room: &'a mut Vec<f32>) -> &'a [f32] {
        numbers
    }

    #[inline(always)]
    fn relu(self) -> f32 {
        if self < 0.0 { 0.0 } else { self }
    }

    #[inline(always)]
    fn narrow(number: f32) -> f32 {
        number
    }
}

impl Activation for bf16 {
    #[inline(always)]
    fn wide(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }

    #[inline(always)]
    fn widen<'a>(numbers: &'a [bf16], room: &'a mut Vec<f32>) -> &'a [f32] {
        room.clear();
        room.extend(numbers.iter().map(|number| number.wide()));
        room
    }

    #[inline(always)]
    fn relu(self) -> bf16 {
        // From -0 to -infinity.
        let bits = self.to_bits();
        bf16::from_bits(if (0x8000..=0xff80).contains(&bits) { 0 } else { bits })
    }

    #[inline(always)]
    fn narrow(number: f32) -> bf16 {
        // To the nearest, of two the even one.
        let bits = number.to_bits();
        let up = 0x7fff + (bits >> 16 & 1);
        bf16::from_bits((bits.wrapping_add(up) >> 16) as u16)
    }
}

/// The tensor's numbers in the order of channels-last memory.
pub(super) fn channels_last(tensor: &Tensor) -> Result<Tensor, TchError> {
    // A convolution of channels-last input leaves its output so; this would copy it otherwise.
    tensor.f_permute([0, 2, 3, 1])?.f_contiguous()
}

/// Rectifies a convolution's output in place.
pub(super) fn relu<T: Activation>(tensor: Tensor) -> Result<Tensor, TchError> {
    let mut memory = channels_last(&tensor)?;
    for number in numbers::<T>(&mut memory) {
        *number = number.relu();
    }
    memory.f_permute([0, 3, 1, 2])
}

/// Adds the block's input to a convolution's output and rectifies the sums, in place.
pub(super) fn add_relu<T: Activation>(tensor: Tensor, input: &Tensor) -> Result<Tensor, TchError> {
    let (mut memory, mut other) = (channels_last(&tensor)?, channels_last(input)?);
    for (number, other) in numbers::<T>(&mut memory).iter_mut().zip(numbers::<T>(&mut other)) {
        *number = T::narrow(number.wide() + other.wide()).relu();
    }
    memory.f_permute([0, 3, 1, 2])
}

/// Writes each row's features for the heads, `width` numbers: the channels' means over all points, the means times `scale`,
/// the maxima, then the numbers of the whole planes.
pub(super) fn pool<T: Activation>(
    tensor: &Tensor,
    scale: f32,
    whole: &[f32],
    width: usize,
    features: &mut [f32],
) -> Result<(), TchError> {
    let mut memory = channels_last(tensor)?;
    let shape = memory.size();
    let (rows, points, channels) = (shape[0] as usize, (shape[1] * shape[2]) as usize, shape[3] as usize);
    let whole_width = whole.len() / rows;
    let of_rows = numbers::<T>(&mut memory).chunks_exact(points * channels).zip(features.chunks_exact_mut(width));
    for ((numbers, features), whole) in of_rows.zip(whole.chunks_exact(whole_width)) {
        let (means, rest) = features.split_at_mut(channels);
        let (scaled, rest) = rest.split_at_mut(channels);
        let (maxima, last) = rest.split_at_mut(channels);
        for first in (0..channels).step_by(LANES) {
            let lanes = LANES.min(channels - first);
            let (mut sums, mut most) = ([0.0f32; LANES], [f32::NEG_INFINITY; LANES]);
            if lanes == LANES {
                for point in numbers.chunks_exact(channels) {
                    let Ok(point) = <&[T; LANES]>::try_from(&point[first..first + LANES]) else { continue };
                    gather(point, &mut sums, &mut most);
                }
            } else {
                for point in numbers.chunks_exact(channels) {
                    gather(&point[first..first + lanes], &mut sums, &mut most);
                }
            }
            for lane in 0..lanes {
                means[first + lane] = sums[lane] / points as f32;
                scaled[first + lane] = means[first + lane] * scale;
                maxima[first + lane] = most[lane];
            }
        }
        last.copy_from_slice(whole);
    }
    Ok(())
}

#[inline(always)]
fn gather<T: Activation>(point: &[T], sums: &mut [f32; LANES], most: &mut [f32; LANES]) {
    for (lane, number) in point.iter().enumerate() {
        let number = number.wide();
        sums[lane] += number;
        most[lane] = if number > most[lane] { number } else { most[lane] };
    }
}
