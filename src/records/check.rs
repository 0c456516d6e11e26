//! The checker: replays every game by the rules and compares all that the files say.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use thiserror::Error;

use super::manifest::Manifest;
use super::reader::fields;
use super::{GameRow, Located, PositionRow, ReadError, Record, Rows, RunError, SearchNote, StepName, Visits, Winner};
use crate::games::{Ending, Game, GameKind, Played, Player, Status, Turn, parse_turn};
use crate::with_game;

/// What a check that found nothing wrong has looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CheckReport {
    /// Finished shards; 0 for single files.
    pub shards: u64,
    /// Games replayed.
    pub games: u64,
    /// Turns replayed.
    pub turns: u64,
    /// Searches compared with the replayed games.
    pub positions: u64,
}

/// Something that the files say and the rules do not.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct Difference {
    pub file: PathBuf,
    /// From 1; the header is line 1.
    pub line: u64,
    pub column: &'static str,
    /// What the file says.
    pub found: String,
    /// What the rules say, or what is wrong.
    pub expected: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { file, line, column, found, expected } = self;
        write!(f, "{}:{line}, column `{column}`: found `{found}`, expected {expected}", file.display())
    }
}

/// Why a check failed.
#[derive(Debug, Error)]
pub enum CheckError {
    /// The files cannot be read, or a row is not valid by itself.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The files say something else than the rules.
    #[error(transparent)]
    Difference(#[from] Box<Difference>),
}

impl From<RunError> for CheckError {
    fn from(error: RunError) -> Self {
        CheckError::Read(error.into())
    }
}

/// Checks the run in a directory: every listed file against its checksum, every game and every search by replay.
/// The first thing that is wrong is the error.
///
/// No file says which move cap a run had, so games that were cut off are only compared with each other: all of
/// one game and size must have the same length, and no other game may be longer.
pub fn check_run(run: &Path) -> Result<CheckReport, CheckError> {
    let manifest = Manifest::load(run)?;
    let config = run.join("run.toml");
    let text = std::fs::read_to_string(&config).map_err(|error| RunError::read(&config, error))?;
    text.parse::<toml::Table>().map_err(|error| RunError::Config { path: config, reason: error.to_string() })?;
    let shards: Vec<_> = manifest
        .shards
        .par_iter()
        .map(|entry| {
            let (games, positions) = (Rows::of_shard(run, entry), Rows::of_shard(run, entry));
            check_rows(games, Some(positions), Some(entry.first_game))
        })
        .collect();
    let mut report = CheckReport::default();
    let mut lengths = Lengths::default();
    for shard in shards {
        let (found, more) = shard?;
        report.shards += 1;
        report.games += found.games;
        report.turns += found.turns;
        report.positions += found.positions;
        lengths.merge(more);
    }
    lengths.check()?;
    Ok(report)
}

/// As [`check_run`] for single files (`.csv` or `.csv.zst`) without a manifest.
pub fn check_files(games: &Path, positions: Option<&Path>) -> Result<CheckReport, CheckError> {
    let positions = positions.map(Rows::open).transpose()?;
    let (report, lengths) = check_rows(Rows::open(games)?, positions, None)?;
    lengths.check()?;
    Ok(report)
}

/// Checks games with their searches. `first`: the index of the first game, if the indices must be contiguous.
fn check_rows(
    games: Rows<GameRow>,
    positions: Option<Rows<PositionRow>>,
    first: Option<u64>,
) -> Result<(CheckReport, Lengths), CheckError> {
    let mut report = CheckReport::default();
    let mut lengths = Lengths::default();
    let mut positions = Positions { rows: positions, next: None };
    let mut before: Option<u64> = None;
    for game in games {
        let game = game?;
        let index = game.row.game_index;
        let expected = match (before, first) {
            (Some(before), Some(_)) => Some(before.saturating_add(1)),
            (None, first) => first,
            (Some(_), None) => None,
        };
        if expected.is_some_and(|expected| expected != index) || before.is_some_and(|before| before >= index) {
            let expected = expected.map_or_else(|| "a larger number than in the row before".to_string(), quoted);
            return Err(differ(&game, "game_index", index, expected));
        }
        before = Some(index);
        report.games += 1;
        report.turns += game.row.turn_count as u64;
        report.positions += with_game!(game.row.game, game.row.size, G => replay::<G>(&game, &mut positions))?;
        lengths.add(&game);
    }
    if let Some(row) = positions.peek()? {
        return Err(differ(row, "game_index", row.row.game_index, "the index of a game of the games file".into()));
    }
    Ok((report, lengths))
}

/// A difference at a row.
fn differ<T>(at: &Located<T>, column: &'static str, found: impl ToString, expected: String) -> CheckError {
    let (file, line) = (at.file.to_path_buf(), at.line);
    CheckError::Difference(Box::new(Difference { file, line, column, found: found.to_string(), expected }))
}

fn quoted(value: impl fmt::Display) -> String {
    format!("`{value}`")
}

/// The first column in which a row is not as it must be.
fn compare<T: Record>(found: &Located<T>, expected: &T) -> Result<(), CheckError> {
    if found.row == *expected {
        return Ok(());
    }
    let texts = fields(&found.row).into_iter().zip(fields(expected));
    for (column, (found_text, expected_text)) in T::COLUMNS.iter().zip(texts) {
        if found_text != expected_text {
            return Err(differ(found, column, found_text, quoted(expected_text)));
        }
    }
    Ok(())
}

/// The searches still to be looked at.
struct Positions {
    rows: Option<Rows<PositionRow>>,
    next: Option<Located<PositionRow>>,
}

impl Positions {
    fn peek(&mut self) -> Result<Option<&Located<PositionRow>>, ReadError> {
        if self.next.is_none()
            && let Some(rows) = &mut self.rows
        {
            self.next = rows.next().transpose()?;
        }
        Ok(self.next.as_ref())
    }

