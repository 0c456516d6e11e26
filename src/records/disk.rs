//! Files that are there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::RunError;

/// The size and the checksum of a file's bytes as they lie on the disk (after compression).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fingerprint {
    pub bytes: u64,
    pub sha256: String,
}

/// Passes bytes on and takes their fingerprint.
struct Fingerprinter<W> {
    inner: W,
    bytes: u64,
    hash: Sha256,
}

impl<W: Write> Write for Fingerprinter<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buffer)?;
        self.hash.update(&buffer[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The fingerprint of a file.
pub(super) fn fingerprint(path: &Path) -> io::Result<Fingerprint> {
    let mut file = File::open(path)?;
    let mut sink = Fingerprinter { inner: io::sink(), bytes: 0, hash: Sha256::new() };
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => sink.write_all(&buffer[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Fingerprint { bytes: sink.bytes, sha256: hex(&sink.hash.finalize()) })
}

/// Bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The name under which a file is written before it is complete.
fn unfinished(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

/// True if a file of this name was never completed.
pub(super) fn is_unfinished(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".tmp")
}

/// Writes a file under a temporary name in the same directory, syncs and renames it, and syncs the directory.
/// When it fails, what stood at `path` before still does.
pub fn write_whole(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Fingerprint, RunError> {
    replace(path, fill).map_err(|source| RunError::write(path, source))
}

/// As [`write_whole`]. The temporary name is that of the file, so that what a kill leaves goes with the next attempt.
pub(crate) fn replace(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Fingerprint> {
    let temporary = unfinished(path);
    let written = write_synced(&temporary, fill).and_then(|found| fs::rename(&temporary, path).map(|()| found));
    match written {
        Ok(found) => {
            sync_parent(path)?;
            Ok(found)
        }
        Err(error) => {
            // It is of no use; if it cannot be removed now, the next start does.
            let _ = fs::remove_file(&temporary);
            Err(error)
        }
    }
}

fn write_synced(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Fingerprint> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
    let mut writer = Fingerprinter { inner: BufWriter::with_capacity(1 << 16, file), bytes: 0, hash: Sha256::new() };
    fill(&mut writer)?;
    writer.flush()?;
    let file = writer.inner.into_inner().map_err(|error| error.into_error())?;
    file.sync_all()?;
    Ok(Fingerprint { bytes: writer.bytes, sha256: hex(&writer.hash.finalize()) })
}

/// Makes a rename in the directory that holds `path` survive a power cut.
pub(super) fn sync_parent(path: &Path) -> io::Result<()> {
    // Windows opens no directories.
    if cfg!(unix)
        && let Some(parent) = path.parent()
    {
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        match File::open(parent).and_then(|directory| directory.sync_all()) {
            Ok(()) => {}
            // Some network file systems cannot sync a directory.
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A plain or (by its name) zstd-compressed file as a stream of its content.
pub(super) fn open_content(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    let file = File::open(path)?;
    Ok(match path.extension() {
        Some(extension) if extension == "zst" => Box::new(zstd::Decoder::new(file)?),
        _ => Box::new(BufReader::new(file)),
    })
}
