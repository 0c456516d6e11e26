//! What lies in a run's directory.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::HtmlError;
use crate::games::{GameKind, HalfPoints};
use crate::komi::{Values, values};
use crate::learn::{BALANCE, KOMI, MATCH, board_folder};
use crate::records::GameRow;
use crate::selfplay::game_rows;

/// What a run was made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Selfplay,
    Komi,
    Balance,
    Match,
    Rate,
    Pipeline,
}

impl Kind {
    /// The kind of a run with this config, told by keys that no other kind has.
    fn of(config: &Table) -> Option<Kind> {
        let has = |key: &str| config.contains_key(key);
        Some(match () {
            () if config.get("board").is_some_and(Value::is_array) => Kind::Pipeline,
            () if has("anchor") => Kind::Rate,
            () if has("pairs") => Kind::Match,
            () if has("block") => Kind::Komi,
            () if config.get("komi").is_some_and(Value::is_array) => Kind::Balance,
            () if has("shard") => Kind::Selfplay,
            () => return None,
        })
    }

    /// Its name as that of the command.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Selfplay => "selfplay",
            Kind::Komi => "komi",
            Kind::Balance => "balance",
            Kind::Match => "match",
            Kind::Rate => "rate",
            Kind::Pipeline => "pipeline",
        }
    }
}

/// A run as far as it has come.
pub struct Run {
    pub folder: PathBuf,
    pub kind: Kind,
    pub config: Table,
    /// The finished games; none of a pipeline, whose parts are runs of their own.
    pub rows: Vec<GameRow>,
    /// What the searches of measured games thought.
    pub values: Values,
}

impl Run {
    /// The run in a folder.
    fn read(folder: &Path) -> Result<Run, HtmlError> {
        let path = folder.join("run.toml");
        let text = std::fs::read_to_string(&path).map_err(|source| HtmlError::Open { path: path.clone(), source })?;
        let config: Table =
            text.parse().map_err(|error: toml::de::Error| HtmlError::Config { path, reason: error.to_string() })?;
        let kind = Kind::of(&config).ok_or_else(|| HtmlError::Kind { folder: folder.to_path_buf() })?;
        let rows = match kind {
            Kind::Pipeline | Kind::Rate => Vec::new(),
            _ => game_rows(folder)?,
        };
        let values = match kind {
            Kind::Komi | Kind::Balance => values(folder)?,
            _ => Values::new(),
        };
        Ok(Run { folder: folder.to_path_buf(), kind, config, rows, values })
    }

    /// The run in a folder, and those that are its parts: what a pipeline has measured so far.
    pub fn read_all(folder: &Path) -> Result<Vec<Run>, HtmlError> {
        let whole = Run::read(folder)?;
        let boards = match (whole.kind, whole.config.get("board")) {
            (Kind::Pipeline, Some(Value::Array(boards))) => boards.clone(),
            _ => Vec::new(),
        };
        let mut runs = vec![whole];
        for board in boards {
            let Some((game, size)) = board_of(&board) else { continue };
            let parts = [KOMI, BALANCE, MATCH].map(|part| board_folder(folder, game, size).join(part));
            for part in parts.iter().filter(|part| part.join("run.toml").exists()) {
                runs.push(Run::read(part)?);
            }
        }
        Ok(runs)
    }

    /// Its board, unless it has several.
    pub fn board(&self) -> Option<(GameKind, usize)> {
        board_of(self.config.get("board")?)
    }

    /// Pawns that Black places first (Yugo).
    pub fn handicap(&self) -> usize {
        let pawns = self.config.get("board").and_then(|board| board.get("handicap")).and_then(Value::as_integer);
        pawns.and_then(|pawns| pawns.try_into().ok()).unwrap_or(0)
    }

    /// The visits of its first engine.
    pub fn visits(&self) -> Option<u32> {
        let engine = self.config.get("engines")?.as_array()?.first()?;
        engine.get("visits")?.as_integer()?.try_into().ok()
    }

    /// The hash of its first engine's network.
    pub fn network(&self) -> Option<&str> {
        self.config.get("engines")?.as_array()?.first()?.get("net")?.as_str()
    }

    /// What the network said itself of the fair komi, as the run has written it down.
    pub fn network_answer(&self) -> Option<String> {
        let mut reader = csv::Reader::from_path(self.folder.join("fair_komi.csv")).ok()?;
        let at = reader.headers().ok()?.iter().position(|name| name == "network_answer")?;
        let row = reader.records().next()?.ok()?;
        let points: f64 = row.get(at)?.parse().ok()?;
        Some(HalfPoints((2.0 * points).round() as i32).signed())
    }

    /// A text of the config's table `[run]`: `version`, `git_commit`, `machine`.
    pub fn info(&self, key: &str) -> &str {
        self.config.get("run").and_then(|run| run.get(key)).and_then(Value::as_str).unwrap_or("unknown")
    }

    /// Its seed.
    pub fn seed(&self) -> String {
        self.config.get("seed").and_then(Value::as_integer).map_or("–".to_string(), |seed| seed.to_string())
    }

    /// The engines that play, in words, each once.
    pub fn engines(&self) -> Vec<String> {
        let engines = self.config.get("engines").and_then(Value::as_array);
        let mut words: Vec<String> = engines.into_iter().flatten().map(engine).collect();
        // Two programs of the same name are told apart by their command lines.
        for (words, key) in words.iter_mut().zip(["a_gtp", "b_gtp"]) {
            if let Some(command) = self.config.get(key).and_then(Value::as_str) {
                *words += &format!(" (`{command}`)");
            }
        }
        words.dedup();
        words
    }
}

fn board_of(board: &Value) -> Option<(GameKind, usize)> {
    let game = board.get("game")?.as_str()?.parse().ok()?;
    Some((game, board.get("size")?.as_integer()?.try_into().ok()?))
}

fn engine(engine: &Value) -> String {
    let text = |key: &str| engine.get(key).and_then(Value::as_str);
    // An engine without a name of its own is called what it judges by.
    let words = match (text("name").unwrap_or("an engine"), text("net")) {
        (name, None) => name.to_string(),
        ("network", Some(net)) => format!("network {net}"),
        (name, Some(net)) => format!("{name} (network {net})"),
    };
    match engine.get("visits").and_then(Value::as_integer) {
        Some(visits) if visits > 0 => words + &format!(", {visits} visits"),
        _ => words,
    }
}
