//! Typed rows from a run, a shard's file or any CSV file with the same columns.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use csv::StringRecord;
use thiserror::Error;

use super::disk::open_content;
use super::manifest::{FileEntry, Manifest, SHARDS, ShardEntry};
use super::{Record, RunError};

/// A row that is not valid, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct RowError {
    pub file: PathBuf,
    /// The line on which the row begins, from 1; the header is line 1.
    pub line: u64,
    /// The column, where a single one is at fault.
    pub column: Option<&'static str>,
    pub reason: String,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)?;
        if let Some(column) = self.column {
            write!(f, ", column `{column}`")?;
        }
        write!(f, ": {}", self.reason)
    }
}

/// Why rows cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The directory of the run is at fault.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A header is not the one of these files.
    #[error("{}:1: {reason}", file.display())]
    Header { file: PathBuf, reason: String },
    /// A row is at fault.
    #[error(transparent)]
    Row(#[from] RowError),
    /// More rows are at fault than are tolerated.
    #[error("{count} rows are not valid, more than the {tolerated} allowed; the first: {first}")]
    Rejected { count: usize, tolerated: usize, first: RowError },
    /// A file's name has no known ending.
    #[error("{} is neither the directory of a run nor a file ending in .csv or .csv.zst", path.display())]
    Ending { path: PathBuf },
}

/// A row and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Located<T> {
    pub file: Arc<Path>,
    /// The line on which the row begins, from 1; the header is line 1.
    pub line: u64,
    pub row: T,
}

impl<T> Located<T> {
    /// The same place with a complaint.
    pub fn error(&self, column: &'static str, reason: impl Into<String>) -> RowError {
        RowError { file: self.file.to_path_buf(), line: self.line, column: Some(column), reason: reason.into() }
    }
}

/// All rows of one kind, in order, read as they are asked for.
///
/// A listed shard is checked against its checksum before its first row is given out. After an error nothing more
/// comes, unless bad rows are [tolerated](Rows::tolerate).
pub struct Rows<T> {
    sources: VecDeque<Source>,
    open: Option<OpenFile<T>>,
    tolerated: Option<usize>,
    rejected: Vec<RowError>,
    failed: bool,
}

/// A file to be read.
struct Source {
    path: PathBuf,
    /// The run's directory, and the shard and file as the manifest has them.
    listed: Option<(PathBuf, ShardEntry, FileEntry, u64)>,
}

impl<T: Record> Rows<T> {
    /// The rows of a run's directory (finished shards only), or of a single `.csv` or `.csv.zst` file.
    pub fn open(path: &Path) -> Result<Rows<T>, ReadError> {
        if path.is_dir() {
            return Ok(Rows::of_run(path, &Manifest::load(path)?));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.ends_with(".csv") && !name.ends_with(".csv.zst") {
            return Err(ReadError::Ending { path: path.to_path_buf() });
        }
        Ok(Rows::of([Source { path: path.to_path_buf(), listed: None }].into()))
    }

    /// The rows of the listed shards of the run in the directory `run`.
    pub fn of_run(run: &Path, manifest: &Manifest) -> Rows<T> {
        Rows::of(manifest.shards.iter().map(|entry| Source::listed::<T>(run, entry)).collect())
    }

    /// The rows of one listed shard.
    pub(super) fn of_shard(run: &Path, entry: &ShardEntry) -> Rows<T> {
        Rows::of([Source::listed::<T>(run, entry)].into())
    }

    fn of(sources: VecDeque<Source>) -> Rows<T> {
        Rows { sources, open: None, tolerated: None, rejected: Vec::new(), failed: false }
    }

    /// Leaves out bad rows instead of stopping at the first, as long as there are at most `count`.
    /// Only rows are tolerated: a wrong header, checksum or number of rows is still an error.
    pub fn tolerate(mut self, count: usize) -> Self {
        self.tolerated = Some(count);
        self
    }

    /// The bad rows left out so far.
    pub fn rejected(&self) -> &[RowError] {
        &self.rejected
    }

    fn read(&mut self) -> Result<Option<Located<T>>, ReadError> {
        loop {
            let open = match &mut self.open {
                Some(open) => open,
                None => match self.sources.pop_front() {
                    Some(source) => self.open.insert(OpenFile::new(source)?),
                    None => return Ok(None),
                },
            };
            match (open.read(), self.tolerated) {
                (Ok(Some(row)), _) => return Ok(Some(row)),
                (Ok(None), _) => self.open = None,
                (Err(ReadError::Row(error)), Some(tolerated)) => {
                    self.rejected.push(error);
                    let count = self.rejected.len();
                    if count > tolerated {
                        return Err(ReadError::Rejected { count, tolerated, first: self.rejected[0].clone() });
                    }
                }
                (Err(error), _) => return Err(error),
            }
        }
    }
}

impl<T: Record> Iterator for Rows<T> {
    type Item = Result<Located<T>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let row = self.read();
        self.failed = row.is_err();
        row.transpose()
    }
}

