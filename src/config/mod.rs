//! Typed, validated run configs: what a run's results depend on.
//!
//! The structs here are what the rest of the program works with, and what `run.toml` records. Numbers of
//! threads are not among them: they change nothing but the time.

mod check;
mod choice;
mod fault;
mod file;
pub mod limits;
mod names;
mod reader;
#[cfg(test)]
mod tests;

pub use check::{board_faults, chunks_of_batch, games_in_blocks, least_komi};
pub use fault::{ConfigFault, ConfigFaults, Place};

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::games::{GameKind, HalfPoints, Options, Rules};
use crate::stats::sprt::Sprt;

/// Which game is played on which board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Board {
    pub game: GameKind,
    /// The board's side.
    pub size: usize,
    /// Yugo: pawns that Black places before White's first turn.
    pub handicap: usize,
    /// Fugo: whether White may swap on the first turn.
    pub pie: bool,
    /// Turns after which a game is cut off without a result; `None` in games that always end.
    pub move_cap: Option<usize>,
}

impl Board {
    /// What is played besides game and size, for titles: `, handicap 2` or nothing.
    pub fn extras(&self) -> String {
        if self.handicap > 0 { format!(", handicap {}", self.handicap) } else { String::new() }
    }

    /// The rules of one game at `komi` on this board.
    pub fn rules(&self, komi: HalfPoints) -> Rules {
        let options = Options { handicap: self.handicap, pie: self.pie };
        Rules { game: self.game, size: self.size, options, komi, move_cap: self.move_cap }
    }
}

/// How a search is conducted.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SearchConfig {
    /// Simulations that each step's search is topped up to, reused ones included.
    pub visits: u32,
    #[serde(flatten)]
    pub settings: SearchSettings,
}

/// How simulations are led through a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Selection {
    /// PUCT (Silver et al. 2017), at the root too.
    Puct,
    /// Gumbel AlphaZero (Danihelka et al. 2022): sequential halving at the root, improved policies below.
    Gumbel,
}

/// What a search takes from a network.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Reading {
    /// Whether the network's policy gives the steps their priors; else these are equal.
    pub policy: bool,
    /// How many images of a position under the game's symmetries its answer is the mean of.
    pub symmetries: usize,
    /// To what part the margin takes the place of the win in values, 0 to 0.4.
    pub margin_weight: f32,
}

impl Reading {
    /// No more than the value.
    pub const VALUE: Reading = Reading { policy: false, symmetries: 1, margin_weight: 0.0 };
}

/// How searches are conducted, but for their visits.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SearchSettings {
    pub selection: Selection,
    /// PUCT: the weight of exploration against value, values being in [0, 1].
    pub exploration: f32,
    /// PUCT: how far below its parent's value an unvisited step is taken to be.
    pub reduction: f32,
    /// Gumbel: how many of the root's steps are looked at, at first.
    pub considered: u32,
    /// Gumbel: how much a difference in value counts beside the policy (c_scale).
    pub value_scale: f32,
    #[serde(flatten)]
    pub reading: Reading,
    /// The most memory that one game's tree fills, in MiB; a full tree grows no more, but goes on valuing. (What its
    /// vectors hold in reserve comes on top, at most as much again.)
    pub tree_memory: usize,
}

impl Default for SearchSettings {
    /// What is usual.
    fn default() -> Self {
        SearchSettings {
            selection: Selection::ALL[0],
            exploration: limits::EXPLORATION.usual as f32,
            reduction: limits::REDUCTION.usual as f32,
            considered: limits::CONSIDERED.usual(),
            value_scale: limits::VALUE_SCALE.usual as f32,
            reading: Reading {
                policy: true,
                symmetries: limits::SYMMETRIES.usual(),
                margin_weight: limits::MARGIN_WEIGHT.usual as f32,
            },
            tree_memory: limits::TREE_MEMORY.usual(),
        }
    }
}

impl SearchSettings {
    /// A search of so many visits.
    pub fn with_visits(self, visits: u32) -> SearchConfig {
        SearchConfig { visits, settings: self }
    }

