//! What `bench` and `doctor` measure.

pub mod doctor;

/// The machine in a few words: processor and cores.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let model = doctor::processor_model(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default());
    format!("{model}, {cores} cores, {}", std::env::consts::OS)
}
