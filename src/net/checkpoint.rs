//! Network files: safetensors with a description of the network in their metadata.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::head::MIXTURES;
use super::model::{Architecture, Network};
use super::planes::LAYOUT_VERSION;
use super::scaling::{self, Scaling};
use crate::games::GameKind;
use crate::records::replace;

/// Changes whenever the file's own form or the model's arithmetic changes. Files of format 2 are the same but for the
/// scalings, of which they have none.
const FORMAT: u32 = 3;
const FORMATS: RangeInclusive<u32> = 2..=FORMAT;

/// The metadata key. One key only: the safetensors crate writes several in random order, and equal networks must
/// be equal files.
const META_KEY: &str = "fairkomi";

/// No network file is larger than this; anything else is not read into memory.
const MAX_BYTES: u64 = 1 << 30;

/// Where a network comes from, as the one who has it trained knows it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// 0 for the first network of a run.
    pub generation: u32,
    /// The command that trained it.
    pub command: String,
    /// Hash of the network that training started from, if any.
    pub parent: Option<String>,
}

/// The komi (added to the second player's score) that a network has seen on boards of one side, in half points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KomiRange {
    pub size: usize,
    pub low: i32,
    pub high: i32,
}

/// What is known about a network.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NetMeta {
    format: u32,
    /// The version of the plane layout.
    planes: u32,
    mixtures: usize,
    pub architecture: Architecture,
    /// The board sides it was trained on; none for an untrained one.
    pub sizes: Vec<usize>,
    /// The komi that it was trained at, but for the outermost: beyond them its answers are guesses. None in Fugo.
    pub komi: Vec<KomiRange>,
    /// How its values are scaled, ascending by side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scalings: Vec<Scaling>,
    /// The seed of its training, or of its random weights.
    pub seed: u64,
    /// The SHA-256 of the training data (empty for an untrained network).
    pub data_hash: String,
    /// The epoch whose weights these are, from 1; 0 for an untrained network.
    pub epoch: usize,
    /// The loss on held-out games then, in nats.
    pub held_out_loss: Option<f32>,
    pub provenance: Provenance,
    /// The version of the program that made it.
    pub version: String,
}

impl NetMeta {
    pub(super) fn new(architecture: Architecture, seed: u64, provenance: Provenance) -> Self {
        NetMeta {
            format: FORMAT,
            planes: LAYOUT_VERSION,
            mixtures: MIXTURES,
            architecture,
            sizes: Vec::new(),
            komi: Vec::new(),
            scalings: Vec::new(),
            seed,
            data_hash: String::new(),
            epoch: 0,
            held_out_loss: None,
            provenance,
            version: env!("CARGO_PKG_VERSION").to_string(),
        }
    }
}

/// A network file that could not be read or written.
#[derive(Debug, Error)]
#[error("{}: {fault}", .path.display())]
pub struct FileError {
    pub path: PathBuf,
    pub fault: FileFault,
}

/// What does not fit about a network file.
#[derive(Debug, Error)]
pub enum FileFault {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("the file is too large for a network ({0} bytes)")]
    TooLarge(u64),
    #[error("this is not a safetensors file, or it is damaged: {0}; give a whole file as `fairkomi train` writes it")]
    NotSafetensors(String),
    #[error("the file describes no fairkomi network (its metadata has no `{META_KEY}`)")]
    NoMetadata,
    #[error("the network's description cannot be read: {0}")]
    Metadata(String),
    #[error("the file has format {found}; this program reads formats {first} to {FORMAT}", first = FORMATS.start())]
    Format { found: u32 },
    #[error("the network was made for version {found} of the input planes; this program has version {LAYOUT_VERSION}")]
    Planes { found: u32 },
    #[error("the network gives mixtures of {found} logistics; this program reads {MIXTURES}")]
    Mixtures { found: usize },
    #[error("{0}")]
    Architecture(super::NetError),
    #[error("the network plays {found}, not {wanted}; give one that was trained on {wanted}")]
    OtherGame { found: GameKind, wanted: GameKind },
    #[error("the tensor `{0}` is missing")]
    Missing(String),
    #[error("the tensor `{0}` does not belong to a network of this architecture")]
    Extra(String),
    #[error("the tensor `{name}` has shape {found:?}; the architecture wants {wanted:?}")]
    Shape { name: String, found: Vec<usize>, wanted: Vec<usize> },
    #[error("the tensor `{name}` holds {found}, not F32")]
    Kind { name: String, found: String },
    #[error("the tensor `{0}` holds a NaN or an infinity")]
    NotFinite(String),
}

/// A network as it lies in a file.
#[derive(Clone, PartialEq, Debug)]
pub struct NetFile {
    pub network: Network,
    hash: String,
}

impl NetFile {
    /// Reads a network and checks all of it.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        let fail = |fault| FileError { path: path.to_path_buf(), fault };
        let bytes = read(path).map_err(fail)?;
        let network = parse(&bytes).map_err(fail)?;
        Ok(NetFile { network, hash: hash(&bytes) })
    }

    /// A network as if it came from its file.
    pub fn of(network: Network) -> Result<Self, FileFault> {
        let hash = hash(&network.to_bytes()?);
        Ok(NetFile { network, hash })
    }

    /// As [`NetFile::load`], for a network that has to play `game`.
    pub fn load_for(path: &Path, game: GameKind) -> Result<Self, FileError> {
        let file = NetFile::load(path)?;
        let found = file.network.game();
        if found == game {
            return Ok(file);
        }
        Err(FileError { path: path.to_path_buf(), fault: FileFault::OtherGame { found, wanted: game } })
    }

    /// The first 12 hexadecimal digits of the file's SHA-256: the network's name in records.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

