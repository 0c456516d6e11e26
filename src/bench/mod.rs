//! What `bench` and `doctor` measure.

mod checksum;
pub mod doctor;
mod memory;
mod precision;
mod soak;
mod speed;
mod table;

pub use checksum::behaviour;
pub use memory::{Memory, memory};
pub use precision::{ValueError, value_error};
pub use soak::{Moment, early_and_late, soak, write_soak};
pub use speed::{BenchError, PlayoutRates, Rate, Run, playouts, selfplay};
pub use table::{Figure, Measured, Plan, bench_text, measure, selfplay_config, write_bench};

/// The machine in a few words: processor and cores.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let model = doctor::processor_model(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default());
    format!("{model}, {cores} cores, {}", std::env::consts::OS)
}
