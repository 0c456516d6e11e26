//! Learning: data from runs, training, and the main job that puts the parts together.

mod data;
mod pipeline;
mod training;

pub use data::{Data, DataError, DataUse, load};
pub use pipeline::{BoardResult, PipelineError, PipelineResult, Ui, pipeline};
pub use training::{TrainingError, TrainingJob, train};
