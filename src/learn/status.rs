//! How far a run of the main job has come, read from its directory while it runs or after.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use super::curves::GenerationRow;
use super::layout::{MEASURED, REPORT, board_folder, network_file};
use super::times::Times;
use crate::games::GameKind;
use crate::records::Manifest;

/// How far a run has come.
#[derive(Clone, PartialEq, Debug)]
pub struct RunStatus {
    pub games: Vec<GameStatus>,
    /// True if there is nothing left to do.
    pub is_over: bool,
}

/// A game's part of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct GameStatus {
    pub game: GameKind,
    /// Generations in all.
    pub generations: usize,
    /// Those that are over.
    pub rows: Vec<GenerationRow>,
    pub boards: Vec<BoardStatus>,
    /// Games of each board and generation.
    pub games: u64,
    /// True if the network of the next generation is there, and plays the one before.
    pub is_trained: bool,
    /// How long its learning has taken, in seconds.
    pub seconds: f64,
}

/// The finished games of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BoardStatus {
    pub size: usize,
    /// Of the next generation's self-play, and of its network against the best one before.
    pub selfplay: u64,
    pub gate: u64,
    /// Of the komi, the balance and the match of the end.
    pub measured: [u64; 3],
}

impl GameStatus {
    /// How long the generations left will take, in seconds, if they take as long as those that are over on average.
    pub fn seconds_left(&self) -> Option<f64> {
        let over = self.rows.len();
        (over > 0).then(|| self.seconds / over as f64 * (self.generations - over.min(self.generations)) as f64)
    }
}

/// Why nothing can be told of a run.
#[derive(Debug, Error)]
pub enum StatusError {
    #[error("{}: {source}; name the directory of a run of `fairkomi pipeline`", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{} is not the config of a run of `fairkomi pipeline`: {what}", path.display())]
    Config { path: PathBuf, what: String },
    #[error("{} is damaged: {what}; run the same `fairkomi pipeline` again, which writes it anew", path.display())]
    Rows { path: PathBuf, what: String },
}

/// What is read of a run's config.
#[derive(Deserialize)]
struct Config {
    selfplay: Selfplay,
    board: Vec<Board>,
}

#[derive(Deserialize)]
struct Selfplay {
    generations: usize,
    games: u64,
}

#[derive(Deserialize)]
struct Board {
    game: String,
    size: usize,
}

/// How far each game of a run has come.
pub fn status(run: &Path) -> Result<RunStatus, StatusError> {
    let path = run.join("run.toml");
    let text = fs::read_to_string(&path).map_err(|source| StatusError::Unreadable { path: path.clone(), source })?;
    let config: Config =
        toml::from_str(&text).map_err(|error| StatusError::Config { path, what: error.message().to_string() })?;
    let times = Times::load(run);
    let mut found = Vec::new();
    for game in GameKind::ALL {
        let sides: Vec<usize> =
            config.board.iter().filter(|board| board.game == game.name()).map(|board| board.size).collect();
        if sides.is_empty() {
            continue;
        }
        let rows = rows_of(&run.join(game.name()))?;
        let next = rows.len() as u32 + 1;
        let boards = sides.into_iter().map(|size| {
            let folder = board_folder(run, game, size);
            let finished = |part: &str| Manifest::load(&folder.join(part)).map_or(0, |manifest| manifest.games());
            BoardStatus {
                size,
                selfplay: finished(&format!("selfplay-{}", rows.len())),
                gate: finished(&format!("gate-{next}")),
                measured: MEASURED.map(finished),
            }
        });
        found.push(GameStatus {
            game,
            generations: config.selfplay.generations,
            boards: boards.collect(),
            is_trained: network_file(run, game, next).exists(),
            seconds: times.learning(game, rows.len() as u32).seconds,
            rows,
            games: config.selfplay.games,
        });
    }
    Ok(RunStatus { games: found, is_over: run.join(REPORT).exists() })
}

/// The generations that are over, by the learning curves in a game's folder; none if there is no file yet.
pub(super) fn rows_of(folder: &Path) -> Result<Vec<GenerationRow>, StatusError> {
    let path = folder.join("learning.csv");
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text.map_err(|error| StatusError::Rows { path: path.clone(), what: error.to_string() })?,
    };
    if text.is_empty() {
        return Err(StatusError::Rows { path, what: "it is empty".to_string() });
    }
    let rows: Result<Vec<GenerationRow>, csv::Error> =
        csv::Reader::from_reader(text.as_bytes()).deserialize().collect();
    rows.map_err(|error| StatusError::Rows { path, what: error.to_string() })
}