impl Source {
    fn listed<T: Record>(run: &Path, entry: &ShardEntry) -> Source {
        let (file, rows) = entry.file::<T>();
        let path = run.join(SHARDS).join(&file.name);
        Source { path, listed: Some((run.to_path_buf(), entry.clone(), file.clone(), rows)) }
    }
}

/// Remembers the last byte that was read.
struct LastByte {
    inner: Box<dyn Read + Send>,
    last: u8,
}

impl Read for LastByte {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        if count > 0 {
            self.last = buffer[count - 1];
        }
        Ok(count)
    }
}

/// What is said of a last line without a line feed.
const CUT_OFF: &str = "the line has no end: the file was cut off (a whole file ends with a line feed)";

/// A file being read.
struct OpenFile<T> {
    file: Arc<Path>,
    csv: csv::Reader<LastByte>,
    header: StringRecord,
    /// One record is read ahead, so that the last one is known to be the last.
    ahead: Option<Result<StringRecord, csv::Error>>,
    rows: u64,
    listed: Option<(u64, u64)>,
    kind: std::marker::PhantomData<fn() -> T>,
}

impl<T: Record> OpenFile<T> {
    fn new(source: Source) -> Result<Self, ReadError> {
        let Source { path, listed } = source;
        if let Some((run, entry, file, _)) = &listed {
            entry.verify_file(run, file)?;
        }
        let content = open_content(&path).map_err(|error| RunError::read(&path, error))?;
        let mut csv = csv::Reader::from_reader(LastByte { inner: content, last: b'\n' });
        let header = match csv.headers() {
            Ok(header) => header.clone(),
            Err(error) => return Err(unreadable::<T>(&path, error)),
        };
        if let Some(reason) = header_fault(T::COLUMNS, &header) {
            return Err(ReadError::Header { file: path, reason });
        }
        let listed = listed.map(|(_, entry, _, rows)| (entry.shard, rows));
        let mut open =
            OpenFile { file: path.into(), csv, header, ahead: None, rows: 0, listed, kind: std::marker::PhantomData };
        open.ahead = open.read_record();
        if open.ahead.is_none() && open.is_cut_off() {
            return Err(ReadError::Header { file: open.file.to_path_buf(), reason: CUT_OFF.to_string() });
        }
        Ok(open)
    }

    /// True if the file, read to its end, does not end with a whole line.
    fn is_cut_off(&self) -> bool {
        self.csv.get_ref().last != b'\n'
    }

