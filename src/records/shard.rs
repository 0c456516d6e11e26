//! The directory of a run that is being written: its config, its lock, and one shard after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::disk::{is_unfinished, sync_parent, write_whole};
use super::manifest::{FileEntry, Manifest, SHARDS, ShardEntry, file_name, is_shard_file};
use super::{GameRecord, Record, RunError};

/// The most games a shard may hold.
pub const MAX_SHARD_GAMES: u64 = 256;

/// Games a shard in matches and balance measurements: few, so that an interrupted one loses little.
pub const MEASURED_SHARD: u64 = 32;

/// The zstd level of compressed shards.
const COMPRESSION: i32 = 6;

/// The table of `run.toml` that says who ran, not what was run.
const RUN_TABLE: &str = "run";

/// How a run's games are laid out in shards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Games a shard, 1 to [`MAX_SHARD_GAMES`].
    pub games: u64,
    /// Whether the files are compressed with zstd (`.csv.zst`).
    pub compress: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Layout { games: MAX_SHARD_GAMES, compress: false }
    }
}

impl Layout {
    /// The indices of the games of a shard in a run of `total` games; empty past the end.
    pub fn games_of(&self, shard: u64, total: u64) -> Range<u64> {
        let first = shard.saturating_mul(self.games).min(total);
        first..first.saturating_add(self.games).min(total)
    }

    /// The number of shards of a run of `total` games.
    pub fn shards(&self, total: u64) -> u64 {
        total.div_ceil(self.games.max(1))
    }
}

/// Who and what made a run; the table `[run]` of its `run.toml`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunInfo {
    /// The program's version.
    pub version: String,
    /// The git commit it was built from, if known.
    pub git_commit: String,
    /// The machine, in words.
    pub machine: String,
}

/// The text of `run.toml`: the config, then a table `[run]`. Whatever may change on resume, such as the number of
/// threads, must not stand in the config.
pub fn run_toml(config: &str, info: &RunInfo) -> String {
    let mut table = toml::Table::new();
    for (key, value) in [("version", &info.version), ("git_commit", &info.git_commit), ("machine", &info.machine)] {
        table.insert(key.to_string(), value.clone().into());
    }
    format!("{}\n\n[{RUN_TABLE}]\n{table}", config.trim_end())
}

/// The directory of a run, open for writing. Nobody else can write it until this is dropped.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    manifest: Manifest,
    warnings: Vec<String>,
    /// Holds the lock.
    _lock: Option<File>,
}

impl RunDir {
    /// Creates the directory of a run, or opens that of the same run to go on with it.
    ///
    /// `run_toml` is the whole config (see [`run_toml`]). An existing run must have the same config, the table
    /// `[run]` aside. All finished shards are checked against their checksums; what a crash left is removed.
    pub fn open_or_create(path: &Path, run_toml: &str) -> Result<RunDir, RunError> {
        let config_path = path.join("run.toml");
        parse_config(&config_path, run_toml)?;
        let shards = path.join(SHARDS);
        fs::create_dir_all(&shards).map_err(|error| RunError::write(&shards, error))?;
        let mut warnings = Vec::new();
        let lock = lock(path, &mut warnings)?;

        let has_manifest = exists(&Manifest::path(path))?;
        let has_config = exists(&config_path)?;
        let manifest = if has_manifest { Manifest::load(path)? } else { Manifest::new() };
        let not_a_run = |reason: &str| RunError::NotARun { path: path.to_path_buf(), reason: reason.to_string() };
        if !has_manifest && !list(&shards)?.into_iter().all(|name| is_unfinished(&name)) {
            return Err(not_a_run("it has files in shards/ but no manifest.json; choose another directory"));
        }
        if !has_config && !manifest.shards.is_empty() {
            return Err(not_a_run("it has finished shards but no run.toml; restore it, or choose another directory"));
        }
        settle_config(path, run_toml, &mut warnings)?;
        manifest.verify(path)?;
        if !has_manifest {
            manifest.save(path)?;
            sync_parent(path).map_err(|error| RunError::write(path, error))?;
        }
        let run = RunDir { path: path.to_path_buf(), manifest, warnings, _lock: lock };
        run.remove_leftovers()?;
        Ok(run)
    }

