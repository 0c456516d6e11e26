//! How fast this machine plays: playouts, search, network, and whole self-play.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::config::{SearchConfig, SelfplayConfig};
use crate::games::{Game, HalfPoints, Options, Phase, Played};
use crate::net::NetError;
use crate::records::{RunDir, RunError, RunInfo, run_toml};
use crate::search::{Descent, PlayoutPolicy, Purpose, Search, playout, stream};
use crate::selfplay::{Control, Engine, Observer, OutputError, PlayError, Work, Workers, config_toml, generate};

/// So much work in so many seconds.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Rate {
    pub work: f64,
    pub seconds: f64,
}

impl Rate {
    /// Work a second; 0 if nothing was done.
    pub fn per_second(self) -> f64 {
        if self.seconds > 0.0 { self.work / self.seconds } else { 0.0 }
    }
}

/// Why speed could not be measured.
#[derive(Debug, Error)]
pub enum BenchError {
    #[error(transparent)]
    Network(#[from] NetError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Play(#[from] PlayError<OutputError>),
    #[error("the config cannot be written: {0}")]
    Config(#[from] toml::ser::Error),
    #[error("there is no place for the games: {0}")]
    Folder(#[from] std::io::Error),
}

/// Repeats `once`, which returns the work that it did, for about so long.
fn repeat<E>(duration: Duration, mut once: impl FnMut() -> Result<f64, E>) -> Result<Rate, E> {
    let begun = Instant::now();
    let mut rate = Rate::default();
    while begun.elapsed() < duration {
        rate.work += once()?;
    }
    rate.seconds = begun.elapsed().as_secs_f64();
    Ok(rate)
}

/// The smallest komi but 0, so that no game of points is a tie.
fn komi<G: Game>() -> HalfPoints {
    HalfPoints(G::KIND.has_score() as i32)
}

/// Playouts from the empty board on one core, and their turns in the same time.
pub fn playouts<G: PlayoutPolicy>(size: usize, duration: Duration) -> [Rate; 2] {
    let start = G::new(size, Options::default());
    let (mut rng, mut again) = (stream(1, Purpose::Playout, 0), stream(1, Purpose::Playout, 0));
    let Ok(playouts) = repeat::<std::convert::Infallible>(duration, || {
        std::hint::black_box(playout(&start, komi::<G>(), &mut rng));
        Ok(1.0)
    });
    // The turns are counted afterwards, in the same playouts: counting takes time of its own.
    let counted = playouts.work.min(4000.0);
    let mut turns = 0u64;
    for _ in 0..counted as usize {
        let mut shadow = start.clone();
        start.clone().play_out(G::playout_cap(size), &mut again, |step| {
            shadow.play(step);
            turns += u64::from(shadow.phase() == Phase::Start);
        });
    }
    [playouts, Rate { work: playouts.work * turns as f64 / counted.max(1.0), ..playouts }]
}

/// Simulations of searches with playouts at the empty board, on one core.
pub fn simulations<G: PlayoutPolicy>(size: usize, search: SearchConfig, duration: Duration) -> Rate {
    let start = G::new(size, Options::default());
    let game = Played::new(start.clone(), G::KIND.default_move_cap(size));
    if start.end().is_some() {
        return Rate::default(); // Fugo on 1x1: there is nothing to search.
    }
    let mut rng = stream(1, Purpose::Playout, 1);
    let mut tree = Search::new(search, &start, komi::<G>());
    let Ok(rate) = repeat::<std::convert::Infallible>(duration, || {
        tree.restart(&start);
        tree.prepare_root(search.visits, None, &mut rng);
        while !tree.is_done() {
            if tree.descend(&game) == Descent::Terminal {
                continue;
            }
            if let Some(leaf) = tree.leaf() {
                let value = playout(leaf, komi::<G>(), &mut rng).for_mover(leaf.seat_to_move());
                tree.back_up(value);
            }
        }
        Ok(f64::from(search.visits))
    });
    rate
}

/// Positions of the network alone, heads included, in full batches: what libtorch can do with this module. Each thread
/// has an evaluator of its own; the rate is that of all together. `plain`: every operation is libtorch's own, else the
/// forward that play uses. Nothing for an engine without a network.
pub fn bare_forward(
    engine: &Engine,
    size: usize,
    threads: usize,
    plain: bool,
    duration: Duration,
) -> Result<Rate, NetError> {
    let one = || -> Result<Rate, NetError> {
        let Some(mut evaluator) = engine.net_evaluator()? else { return Ok(Rate::default()) };
        evaluator.forward_blank(size, plain)?;
        repeat(duration, || Ok(evaluator.forward_blank(size, plain)? as f64))
    };
    let rates = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        let joined =
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.collect::<Result<Vec<Rate>, NetError>>()
    })?;
    let seconds = duration.as_secs_f64();
    Ok(Rate { work: rates.iter().map(|rate| rate.per_second() * seconds).sum(), seconds })
}

/// A whole run of self-play.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Run {
    pub games: u64,
    pub seconds: f64,
    pub work: Work,
}

/// Adds up the work of all workers.
#[derive(Default)]
struct Total(Mutex<Work>);

impl Observer for Total {
    fn game_done(&self, work: Work) {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).add(work);
    }
}

/// Plays a run of self-play into a folder that is deleted afterwards: from the first game begun to the last one written.
pub fn selfplay<G: PlayoutPolicy>(
    config: &SelfplayConfig,
    engine: &Engine,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Run, BenchError> {
    let folder = tempfile::tempdir()?;
    let info = RunInfo { version: String::new(), git_commit: String::new(), machine: String::new() };
    let mut dir =
        RunDir::open_or_create(&folder.path().join("run"), &run_toml(&config_toml(config, &[engine])?, &info))?;
    let total = Total::default();
    let workers = Workers { threads, batch: config.inference.batch };
    let begun = Instant::now();
    generate::<G>(config, engine, &[], &mut dir, workers, Control { stop, observer: &total })?;
    let seconds = begun.elapsed().as_secs_f64();
    let work = total.0.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    Ok(Run { games: config.games, seconds, work })
}
