//! The flags of `fairkomi train`.

use std::path::PathBuf;

use super::JobFlags;
use super::check::Check;
use crate::config::limits;
use crate::config::{ConfigFaults, TrainSection, chunks_of_batch};

/// Train a network on games that were played
#[derive(clap::Args, Clone, Debug)]
#[command(
    long_about = "Trains a value network on the games of one or more run directories, all of one game but of any \
        sizes, and writes it to a file. Stops when the loss on games held out no longer falls.",
    after_help = "Example:\n  fairkomi train --data runs/yugo5 runs/yugo7 --out yugo.safetensors"
)]
pub struct TrainFlags {
    /// Run directories with the games to learn from
    #[arg(long, value_name = "DIR", num_args = 1.., required = true)]
    pub data: Vec<PathBuf>,
    /// File to write the network to (.safetensors)
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Network to start from, instead of a random one
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Convolutions of the trunk
    #[arg(long, value_name = "N", default_value_t = limits::LAYERS.usual)]
    pub layers: u64,
    /// Channels of each convolution
    #[arg(long, value_name = "N", default_value_t = limits::CHANNELS.usual)]
    pub channels: u64,
    /// Learn the expected score alone, not the margin
    #[arg(long)]
    pub no_margins: bool,
    /// Passes over the data at most
    #[arg(long, value_name = "N", default_value_t = limits::EPOCHS.usual)]
    pub epochs: u64,
    /// Epochs without a better held-out loss after which training stops
    #[arg(long, value_name = "N", default_value_t = limits::PATIENCE.usual)]
    pub patience: u64,
    /// Positions in a gradient step
    #[arg(long, value_name = "N", default_value_t = limits::TRAIN_BATCH.usual)]
    pub batch: u64,
    /// Parts into which such a batch is split for the threads; the result depends on it
    #[arg(long, value_name = "N", default_value_t = limits::CHUNKS.usual)]
    pub chunks: u64,
    /// AdamW's step size
    #[arg(long, value_name = "X", default_value_t = limits::LEARNING_RATE.usual)]
    pub learning_rate: f64,
    /// AdamW's weight decay
    #[arg(long, value_name = "X", default_value_t = limits::WEIGHT_DECAY.usual)]
    pub weight_decay: f64,
    /// Share of the games held out, 0.01 to 0.5
    #[arg(long, value_name = "X", default_value_t = limits::VALIDATION.usual)]
    pub validation: f64,
    #[command(flatten)]
    pub job: JobFlags,
}

impl TrainFlags {
    /// The config that the flags ask for, and the seed.
    pub fn config(&self) -> Result<(TrainSection, u64), ConfigFaults> {
        let mut check = Check::default();
        let seed = check.job(&self.job);
        let config = TrainSection {
            layers: check.whole("--layers", self.layers, &limits::LAYERS),
            channels: check.whole("--channels", self.channels, &limits::CHANNELS),
            margins: !self.no_margins,
            epochs: check.whole("--epochs", self.epochs, &limits::EPOCHS),
            patience: check.whole("--patience", self.patience, &limits::PATIENCE),
            batch: check.whole("--batch", self.batch, &limits::TRAIN_BATCH),
            chunks: check.whole("--chunks", self.chunks, &limits::CHUNKS),
            learning_rate: check.real("--learning-rate", self.learning_rate, &limits::LEARNING_RATE),
            weight_decay: check.real("--weight-decay", self.weight_decay, &limits::WEIGHT_DECAY),
            validation: check.real("--validation", self.validation, &limits::VALIDATION),
            window: usize::MAX,
            go_on: true,
        };
        check.agree("--chunks", "--batch", chunks_of_batch(config.chunks, config.batch));
        check.done((config, seed))
    }
}
