//! Small matrices, for inference on the CPU. A row's sums are always made in the same order, whatever rows lie beside it;
//! libtorch does not promise that of small matrices.

use wide::f32x8;

/// Outputs that are summed side by side in registers.
pub(super) const LANES: usize = 16;

/// Rows that are worked out side by side, so that one sum need not wait for another.
const ROWS: usize = 4;

/// As many outputs as are summed side by side, in two registers.
pub(super) type Lanes = [f32x8; 2];

/// A matrix and a bias, in groups of [`LANES`] outputs, the last of which is filled up with zeros.
pub(super) struct Linear {
    /// Group × input.
    weights: Vec<Lanes>,
    /// A group each.
    bias: Vec<Lanes>,
    inputs: usize,
    outputs: usize,
}

impl Linear {
    /// From outputs × inputs, and a bias for each output.
    pub fn new(weights: &[f32], bias: &[f32]) -> Self {
        let (outputs, inputs) = (bias.len(), weights.len() / bias.len());
        let weight = |group: usize, input: usize| {
            lanes(|lane| weights.get((group * LANES + lane) * inputs + input).copied().unwrap_or(0.0))
        };
        let groups = outputs.div_ceil(LANES);
        Linear {
            weights: (0..groups * inputs).map(|at| weight(at / inputs, at % inputs)).collect(),
            bias: in_groups(bias),
            inputs,
            outputs,
        }
    }

    /// The numbers of a row of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Its bias, a group each.
    pub fn bias(&self) -> &[Lanes] {
        &self.bias
    }

    /// Writes each row's outputs for rows of inputs; `output` holds as many rows as `input`.
    pub fn apply(&self, input: &[f32], output: &mut [f32]) {
        let outputs = self.outputs;
        self.each(input, &self.bias, |row, group, sums| {
            let row = &mut output[row * outputs..(row + 1) * outputs];
            let sums = sums.iter().flat_map(|half| half.to_array());
            row.iter_mut().skip(group * LANES).zip(sums).for_each(|(output, sum)| *output = sum);
        });
    }

    /// Hands each row's sums to `done`, group by group, with the row's number and the group's; `bias` takes the place of
    /// the matrix's own.
    pub fn each(&self, input: &[f32], bias: &[Lanes], mut done: impl FnMut(usize, usize, &Lanes)) {
        let width = self.inputs;
        for (group, bias) in bias.iter().enumerate() {
            let weights = &self.weights[group * width..(group + 1) * width];
            let rows = input.chunks_exact(ROWS * width);
            let rest = rows.remainder();
            let first_of_rest = rows.len() * ROWS;
            for (at, rows) in rows.enumerate() {
                for (row, sums) in sums::<ROWS>(rows, weights, bias).iter().enumerate() {
                    done(at * ROWS + row, group, sums);
                }
            }
            for (row, input) in rest.chunks_exact(width).enumerate() {
                done(first_of_rest + row, group, &sums::<1>(input, weights, bias)[0]);
            }
        }
    }
}

/// Numbers in groups, the last filled up with zeros.
pub(super) fn in_groups(numbers: &[f32]) -> Vec<Lanes> {
    numbers.chunks(LANES).map(|numbers| lanes(|lane| numbers.get(lane).copied().unwrap_or(0.0))).collect()
}

/// Each lane's number.
fn lanes(number: impl Fn(usize) -> f32) -> Lanes {
    [0, LANES / 2].map(|first| f32x8::new(std::array::from_fn(|lane| number(first + lane))))
}

/// One group's sums for `N` rows.
#[inline(always)]
fn sums<const N: usize>(rows: &[f32], weights: &[Lanes], bias: &Lanes) -> [Lanes; N] {
    let width = weights.len();
    let rows: [&[f32]; N] = std::array::from_fn(|row| &rows[row * width..][..width]);
    let mut sums = [*bias; N];
    for (input, [low, high]) in weights.iter().enumerate() {
        for (row, sums) in rows.iter().zip(&mut sums) {
            let number = f32x8::splat(row[input]);
            *sums = [number.mul_add(*low, sums[0]), number.mul_add(*high, sums[1])];
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_matrix_in_any_company() {
        for (inputs, outputs, rows) in [(1, 1, 1), (5, 3, 9), (40, 16, 4), (7, 33, 6)] {
            let weights: Vec<f32> = (0..inputs * outputs).map(|i| ((i * 7) % 11) as f32 - 5.0).collect();
            let bias: Vec<f32> = (0..outputs).map(|i| i as f32 * 0.5).collect();
            let input: Vec<f32> = (0..rows * inputs).map(|i| ((i * 5) % 13) as f32 * 0.25 - 1.0).collect();
            let linear = Linear::new(&weights, &bias);
            let mut output = vec![f32::NAN; rows * outputs];
            linear.apply(&input, &mut output);
            for row in 0..rows {
                for out in 0..outputs {
                    let terms = (0..inputs).map(|i| input[row * inputs + i] * weights[out * inputs + i]);
                    assert_eq!(output[row * outputs + out], bias[out] + terms.sum::<f32>());
                }
                let mut alone = vec![f32::NAN; outputs];
                linear.apply(&input[row * inputs..(row + 1) * inputs], &mut alone);
                assert_eq!(alone, output[row * outputs..(row + 1) * outputs]);
            }
            assert_eq!(linear.outputs(), outputs);
        }
    }
}
