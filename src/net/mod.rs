//! The network: positions as planes, the model, training, network files, and batched inference as an `Evaluator`.
//!
//! The only room that knows libtorch. What a network says about a position is plain numbers ([`Prediction`]); weights
//! are plain numbers too ([`Network`]), and each thread builds its own tensors from them.

mod adamw;
mod buffer;
mod cache;
mod checkpoint;
mod head;
mod heads;
mod infer;
mod linear;
mod loss;
mod model;
mod planes;
mod policy;
mod resume;
pub mod runtime;
mod scaling;
mod scene;
mod snapshot;
mod train;
mod trunk;

#[cfg(test)]
mod tests;

pub use checkpoint::{FileError, FileFault, KomiRange, NetFile, NetMeta, Provenance};
pub use head::{MIXTURES, MarginMixture, Prediction};
pub use infer::{NetEvaluator, OwnAnswer};
pub use loss::{Losses, Target};
pub use model::{Architecture, Network};
pub use planes::{LAYOUT_VERSION, MAX_PLANES, Plane, layout, plane_count};
pub use policy::PolicyTarget;
pub use scaling::{Scaling, Valued, fit_scalings};
pub use snapshot::{Fields, Snapshot, SnapshotError, Stage};
pub use train::{
    Bin, Calibration, EpochReport, Finish, HeldOut, Progress, Sample, TrainConfig, TrainError, Trained, Trainer,
};

use crate::games::GameKind;
use thiserror::Error;

/// Why a network could not be built or run.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum NetError {
    /// libtorch reported an error.
    #[error("libtorch: {0}")]
    Torch(String),
    /// The batch is too small for rows to be independent of each other.
    #[error("a batch of {0} is too small (16 at least): a row's value would depend on its neighbours")]
    SmallBatch(usize),
    /// More rows than the batch holds.
    #[error("{rows} positions do not fit a batch of {batch}")]
    TooMany { rows: usize, batch: usize },
    /// The position belongs to another game.
    #[error("the network plays {network}, not {game}")]
    OtherGame { network: GameKind, game: GameKind },
    /// Boards of several sizes in one call.
    #[error("one batch holds boards of sides {0} and {1}")]
    MixedSizes(usize, usize),
    /// The network's answer holds a NaN or an infinity.
    #[error("the network's answer is not a finite number")]
    NotFinite,
    /// A row's bits are not its own.
    #[error("at batch {batch} on {size}x{size} a row's value depends on {what}: results could not be reproduced")]
    NotInvariant { batch: usize, size: usize, what: &'static str },
    /// No model can have these numbers of layers and channels.
    #[error("{layers} layers of {channels} channels: 1 to 64 layers and 1 to 1024 channels are possible")]
    Architecture { layers: usize, channels: usize },
}

impl From<tch::TchError> for NetError {
    fn from(error: tch::TchError) -> Self {
        // libtorch appends its C++ backtrace: the first line says what is wrong.
        let text = error.to_string();
        NetError::Torch(text.lines().next().unwrap_or_default().to_string())
    }
}
