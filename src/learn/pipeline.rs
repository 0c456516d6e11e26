//! The main job: for each game self-play, training, self-play with the network and training again; then for each
//! board the komi, the balance, and a match of the network against playouts.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::Serialize;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::data::Data;
use super::training::{TrainingError, TrainingJob, train};
use crate::arena::{MatchReport, match_report, play_match};
use crate::config::{BalanceConfig, Board, KomiConfig, KomiDraw, MatchConfig, PipelineConfig, SelfplayConfig};
use crate::games::{GameKind, HalfPoints};
use crate::komi::{
    Balance, Known, MeasureError, Measurement, known, measurable_near, measure_balance, measure_komi, own_answer,
};
use crate::net::{NetError, Progress};
use crate::records::{ReadError, RunDir, RunError, RunInfo, claim, run_toml, tally, write_whole};
use crate::selfplay::{
    Control, Engine, EngineError, Observer, OutputError, PlayError, Workers, config_toml, game_rows, generate,
};
use crate::with_game;

/// Is told how the job goes.
pub trait Ui: Sync {
    /// The run's directory is there.
    fn begin(&self);
    /// A stage of so many games begins, `done` of which were played before; the observer is told of each.
    fn games<'a>(&'a self, stage: &str, games: u64, done: u64) -> Box<dyn Observer + 'a>;
    /// A training goes on.
    fn training(&self, stage: &str, data: &Data, progress: Progress<'_>);
    /// A line for the log.
    fn say(&self, line: &str);
}

/// What is known about a board in the end.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BoardResult {
    pub board: Board,
    pub known: Option<Known>,
    /// The engine measured: evaluator, network, visits.
    pub engine: String,
    pub komi: Measurement,
    /// The network's own answer at the empty board, which rests on no games.
    pub network_answer: Option<HalfPoints>,
    pub balance: Vec<Balance>,
    /// The network (A) against playouts (B).
    pub strength: MatchReport,
}

/// The end of the main job.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PipelineResult {
    pub boards: Vec<BoardResult>,
    /// How long each stage took, all calls together.
    pub times: Vec<(String, Duration)>,
}