    /// The most memory that one game's tree takes, in bytes.
    pub fn tree_bytes(&self) -> usize {
        self.tree_memory << 20
    }
}

/// The numbers that a network computes in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// Whatever is fastest here: bfloat16 where the device computes with it, else 32 bits.
    Auto,
    /// 32-bit floating-point numbers.
    F32,
    /// bfloat16: the same range in 16 bits, with 8 bits of precision.
    Bf16,
}

/// What a network computes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    Cpu,
    /// The first CUDA device.
    Cuda,
}

/// How networks value positions. All of it may change the last bits of a value, so all of it is part of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Inference {
    /// Positions that a network values a call.
    pub batch: usize,
    pub precision: Precision,
    pub device: Device,
}

/// What self-play does at the root to see more steps than a player would.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct RootExploration {
    /// PUCT: noise in the priors. Gumbel has its own.
    #[serde(flatten, serialize_with = "noise_keys")]
    pub noise: Option<RootNoise>,
    /// PUCT: each step that is tried gets at least √(this · prior · visits) visits, which the policy does not learn; 0: no
    /// such thing.
    pub forced: f32,
}

/// How many visits the searches of self-play have (playout-cap randomisation, Wu 2019).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct VisitPlan {
    /// Of a full search, which the policy learns from.
    pub visits: u32,
    /// The part of the searches that are full.
    pub full_share: f32,
    /// Of the others, which have no noise and move the game on.
    pub fast_visits: u32,
}

/// Dirichlet noise on the priors of the root's steps (self-play only).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct RootNoise {
    /// The Dirichlet distribution's total concentration, shared equally among the steps.
    pub concentration: f32,
    /// The share of noise in a prior, 0 to 1.
    pub share: f32,
}

/// How each game's komi is drawn.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct KomiDraw {
    /// The middle.
    pub centre: HalfPoints,
    /// The standard deviation around it, in points; 0: the centre itself. Rounded to a komi that the game allows.
    pub spread: f32,
}

/// Self-play of one game on one board: data to learn from.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SelfplayConfig {
    pub board: Board,
    pub games: u64,
    pub seed: u64,
    #[serde(flatten)]
    pub inference: Inference,
    /// Games a shard holds, 1 to 256.
    pub shard: usize,
    /// Whether shards are compressed (`.csv.zst`).
    pub compress: bool,
    pub search: SearchSettings,
    #[serde(flatten)]
    pub plan: VisitPlan,
    pub komi: KomiDraw,
    /// Each game begins with 0 to this many random turns ...
    pub opening_turns: usize,
    /// ... but for this share of the games, which go on from turning points of earlier ones, where there are any.
    pub continued: f32,
    /// Steps of the first `temperature_turns` turns are drawn in proportion to visits^(1/temperature).
    pub temperature: f32,
    pub temperature_turns: usize,
    #[serde(flatten)]
    pub explore: RootExploration,
}

/// How measurements vary their games: "each of the first t turns is drawn, the same way for both sides, in
/// proportion to visits among the steps whose value is within δ of the best".
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Variation {
    /// t, in turns.
    pub drawn_turns: usize,
    /// δ, in expected score.
    pub delta: f32,
}

/// The measurement of the fair komi (Fugo: of the openings' scores) on one board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct KomiConfig {
    pub board: Board,
    /// Games in all.
    pub games: u64,
    /// Games a block: all at one komi, chosen by the blocks before.
    pub block: u64,
    pub seed: u64,
    #[serde(flatten)]
    pub inference: Inference,
    pub search: SearchConfig,
    pub variation: Variation,
    /// The first block's komi; `None`: what the engine's own games or network suggest.
    pub start: Option<HalfPoints>,
    /// The width of the fair komi's interval, in points, at which the measurement ends before all games are played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
}

/// The measurement of a board's balance at given komi.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BalanceConfig {
    pub board: Board,
    /// Games at each komi.
    pub games: u64,
    pub seed: u64,
    #[serde(flatten)]
    pub inference: Inference,
    pub search: SearchConfig,
    pub variation: Variation,
    pub komi: Vec<HalfPoints>,
}