impl Network {
    /// The network as a file's bytes; equal networks give equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileFault> {
        let meta = serde_json::to_string(&self.meta).map_err(|error| FileFault::Metadata(error.to_string()))?;
        let specs = self.meta.architecture.tensors();
        let parts: Vec<(&str, Vec<usize>, Vec<u8>)> = specs
            .iter()
            .map(|spec| (spec.name.as_str(), spec.shape.clone(), to_bytes(&self.weights[spec.range.clone()])))
            .collect();
        serialize(META_KEY, meta, &parts)
    }

    /// The same network with these scalings, and its own ones on boards of other sides.
    pub fn with_scalings(&self, scalings: impl IntoIterator<Item = Scaling>) -> Network {
        let mut network = self.clone();
        network.meta.format = FORMAT;
        for scaling in scalings {
            network.meta.scalings.retain(|one| one.size != scaling.size);
            network.meta.scalings.push(scaling);
        }
        network.meta.scalings.sort_by_key(|one| one.size);
        network
    }

    /// The same network with values as they come from its weights.
    pub fn unscaled(&self) -> Network {
        let mut network = self.clone();
        network.meta.scalings.clear();
        network
    }

    /// Writes the network's file, whole or not at all, and returns its hash.
    pub fn save(&self, path: &Path) -> Result<String, FileError> {
        let write = || {
            let bytes = self.to_bytes()?;
            replace(path, |file| file.write_all(&bytes))?;
            Ok(hash(&bytes))
        };
        write().map_err(|fault| FileError { path: path.to_path_buf(), fault })
    }
}

fn hash(bytes: &[u8]) -> String {
    let mut text = hex(&Sha256::digest(bytes));
    text.truncate(12);
    text
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a file that is not absurdly large.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, FileFault> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    if length > MAX_BYTES {
        return Err(FileFault::TooLarge(length));
    }
    let mut bytes = Vec::with_capacity(length as usize);
    // Also for what has no length of its own, such as a pipe.
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(FileFault::TooLarge(bytes.len() as u64));
    }
    Ok(bytes)
}

pub(super) fn to_bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

pub(super) fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    let numbers = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    numbers.collect()
}

/// A safetensors file with F32 tensors and one metadata entry.
pub(super) fn serialize(key: &str, meta: String, parts: &[(&str, Vec<usize>, Vec<u8>)]) -> Result<Vec<u8>, FileFault> {
    let fault = |error: safetensors::SafeTensorError| FileFault::NotSafetensors(error.to_string());
    let mut views = Vec::with_capacity(parts.len());
    for (name, shape, bytes) in parts {
        views.push((*name, TensorView::new(Dtype::F32, shape.clone(), bytes).map_err(fault)?));
    }
    safetensors::serialize(views, Some(HashMap::from([(key.to_string(), meta)]))).map_err(fault)
}

/// A safetensors file's tensors and the metadata entry `key`.
pub(super) fn deserialize<'a>(bytes: &'a [u8], key: &str) -> Result<(SafeTensors<'a>, String), FileFault> {
    let fault = |error: safetensors::SafeTensorError| FileFault::NotSafetensors(error.to_string());
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(fault)?;
    let tensors = SafeTensors::deserialize(bytes).map_err(fault)?;
    let meta = metadata.metadata().as_ref().and_then(|entries| entries.get(key));
    Ok((tensors, meta.ok_or(FileFault::NoMetadata)?.clone()))
}

/// The tensor's numbers, if it has this shape and all of them are finite.
pub(super) fn tensor(tensors: &SafeTensors<'_>, name: &str, shape: &[usize]) -> Result<Vec<f32>, FileFault> {
    let view = tensors.tensor(name).map_err(|_| FileFault::Missing(name.to_string()))?;
    if view.dtype() != Dtype::F32 {
        return Err(FileFault::Kind { name: name.to_string(), found: format!("{:?}", view.dtype()) });
    }
    if view.shape() != shape {
        let (found, wanted) = (view.shape().to_vec(), shape.to_vec());
        return Err(FileFault::Shape { name: name.to_string(), found, wanted });
    }
    let numbers = from_bytes(view.data());
    if numbers.iter().all(|number| number.is_finite()) {
        Ok(numbers)
    } else {
        Err(FileFault::NotFinite(name.to_string()))
    }
}

/// The versions, read before all else: a description in another form has to be named as such.
#[derive(Deserialize)]
struct Versions {
    format: u32,
    planes: u32,
    mixtures: usize,
}

fn parse(bytes: &[u8]) -> Result<Network, FileFault> {
    let (tensors, text) = deserialize(bytes, META_KEY)?;
    let unreadable = |error: serde_json::Error| FileFault::Metadata(error.to_string());
    let versions: Versions = serde_json::from_str(&text).map_err(unreadable)?;
    if !FORMATS.contains(&versions.format) {
        return Err(FileFault::Format { found: versions.format });
    }
    if versions.planes != LAYOUT_VERSION {
        return Err(FileFault::Planes { found: versions.planes });
    }
    if versions.mixtures != MIXTURES {
        return Err(FileFault::Mixtures { found: versions.mixtures });
    }
    let meta: NetMeta = serde_json::from_str(&text).map_err(unreadable)?;
    scaling::check(&meta.scalings).map_err(FileFault::Metadata)?;
    meta.architecture.check().map_err(FileFault::Architecture)?;
    let specs = meta.architecture.tensors();
    let mut names = tensors.names();
    names.sort_unstable();
    if let Some(extra) = names.iter().find(|name| !specs.iter().any(|spec| spec.name == **name)) {
        return Err(FileFault::Extra(extra.to_string()));
    }
    let mut weights = Vec::new();
    for spec in &specs {
        weights.extend(tensor(&tensors, &spec.name, &spec.shape)?);
    }
    Ok(Network { meta, weights })
}