    /// The run's directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The list of finished shards.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The finished shards in ascending order.
    pub fn finished_shards(&self) -> &[ShardEntry] {
        &self.manifest.shards
    }

    /// True if the shard of this number is finished.
    pub fn is_finished(&self, shard: u64) -> bool {
        self.manifest.shards.binary_search_by_key(&shard, |entry| entry.shard).is_ok()
    }

    /// What the user should be told about the run as it was found.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Removes what an interrupted run left: unfinished files, and shards that the manifest does not list.
    fn remove_leftovers(&self) -> Result<(), RunError> {
        let entries = self.manifest.shards.iter();
        let listed: BTreeSet<&str> = entries
            .flat_map(|entry| [&entry.games_file, &entry.positions_file])
            .map(|file| file.name.as_str())
            .collect();
        let remove = |path: PathBuf| fs::remove_file(&path).map_err(|error| RunError::write(&path, error));
        let shards = self.path.join(SHARDS);
        for name in list(&shards)? {
            let is_ours = is_shard_file(name.trim_start_matches('.').trim_end_matches(".tmp"));
            if is_ours && !listed.contains(name.as_str()) {
                remove(shards.join(name))?;
            }
        }
        for name in [".manifest.json.tmp", ".run.toml.tmp"] {
            let path = self.path.join(name);
            if exists(&path)? {
                remove(path)?;
            }
        }
        Ok(())
    }

    /// Writes a shard and records it in the manifest. `records` are the shard's games in ascending order; only
    /// the last shard of a run may hold fewer than `layout.games`.
    ///
    /// When it fails, nothing that was finished is lost, and the same call may be made again.
    pub fn write_shard(&mut self, shard: u64, layout: Layout, records: &[GameRecord]) -> Result<(), RunError> {
        self.check_shard(shard, layout, records).map_err(|reason| RunError::Shard { shard, reason })?;
        let games = records.iter().map(|record| &record.game);
        let positions = records.iter().flat_map(|record| &record.positions);
        let games_file = self.write_rows(shard, layout.compress, games)?;
        let positions_file = self.write_rows(shard, layout.compress, positions)?;
        let entry = ShardEntry {
            shard,
            first_game: shard * layout.games,
            games: records.len() as u64,
            positions: records.iter().map(|record| record.positions.len() as u64).sum(),
            games_file,
            positions_file,
        };
        let mut manifest = self.manifest.clone();
        manifest.shard_size = layout.games;
        let place = manifest.shards.partition_point(|other| other.shard < shard);
        manifest.shards.insert(place, entry);
        manifest.save(&self.path)?;
        self.manifest = manifest;
        Ok(())
    }

    fn write_rows<'a, T: Record>(
        &self,
        shard: u64,
        compress: bool,
        rows: impl Iterator<Item = &'a T>,
    ) -> Result<FileEntry, RunError> {
        let name = file_name::<T>(shard, compress);
        let path = self.path.join(SHARDS).join(&name);
        let found = write_whole(&path, |writer| {
            if !compress {
                return write_csv(writer, rows);
            }
            let mut encoder = zstd::Encoder::new(writer, COMPRESSION)?;
            encoder.include_checksum(true)?;
            write_csv(&mut encoder, rows)?;
            encoder.finish().map(|_| ())
        })?;
        Ok(FileEntry::new(name, found))
    }

    /// What is written must be readable again.
    fn check_shard(&self, shard: u64, layout: Layout, records: &[GameRecord]) -> Result<(), String> {
        let size = layout.games;
        if !(1..=MAX_SHARD_GAMES).contains(&size) {
            return Err(format!("{size} games a shard, where 1 to {MAX_SHARD_GAMES} are possible"));
        }
        if self.is_finished(shard) {
            return Err("it is finished already".to_string());
        }
        if !self.manifest.shards.is_empty() && self.manifest.shard_size != size {
            return Err(format!("{size} games a shard, where the run has {}", self.manifest.shard_size));
        }
        if records.is_empty() || records.len() as u64 > size {
            return Err(format!("{} games, where 1 to {size} are possible", records.len()));
        }
        let first = shard.checked_mul(size).ok_or("its number is too large")?;
        for (expected, record) in (first..).zip(records) {
            let found = record.game.game_index;
            if found != expected {
                return Err(format!("game {found} stands in the place of game {expected}"));
            }
            if let Some(position) = record.positions.iter().find(|position| position.game_index != expected) {
                return Err(format!("a search of game {} is among those of game {expected}", position.game_index));
            }
            record.game.check().map_err(|fault| format!("game {expected}: {fault}"))?;
            for position in &record.positions {
                position.check().map_err(|fault| format!("game {expected}, turn {}: {fault}", position.turn))?;
            }
        }
        Ok(())
    }
}

