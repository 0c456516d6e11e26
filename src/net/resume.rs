//! A training's state between two epochs, as a file: all that is needed to go on as if nothing had happened.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::adamw::AdamW;
use super::checkpoint::{FileError, FileFault, deserialize, read, serialize, tensor, to_bytes};
use super::model::Architecture;
use super::train::EpochReport;
use crate::records::replace;

const META_KEY: &str = "fairkomi-training";

/// Where a training stands after some whole epochs. Random numbers need no place here: their streams are keyed by epoch.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct State {
    pub weights: Vec<f32>,
    pub optimiser: AdamW,
    /// The weights after the best epoch so far.
    pub best: Vec<f32>,
    pub history: Vec<EpochReport>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    /// Tells this training from others: config, data and first weights.
    fingerprint: String,
    step: u64,
    /// The reports' numbers as bits: JSON in decimal need not bring back the same number.
    history: Vec<Vec<u64>>,
}

/// Why a training cannot be resumed from a file.
pub(super) enum LoadError {
    File(FileError),
    /// The file belongs to another training.
    Other,
}

impl State {
    pub(super) fn new(architecture: &Architecture, weights: &[f32]) -> Self {
        State {
            weights: weights.to_vec(),
            optimiser: AdamW::new(architecture),
            best: weights.to_vec(),
            history: Vec::new(),
        }
    }

    pub(super) fn save(&self, path: &Path, fingerprint: &str) -> Result<(), FileError> {
        let history = self.history.iter().map(|report| report.to_numbers().iter().map(|x| x.to_bits()).collect());
        let header =
            Header { fingerprint: fingerprint.to_string(), step: self.optimiser.step, history: history.collect() };
        let write = || {
            let meta = serde_json::to_string(&header).map_err(|error| FileFault::Metadata(error.to_string()))?;
            let parts = self.parts().map(|(name, numbers)| (name, vec![numbers.len()], to_bytes(numbers)));
            let bytes = serialize(META_KEY, meta, &parts)?;
            replace(path, |file| file.write_all(&bytes))?;
            Ok(())
        };
        write().map_err(|fault| FileError { path: path.to_path_buf(), fault })
    }

    fn parts(&self) -> [(&'static str, &[f32]); 4] {
        let AdamW { first, second, .. } = &self.optimiser;
        [("weights", &self.weights), ("best", &self.best), ("adam.first", first), ("adam.second", second)]
    }

    /// The state in the file, `None` if there is no such file.
    pub(super) fn load(path: &Path, architecture: &Architecture, fingerprint: &str) -> Result<Option<Self>, LoadError> {
        let fail = |fault| LoadError::File(FileError { path: path.to_path_buf(), fault });
        let bytes = match read(path) {
            Ok(bytes) => bytes,
            Err(FileFault::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(fault) => return Err(fail(fault)),
        };
        let (tensors, meta) = deserialize(&bytes, META_KEY).map_err(fail)?;
        let unreadable = |what: String| fail(FileFault::Metadata(what));
        let header: Header = serde_json::from_str(&meta).map_err(|error| unreadable(error.to_string()))?;
        if header.fingerprint != fingerprint {
            return Err(LoadError::Other);
        }
        let shape = [architecture.weights()];
        let part = |name| tensor(&tensors, name, &shape).map_err(fail);
        let mut state = State::new(architecture, &part("weights")?);
        state.best = part("best")?;
        state.optimiser.first = part("adam.first")?;
        state.optimiser.second = part("adam.second")?;
        state.optimiser.step = header.step;
        for numbers in &header.history {
            let numbers: Vec<f64> = numbers.iter().map(|bits| f64::from_bits(*bits)).collect();
            let report = EpochReport::from_numbers(&numbers);
            state.history.push(report.ok_or_else(|| unreadable("the history is broken".to_string()))?);
        }
        Ok(Some(state))
    }
}
