//! What each setting may be, and what it is where nothing is said: one table for config files and the command line.

use std::fmt;

/// A whole number's range and its usual value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Whole {
    pub least: u64,
    pub most: u64,
    pub usual: u64,
}

/// A real number's range and its usual value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Real {
    pub least: f64,
    pub most: f64,
    pub usual: f64,
}

impl Whole {
    const fn new(least: u64, most: u64, usual: u64) -> Self {
        Whole { least, most, usual }
    }

    /// The same range with another usual value.
    const fn usually(self, usual: u64) -> Self {
        Whole { usual, ..self }
    }

    /// The number in the type that it is wanted in, if it is allowed.
    pub fn check<T: TryFrom<u64>>(&self, value: u64) -> Result<T, String> {
        let allowed = (self.least..=self.most).contains(&value).then(|| T::try_from(value).ok()).flatten();
        allowed.ok_or_else(|| refusal(value, self))
    }

    /// The usual value in the type that it is wanted in.
    pub fn usual<T: TryFrom<u64> + Default>(&self) -> T {
        T::try_from(self.usual).unwrap_or_default()
    }
}

impl Real {
    const fn new(least: f64, most: f64, usual: f64) -> Self {
        Real { least, most, usual }
    }

    /// The number, if it is allowed.
    pub fn check(&self, value: f64) -> Result<f64, String> {
        if (self.least..=self.most).contains(&value) { Ok(value) } else { Err(refusal(value, self)) }
    }
}

/// Says that a value is not allowed, and which are.
pub fn refusal(found: impl fmt::Display, allowed: impl fmt::Display) -> String {
    format!("{found} is not allowed ({allowed})")
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from {} to {}", self.least, self.most)
    }
}

impl fmt::Display for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number from {} to {}", self.least, self.most)
    }
}

/// TOML's integers are signed.
pub const SEED: Whole = Whole::new(0, i64::MAX as u64, 1);
pub const BATCH: Whole = Whole::new(16, 4096, 64);
/// Worker threads; the usual number is that of the processor's cores.
pub const THREADS: Whole = Whole::new(1, 1024, 1);

pub const SIZE: Whole = Whole::new(1, crate::board::MAX_SIZE as u64, 9);
pub const HANDICAP: Whole = Whole::new(0, 180, 0);
pub const MOVE_CAP: Whole = Whole::new(1, 1_000_000, 1);
/// A komi's absolute value, in points.
pub const KOMI: Real = Real::new(-1000.0, 1000.0, 0.0);

pub const EXPLORATION: Real = Real::new(0.0, 100.0, 1.0);
pub const REDUCTION: Real = Real::new(0.0, 1.0, 0.1);
pub const CONSIDERED: Whole = Whole::new(1, 400, 16);
pub const VALUE_SCALE: Real = Real::new(0.001, 100.0, 0.5);
/// The most is what every game has.
pub const SYMMETRIES: Whole = Whole::new(1, 8, 1);
/// With more, a narrow win could not be told from a draw.
pub const MARGIN_WEIGHT: Real = Real::new(0.0, 0.4, 0.0);
/// MiB for the tables of the solver.
pub const SOLVE_MEMORY: Whole = Whole::new(1, 1 << 24, 1024);
/// MiB for the tree of one game. 400 visits on 19x19 take 3.
pub const TREE_MEMORY: Whole = Whole::new(1, 1 << 16, 256);

pub const BENCH_ROUNDS: Whole = Whole::new(1, 1000, 3);
pub const BENCH_SOAK: Whole = Whole::new(1, 100_000, 30);
pub const BENCH_SECONDS: Whole = Whole::new(1, 3600, 2);

pub const GENERATIONS: Whole = Whole::new(1, 1000, 4);
pub const SELFPLAY_GAMES: Whole = Whole::new(1, 10_000_000, 1000);
pub const SELFPLAY_VISITS: Whole = Whole::new(1, 1_000_000, 100);
pub const FULL_SHARE: Real = Real::new(0.01, 1.0, 1.0);
pub const FAST_VISITS: Whole = SELFPLAY_VISITS.usually(16);
pub const FORCED: Real = Real::new(0.0, 100.0, 0.0);
pub const SHARD: Whole = Whole::new(1, 256, 256);
pub const SELFPLAY_OPENING_TURNS: Whole = Whole::new(0, 1000, 4);
pub const CONTINUED: Real = Real::new(0.0, 1.0, 0.2);
pub const TEMPERATURE: Real = Real::new(0.01, 100.0, 1.0);
/// The usual number is the board's side.
pub const TEMPERATURE_TURNS: Whole = Whole::new(0, 1_000_000, 0);
pub const NOISE_SHARE: Real = Real::new(0.0, 1.0, 0.25);
pub const NOISE_CONCENTRATION: Real = Real::new(0.001, 10_000.0, 10.0);
/// In points, on a board of side 9.
pub const KOMI_SPREAD: Real = Real::new(0.0, 100.0, 4.0);

pub const LAYERS: Whole = Whole::new(1, 64, 6);
pub const CHANNELS: Whole = Whole::new(1, 1024, 64);
pub const EPOCHS: Whole = Whole::new(1, 10_000, 40);
pub const PATIENCE: Whole = Whole::new(1, 10_000, 5);
pub const TRAIN_BATCH: Whole = Whole::new(16, 65_536, 256);
pub const CHUNKS: Whole = Whole::new(1, 1024, 8);
pub const LEARNING_RATE: Real = Real::new(1e-6, 1.0, 1e-3);
pub const WEIGHT_DECAY: Real = Real::new(0.0, 1.0, 1e-4);
pub const VALIDATION: Real = Real::new(0.01, 0.5, 0.1);

pub const WINDOW: Whole = Whole::new(1, 1_000_000_000, 100_000);

pub const GATE_PAIRS: Whole = Whole::new(0, 1_000_000, 64);
pub const GATE_ELO: Real = Real::new(1.0, 1000.0, 100.0);
pub const RATING_PAIRS: Whole = Whole::new(0, 1_000_000, 32);

pub const KOMI_GAMES: Whole = Whole::new(4, 10_000_000, 2000);
/// In points.
pub const KOMI_WIDTH: Real = Real::new(0.0, 1000.0, 0.0);
pub const BLOCK: Whole = Whole::new(2, 4096, 128);
pub const DRAWN_TURNS: Whole = Whole::new(0, 1000, 6);
pub const DELTA: Real = Real::new(0.0, 1.0, 0.05);
pub const MEASURED_VISITS: Whole = SELFPLAY_VISITS.usually(200);
/// In milliseconds.
pub const GTP_LIMIT: Whole = Whole::new(1, 86_400_000, 60_000);
/// In milliseconds.
pub const MOVETIME: Whole = Whole::new(1, 86_400_000, 1000);
pub const BALANCE_GAMES: Whole = SELFPLAY_GAMES.usually(400);

pub const PAIRS: Whole = Whole::new(1, 1_000_000, 200);
pub const RATED_PAIRS: Whole = PAIRS.usually(960);
pub const SPRT_ELO: Real = Real::new(-10_000.0, 10_000.0, 0.0);
pub const ERROR_RATE: Real = Real::new(1e-6, 0.5, 0.05);
pub const MATCH_OPENING_TURNS: Whole = SELFPLAY_OPENING_TURNS.usually(2);