    fn read_record(&mut self) -> Option<Result<StringRecord, csv::Error>> {
        let mut record = StringRecord::new();
        match self.csv.read_record(&mut record) {
            Ok(true) => Some(Ok(record)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }

    fn read(&mut self) -> Result<Option<Located<T>>, ReadError> {
        let Some(record) = self.ahead.take() else { return self.end() };
        let at_end = matches!(&record, Err(error) if error.is_io_error());
        if !at_end {
            self.ahead = self.read_record();
        }
        self.rows += 1;
        let record = record.map_err(|error| unreadable::<T>(&self.file, error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let fault = |column, reason| RowError { file: self.file.to_path_buf(), line, column, reason };
        if self.ahead.is_none() && self.is_cut_off() {
            return Err(fault(None, CUT_OFF.to_string()).into());
        }
        let row: T = record.deserialize(Some(&self.header)).map_err(|error| {
            let (column, reason) = locate::<T>(&record, &error);
            fault(column, reason)
        })?;
        row.check().map_err(|found| fault(Some(found.column), found.reason))?;
        Ok(Some(Located { file: self.file.clone(), line, row }))
    }

    fn end(&mut self) -> Result<Option<Located<T>>, ReadError> {
        match self.listed {
            Some((shard, expected)) if expected != self.rows => {
                let reason = format!("it has {} rows, where the manifest lists {expected}", self.rows);
                Err(RunError::ShardFile { path: self.file.to_path_buf(), shard, reason }.into())
            }
            _ => Ok(None),
        }
    }
}

/// A record that the CSV reader could not make out.
fn unreadable<T: Record>(path: &Path, error: csv::Error) -> ReadError {
    let line = error.position().map_or(0, csv::Position::line);
    let (column, reason) = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            (None, format!("the row has {len} fields and not {expected_len}: it is cut off, or not of this file"))
        }
        csv::ErrorKind::Utf8 { err, .. } => (T::COLUMNS.get(err.field()).copied(), "it is not UTF-8 text".to_string()),
        _ => return RunError::read(path, error.into()).into(),
    };
    RowError { file: path.to_path_buf(), line, column, reason }.into()
}

/// What is wrong with a header, if anything is.
fn header_fault(columns: &[&str], header: &StringRecord) -> Option<String> {
    if header.iter().eq(columns.iter().copied()) {
        return None;
    }
    if header.is_empty() {
        return Some("the file is empty; it must begin with a header".to_string());
    }
    let quoted = |names: Vec<&str>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let missing: Vec<_> =
        columns.iter().copied().filter(|column| !header.iter().any(|found| found == *column)).collect();
    let unknown: Vec<_> = header.iter().filter(|found| !columns.contains(found)).collect();
    let mut reasons = Vec::new();
    if !missing.is_empty() {
        reasons.push(format!("the header lacks {}", quoted(missing)));
    }
    if !unknown.is_empty() {
        reasons.push(format!("the header has unknown columns: {}", quoted(unknown)));
    }
    if reasons.is_empty() {
        let place = (0..header.len()).find(|place| columns.get(*place).copied() != header.get(*place)).unwrap_or(0);
        let found = header.get(place).unwrap_or_default();
        let expected = columns.get(place).copied().unwrap_or("the end of the line");
        reasons.push(format!("column {} is `{found}` where `{expected}` should stand", place + 1));
    }
    Some(reasons.join("; "))
}

/// The column that makes a record unreadable, and why. Serde does not tell, so each field is tried in a good row.
fn locate<T: Record>(record: &StringRecord, error: &csv::Error) -> (Option<&'static str>, String) {
    let good = fields(&T::sample());
    for (index, column) in T::COLUMNS.iter().enumerate() {
        let mixed: StringRecord =
            (0..good.len()).map(|i| if i == index { &record[i] } else { good[i].as_str() }).collect();
        if let Err(error) = mixed.deserialize::<T>(None) {
            return (Some(column), in_words(&error, &record[index]));
        }
    }
    (None, in_words(error, ""))
}

/// The message of a failed conversion.
fn in_words(error: &csv::Error, field: &str) -> String {
    let reason = match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => err.kind().to_string(),
        _ => error.to_string(),
    };
    let shown: String = field.chars().take(40).collect();
    if field.is_empty() {
        format!("{reason} (the field is empty)")
    } else if reason.contains(&shown) {
        reason
    } else {
        format!("`{shown}`: {reason}")
    }
}

/// A row as the texts of its fields, in the order of the columns.
pub(super) fn fields<T: Record>(row: &T) -> Vec<String> {
    let mut bytes = Vec::new();
    // Rows are plain text and a vector takes everything: neither step can fail.
    let _ = super::shard::write_csv(&mut bytes, [row]);
    let mut records = csv::Reader::from_reader(bytes.as_slice());
    let record = records.records().next().and_then(Result::ok).unwrap_or_default();
    record.iter().map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::shard::write_csv;
    use super::super::testing::{all_records, random_record, text_of};
    use super::super::{GameRow, Layout, PositionRow, RunDir};
    use super::*;
    use crate::games::GameKind;

    fn read<T: Record>(path: &Path) -> Result<Vec<T>, ReadError> {
        Rows::open(path)?.map(|row| Ok(row?.row)).collect()
    }

    /// Reads a text as a file.
    fn read_text<T: Record>(text: &[u8]) -> Result<Vec<T>, ReadError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("some.csv");
        fs::write(&path, text).unwrap();
        read(&path)
    }

