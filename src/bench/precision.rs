//! What is lost by computing in bfloat16.

use crate::config::{Inference, Precision};
use crate::games::{HalfPoints, Options};
use crate::net::{NetError, Network, Snapshot};
use crate::search::{PlayoutPolicy, Purpose, stream};

/// Playouts from whose positions values are compared.
const PLAYOUTS: u64 = 50;

/// How far values in bfloat16 are from those in 32 bits, as expected scores.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct ValueError {
    pub positions: usize,
    pub mean: f64,
    pub most: f64,
}

/// Compares a network's values in both precisions, on every position of some playouts, at komi around zero.
pub fn value_error<G: PlayoutPolicy>(
    network: &Network,
    size: usize,
    inference: Inference,
) -> Result<ValueError, NetError> {
    let mut positions = Vec::new();
    for index in 0..PLAYOUTS {
        let mut rng = stream(1, Purpose::Playout, index);
        let half_points = G::KIND.has_score() as i32 * (index as i32 % 9 - 4);
        let mut position = G::new(size, Options::default());
        let mut steps = Vec::new();
        position.clone().play_out(G::playout_cap(size), &mut rng, |step| steps.push(step));
        for step in steps {
            positions.push(Snapshot::of(&position, HalfPoints(half_points)));
            position.play(step);
        }
    }
    let values = |precision| -> Result<Vec<f64>, NetError> {
        let answers = network.evaluator(Inference { precision, ..inference })?.predict(&positions)?;
        Ok(answers.iter().map(|answer| answer.value).collect())
    };
    let (exact, rounded) = (values(Precision::F32)?, values(Precision::Bf16)?);
    let distances = || exact.iter().zip(&rounded).map(|(exact, rounded)| (exact - rounded).abs());
    Ok(ValueError {
        positions: positions.len(),
        mean: distances().sum::<f64>() / positions.len().max(1) as f64,
        most: distances().fold(0.0, f64::max),
    })
}