/// Why the main job came to no end.
#[derive(Debug, Error)]
pub enum PipelineError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Play(#[from] PlayError<OutputError>),
    #[error(transparent)]
    Measure(#[from] MeasureError),
    #[error(transparent)]
    Train(#[from] TrainingError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Network(#[from] NetError),
    #[error("the config cannot be written: {0}")]
    Config(#[from] toml::ser::Error),
}

/// The side of the board for which the komi's spread is given.
const SPREAD_SIDE: f32 = 9.0;

/// Runs the main job in the directory `out`, or what is left of it.
pub fn pipeline(
    config: &PipelineConfig,
    out: &Path,
    threads: usize,
    info: &RunInfo,
    stop: &AtomicBool,
    ui: &dyn Ui,
) -> Result<PipelineResult, PipelineError> {
    let claim = claim(out, &run_toml(&toml::to_string(config)?, info))?;
    ui.begin();
    claim.warnings.iter().for_each(|warning| ui.say(warning));
    let mut job = Job { config, out, threads, info, stop, ui, times: Times::load(out) };
    let mut results = Vec::new();
    for game in GameKind::ALL {
        let boards: Vec<Board> = config.boards.iter().filter(|board| board.game == game).copied().collect();
        if boards.is_empty() {
            continue;
        }
        let network = job.learn(game, &boards)?;
        for board in boards {
            results.push(job.measure(board, &network)?);
        }
    }
    Ok(PipelineResult { boards: results, times: job.times.into_list() })
}

struct Job<'a> {
    config: &'a PipelineConfig,
    out: &'a Path,
    threads: usize,
    info: &'a RunInfo,
    stop: &'a AtomicBool,
    ui: &'a dyn Ui,
    times: Times,
}

impl Job<'_> {
    /// Rounds of self-play and training; returns the last network's file.
    fn learn(&mut self, game: GameKind, boards: &[Board]) -> Result<PathBuf, PipelineError> {
        let mut network: Option<PathBuf> = None;
        let mut data = Vec::new();
        for generation in 0..self.config.selfplay.generations {
            for board in boards {
                data.push(self.selfplay(*board, generation, network.as_deref())?);
            }
            let out = self.out.join("nets").join(format!("{game}-{}.safetensors", generation + 1));
            self.train(game, generation, &data, &out)?;
            network = Some(out);
        }
        Ok(network.expect("a config has at least one generation"))
    }

    fn selfplay(&mut self, board: Board, generation: usize, network: Option<&Path>) -> Result<PathBuf, PipelineError> {
        let settings = &self.config.selfplay;
        let (game, size) = (board.game, board.size);
        let stage = format!("{game} {size}x{size} self-play {generation}");
        let engine = self.engine(board, network, settings.plan.visits)?;
        let own = with_game!(game, size, G => own_answer::<G>(&engine, &board))?;
        let centre = own.map_or(HalfPoints(0), |komi| measurable_near(game, size, komi.points()));
        let centre = if game.allows_komi(centre) { centre } else { measurable_near(game, size, 0.0) };
        let config = SelfplayConfig {
            board,
            games: settings.games,
            seed: self.seed(&stage),
            inference: self.config.inference,
            shard: settings.shard,
            compress: settings.compress,
            search: engine.search.settings,
            plan: settings.plan,
            komi: KomiDraw { centre, spread: settings.komi_spread * size as f32 / SPREAD_SIDE },
            opening_turns: settings.opening_turns,
            temperature: settings.temperature,
            temperature_turns: settings.temperature_turns.unwrap_or(size),
            explore: settings.explore,
        };
        let path = self.folder(board).join(format!("selfplay-{generation}"));
        let mut dir = self.open(&path, &config, &engine)?;
        let done = dir.manifest().games();
        self.watch(
            &stage,
            config.games,
            done,
            |workers, control| with_game!(game, size, G => generate::<G>(&config, &engine, &mut dir, workers, control)),
        )?;
        for warning in tally(&game_rows(&path)?).warnings() {
            self.ui.say(&format!("{stage}: {warning}"));
        }
        Ok(path)
    }

    fn train(&mut self, game: GameKind, generation: usize, data: &[PathBuf], out: &Path) -> Result<(), PipelineError> {
        let stage = format!("{game} training {}", generation + 1);
        let job = TrainingJob {
            settings: &self.config.train,
            seed: self.seed(&stage),
            data,
            start: None,
            out,
            generation: generation as u32 + 1,
            threads: self.threads,
        };
        let begun = Instant::now();
        train(&job, self.stop, |data, progress| self.ui.training(&stage, data, progress))?;
        self.times.add(&stage, begun.elapsed())?;
        Ok(())
    }

    fn measure(&mut self, board: Board, network: &Path) -> Result<BoardResult, PipelineError> {
        let (komi, network_answer, engine) = self.komi(board, network)?;
        let best = match &komi {
            Measurement::Komi(fair) => {
                let points = fair.lattice.k_star.map(|k| HalfPoints(k).points());
                let beside = points.map(|points| measurable_near(board.game, board.size, points));
                let best = fair.best.as_ref();
                best.filter(|best| best.is_near).map(|best| best.komi).or(beside).or(best.map(|best| best.komi))
            }
            Measurement::Openings(_) => Some(HalfPoints(0)),
        };
        let best = best.unwrap_or_else(|| measurable_near(board.game, board.size, 0.0));
        let balance = self.balance(board, network, best)?;
        let strength = self.strength(board, network, best)?;
        let known = known(&board);
        Ok(BoardResult { board, known, engine, komi, network_answer, balance, strength })
    }

    fn komi(
        &mut self,
        board: Board,
        network: &Path,
    ) -> Result<(Measurement, Option<HalfPoints>, String), PipelineError> {
        let settings = &self.config.komi;
        let (game, size) = (board.game, board.size);
        let stage = format!("{game} {size}x{size} komi");
        let engine = self.engine(board, Some(network), settings.visits)?;
        let config = KomiConfig {
            board,
            games: settings.games,
            block: settings.block,
            seed: self.seed(&stage),
            inference: self.config.inference,
            search: engine.search,
            variation: settings.variation,
            start: None,
        };
        let mut dir = self.open(&self.folder(board).join("komi"), &config, &engine)?;
        let done = dir.manifest().games();
        let (found, own) = self.watch(&stage, config.games, done, |workers, control| {
            with_game!(game, size, G => (
                measure_komi::<G>(&config, &engine, &mut dir, workers, control),
                own_answer::<G>(&engine, &board),
            ))
        });
        Ok((found?, own?, engine.describe() + &board.extras()))
    }

    /// At komi 0 and at `best`.
    fn balance(&mut self, board: Board, network: &Path, best: HalfPoints) -> Result<Vec<Balance>, PipelineError> {
        let settings = &self.config.balance;
        let (game, size) = (board.game, board.size);
        let stage = format!("{game} {size}x{size} balance");
        let engine = self.engine(board, Some(network), settings.visits)?;
        // Fairness at komi 0 is of interest also where the rules forbid that komi: games can be played at it.
        let mut komi = vec![HalfPoints(0), best];
        komi.dedup();
        let config = BalanceConfig {
            board,
            games: settings.games,
            seed: self.seed(&stage),
            inference: self.config.inference,
            search: engine.search,
            variation: settings.variation,
            komi,
        };
        let mut dir = self.open(&self.folder(board).join("balance"), &config, &engine)?;
        let (games, done) = (config.games * config.komi.len() as u64, dir.manifest().games());
        Ok(self.watch(&stage, games, done, |workers, control| {
            with_game!(game, size, G => measure_balance::<G>(&config, &engine, &mut dir, workers, control))
        })?)
    }

    fn strength(&mut self, board: Board, network: &Path, komi: HalfPoints) -> Result<MatchReport, PipelineError> {
        let settings = &self.config.matches;
        let (game, size) = (board.game, board.size);
        let stage = format!("{game} {size}x{size} match");
        let engine = self.engine(board, Some(network), settings.visits)?;
        let search = engine.search;
        let engines = [engine, Engine::playouts(search)];
        let config = MatchConfig {
            board,
            pairs: settings.pairs,
            seed: self.seed(&stage),
            inference: self.config.inference,
            komi,
            opening_turns: settings.opening_turns,
            b_precision: self.config.inference.precision,
            a: search,
            b: search,
        };
        let mut dir = self.open(&self.folder(board).join("match"), &config, &engines[0])?;
        let done = dir.manifest().games();
        self.watch(&stage, 2 * config.pairs, done, |workers, control| {
            with_game!(game, size, G => play_match::<G>(&config, &engines, &mut dir, workers, control))
        })?;
        Ok(match_report(&game_rows(dir.path())?, &config, &engines))
    }

    fn folder(&self, board: Board) -> PathBuf {
        self.out.join(board.game.name()).join(format!("{0}x{0}", board.size))
    }

    /// The directory of a part of the run; its config includes the networks that play.
    fn open<T: Serialize>(&self, path: &Path, config: &T, engine: &Engine) -> Result<RunDir, PipelineError> {
        let dir = RunDir::open_or_create(path, &run_toml(&config_toml(config, &[engine])?, self.info))?;
        dir.warnings().iter().for_each(|warning| self.ui.say(warning));
        Ok(dir)
    }

    /// Plays a stage's games, tells of them, and takes the time.
    fn watch<T>(&mut self, stage: &str, games: u64, done: u64, play: impl FnOnce(Workers, Control<'_>) -> T) -> T {
        let observer = self.ui.games(stage, games, done);
        let begun = Instant::now();
        let workers = Workers { threads: self.threads, batch: self.config.inference.batch };
        let result = play(workers, Control { stop: self.stop, observer: &*observer });
        drop(observer);
        if let Err(error) = self.times.add(stage, begun.elapsed()) {
            // The games are what counts.
            self.ui.say(&format!("the time by stage is not kept: {error}"));
        }
        result
    }

    /// The search with the network in a file, or with playouts.
    fn engine(&self, board: Board, network: Option<&Path>, visits: u32) -> Result<Engine, EngineError> {
        let search = self.config.search.with_visits(visits);
        Engine::load(network, search, board.game, board.size, self.config.inference)
    }

    /// A stage's own seed: stages must not share random numbers.
    fn seed(&self, stage: &str) -> u64 {
        stage_seed(self.config.seed, stage)
    }
}

/// The seed of a part of a run.
fn stage_seed(seed: u64, stage: &str) -> u64 {
    let digest = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(stage).finalize();
    u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes")) >> 1
}

/// How long the stages took, in seconds, in the order in which they first ran; kept in the run's directory, so that
/// a run that was interrupted still knows.
struct Times {
    path: PathBuf,
    seconds: Vec<(String, f64)>,
}

impl Times {
    /// What earlier calls noted. A file that cannot be read is no loss that should stop a run: noting begins anew.
    fn load(run: &Path) -> Self {
        let path = run.join("times.json");
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        Times { path, seconds: serde_json::from_str(&text).unwrap_or_default() }
    }

    /// Adds to a stage's time.
    fn add(&mut self, stage: &str, time: Duration) -> Result<(), RunError> {
        match self.seconds.iter_mut().find(|(name, _)| name == stage) {
            Some((_, seconds)) => *seconds += time.as_secs_f64(),
            None => self.seconds.push((stage.to_string(), time.as_secs_f64())),
        }
        write_whole(&self.path, |file| Ok(serde_json::to_writer_pretty(file, &self.seconds)?))?;
        Ok(())
    }

    fn into_list(self) -> Vec<(String, Duration)> {
        let duration = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or_default();
        self.seconds.into_iter().map(|(stage, seconds)| (stage, duration(seconds))).collect()
    }
}
