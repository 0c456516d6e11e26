//! Plays games in parallel.
//!
//! Each worker keeps a number of games going. In a round every game walks on until it needs a value from a
//! network; then one batch of fixed size is evaluated, and the values go back in the order of the games. No
//! queues and no virtual loss: what a game does depends on its index alone.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use thiserror::Error;

use super::game::{Need, Slot};
use super::{Engine, Finished, Setup};
use crate::search::{EvalError, Evaluator, MoverValue, PlayoutPolicy};

/// How much is done at a time; no effect on the games.
#[derive(Clone, Copy, Debug)]
pub struct Workers {
    /// Worker threads.
    pub threads: usize,
    /// Games that a worker keeps going for each network: as many as its batch holds.
    pub batch: usize,
}

/// What was done to play games.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Positions that a network was asked about, padding aside.
    pub evaluations: u64,
    /// Positions whose value a network had said before.
    pub known: u64,
    /// Searches that led to a step.
    pub searches: u64,
    /// Positions that were not expanded because a game's tree was full.
    pub refused: u64,
    /// The most that the trees of one game took, in bytes.
    pub tree_bytes: usize,
}

impl Work {
    /// Adds other work.
    pub fn add(&mut self, other: Work) {
        self.evaluations += other.evaluations;
        self.known += other.known;
        self.searches += other.searches;
        self.refused += other.refused;
        self.tree_bytes = self.tree_bytes.max(other.tree_bytes);
    }
}

/// Is told of a run's progress, from any thread.
pub trait Observer: Sync {
    /// A game was finished. `work` is that of the game, with all evaluations of its worker since its last report.
    fn game_done(&self, work: Work);

    /// A worker's games have all walked on, and what they asked for was answered.
    fn round_done(&self) {}
}

/// How a run is watched and stopped.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Set to stop: games that are not over are dropped.
    pub stop: &'a AtomicBool,
    pub observer: &'a dyn Observer,
}

/// Why a run came to no end.
#[derive(Debug, Error)]
pub enum PlayError<E> {
    #[error("stopped")]
    Stopped,
    #[error(transparent)]
    Evaluation(#[from] EvalError),
    #[error("no worker threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error(transparent)]
    Output(E),
}

/// Plays the games with these indices, and hands each to `done` when it is over, in no particular order.
///
/// `setup` says what game an index stands for; the games depend on `seed` and on nothing else that is random.
pub fn play_games<G, E>(
    engines: &[Engine],
    indices: &[u64],
    setup: &(dyn Fn(u64) -> Setup + Sync),
    seed: u64,
    workers: Workers,
    control: Control<'_>,
    done: &(dyn Fn(Finished<G>) -> Result<(), E> + Sync),
) -> Result<(), PlayError<E>>
where
    G: PlayoutPolicy,
    E: Send,
{
    let threads = workers.threads.clamp(1, indices.len().max(1));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("games-{i}")).build()?;
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let first_error = Mutex::new(None);
    let networks = engines.iter().filter(|engine| engine.is_batched()).count();
    let slots = (workers.batch * networks).clamp(1, indices.len().div_ceil(threads).max(1));
    let take = || {
        let index = indices.get(next.fetch_add(1, Ordering::Relaxed))?;
        Some(Slot::<G>::new(setup(*index), engines, seed))
    };
    let job = Job { engines, slots, control, failed: &failed };
    pool.broadcast(|_| {
        if let Err(error) = job.work(&take, done) {
            // Kept before the others are told to stop, so that theirs is not taken for the cause.
            first_error.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
            failed.store(true, Ordering::Relaxed);
        }
    });
    match first_error.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// What the workers of a run share.
struct Job<'a> {
    engines: &'a [Engine],
    slots: usize,
    control: Control<'a>,
    failed: &'a AtomicBool,
}

impl Job<'_> {
    /// One worker: games from `take` until there are none left.
    fn work<G: PlayoutPolicy, E>(
        &self,
        take: &dyn Fn() -> Option<Slot<G>>,
        done: &dyn Fn(Finished<G>) -> Result<(), E>,
    ) -> Result<(), PlayError<E>> {
        let mut evaluators = self.engines.iter().map(Engine::evaluator).collect::<Result<Vec<_>, _>>()?;
        let mut slots: Vec<Slot<G>> = Vec::new();
        let mut evaluations = 0;
        loop {
            while slots.len() < self.slots {
                self.go_on()?;
                match take() {
                    Some(slot) => slots.push(slot),
                    None => break,
                }
            }
            if slots.is_empty() {
                return Ok(());
            }
            // Walk every game on to where it needs the network.
            let mut waiting: Vec<Option<usize>> = Vec::with_capacity(slots.len());
            let mut at = 0;
            while at < slots.len() {
                match self.walk(&mut slots[at], &mut evaluators)? {
                    Some(engine) => {
                        waiting.push(Some(engine));
                        at += 1;
                    }
                    None => {
                        let over = match take() {
                            Some(slot) => std::mem::replace(&mut slots[at], slot),
                            None => slots.remove(at),
                        };
                        let work = Work { evaluations: std::mem::take(&mut evaluations), ..over.work() };
                        done(over.finish()).map_err(PlayError::Output)?;
                        self.control.observer.game_done(work);
                    }
                }
            }
            for (engine, evaluator) in evaluators.iter_mut().enumerate() {
                evaluations += answer_all(&mut slots, &waiting, engine, evaluator.as_mut())?;
            }
            self.control.observer.round_done();
        }
    }

    /// Fails if the run is to stop.
    fn go_on<E>(&self) -> Result<(), PlayError<E>> {
        let stops = self.control.stop.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed);
        if stops { Err(PlayError::Stopped) } else { Ok(()) }
    }

    /// Walks a game on until it needs a network, whose engine is returned, or is over.
    fn walk<G: PlayoutPolicy, E>(
        &self,
        slot: &mut Slot<G>,
        evaluators: &mut [Box<dyn Evaluator<G>>],
    ) -> Result<Option<usize>, PlayError<E>> {
        loop {
            self.go_on()?;
            match slot.advance(evaluators)? {
                Need::Value(engine) => return Ok(Some(engine)),
                Need::Over => return Ok(None),
                Need::Nothing => {}
            }
        }
    }
}

/// Has the games that wait for `engine` valued, and returns how many did.
fn answer_all<G: PlayoutPolicy>(
    slots: &mut [Slot<G>],
    waiting: &[Option<usize>],
    engine: usize,
    evaluator: &mut dyn Evaluator<G>,
) -> Result<u64, EvalError> {
    let asking: Vec<usize> = (0..slots.len()).filter(|slot| waiting[*slot] == Some(engine)).collect();
    for batch in asking.chunks(evaluator.batch()) {
        let mut leaves = Vec::with_capacity(batch.len());
        let mut members = batch.iter().peekable();
        for (index, slot) in slots.iter_mut().enumerate() {
            if members.next_if_eq(&&index).is_some() {
                leaves.push(slot.leaf());
            }
        }
        evaluator.evaluate(&mut leaves)?;
        let values: Vec<MoverValue> = leaves.iter().map(|leaf| leaf.value).collect();
        for (slot, value) in batch.iter().zip(values) {
            slots[*slot].answer(value);
        }
    }
    Ok(asking.len() as u64)
}