    /// The next search, if it belongs to this game.
    fn next_of(&mut self, game: u64) -> Result<Option<Located<PositionRow>>, CheckError> {
        match self.peek()? {
            Some(row) if row.row.game_index < game => {
                Err(differ(row, "game_index", row.row.game_index, format!("at least `{game}`: rows are in game order")))
            }
            Some(row) if row.row.game_index == game => Ok(self.next.take()),
            _ => Ok(None),
        }
    }

    fn put_back(&mut self, row: Located<PositionRow>) {
        self.next = Some(row);
    }
}

/// Replays a game and compares it and its searches; the number of searches.
fn replay<G: Game>(game: &Located<GameRow>, positions: &mut Positions) -> Result<u64, CheckError> {
    let row = &game.row;
    let options = row.rules().options;
    // The row's own check has made sure that its count of turns is right.
    let move_cap = (row.ending == Ending::MoveCap).then_some(row.turn_count);
    let mut played = Played::new(G::new(row.size, options), move_cap);
    let mut turns: Vec<Turn> = Vec::with_capacity(row.turn_count);
    for (number, text) in row.turn_texts().enumerate() {
        let found = || format!("{text} (turn {})", number + 1);
        if let Some(ending) = played.ending() {
            let expected = format!("no turn, for the game was over before ({ending})");
            return Err(differ(game, "turns", found(), expected));
        }
        let position = played.position();
        let turn = parse_turn(position, text)
            .map_err(|error| differ(game, "turns", found(), format!("a legal turn: {error}")))?;
        if turn.text(position) != text {
            return Err(differ(game, "turns", found(), quoted(turn.text(position))));
        }
        for step in turn.steps() {
            played.play(*step);
        }
        turns.push(turn);
    }
    if row.ending.is_forfeit() && played.ending().is_none() {
        let loser = match row.winner {
            Some(Winner::Black) => Player::White,
            Some(Winner::White) => Player::Black,
            Some(Winner::Draw) | None => {
                let expected = "`black` or `white`: somebody has lost".to_string();
                return Err(differ(game, "winner", "no winner", expected));
            }
        };
        played.forfeit(loser, row.ending);
    }
    let expected = GameRow::new(&row.meta(), &played).map_err(|_| {
        let expected = "`move_cap`, or more turns: by the rules the game is not over".to_string();
        differ(game, "ending", row.ending, expected)
    })?;
    compare(game, &expected)?;
    compare_searches(row, G::new(row.size, options), &turns, positions)
}

/// Compares the searches of a game with its replay; their number.
fn compare_searches<G: Game>(
    game: &GameRow,
    mut position: G,
    turns: &[Turn],
    positions: &mut Positions,
) -> Result<u64, CheckError> {
    let meta = game.meta();
    let mut count = 0;
    let mut before = None;
    for (number, turn) in turns.iter().enumerate() {
        for (index, step) in turn.steps().iter().enumerate() {
            while let Some(found) = positions.next_of(game.game_index)? {
                let row = &found.row;
                let place = (row.turn, row.phase as usize);
                if place > (number, index) {
                    positions.put_back(found);
                    break;
                }
                in_order(&found, before)?;
                if place < (number, index) {
                    return Err(no_such_phase(&found, turns));
                }
                before = Some(place);
                let note = SearchNote {
                    turn: number,
                    step: *step,
                    visits: legal_steps(&found, "visits", &row.visits, &position)?,
                    root_value: row.root_value,
                    policy: legal_steps(&found, "policy", &row.policy, &position)?,
                };
                let mut expected = PositionRow::searched(&meta, &position, &note);
                expected.finish(game);
                compare(&found, &expected)?;
                count += 1;
            }
            position.play(*step);
        }
    }
    if let Some(found) = positions.next_of(game.game_index)? {
        in_order(&found, before)?;
        return Err(match turns.len() {
            count if found.row.turn >= count => {
                differ(&found, "turn", found.row.turn, format!("less than the game's {count} turns"))
            }
            _ => no_such_phase(&found, turns),
        });
    }
    Ok(count)
}

/// The searches of a game stand in the order in which they were made.
fn in_order(found: &Located<PositionRow>, before: Option<(usize, usize)>) -> Result<(), CheckError> {
    let row = &found.row;
    match before {
        Some((turn, phase)) if (row.turn, row.phase as usize) <= (turn, phase) => {
            let expected = format!("a later search than in the row before (turn {turn})");
            Err(differ(found, "turn", row.turn, expected))
        }
        _ => Ok(()),
    }
}

fn no_such_phase(found: &Located<PositionRow>, turns: &[Turn]) -> CheckError {
    let row = &found.row;
    let steps = turns.get(row.turn).map_or(0, |turn| turn.steps().len());
    let phase = fields(row).swap_remove(phase_column());
    differ(found, "phase", phase, format!("a phase of turn {}, which has {steps} step(s)", row.turn))
}

fn phase_column() -> usize {
    PositionRow::COLUMNS.iter().position(|column| *column == "phase").unwrap_or(0)
}

/// Numbers by step from a column, all of whose steps must be legal.
fn legal_steps<G: Game>(
    found: &Located<PositionRow>,
    column: &'static str,
    numbers: &Visits,
    position: &G,
) -> Result<Vec<(crate::games::Step, u32)>, CheckError> {
    let Status::Running(steps) = position.status() else { return Ok(Vec::new()) };
    let legal = |(name, count): &(StepName, u32)| {
        let step = name.step(position).filter(|step| steps.contains(*step));
        let fault = || match name.step(position) {
            Some(step) => format!("legal steps only: {}", position.fault(step)),
            None => "steps on the board".to_string(),
        };
        step.map(|step| (step, *count)).ok_or_else(|| differ(found, column, format!("{name}:{count}"), fault()))
    };
    numbers.as_slice().iter().map(legal).collect()
}

/// A game's number of turns and where it stands.
#[derive(Clone)]
struct Length {
    turns: usize,
    file: Arc<Path>,
    line: u64,
}

/// How long games were, by game and size, so far as a move cap must agree with it.
#[derive(Default)]
struct Lengths(BTreeMap<(GameKind, usize), GroupLengths>);

#[derive(Default)]
struct GroupLengths {
    /// The first game that was cut off, and the first such one of another length.
    capped: Vec<Length>,
    /// The first of the longest other games.
    longest: Option<Length>,
}

impl GroupLengths {
    fn add_capped(&mut self, length: Length) {
        if self.capped.len() < 2 && self.capped.iter().all(|other| other.turns != length.turns) {
            self.capped.push(length);
        }
    }

