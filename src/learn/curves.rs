//! What is told of each generation.

use serde::{Deserialize, Serialize};

/// What a generation cost and brought. Losses are means over positions, in nats; intervals are those of the match or
/// fit that the figure comes from. `None` is what was not measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GenerationRow {
    /// Its number.
    pub generation: u32,
    /// True if its network plays the next generation's games.
    pub promoted: bool,
    /// Games of its self-play.
    pub games: u64,
    /// Positions of these games to learn from.
    pub positions: u64,
    /// Positions that the network judged in its self-play.
    pub evaluations: u64,
    /// Wall-clock time of its self-play, in seconds.
    pub selfplay_seconds: f64,
    /// Wall-clock time of its training, in seconds.
    pub training_seconds: f64,
    /// Work since the run's start up to its end: cores in use times hours.
    pub core_hours: f64,
    /// The loss while training, all parts together.
    pub train_loss: f64,
    /// The loss on held-out games, all parts together.
    pub held_out_loss: Option<f64>,
    /// The margin's part of the held-out loss.
    pub margin_loss: Option<f64>,
    /// The outcome's part of the held-out loss.
    pub outcome_loss: Option<f64>,
    /// The policy's part of the held-out loss.
    pub policy_loss: Option<f64>,
    /// The ownership's part of the held-out loss.
    pub ownership_loss: Option<f64>,
    /// Expected calibration error on held-out games: the mean distance between value and outcome, both from 0 to 1.
    pub calibration_error: Option<f64>,
    /// The score against the best network before it, from 0 to 1.
    pub gate_score: Option<f64>,
    /// The lower end of the score's interval.
    pub gate_low: Option<f64>,
    /// The upper end of the score's interval.
    pub gate_high: Option<f64>,
    /// Strength in Elo points.
    pub elo: Option<f64>,
    /// The lower end of its interval, in Elo points.
    pub elo_low: Option<f64>,
    /// The upper end of its interval, in Elo points.
    pub elo_high: Option<f64>,
}

/// The fair komi of a board as a generation's network measures it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FairKomiRow {
    /// The generation's number.
    pub generation: u32,
    /// Lines of the board, which is square.
    pub size: usize,
    /// In points.
    pub fair_komi: f64,
}
