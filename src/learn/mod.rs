//! Learning: data from runs, training, and the main job that puts the parts together.

mod calibration;
mod curves;
mod data;
mod gate;
mod generations;
mod job;
mod layout;
mod matches;
mod measure;
mod pipeline;
mod status;
#[cfg(test)]
mod tests;
mod times;
mod training;
mod window;

pub use calibration::{CalibrationError, NetCalibration, calibrate, scaled};
pub use curves::{FairKomiRow, GenerationRow};
pub use data::{Data, DataError, DataUse, load};
pub use layout::{BALANCE, KOMI, MATCH, PAGE, REPORT, SUMMARY, board_folder};
pub use pipeline::{BoardResult, PipelineError, PipelineResult, Ui, pipeline};
pub use status::{BoardStatus, GameStatus, RunStatus, StatusError, status};
pub use times::{StageTime, Times};
pub use training::{TrainingError, TrainingJob, train};