/// A match of two engines.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MatchConfig {
    pub board: Board,
    /// Openings, each played twice with the seats exchanged; in a sequential test at most so many.
    pub pairs: u64,
    pub seed: u64,
    #[serde(flatten)]
    pub inference: Inference,
    pub komi: HalfPoints,
    /// Random turns of each opening.
    pub opening_turns: usize,
    /// Openings that are played instead of drawn ones, turns in notation with spaces between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openings: Option<Vec<String>>,
    /// The command lines of engines that are other programs.
    #[serde(flatten, serialize_with = "program_keys")]
    pub programs: [Option<String>; 2],
    /// The time that such a program has for each answer, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program_limit: Option<u64>,
    /// Whether a pair in which a program failed is left out, instead of being lost.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub void_faults: bool,
    /// The sequential test that ends the match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Sprt>,
    /// [`Inference::precision`] of the second engine; `inference` holds that of the first.
    pub b_precision: Precision,
    pub a: SearchConfig,
    pub b: SearchConfig,
}

/// Ratings of several engines.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RateConfig {
    pub board: Board,
    /// Pairs of games in all, at least.
    pub pairs: u64,
    pub seed: u64,
    #[serde(flatten)]
    pub inference: Inference,
    pub komi: HalfPoints,
    /// Random turns of each opening.
    pub opening_turns: usize,
    pub search: SearchSettings,
    /// The engine whose rating is 0, by its place.
    pub anchor: usize,
    /// As in [`MatchConfig`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program_limit: Option<u64>,
    /// As in [`MatchConfig`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub void_faults: bool,
    #[serde(flatten, serialize_with = "rated_programs")]
    pub engines: Vec<RatedConfig>,
}

/// An engine to be rated; in files it stands among the engines of its run, and its command line under `programs`.
#[derive(Clone, PartialEq, Debug)]
pub struct RatedConfig {
    pub name: String,
    /// The file of its network, if it has one.
    pub net: Option<PathBuf>,
    pub visits: u32,
    /// Its command line, if it is another program.
    pub command: Option<String>,
}

/// The main job: self-play, training and measurement on a list of boards.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PipelineConfig {
    pub seed: u64,
    #[serde(flatten)]
    pub inference: Inference,
    /// The boards, in the order of the file. Boards of one game share a network.
    #[serde(rename = "board")]
    pub boards: Vec<Board>,
    pub search: SearchSettings,
    pub selfplay: SelfplaySection,
    pub train: TrainSection,
    pub gate: GateSection,
    pub rating: RatingSection,
    pub komi: KomiSection,
    pub balance: BalanceSection,
    #[serde(rename = "match")]
    pub matches: MatchSection,
}

/// Self-play in the main job. Generation 0 plays with playouts, the others with the network trained before.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SelfplaySection {
    /// Rounds of self-play and training.
    pub generations: usize,
    /// Games a board and generation.
    pub games: u64,
    #[serde(flatten)]
    pub plan: VisitPlan,
    pub shard: usize,
    pub compress: bool,
    pub opening_turns: usize,
    /// The share of games that go on from turning points of the generation before.
    pub continued: f32,
    pub temperature: f32,
    /// `None`: as many turns as the board has rows.
    pub temperature_turns: Option<usize>,
    #[serde(flatten)]
    pub explore: RootExploration,
    /// The standard deviation of komi around the centre, in points, for a board of side 9; scaled with the side.
    pub komi_spread: f32,
}

/// Training in the main job.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TrainSection {
    /// Convolutions of the trunk.
    pub layers: usize,
    pub channels: usize,
    /// Whether the value's head describes the margin, where the game has one, or the expected score alone.
    pub margins: bool,
    /// Passes over the data at most.
    pub epochs: usize,
    /// Epochs without a better held-out loss after which training stops.
    pub patience: usize,
    /// Positions a gradient step.
    pub batch: usize,
    /// Parts into which a batch is split for the threads; part of the result.
    pub chunks: usize,
    pub learning_rate: f64,
    pub weight_decay: f64,
    /// The share of games held out.
    pub validation: f64,
    /// Positions that the latest generations learnt from hold at least, where there are so many; the more there are in
    /// all, the more are taken.
    pub window: usize,
    /// Whether a training goes on from the best network before, or begins with random weights.
    pub go_on: bool,
}