    fn add_other(&mut self, length: Length) {
        if self.longest.as_ref().is_none_or(|longest| longest.turns < length.turns) {
            self.longest = Some(length);
        }
    }
}

impl Lengths {
    fn add(&mut self, game: &Located<GameRow>) {
        let group = self.0.entry((game.row.game, game.row.size)).or_default();
        let length = Length { turns: game.row.turn_count, file: game.file.clone(), line: game.line };
        if game.row.ending == Ending::MoveCap { group.add_capped(length) } else { group.add_other(length) }
    }

    fn merge(&mut self, other: Lengths) {
        for (key, more) in other.0 {
            let group = self.0.entry(key).or_default();
            more.capped.into_iter().for_each(|length| group.add_capped(length));
            more.longest.into_iter().for_each(|length| group.add_other(length));
        }
    }

    fn check(&self) -> Result<(), CheckError> {
        for group in self.0.values() {
            let Some(cap) = group.capped.first() else { continue };
            let place = format!("{}:{}", cap.file.display(), cap.line);
            let (wrong, column, expected) = match (group.capped.get(1), &group.longest) {
                (Some(other), _) => (other, "ending", format!("{} turns, the cap at {place}", cap.turns)),
                (None, Some(longest)) if longest.turns > cap.turns => {
                    (longest, "turn_count", format!("at most {}, the cap at {place}", cap.turns))
                }
                _ => continue,
            };
            let found = match column {
                "ending" => format!("move_cap after {} turns", wrong.turns),
                _ => wrong.turns.to_string(),
            };
            let (file, line) = (wrong.file.to_path_buf(), wrong.line);
            return Err(Box::new(Difference { file, line, column, found, expected }).into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::super::testing::{all_records, random_record, text_of};
    use super::super::{GameRecord, Layout, Outcome, RowError, RunDir, Winner};
    use super::*;

    /// Games and searches as two files.
    struct Files {
        _dir: tempfile::TempDir,
        games: PathBuf,
        positions: PathBuf,
    }

    impl Files {
        fn new(games: &str, positions: &str) -> Files {
            let dir = tempfile::tempdir().unwrap();
            let paths = ["games.csv", "positions.csv"].map(|name| dir.path().join(name));
            fs::write(&paths[0], games).unwrap();
            fs::write(&paths[1], positions).unwrap();
            let [games, positions] = paths;
            Files { _dir: dir, games, positions }
        }

        fn check(&self) -> Result<CheckReport, CheckError> {
            check_files(&self.games, Some(&self.positions))
        }
    }

    fn texts(records: &[GameRecord]) -> (String, String) {
        let games: Vec<_> = records.iter().map(|record| record.game.clone()).collect();
        let positions: Vec<_> = records.iter().flat_map(|record| record.positions.clone()).collect();
        (text_of(&games), text_of(&positions))
    }

    #[test]
    fn random_games_of_all_kinds_pass() {
        let mut endings = BTreeSet::new();
        for record in all_records() {
            endings.insert((record.game.game, record.game.ending.name()));
            let (games, positions) = texts(std::slice::from_ref(&record));
            let report = Files::new(&games, &positions).check().unwrap();
            assert_eq!((report.games, report.positions), (1, record.positions.len() as u64));
            assert_eq!(report.turns, record.game.turn_count as u64);
        }
        for (kind, ending) in [
            (GameKind::Yugo, "pass"),
            (GameKind::Linage, "pass"),
            (GameKind::Sligo, "pass"),
            (GameKind::Sligo, "move_cap"),
            (GameKind::Fugo, "no_move"),
        ] {
            assert!(endings.contains(&(kind, ending)), "no {kind} game ended by {ending}");
        }
    }

    #[test]
    fn a_run_passes_and_its_checksums_count() {
        let dir = tempfile::tempdir().unwrap();
        let mut run = RunDir::open_or_create(dir.path(), "").unwrap();
        let records: Vec<_> = (0..6).map(|index| random_record(GameKind::Sligo, 4, index)).collect();
        let layout = Layout { games: 4, compress: true };
        for (shard, games) in records.chunks(4).enumerate() {
            run.write_shard(shard as u64, layout, games).unwrap();
        }
        // A run may be looked at while it is written.
        let report = check_run(dir.path()).unwrap();
        assert_eq!((report.shards, report.games), (2, 6));
        let file = dir.path().join("shards/positions-000001.csv.zst");
        fs::write(file, "").unwrap();
        let error = check_run(dir.path()).unwrap_err().to_string();
        assert!(error.contains("positions-000001.csv.zst"), "{error}");
        assert!(matches!(
            check_run(&dir.path().join("shards")),
            Err(CheckError::Read(ReadError::Run(RunError::NotARun { .. })))
        ));
    }

    /// The place and the column that an error names.
    fn place(error: &CheckError) -> (PathBuf, u64, Option<&'static str>) {
        match error {
            CheckError::Difference(found) => (found.file.clone(), found.line, Some(found.column)),
            CheckError::Read(ReadError::Row(RowError { file, line, column, .. })) => (file.clone(), *line, *column),
            other => panic!("no place in: {other}"),
        }
    }

    /// Texts that may stand in a column instead of `text`.
    fn alternatives(column: &str, text: &str) -> Vec<String> {
        let mut found: Vec<String> = match column {
            "game" => GameKind::ALL.iter().map(|game| game.name().to_string()).collect(),
            "pie" => vec!["true".into(), "false".into()],
            "turns" => {
                let turns: Vec<_> = text.split(' ').collect();
                let mut changed = turns.clone();
                changed.swap(0, turns.len() - 1);
                vec![turns[1..].join(" "), turns[..turns.len() - 1].join(" "), changed.join(" "), text.to_lowercase()]
            }
            "ending" => ["pass", "no_move", "repetition", "move_cap", "resign", "crash"].map(String::from).into(),
            "winner" => ["black", "white", "draw", ""].map(String::from).into(),
            "winner_seat" => ["first", "second", "draw", ""].map(String::from).into(),
            "phase" => ["start", "picked", "moved"].map(String::from).into(),
            "picked" => ["", "A1", "B2", "A1-A2"].map(String::from).into(),
            "player" => ["black", "white"].map(String::from).into(),
            "seat" => ["first", "second"].map(String::from).into(),
            "button" => ["absent", "free", "black", "white"].map(String::from).into(),
            "swap" => ["none", "open", "done"].map(String::from).into(),
            "step" => ["A1", "A2", "B1", "C3", "pass", "button", "swap"].map(String::from).into(),
            "outcome" => ["0", "0.5", "1", ""].map(String::from).into(),
            "visits" => ["A1:1", "pass:1", "button:1", "swap:1"].map(String::from).into(),
            "policy" => ["A1:10000", "pass:10000", "button:10000", "swap:10000"].map(String::from).into(),
            "board" | "owners" => {
                let swap = |a: char, b: char| text.replacen(a, &b.to_string(), 1);
                vec![swap('.', 'X'), swap('X', '.'), swap('X', 'O'), swap('O', 'X')]
            }
            _ => {
                let number: f64 = text.parse().unwrap_or(0.0);
                vec![(number + 1.0).to_string(), (number - 1.0).to_string(), (number + 2.0).to_string()]
            }
        };
        found.retain(|other| other != text);
        found
    }

    /// Alters single fields of a valid file and returns the new texts with line and column.
    fn tampered(text: &str) -> Vec<(String, u64, String)> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let rows: Vec<Vec<String>> =
            reader.records().map(|row| row.unwrap().iter().map(String::from).collect()).collect();
        let mut found = Vec::new();
        // Some twenty rows of each file will do.
        for line in (1..rows.len()).step_by(rows.len().div_ceil(20)) {
            for (index, column) in rows[0].iter().enumerate() {
                for other in alternatives(column, &rows[line][index]) {
                    let mut rows = rows.clone();
                    rows[line][index] = other;
                    let mut writer = csv::Writer::from_writer(Vec::new());
                    rows.iter().for_each(|row| writer.write_record(row).unwrap());
                    let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
                    found.push((text, line as u64 + 1, column.clone()));
                }
            }
        }
        found
    }

    /// What the rules do not determine.
    const FREE: [&str; 9] = [
        "seed",
        "first_engine",
        "first_net",
        "first_visits",
        "second_engine",
        "second_net",
        "second_visits",
        "opening_turns",
        "policy_weight",
    ];

    #[test]
    fn every_altered_field_of_a_game_is_noticed() {
        for kind in GameKind::ALL {
            let records: Vec<_> = (0..4).map(|index| random_record(kind, 3, index)).collect();
            let (games, positions) = texts(&records);
            let checked = Files::new(&games, &positions);
            checked.check().unwrap();
            for (text, line, column) in tampered(&games) {
                if FREE.contains(&column.as_str()) {
                    continue;
                }
                fs::write(&checked.games, &text).unwrap();
                let altered = text.lines().nth(line as usize - 1).unwrap_or_default();
                let error = match checked.check() {
                    Ok(_) => panic!("{kind}: an altered {column} passed in line {line}: {altered}"),
                    Err(error) => error,
                };
                let (file, found_line, found) = place(&error);
                let found = found.unwrap();
                // The settings of a game show in what they bring about, perhaps in its searches only.
                let setting = ["game", "size", "komi", "handicap", "pie"].contains(&column.as_str());
                let related = match column.as_str() {
                    // Other turns lead to another end; too few or too many are a matter of their count.
                    "turns" => true,
                    "winner_seat" => found == "winner",
                    // Whether the ending is there decides whether a winner must be; a cap is held against other games.
                    "ending" => ["winner", "winner_seat"].contains(&found),
                    "game_index" => true,
                    _ => setting,
                };
                assert!(found == column || related, "{kind}: {column} altered in line {line}, yet {error}");
                if column != "game_index" && file == checked.games {
                    assert_eq!(found_line, line, "{kind}: {column} altered in line {line}, yet {error}");
                }
            }
        }
    }

    #[test]
    fn every_altered_field_of_a_search_is_noticed() {
        for kind in GameKind::ALL {
            let records: Vec<_> = (0..2).map(|index| random_record(kind, 3, index)).collect();
            let (games, positions) = texts(&records);
            let checked = Files::new(&games, &positions);
            for (text, line, column) in tampered(&positions) {
                if FREE.contains(&column.as_str()) {
                    continue;
                }
                fs::write(&checked.positions, &text).unwrap();
                let altered = text.lines().nth(line as usize - 1).unwrap_or_default();
                let error = match checked.check() {
                    // Other legal visits, and another value, are as good as these.
                    Ok(_) if ["visits", "policy", "root_value"].contains(&column.as_str()) => continue,
                    Ok(_) => panic!("{kind}: an altered {column} passed in line {line}: {altered}"),
                    Err(error) => error,
                };
                let (_, found_line, found) = place(&error);
                let found = found.unwrap();
                match column.as_str() {
                    // A row in a wrong place is noticed there, or where the next one comes too early.
                    "game_index" | "turn" => assert!(found_line.abs_diff(line) <= 1, "{kind} {line} {column}: {error}"),
                    _ => {
                        assert_eq!(found_line, line, "{kind}: {column}: {error}");
                        let related = match column.as_str() {
                            "phase" | "picked" => ["phase", "picked", "turn"].contains(&found),
                            "game" | "size" => true,
                            // Outcome and margin must agree with each other and with the komi.
                            "outcome" | "margin" | "komi" => ["outcome", "margin"].contains(&found),
                            _ => false,
                        };
                        assert!(found == column || related, "{kind}: {column} altered in line {line}, yet {error}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_example_of_the_documentation_passes() {
        let page = include_str!("../../docs/data.md");
        let blocks: Vec<_> =
            page.split("```csv\n").skip(1).map(|block| block.split("```").next().unwrap_or_default()).collect();
        let [games, positions] = blocks[..] else { panic!("the page shows one example of each file") };
        let report = Files::new(games, positions).check().unwrap();
        assert_eq!((report.games, report.turns, report.positions), (1, 7, 5));
    }

    #[test]
    fn what_the_rules_leave_open_passes() {
        let mut record = random_record(GameKind::Yugo, 3, 1);
        record.game.seed += 1;
        record.game.first_engine = "another".into();
        record.positions[0].policy_weight = 0.0;
        let (games, positions) = texts(&[record]);
        Files::new(&games, &positions).check().unwrap();
    }

    #[test]
    fn games_cut_off_at_different_lengths_are_noticed() {
        let capped = |index| {
            let mut record = (index..)
                .step_by(50)
                .map(|i| random_record(GameKind::Sligo, 3, i))
                .find(|record| record.game.ending == Ending::MoveCap);
            let mut record = record.take().unwrap();
            record.game.game_index = index;
            record.positions.clear();
            record
        };
        let mut records = [capped(0), capped(1)];
        let (games, positions) = texts(&records);
        Files::new(&games, &positions).check().unwrap();
        let row = &mut records[1].game;
        let shorter: Vec<_> = row.turn_texts().take(20).map(String::from).collect();
        row.turns = shorter.join(" ");
        row.turn_count = 20;
        // The final board is made to fit, so that only the length is wrong.
        let mut played = Played::new(crate::games::Sligo::<1>::new(3, row.rules().options), Some(20));
        for text in &shorter {
            for step in parse_turn(played.position(), text).unwrap().steps() {
                played.play(*step);
            }
        }
        *row = GameRow::new(&row.meta(), &played).unwrap();
        let (games, positions) = texts(&records);
        let error = Files::new(&games, &positions).check().unwrap_err();
        assert_eq!(place(&error).1, 3, "{error}");
        assert!(error.to_string().contains("move_cap after 20 turns"), "{error}");
    }

    #[test]
    fn a_repetition_is_a_draw_without_margin() {
        let mut games = (0..4000).map(|index| random_record(GameKind::Sligo, 2 + index as usize % 2, index));
        let record = games.find(|record| record.game.ending == Ending::Repetition).expect("some random game repeats");
        assert_eq!(record.game.winner, Some(Winner::Draw));
        assert!(record.positions.iter().all(|row| row.outcome == Some(Outcome::Draw) && row.margin.is_none()));
        let (games, positions) = texts(&[record]);
        Files::new(&games, &positions).check().unwrap();
    }
}
