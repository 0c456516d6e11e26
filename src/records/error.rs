//! What can go wrong with a run's directory.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a run's directory cannot be opened, read or written. Each message names the path and the cure.
#[derive(Debug, Error)]
pub enum RunError {
    /// The disk refused. Finished shards are kept.
    #[error("cannot {action} {}: {source}; {cure}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error, cure: &'static str },
    /// Another process writes the run.
    #[error(
        "{} is being written by another process; wait until it ends or stop it, or choose another directory",
        path.display()
    )]
    Locked { path: PathBuf },
    /// The directory holds a run of another config.
    #[error(
        "{} holds another run: {}; only the command that began it can go on with it, so choose another directory or \
         give the same settings",
        path.display(),
        differences.join("; ")
    )]
    OtherConfig { path: PathBuf, differences: Vec<String> },
    /// A config is not TOML.
    #[error("{} is not a valid config: {reason}", path.display())]
    Config { path: PathBuf, reason: String },
    /// The directory is not a run.
    #[error("{} is not the directory of a run: {reason}", path.display())]
    NotARun { path: PathBuf, reason: String },
    /// The manifest cannot be understood.
    #[error("{}: {reason}; restore the file from a copy of the run, or begin a new run elsewhere", path.display())]
    Manifest { path: PathBuf, reason: String },
    /// A file of a finished shard is not what was written.
    #[error(
        "{}: {reason}; restore it from a copy of the run, or delete the entry of shard {shard} from manifest.json and \
         run the same command again, which plays its games again",
        path.display()
    )]
    ShardFile { path: PathBuf, shard: u64, reason: String },
    /// What was to be written does not make a shard: an error of the caller's.
    #[error("shard {shard} cannot be written: {reason}")]
    Shard { shard: u64, reason: String },
}

impl RunError {
    /// A failed write.
    pub(crate) fn write(path: &Path, source: io::Error) -> RunError {
        RunError::io("write", path, source)
    }

    /// A failed read.
    pub(super) fn read(path: &Path, source: io::Error) -> RunError {
        RunError::io("read", path, source)
    }

    fn io(action: &'static str, path: &Path, source: io::Error) -> RunError {
        let cure = match (action, source.kind()) {
            (_, ErrorKind::StorageFull) => {
                "free some space and run the same command again: finished shards are kept and it goes on after them"
            }
            (_, ErrorKind::QuotaExceeded) => {
                "free some of your quota and run the same command again: finished shards are kept"
            }
            ("write", ErrorKind::ReadOnlyFilesystem) => {
                "the file system is read-only: choose a directory elsewhere, or mount it for writing"
            }
            (_, ErrorKind::PermissionDenied) => "give yourself the right to it, or choose another directory",
            ("write", ErrorKind::NotADirectory | ErrorKind::AlreadyExists) => {
                "a file is in the way: choose another directory"
            }
            (_, ErrorKind::NotFound) => "check the path",
            // What a decoder cannot make out has no kind of its own.
            (_, ErrorKind::InvalidData | ErrorKind::UnexpectedEof) | ("read", ErrorKind::Other) => {
                "the file is damaged: restore it from a copy"
            }
            _ => "check the disk and run the same command again: finished shards are kept",
        };
        RunError::Io { action, path: path.to_path_buf(), source, cure }
    }
}