/// Writes header and rows.
pub(super) fn write_csv<'a, T: Record>(writer: impl Write, rows: impl IntoIterator<Item = &'a T>) -> io::Result<()> {
    let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(writer);
    csv.write_record(T::COLUMNS)?;
    for row in rows {
        csv.serialize(row)?;
    }
    csv.flush()
}

fn exists(path: &Path) -> Result<bool, RunError> {
    path.try_exists().map_err(|error| RunError::read(path, error))
}

/// The names in a directory.
fn list(path: &Path) -> Result<Vec<String>, RunError> {
    let names: io::Result<Vec<_>> = fs::read_dir(path)
        .and_then(|entries| entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect());
    names.map_err(|error| RunError::read(path, error))
}

/// A directory that belongs to a run with this config, until it is dropped.
#[derive(Debug)]
pub struct Claim {
    /// What the user should be told about the run as it was found.
    pub warnings: Vec<String>,
    _lock: Option<File>,
}

/// Claims the directory of a run that has no shards of its own: creates it, or opens that of the same run, as
/// [`RunDir::open_or_create`] does.
///
/// The whole number at the dotted key `growing` may be larger than it was: the run is then a longer one from here on.
/// Before that is written down, `make_room` is told the number before; killed in between, the next call does so again.
pub fn claim(
    path: &Path,
    run_toml: &str,
    growing: &str,
    make_room: impl FnOnce(i64) -> Result<(), RunError>,
) -> Result<Claim, RunError> {
    parse_config(&path.join("run.toml"), run_toml)?;
    fs::create_dir_all(path).map_err(|error| RunError::write(path, error))?;
    let mut warnings = Vec::new();
    let _lock = lock(path, &mut warnings)?;
    let is_begun = exists(&path.join("nets"))?;
    if is_begun && !exists(&path.join("run.toml"))? {
        let reason = "it has networks but no run.toml; restore it, or choose another directory".to_string();
        return Err(RunError::NotARun { path: path.to_path_buf(), reason });
    }
    if let Some((before, longer)) = grown(path, run_toml, growing)? {
        make_room(before)?;
        write_whole(&path.join("run.toml"), |writer| writer.write_all(longer.as_bytes()))?;
    }
    settle_config(path, run_toml, &mut warnings)?;
    Ok(Claim { warnings, _lock })
}

/// If a run's config differs from the stored one in nothing but a larger whole number at a dotted key: that number before,
/// and the new `run.toml`, which still tells by what the run was begun.
fn grown(run: &Path, run_toml: &str, key: &str) -> Result<Option<(i64, String)>, RunError> {
    let path = run.join("run.toml");
    if !exists(&path)? {
        return Ok(None);
    }
    let text = fs::read_to_string(&path).map_err(|error| RunError::read(&path, error))?;
    let (stored, given) = (parse_config(&path, &text)?, parse_config(&path, run_toml)?);
    let number = |config| flat(config).get(key).and_then(|number| number.parse::<i64>().ok());
    let (Some(before), Some(now)) = (number(&stored), number(&given)) else { return Ok(None) };
    if now <= before || !differences(&stored, &given).keys().eq([key]) {
        return Ok(None);
    }
    let header = format!("\n[{RUN_TABLE}]\n");
    let config = run_toml.split(&header).next().unwrap_or(run_toml);
    let begun = stored.get(RUN_TABLE).and_then(toml::Value::as_table).map(|table| format!("{header}{table}"));
    Ok(Some((before, format!("{config}{}", begun.unwrap_or_default()))))
}