    fn row_error<T: Record>(text: &[u8]) -> RowError {
        match read_text::<T>(text).err().expect("the text is not valid") {
            ReadError::Row(error) => error,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn rows_of_all_games_round_trip() {
        for record in all_records() {
            let mut text = Vec::new();
            write_csv(&mut text, [&record.game]).unwrap();
            assert_eq!(read_text::<GameRow>(&text).unwrap(), [record.game]);
            let mut text = Vec::new();
            write_csv(&mut text, &record.positions).unwrap();
            assert_eq!(read_text::<PositionRow>(&text).unwrap(), record.positions);
        }
    }

    #[test]
    fn strange_engine_names_and_floats_survive() {
        let mut record = random_record(GameKind::Sligo, 3, 0);
        record.game.first_engine = "a, \"b\"\nc é".into();
        let mut text = Vec::new();
        write_csv(&mut text, [&record.game, &record.game]).unwrap();
        assert_eq!(read_text::<GameRow>(&text).unwrap(), [record.game.clone(), record.game.clone()]);
        for value in [0.1, 1.0 / 3.0, f32::MIN_POSITIVE, 1e-7] {
            record.positions[0].root_value = value;
            record.positions[0].policy_weight = value * 1000.0;
            let mut text = Vec::new();
            write_csv(&mut text, &record.positions).unwrap();
            assert_eq!(read_text::<PositionRow>(&text).unwrap(), record.positions);
        }
    }

    #[test]
    fn every_cut_is_noticed() {
        let record = random_record(GameKind::Yugo, 2, 5);
        let text = text_of(&record.positions[..2]);
        let bytes = text.as_bytes();
        let lines: Vec<_> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        for cut in 0..bytes.len() {
            let read = read_text::<PositionRow>(&bytes[..cut]);
            // Nothing shows that whole lines are missing but a manifest.
            assert_eq!(read.is_ok(), lines.contains(&cut), "cut after {cut} bytes");
        }
        let error = row_error::<PositionRow>(&bytes[..bytes.len() - 1]);
        assert_eq!((error.line, error.column), (3, None));
        assert!(error.to_string().contains("cut off"), "{error}");
    }

    #[test]
    fn wrong_headers_are_named() {
        let good = text_of(&random_record(GameKind::Fugo, 2, 0).positions);
        for (from, to, reason) in [
            ("turn,phase", "phase,turn", "column 4 is `phase` where `turn` should stand"),
            ("seat,", "", "the header lacks `seat`"),
            ("seat,", "seat,colour,", "unknown columns: `colour`"),
            ("root_value", "value", "the header lacks `root_value`; the header has unknown columns: `value`"),
            ("margin", "margin,margin", "column 22 is `margin` where `the end of the line` should stand"),
        ] {
            let error = read_text::<PositionRow>(good.replacen(from, to, 1).as_bytes()).unwrap_err();
            assert!(matches!(&error, ReadError::Header { .. }), "{error}");
            assert!(error.to_string().contains(reason), "{error}");
        }
        assert!(read_text::<PositionRow>(b"").unwrap_err().to_string().contains("empty"));
        assert!(read_text::<GameRow>(good.as_bytes()).is_err());
    }

    #[test]
    fn bad_values_are_named_by_line_and_column() {
        let rows = random_record(GameKind::Yugo, 3, 1).positions;
        let good = fields(&rows[0]);
        for (column, bad) in [
            ("game_index", "-1"),
            ("game_index", ""),
            ("game", "chess"),
            ("size", "20"),
            ("size", "2"),
            ("phase", "Start"),
            ("phase", "picked"),
            ("picked", "Z9"),
            ("player", "grey"),
            ("board", "..\u{e9}/.../..."),
            ("board", ".../..."),
            ("board", "../../.."),
            ("passes", "2"),
            ("button", "absent"),
            ("swap", "open"),
            ("komi", "0.25"),
            ("komi", ""),
            ("komi", "0.5"),
            ("step", "D1"),
            ("step", "I1"),
            ("visits", "A1"),
            ("visits", "A1:0"),
            ("visits", "B1:1 A1:1"),
            ("visits", "A1:1  B1:1"),
            ("policy_weight", "NaN"),
            ("root_value", "1.5"),
            ("outcome", "0.7"),
            ("margin", "1"),
            ("margin", "x"),
        ] {
            let index = PositionRow::COLUMNS.iter().position(|name| *name == column).unwrap();
            let mut bad_row = good.clone();
            bad_row[index] = bad.to_string();
            let mut writer = csv::Writer::from_writer(Vec::new());
            for record in [PositionRow::COLUMNS.iter().map(|c| c.to_string()).collect(), good.clone(), bad_row] {
                writer.write_record(&record).unwrap();
            }
            let error = row_error::<PositionRow>(&writer.into_inner().unwrap());
            assert_eq!(error.line, 3, "{column} = {bad}: {error}");
            let blamed = error.column.unwrap();
            // A size or phase that does not fit shows where it meets the other columns.
            let related = match column {
                "size" | "phase" => ["board", "picked"].contains(&blamed),
                _ => false,
            };
            assert!(blamed == column || related, "{column} = {bad}: {error}");
        }
        let mut bytes = text_of(&rows).into_bytes();
        let at = bytes.iter().rposition(|byte| *byte == b':').unwrap();
        bytes[at] = 0xff;
        let column_of_last = if rows.last().unwrap().policy.total() > 0 { "policy" } else { "visits" };
        assert_eq!(row_error::<PositionRow>(&bytes).column, Some(column_of_last));
    }

    #[test]
    fn some_bad_rows_may_be_tolerated() {
        let rows = random_record(GameKind::Sligo, 3, 2).positions;
        let text = text_of(&rows);
        let mut lines: Vec<_> = text.lines().map(String::from).collect();
        lines[1] = lines[1].replacen("sligo", "slygo", 1);
        lines[3] = "1,2,3".to_string();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("some.csv");
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        let mut found = Rows::<PositionRow>::open(&path).unwrap().tolerate(2);
        assert_eq!(found.by_ref().filter(Result::is_ok).count(), rows.len() - 2);
        let places: Vec<_> = found.rejected().iter().map(|error| (error.line, error.column)).collect();
        assert_eq!(places, [(2, Some("game")), (4, None)]);
        let error = Rows::<PositionRow>::open(&path).unwrap().tolerate(1).find_map(Result::err).unwrap();
        assert!(matches!(error, ReadError::Rejected { count: 2, tolerated: 1, .. }));
        // Without tolerance reading stops at the first.
        assert_eq!(Rows::<PositionRow>::open(&path).unwrap().count(), 1);
    }

    #[test]
    fn runs_are_read_in_order_plain_and_compressed() {
        for compress in [false, true] {
            let dir = tempfile::tempdir().unwrap();
            let layout = Layout { games: 2, compress };
            let records: Vec<_> = (0..5).map(|index| random_record(GameKind::Linage, 3, index)).collect();
            let mut run = RunDir::open_or_create(dir.path(), "").unwrap();
            for shard in [2, 0, 1] {
                let games = layout.games_of(shard, 5);
                run.write_shard(shard, layout, &records[games.start as usize..games.end as usize]).unwrap();
            }
            let games: Vec<GameRow> = read(dir.path()).unwrap();
            assert_eq!(games, records.iter().map(|record| record.game.clone()).collect::<Vec<_>>());
            let positions: Vec<PositionRow> = read(dir.path()).unwrap();
            assert_eq!(positions, records.iter().flat_map(|record| record.positions.clone()).collect::<Vec<_>>());
            let name = super::super::manifest::file_name::<GameRow>(1, compress);
            let file = dir.path().join(SHARDS).join(name);
            assert_eq!(read::<GameRow>(&file).unwrap(), games[2..4]);

            let bytes = fs::read(&file).unwrap();
            fs::write(&file, &bytes[..bytes.len() - 3]).unwrap();
            let mut rows = Rows::<GameRow>::open(dir.path()).unwrap();
            assert!(rows.by_ref().take(2).all(|row| row.is_ok()));
            assert!(matches!(rows.next(), Some(Err(ReadError::Run(RunError::ShardFile { shard: 1, .. })))));
            assert!(rows.next().is_none());
            assert!(read::<GameRow>(&file).is_err());
        }
        assert!(matches!(Rows::<GameRow>::open(Path::new("x.txt")), Err(ReadError::Ending { .. })));
        assert!(Rows::<GameRow>::open(Path::new("absent.csv")).unwrap().next().unwrap().is_err());
    }
}
