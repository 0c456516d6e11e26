//! How fast this machine plays: playouts, search, network, and whole self-play.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::config::{SearchConfig, SelfplayConfig};
use crate::games::{Game, HalfPoints, Options, Phase, Played};
use crate::net::{NetError, NetEvaluator};
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

    fn add(&mut self, other: Rate) {
        self.work += other.work;
        self.seconds += other.seconds;
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

/// What is measured in turn with something else is measured for so long at a time: whatever else the machine does then
/// strikes both alike.
const PROBE: Duration = Duration::from_millis(50);

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

/// What playouts from the empty board and searches with them do on one core, measured in turn.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct PlayoutRates {
    pub playouts: Rate,
    /// The turns of these playouts.
    pub turns: Rate,
    /// Simulations of searches at the empty board.
    pub simulations: Rate,
}

/// Measures playouts and simulations, each for `duration`, or until a stop.
pub fn playouts<G: PlayoutPolicy>(
    size: usize,
    search: SearchConfig,
    duration: Duration,
    stop: &AtomicBool,
) -> PlayoutRates {
    let start = G::new(size, Options::default());
    let game = Played::new(start.clone(), G::KIND.default_move_cap(size));
    let [mut rng, mut again, mut searching] = [0, 0, 1].map(|index| stream(1, Purpose::Playout, index));
    let mut tree = Search::new(search, &start, komi::<G>());
    let over = start.end().is_some(); // Fugo on 1x1: there is nothing to search.
    let mut rates = PlayoutRates::default();
    let measured = 2.0 * duration.as_secs_f64();
    while rates.playouts.seconds + rates.simulations.seconds < measured && !stop.load(Ordering::Relaxed) {
        let Ok(playouts) = repeat::<Infallible>(PROBE, || {
            std::hint::black_box(playout(&start, komi::<G>(), &mut rng));
            Ok(1.0)
        });
        rates.playouts.add(playouts);
        let Ok(simulations) = repeat::<Infallible>(PROBE, || {
            if over {
                return Ok(0.0);
            }
            tree.restart(&start);
            tree.prepare_root(search.visits, None, &mut searching);
            while !tree.is_done() {
                if tree.descend(&game) == Descent::Terminal {
                    continue;
                }
                if let Some(leaf) = tree.leaf() {
                    let value = playout(leaf, komi::<G>(), &mut searching).for_mover(leaf.seat_to_move());
                    tree.back_up(value);
                }
            }
            Ok(f64::from(search.visits))
        });
        rates.simulations.add(simulations);
    }
    // The turns are counted afterwards, in the same playouts: counting takes time of its own.
    let counted = rates.playouts.work.min(4000.0);
    let mut turns = 0u64;
    for _ in 0..counted as usize {
        let mut shadow = start.clone();
        start.clone().play_out(G::playout_cap(size), &mut again, |step| {
            shadow.play(step);
            turns += u64::from(shadow.phase() == Phase::Start);
        });
    }
    rates.turns = Rate { work: rates.playouts.work * turns as f64 / counted.max(1.0), ..rates.playouts };
    rates
}

/// A run goes on for so long between two looks at the forward alone.
const BETWEEN_PROBES: Duration = Duration::from_millis(400);

/// Fewer looks at either forward than these say nothing.
const LEAST_LOOKS: usize = 4;

/// The network alone, heads included, in full batches, on a worker's own thread between the rounds of its games: so
/// whatever else the machine does strikes both alike.
struct Probe {
    evaluator: NetEvaluator,
    size: usize,
    last: Instant,
    /// With libtorch's operations alone, which is what libtorch can do with this module; and as it is evaluated in play.
    rates: [Rate; 2],
    /// How often it has looked; the two take turns.
    looks: usize,
    /// All seconds that it took.
    spent: f64,
}

impl Probe {
    fn new(evaluator: NetEvaluator, size: usize) -> Self {
        Probe { evaluator, size, last: Instant::now(), rates: Default::default(), looks: 0, spent: 0.0 }
    }

    fn forward(&mut self) -> Result<f64, NetError> {
        Ok(self.evaluator.forward_blank(self.size, self.looks.is_multiple_of(2))? as f64)
    }

    /// Looks at the forward, if it is time to.
    fn look(&mut self) -> Result<(), NetError> {
        if self.last.elapsed() < BETWEEN_PROBES {
            return Ok(());
        }
        let begun = Instant::now();
        // The first batch finds its weights and its room cold; it is not counted.
        self.forward()?;
        let rate = repeat(PROBE, || self.forward())?;
        self.rates[self.looks % 2].add(rate);
        self.looks += 1;
        self.last = Instant::now();
        self.spent += begun.elapsed().as_secs_f64();
        Ok(())
    }
}

/// A whole run of self-play.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Run {
    pub games: u64,
    /// From the first game begun to the last one written, without what was measured in between.
    pub seconds: f64,
    pub work: Work,
    /// Positions a second of the network alone, measured in between, all workers together: with libtorch's operations
    /// alone, and as it is evaluated in play. `None` without a network, and in runs too short to tell.
    pub forwards: Option<[f64; 2]>,
}

impl Run {
    /// How long a search took; not a number without one.
    pub fn seconds_a_search(&self) -> f64 {
        self.seconds / self.work.searches as f64
    }
}

/// Adds up the work of all workers, each of which has a probe if there is a network.
struct Total {
    work: Mutex<Work>,
    probes: Vec<Mutex<Probe>>,
    failed: Mutex<Option<NetError>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Observer for Total {
    fn game_done(&self, work: Work) {
        locked(&self.work).add(work);
    }

    fn round_done(&self) {
        let Some(probe) = rayon::current_thread_index().and_then(|worker| self.probes.get(worker)) else { return };
        if let Err(error) = locked(probe).look() {
            locked(&self.failed).get_or_insert(error);
        }
    }
}

/// Plays a run of self-play into a folder that is deleted afterwards.
pub fn selfplay<G: PlayoutPolicy>(
    config: &SelfplayConfig,
    engine: &Engine,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Run, BenchError> {
    let folder = tempfile::tempdir()?;
    let info = RunInfo { version: String::new(), git_commit: String::new(), machine: String::new() };
    let mut dir =
        RunDir::open_or_create(&folder.path().join("run"), &run_toml(&config_toml(config, &[engine.tag()])?, &info))?;
    let evaluators = (0..threads).filter_map(|_| engine.net_evaluator().transpose()).collect::<Result<Vec<_>, _>>()?;
    let probe = |evaluator| Mutex::new(Probe::new(evaluator, config.board.size));
    let total =
        Total { work: Mutex::default(), probes: evaluators.into_iter().map(probe).collect(), failed: Mutex::default() };
    let workers = Workers { threads, batch: config.inference.batch };
    let begun = Instant::now();
    generate::<G>(config, engine, &[], &mut dir, workers, Control { stop, observer: &total })?;
    let seconds = begun.elapsed().as_secs_f64();
    if let Some(error) = locked(&total.failed).take() {
        return Err(error.into());
    }
    let probes: Vec<_> = total.probes.iter().map(locked).collect();
    let spent: f64 = probes.iter().map(|probe| probe.spent).sum();
    let is_told = !probes.is_empty() && probes.iter().all(|probe| probe.looks >= 2 * LEAST_LOOKS);
    let forwards = is_told.then(|| [0, 1].map(|kind| probes.iter().map(|probe| probe.rates[kind].per_second()).sum()));
    let work = *locked(&total.work);
    Ok(Run { games: config.games, seconds: seconds - spent / threads as f64, work, forwards })
}