/// Writes a new run's `run.toml`, or refuses a config that is not the stored one.
fn settle_config(run: &Path, run_toml: &str, warnings: &mut Vec<String>) -> Result<(), RunError> {
    let path = run.join("run.toml");
    if !exists(&path)? {
        write_whole(&path, |writer| writer.write_all(run_toml.as_bytes()))?;
        return Ok(());
    }
    let text = fs::read_to_string(&path).map_err(|error| RunError::read(&path, error))?;
    let (stored, given) = (parse_config(&path, &text)?, parse_config(&path, run_toml)?);
    compare(run, &stored, &given)?;
    warnings.extend(other_program(&stored, &given));
    Ok(())
}

/// Takes the lock of a run's directory, which ends with the process at the latest.
fn lock(run: &Path, warnings: &mut Vec<String>) -> Result<Option<File>, RunError> {
    let path = run.join("lock");
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|error| RunError::write(&path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(RunError::Locked { path: run.to_path_buf() }),
        Err(TryLockError::Error(error)) => {
            // Some network file systems know no locks.
            warnings.push(format!(
                "{}: the file system has no locks ({error}); see to it that no second process writes this run",
                run.display()
            ));
            Ok(None)
        }
    }
}

fn parse_config(path: &Path, text: &str) -> Result<toml::Table, RunError> {
    text.parse()
        .map_err(|error: toml::de::Error| RunError::Config { path: path.to_path_buf(), reason: error.to_string() })
}

/// So many differences between configs are told.
const MOST_TOLD: usize = 8;

/// Refuses a config that is not the stored one.
fn compare(path: &Path, stored: &toml::Table, given: &toml::Table) -> Result<(), RunError> {
    let mut differences: Vec<String> = differences(stored, given).into_values().collect();
    if differences.is_empty() {
        return Ok(());
    }
    // Runs of two commands differ in nearly all they have.
    let more = differences.len().saturating_sub(MOST_TOLD);
    if more > 0 {
        differences.truncate(MOST_TOLD);
        differences.push(format!("and {more} more"));
    }
    Err(RunError::OtherConfig { path: path.to_path_buf(), differences })
}

/// What differs between two configs, in words, by dotted keys.
fn differences(stored: &toml::Table, given: &toml::Table) -> BTreeMap<String, String> {
    let (stored, given) = (flat(stored), flat(given));
    let keys: BTreeSet<&String> = stored.keys().chain(given.keys()).collect();
    let side = |value: Option<&String>| value.cloned().unwrap_or_else(|| "absent".to_string());
    keys.into_iter()
        .filter(|key| stored.get(*key) != given.get(*key))
        .map(|key| (key.clone(), format!("`{key}` was {} and is now {}", side(stored.get(key)), side(given.get(key)))))
        .collect()
}

/// The values of a config by dotted keys, the table `[run]` left out.
fn flat(config: &toml::Table) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for (key, value) in config.iter().filter(|(key, _)| *key != RUN_TABLE) {
        flatten(key.clone(), value, &mut values);
    }
    values
}

fn flatten(key: String, value: &toml::Value, values: &mut BTreeMap<String, String>) {
    match value {
        toml::Value::Table(table) => {
            for (name, value) in table {
                flatten(format!("{key}.{name}"), value, values);
            }
        }
        toml::Value::Array(items) if items.iter().any(toml::Value::is_table) => {
            for (index, value) in items.iter().enumerate() {
                flatten(format!("{key}[{index}]"), value, values);
            }
        }
        _ => {
            values.insert(key, value.to_string());
        }
    }
}

