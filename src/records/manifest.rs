//! The list of a run's finished shards.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::disk::{Fingerprint, fingerprint, hex, write_whole};
use super::{GameRow, PositionRow, Record, RunError};

/// The version of the manifest's own form.
const FORMAT: u32 = 1;

/// The folder of the shards in a run's directory.
pub(super) const SHARDS: &str = "shards";

/// The finished shards of a run: `manifest.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    format: u32,
    /// Games a shard: shard k holds the games k·s to (k + 1)·s − 1 of the run. 0 before the first shard.
    pub shard_size: u64,
    /// In ascending order. Shards need not be finished in order, so numbers may be missing while a run goes on.
    pub shards: Vec<ShardEntry>,
}

/// A finished shard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardEntry {
    /// The shard's number, from 0.
    pub shard: u64,
    /// The index of its first game.
    pub first_game: u64,
    /// The number of games, which is the number of rows of its `games` file.
    pub games: u64,
    /// The number of rows of its `positions` file.
    pub positions: u64,
    pub games_file: FileEntry,
    pub positions_file: FileEntry,
}

/// A file of a finished shard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its name in the folder `shards`.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// The SHA-256 of its bytes as they lie on the disk, in hexadecimal.
    pub sha256: String,
}

impl FileEntry {
    pub(super) fn new(name: String, found: Fingerprint) -> FileEntry {
        FileEntry { name, bytes: found.bytes, sha256: found.sha256 }
    }
}

/// The name of a shard's file.
pub(super) fn file_name<T: Record>(shard: u64, compressed: bool) -> String {
    let ending = if compressed { ".csv.zst" } else { ".csv" };
    format!("{}-{shard:06}{ending}", T::STEM)
}

/// True if the name is one that [`file_name`] gives.
pub(super) fn is_shard_file(name: &str) -> bool {
    let stem = name.strip_suffix(".zst").unwrap_or(name).strip_suffix(".csv");
    let number = stem.and_then(|stem| {
        let [games, positions] = [GameRow::STEM, PositionRow::STEM].map(|kind| stem.strip_prefix(kind));
        games.or(positions)?.strip_prefix('-')
    });
    number.is_some_and(|number| number.len() >= 6 && number.bytes().all(|c| c.is_ascii_digit()))
}

impl ShardEntry {
    /// The file that holds rows of kind `T`, and how many.
    pub(super) fn file<T: Record>(&self) -> (&FileEntry, u64) {
        if T::STEM == GameRow::STEM { (&self.games_file, self.games) } else { (&self.positions_file, self.positions) }
    }

    /// Checks both files in the run's directory `run` against their checksums.
    pub fn verify(&self, run: &Path) -> Result<(), RunError> {
        self.verify_file(run, &self.games_file)?;
        self.verify_file(run, &self.positions_file)
    }

    pub(super) fn verify_file(&self, run: &Path, file: &FileEntry) -> Result<(), RunError> {
        let path = run.join(SHARDS).join(&file.name);
        let wrong = |reason| RunError::ShardFile { path: path.clone(), shard: self.shard, reason };
        let found = fingerprint(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => wrong("the file is missing".to_string()),
            _ => RunError::read(&path, error),
        })?;
        if found.bytes != file.bytes {
            return Err(wrong(format!("it has {} bytes and not the {} that were written", found.bytes, file.bytes)));
        }
        if found.sha256 != file.sha256 {
            return Err(wrong("its checksum is not that of the bytes that were written".to_string()));
        }
        Ok(())
    }
}

impl Manifest {
    /// The manifest of a run without shards.
    pub(super) fn new() -> Manifest {
        Manifest { format: FORMAT, shard_size: 0, shards: Vec::new() }
    }

    /// Where the manifest of the run in `run` lies.
    pub(super) fn path(run: &Path) -> PathBuf {
        run.join("manifest.json")
    }

    /// Reads the manifest of the run in the directory `run`. It does not look at the shards.
    pub fn load(run: &Path) -> Result<Manifest, RunError> {
        let path = Manifest::path(run);
        let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                let reason = if run.exists() { "it has no manifest.json" } else { "there is nothing of this name" };
                RunError::NotARun { path: run.to_path_buf(), reason: reason.to_string() }
            }
            _ => RunError::read(&path, error),
        })?;
        let manifest: Manifest = serde_json::from_str(&text)
            .map_err(|error| RunError::Manifest { path: path.clone(), reason: error.to_string() })?;
        manifest.check().map_err(|reason| RunError::Manifest { path, reason })?;
        Ok(manifest)
    }

    /// What the manifest says must fit together.
    fn check(&self) -> Result<(), String> {
        if self.format != FORMAT {
            return Err(format!("its format is {}, and this program knows {FORMAT}", self.format));
        }
        if let Some(pair) = self.shards.windows(2).find(|pair| pair[0].shard >= pair[1].shard) {
            return Err(format!("shard {} comes after shard {}", pair[1].shard, pair[0].shard));
        }
        for entry in &self.shards {
            let shard = entry.shard;
            if Some(entry.first_game) != shard.checked_mul(self.shard_size) {
                let size = self.shard_size;
                return Err(format!("shard {shard} of {size} games each cannot begin with game {}", entry.first_game));
            }
            if entry.games == 0 || entry.games > self.shard_size {
                return Err(format!("shard {shard} cannot hold {} games", entry.games));
            }
            let names = |name: &str, [plain, compressed]: [String; 2]| name == plain || name == compressed;
            let games = [false, true].map(|compressed| file_name::<GameRow>(shard, compressed));
            let positions = [false, true].map(|compressed| file_name::<PositionRow>(shard, compressed));
            if !names(&entry.games_file.name, games) || !names(&entry.positions_file.name, positions) {
                return Err(format!("the files of shard {shard} have other names than that shard's"));
            }
        }
        Ok(())
    }

    /// Writes the manifest of the run in `run`.
    pub(super) fn save(&self, run: &Path) -> Result<(), RunError> {
        write_whole(&Manifest::path(run), |writer| {
            serde_json::to_writer_pretty(&mut *writer, self)?;
            writer.write_all(b"\n")
        })?;
        Ok(())
    }

    /// Checks every listed file in the run's directory `run` against its checksum; the first one that is missing
    /// or differs is the error.
    pub fn verify(&self, run: &Path) -> Result<(), RunError> {
        let checked: Vec<_> = self.shards.par_iter().map(|entry| entry.verify(run)).collect();
        checked.into_iter().collect()
    }

    /// The number of finished games.
    pub fn games(&self) -> u64 {
        self.shards.iter().map(|entry| entry.games).sum()
    }

    /// The number of recorded searches.
    pub fn positions(&self) -> u64 {
        self.shards.iter().map(|entry| entry.positions).sum()
    }

    /// A hash of all finished data, in hexadecimal: it names the data that a network was trained on.
    pub fn data_hash(&self) -> String {
        let mut hash = Sha256::new();
        for file in self.shards.iter().flat_map(|entry| [&entry.games_file, &entry.positions_file]) {
            hash.update(file.sha256.as_bytes());
        }
        hex(&hash.finalize())
    }
}
