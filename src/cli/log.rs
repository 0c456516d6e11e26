//! A run's log: `log.jsonl` in its directory, a JSON object a line. Warnings and errors are told on standard error too.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use thiserror::Error;
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, MakeWriter, layer};
use tracing_subscriber::layer::{Layer as _, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

use super::progress::say;

/// The log's name in a run's directory.
pub const LOG_FILE: &str = "log.jsonl";

/// Why a run has no log.
#[derive(Debug, Error)]
pub enum LogError {
    #[error("cannot open {}: {source}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("a log is being written already")]
    Started,
}

/// Writes what is traced from now on to the log of the run in `folder`, at its end if there is one. Once a process.
pub fn start(folder: &Path) -> Result<(), LogError> {
    let path = folder.join(LOG_FILE);
    let file = open(&path).map_err(|source| LogError::Open { path, source })?;
    tracing::subscriber::set_global_default(subscriber(Mutex::new(file), || Said)).map_err(|_| LogError::Started)
}

/// Opens a log to write at its end. A last line that a crash cut off is ended, so that it stays the only bad one.
fn open(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    if file.seek(SeekFrom::End(0))? > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(file)
}

fn subscriber<L, T>(log: L, told: T) -> impl Subscriber + Send + Sync
where
    L: for<'a> MakeWriter<'a> + Send + Sync + 'static,
    T: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let lines = layer().json().flatten_event(true).with_current_span(false).with_span_list(false).with_writer(log);
    let told = layer().with_ansi(false).event_format(Plain).with_writer(told);
    tracing_subscriber::registry().with(lines.with_filter(LevelFilter::INFO)).with(told.with_filter(LevelFilter::WARN))
}

/// `warning: the text key=value`.
struct Plain;

impl<S, N> FormatEvent<S, N> for Plain
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, ctx: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        writer.write_str(if *event.metadata().level() == Level::ERROR { "error: " } else { "warning: " })?;
        ctx.format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

/// Standard error, as far as a progress bar leaves room. Events come whole.
struct Said;

impl Write for Said {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        say(String::from_utf8_lossy(event).trim_end_matches('\n'));
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::Value;

    use super::*;

    /// Where the tests read what was told.
    #[derive(Clone, Default)]
    struct Page(std::sync::Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn events_are_appended_and_only_warnings_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOG_FILE);
        fs::write(&path, "{\"message\":\"old\"}\n{\"message\":\"to").unwrap();
        let page = Page::default();
        let told = page.clone();
        let log = Mutex::new(open(&path).unwrap());
        tracing::subscriber::with_default(subscriber(log, move || told.clone()), || {
            tracing::debug!("unseen");
            tracing::info!(games = 3, "a \"shard\"\nis done");
            tracing::warn!(share = 0.25, "many games repeat");
            tracing::error!("the disk is full");
        });
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<Option<Value>> = text.lines().map(|line| serde_json::from_str(line).ok()).collect();
        assert!(lines.len() == 5 && lines[0].is_some() && lines[1].is_none(), "{text}");
        let last: Vec<&Value> = lines[2..].iter().flatten().collect();
        assert_eq!(last[0]["message"], "a \"shard\"\nis done");
        assert_eq!((&last[0]["games"], &last[0]["level"]), (&Value::from(3), &Value::from("INFO")));
        assert!(last[1]["timestamp"].is_string() && last.len() == 3);
        let told = String::from_utf8(page.0.lock().unwrap().clone()).unwrap();
        assert_eq!(told, "warning: many games repeat share=0.25\nerror: the disk is full\n");
    }

    #[test]
    fn a_log_that_cannot_be_opened_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = start(&folder.path().join("none")).unwrap_err().to_string();
        assert!(error.starts_with("cannot open ") && error.contains("none/log.jsonl: "), "{error}");
    }
}