/// When a new network takes the place of the best one before it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GateSection {
    /// Pairs of games on each board at most; 0: every network does.
    pub pairs: u64,
    pub visits: u32,
    pub opening_turns: usize,
    /// The match ends early once it is clear that the new network is better by this much normalised Elo, or not at all.
    pub elo: f64,
}

/// Matches between the networks that took each other's place, for ratings.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RatingSection {
    /// Pairs of games on each board between a network and each of the two before it; 0: no ratings.
    pub pairs: u64,
    pub visits: u32,
    pub opening_turns: usize,
}

/// The komi measurement in the main job.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct KomiSection {
    /// Games a board.
    pub games: u64,
    pub block: u64,
    pub visits: u32,
    #[serde(flatten)]
    pub variation: Variation,
}

/// The balance measurement in the main job, at komi 0 and the best allowed komi.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BalanceSection {
    /// Games a board and komi.
    pub games: u64,
    pub visits: u32,
    #[serde(flatten)]
    pub variation: Variation,
}

/// The match of network against playouts in the main job, at the best allowed komi.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MatchSection {
    pub pairs: u64,
    pub visits: u32,
    pub opening_turns: usize,
}

impl RootNoise {
    /// The noise of a config; none of it is no noise.
    pub fn of_share(share: f32, concentration: f32) -> Option<Self> {
        (share > 0.0).then_some(RootNoise { concentration, share })
    }
}

impl MatchConfig {
    /// A match of two engines of this program without pairs, at komi 0, from empty boards.
    pub fn between(engines: [SearchConfig; 2], board: Board, inference: Inference) -> Self {
        let [a, b] = engines;
        MatchConfig {
            board,
            pairs: 0,
            seed: 0,
            inference,
            komi: HalfPoints(0),
            opening_turns: 0,
            openings: None,
            programs: [None, None],
            program_limit: None,
            void_faults: false,
            sprt: None,
            b_precision: inference.precision,
            a,
            b,
        }
    }

    /// The time that a program has for each answer.
    pub fn limit(&self) -> Duration {
        time_for_answers(self.program_limit)
    }
}

impl RateConfig {
    /// The time that a program has for each answer.
    pub fn limit(&self) -> Duration {
        time_for_answers(self.program_limit)
    }
}

fn time_for_answers(limit: Option<u64>) -> Duration {
    Duration::from_millis(limit.unwrap_or(limits::GTP_LIMIT.usual))
}

/// Writes the command lines of rated programs as a table `programs`, by the engines' names.
fn rated_programs<S: Serializer>(engines: &[RatedConfig], serializer: S) -> Result<S::Ok, S::Error> {
    let named = engines.iter().filter_map(|engine| Some((&engine.name, engine.command.as_ref()?)));
    let named: BTreeMap<&String, &String> = named.collect();
    serializer.collect_map((!named.is_empty()).then_some(("programs", named)))
}

/// Writes programs as `a_gtp` and `b_gtp`.
fn program_keys<S: Serializer>(programs: &[Option<String>; 2], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Keys<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        a_gtp: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        b_gtp: Option<&'a str>,
    }
    let [a_gtp, b_gtp] = programs.each_ref().map(Option::as_deref);
    Keys { a_gtp, b_gtp }.serialize(serializer)
}

/// Writes noise as the keys of a config file.
fn noise_keys<S: Serializer>(noise: &Option<RootNoise>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Keys {
        noise_share: f32,
        noise_concentration: Option<f32>,
    }
    let keys = Keys {
        noise_share: noise.map_or(0.0, |noise| noise.share),
        noise_concentration: noise.map(|noise| noise.concentration),
    };
    keys.serialize(serializer)
}
