//! What the stages of the main job share.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::layout::board_folder;
use super::pipeline::{PipelineError, Ui};
use super::times::Times;
use crate::config::{Board, PipelineConfig};
use crate::games::HalfPoints;
use crate::komi::{measurable_near, own_answer};
use crate::net::NetError;
use crate::records::{RunDir, RunInfo, run_toml};
use crate::search::part_seed;
use crate::selfplay::{Control, Engine, EngineError, Observer, Work, Workers, config_toml};
use crate::with_game;

/// The main job as it runs.
pub(super) struct Job<'a> {
    pub config: &'a PipelineConfig,
    pub out: &'a Path,
    pub threads: usize,
    pub info: &'a RunInfo,
    pub stop: &'a AtomicBool,
    pub ui: &'a dyn Ui,
    pub times: Times,
}

/// Passes reports on, and adds up the work.
struct Counted<'a> {
    observer: &'a dyn Observer,
    games_and_work: Mutex<(u64, Work)>,
}

impl Observer for Counted<'_> {
    fn game_done(&self, work: Work) {
        let mut sum = self.games_and_work.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        sum.0 += 1;
        sum.1.add(work);
        drop(sum);
        self.observer.game_done(work);
    }
}

impl Job<'_> {
    /// The folder of a board's runs.
    pub fn folder(&self, board: Board) -> PathBuf {
        board_folder(self.out, board.game, board.size)
    }

    /// The directory of a part of the run; its config includes the networks that play.
    pub fn open<T: Serialize>(&self, path: &Path, config: &T, engines: &[&Engine]) -> Result<RunDir, PipelineError> {
        let tags: Vec<_> = engines.iter().map(|engine| engine.tag()).collect();
        let dir = RunDir::open_or_create(path, &run_toml(&config_toml(config, &tags)?, self.info))?;
        dir.warnings().iter().for_each(|warning| self.ui.warn(warning));
        Ok(dir)
    }

    /// Plays a stage's games, tells of them, and takes the time.
    pub fn watch<T>(&mut self, stage: &str, games: u64, done: u64, play: impl FnOnce(Workers, Control<'_>) -> T) -> T {
        let shown = self.ui.games(stage, games, done);
        let counted = Counted { observer: &*shown, games_and_work: Mutex::default() };
        let begun = Instant::now();
        let workers = Workers { threads: self.threads, batch: self.config.inference.batch };
        let result = play(workers, Control { stop: self.stop, observer: &counted });
        let (games, work) = counted.games_and_work.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        drop(shown);
        if games > 0 {
            self.note(stage, begun.elapsed(), games, work.evaluations);
        }
        result
    }

    /// Notes a stage's time.
    pub fn note(&mut self, stage: &str, time: Duration, games: u64, evaluations: u64) {
        if let Err(error) = self.times.add(stage, time, self.threads, games, evaluations) {
            // The games are what counts.
            self.ui.warn(&format!("the time by stage is not kept: {error}"));
        }
    }

    /// The search with the network in a file, or with playouts.
    pub fn engine(&self, board: Board, network: Option<&Path>, visits: u32) -> Result<Engine, EngineError> {
        let search = self.config.search.with_visits(visits);
        Engine::load(network, search, board.game, board.size, self.config.inference)
    }

    /// A komi that the rules allow beside what the engine's network thinks fair on the empty board; near 0 without one,
    /// and in Fugo 0.
    pub fn own_komi(&self, board: Board, engine: &Engine) -> Result<HalfPoints, NetError> {
        let (game, size) = (board.game, board.size);
        if !game.has_score() {
            return Ok(HalfPoints(0));
        }
        let own = with_game!(game, size, G => own_answer::<G>(engine, &board))?;
        let even = own.map(|own| own.most_even).filter(|komi| game.allows_komi(*komi));
        Ok(even.unwrap_or_else(|| measurable_near(game, size, 0.0)))
    }

    /// A stage's own seed: stages must not share random numbers.
    pub fn seed(&self, stage: &str) -> u64 {
        part_seed(self.config.seed, stage)
    }
}