/// A warning if another build of the program began the run.
fn other_program(stored: &toml::Table, given: &toml::Table) -> Option<String> {
    let entry = |config: &toml::Table, key: &str| {
        let value = config.get(RUN_TABLE).and_then(|run| run.get(key)).and_then(|value| value.as_str());
        value.unwrap_or("unknown").to_string()
    };
    ["version", "git_commit"].into_iter().find_map(|key| {
        let (before, now) = (entry(stored, key), entry(given, key));
        let what = key.replace('_', " ");
        (before != now).then(|| {
            format!(
                "the run was begun by {what} {before} of the program and goes on with {now}: \
                 games may differ from those that {before} would have played"
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::random_record;
    use super::*;
    use crate::games::GameKind;

    const CONFIG: &str = "seed = 7\n[game]\nname = \"sligo\"\nsize = 4\n";
    const LAYOUT: Layout = Layout { games: 3, compress: false };

    fn info(version: &str) -> RunInfo {
        RunInfo { version: version.into(), git_commit: "abc".into(), machine: "a \"quoted\" one".into() }
    }

    fn records(range: Range<u64>) -> Vec<GameRecord> {
        range.map(|index| random_record(GameKind::Sligo, 3, index)).collect()
    }

    fn open(path: &Path) -> Result<RunDir, RunError> {
        RunDir::open_or_create(path, &run_toml(CONFIG, &info("1")))
    }

    fn names(path: &Path) -> Vec<String> {
        let mut names = list(path).unwrap();
        names.sort();
        names
    }

    #[test]
    fn a_run_goes_on_where_it_stopped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/run");
        let mut run = open(&path).unwrap();
        assert!(run.finished_shards().is_empty());
        run.write_shard(1, LAYOUT, &records(3..6)).unwrap();
        drop(run);
        // What a crash may leave, and a stranger's file.
        for name in ["games-000000.csv", ".positions-000000.csv.tmp", "notes.csv"] {
            fs::write(path.join(SHARDS).join(name), "torn").unwrap();
        }
        fs::write(path.join(".manifest.json.tmp"), "{").unwrap();
        let mut run = open(&path).unwrap();
        assert_eq!(run.finished_shards().iter().map(|entry| entry.shard).collect::<Vec<_>>(), [1]);
        assert!(run.is_finished(1) && !run.is_finished(0) && run.warnings().is_empty());
        assert_eq!(names(&path.join(SHARDS)), ["games-000001.csv", "notes.csv", "positions-000001.csv"]);
        assert!(!path.join(".manifest.json.tmp").exists());
        run.write_shard(0, LAYOUT, &records(0..3)).unwrap();
        run.write_shard(2, LAYOUT, &records(6..7)).unwrap();
        drop(run);

        // The same run in one go has the same bytes.
        let other = dir.path().join("whole");
        let mut run = open(&other).unwrap();
        for shard in 0..LAYOUT.shards(7) {
            run.write_shard(shard, LAYOUT, &records(LAYOUT.games_of(shard, 7))).unwrap();
        }
        assert_eq!(run.manifest().games(), 7);
        assert_eq!(run.manifest().data_hash(), Manifest::load(&path).unwrap().data_hash());
        for file in ["manifest.json", "run.toml", "shards/games-000002.csv", "shards/positions-000000.csv"] {
            assert_eq!(fs::read(path.join(file)).unwrap(), fs::read(other.join(file)).unwrap(), "{file}");
        }
    }

    #[test]
    fn another_config_is_refused_and_another_version_told() {
        let dir = tempfile::tempdir().unwrap();
        drop(open(dir.path()).unwrap());
        let changed = CONFIG.replace("size = 4", "size = 5").replace("seed = 7", "threads = 2");
        let error = RunDir::open_or_create(dir.path(), &run_toml(&changed, &info("1"))).unwrap_err().to_string();
        for part in ["`game.size` was 4 and is now 5", "`seed` was 7 and is now absent", "`threads` was absent"] {
            assert!(error.contains(part), "{error}");
        }
        let run = RunDir::open_or_create(dir.path(), &run_toml(CONFIG, &info("2"))).unwrap();
        assert_eq!(run.warnings().len(), 1);
        assert!(run.warnings()[0].contains("version 1"), "{}", run.warnings()[0]);
        drop(run);
        let error = RunDir::open_or_create(dir.path(), "seed 7").unwrap_err();
        assert!(matches!(error, RunError::Config { .. }));
    }

    #[test]
    fn a_second_writer_is_kept_out() {
        let dir = tempfile::tempdir().unwrap();
        let run = open(dir.path()).unwrap();
        assert!(matches!(open(dir.path()), Err(RunError::Locked { .. })));
        drop(run);
        open(dir.path()).unwrap();
    }

    #[test]
    fn damaged_and_missing_shards_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let mut run = open(dir.path()).unwrap();
        run.write_shard(0, LAYOUT, &records(0..3)).unwrap();
        drop(run);
        let file = dir.path().join(SHARDS).join("positions-000000.csv");
        let bytes = fs::read(&file).unwrap();
        let mut flipped = bytes.clone();
        *flipped.last_mut().unwrap() ^= 1;
        for damaged in [&bytes[..bytes.len() - 2], &flipped] {
            fs::write(&file, damaged).unwrap();
            let error = open(dir.path()).unwrap_err();
            assert!(matches!(error, RunError::ShardFile { shard: 0, .. }));
            let text = error.to_string();
            assert!(text.contains("positions-000000.csv") && text.contains("delete the entry of shard 0"), "{text}");
        }
        fs::remove_file(&file).unwrap();
        assert!(open(dir.path()).unwrap_err().to_string().contains("missing"));
        fs::write(&file, bytes).unwrap();
        open(dir.path()).unwrap();

        fs::rename(Manifest::path(dir.path()), dir.path().join("gone")).unwrap();
        assert!(matches!(open(dir.path()), Err(RunError::NotARun { .. })));
        fs::write(Manifest::path(dir.path()), "{\"format\": 1").unwrap();
        assert!(matches!(open(dir.path()), Err(RunError::Manifest { .. })));
    }

    #[test]
    fn wrong_shards_are_refused_before_anything_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let mut run = open(dir.path()).unwrap();
        let good = records(0..3);
        let mut swapped = good.clone();
        swapped.swap(0, 1);
        let mut nan = good.clone();
        nan[2].positions[0].root_value = f32::NAN;
        let mut misfiled = good.clone();
        misfiled[0].positions[0].game_index = 1;
        let large = Layout { games: 300, compress: false };
        for (shard, layout, records) in [
            (0, LAYOUT, &swapped),
            (0, LAYOUT, &nan),
            (0, LAYOUT, &misfiled),
            (1, LAYOUT, &good),
            (0, large, &good),
            (0, Layout { games: 2, compress: false }, &good),
            (0, LAYOUT, &Vec::new()),
        ] {
            assert!(matches!(run.write_shard(shard, layout, records), Err(RunError::Shard { .. })));
        }
        assert!(names(&dir.path().join(SHARDS)).is_empty());
        run.write_shard(0, LAYOUT, &good).unwrap();
        assert!(matches!(run.write_shard(0, LAYOUT, &good), Err(RunError::Shard { .. })));
        let other = Layout { games: 4, compress: false };
        assert!(matches!(run.write_shard(1, other, &records(4..8)), Err(RunError::Shard { .. })));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_loses_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut run = open(dir.path()).unwrap();
        run.write_shard(0, LAYOUT, &records(0..3)).unwrap();
        let before = fs::read(Manifest::path(dir.path())).unwrap();
        // Every write to /dev/full fails for lack of space.
        let temporary = dir.path().join(SHARDS).join(".positions-000001.csv.tmp");
        std::os::unix::fs::symlink("/dev/full", &temporary).unwrap();
        let error = run.write_shard(1, LAYOUT, &records(3..6)).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("positions-000001.csv") && text.contains("free some space"), "{text}");
        assert_eq!(fs::read(Manifest::path(dir.path())).unwrap(), before);
        assert_eq!(run.finished_shards().len(), 1);
        // Once there is space, the same call succeeds.
        run.write_shard(1, LAYOUT, &records(3..6)).unwrap();
        drop(run);
        assert_eq!(open(dir.path()).unwrap().finished_shards().len(), 2);
    }

    #[test]
    fn the_disk_s_refusals_name_a_cure() {
        for (kind, cure) in [
            (io::ErrorKind::StorageFull, "free some space"),
            (io::ErrorKind::ReadOnlyFilesystem, "read-only"),
            (io::ErrorKind::PermissionDenied, "right"),
        ] {
            let text = RunError::write(Path::new("here/x.csv"), kind.into()).to_string();
            assert!(text.contains(cure) && text.contains("x.csv"), "{text}");
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(matches!(open(file.path()), Err(RunError::Io { .. })));
    }
}
