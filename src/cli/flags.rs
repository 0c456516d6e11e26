//! The flags of the commands that play and train, and how they become configs.
//!
//! Ranges are those of config files; all flags that are out of range are told at once.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::config::limits::{self, Real, Whole};
use crate::config::{
    BalanceConfig, Board, ConfigFault, ConfigFaults, Device, Inference, KomiConfig, KomiDraw, MatchConfig, Precision,
    RateConfig, RatedConfig, Reading, RootExploration, RootNoise, SearchConfig, SearchSettings, Selection,
    SelfplayConfig, TrainSection, Variation, VisitPlan, board_faults, chunks_of_batch, games_in_blocks, least_komi,
};
use crate::games::{GameKind, HalfPoints, Options};
use crate::gtp::Setting;
use crate::stats::sprt::{Bounds, ErrorRates, Sprt};

/// What is played.
#[derive(clap::Args, Clone, Debug)]
pub struct BoardFlags {
    /// yugo, linage, fugo or sligo
    #[arg(long)]
    pub game: GameKind,
    /// Side of the board, 1 to 19 (Linage: 3 to 19)
    #[arg(long, value_name = "N")]
    pub size: u64,
    /// Yugo: pawns that Black places before White's first turn
    #[arg(long, value_name = "PAWNS", default_value_t = limits::HANDICAP.usual)]
    pub handicap: u64,
    /// Fugo: White may swap on the first turn
    #[arg(long)]
    pub pie: bool,
}

/// What is played, game after game.
#[derive(clap::Args, Clone, Debug)]
pub struct GameFlags {
    #[command(flatten)]
    pub board: BoardFlags,
    /// Turns after which a game is cut off without a result [default: none in Yugo and Linage, whose games end;
    /// Fugo 4 N², Sligo 8 N² but at least 100]
    #[arg(long, value_name = "TURNS")]
    pub move_cap: Option<u64>,
}

/// What every long job takes.
#[derive(clap::Args, Clone, Debug)]
pub struct JobFlags {
    /// Key of all random streams: the same seed gives the same results
    #[arg(long, value_name = "N", default_value_t = limits::SEED.usual)]
    pub seed: u64,
    /// Worker threads; they change the time, not the results [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<u64>,
}

/// How engines search.
#[derive(clap::Args, Clone, Debug)]
pub struct EngineFlags {
    /// Positions that a network evaluates a call, and games that a thread keeps going, 16 to 4096
    #[arg(long, value_name = "N", default_value_t = limits::BATCH.usual)]
    pub batch: u64,
    /// Numbers that networks compute in: auto, f32 or bf16; auto is bf16 where the device has it, else f32
    #[arg(long, value_name = "P", default_value = "auto")]
    pub precision: Precision,
    /// What networks compute on: cpu or cuda
    #[arg(long, value_name = "D", default_value = "cpu")]
    pub device: Device,
    /// How simulations are led: puct or gumbel
    #[arg(long, value_name = "S", default_value = "puct")]
    pub selection: Selection,
    /// PUCT: weight of exploration against value, values being expected scores in [0, 1]
    #[arg(long, value_name = "X", default_value_t = limits::EXPLORATION.usual)]
    pub exploration: f64,
    /// PUCT: how far below its parent's value a step is taken to be before its first visit, in expected score
    #[arg(long, value_name = "X", default_value_t = limits::REDUCTION.usual)]
    pub reduction: f64,
    /// Gumbel: how many of the root's steps are looked at, at first
    #[arg(long, value_name = "N", default_value_t = limits::CONSIDERED.usual)]
    pub considered: u64,
    /// Gumbel: how much a difference in value counts beside the policy
    #[arg(long, value_name = "X", default_value_t = limits::VALUE_SCALE.usual)]
    pub value_scale: f64,
    /// Leave the network's policy aside: all steps are equal before they are tried
    #[arg(long)]
    pub no_policy: bool,
    /// Images of a position under the game's symmetries that a network's answer is the mean of, 1 to 8
    #[arg(long, value_name = "N", default_value_t = limits::SYMMETRIES.usual)]
    pub symmetries: u64,
    /// To what part the margin takes the place of the win in values, 0 to 0.4; none in playouts and with a network without
    /// margins
    #[arg(long, value_name = "X", default_value_t = limits::MARGIN_WEIGHT.usual)]
    pub margin_weight: f64,
    /// Most memory for the tree of one game, in MiB: a full tree grows no more, but goes on valuing
    #[arg(long, value_name = "MIB", default_value_t = limits::TREE_MEMORY.usual)]
    pub tree_memory: u64,
}

/// What every job that plays games takes.
#[derive(clap::Args, Clone, Debug)]
pub struct PlayFlags {
    #[command(flatten)]
    pub engine: EngineFlags,
    /// Directory of the run; a run that was stopped goes on
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// How measured games are made to differ.
#[derive(clap::Args, Clone, Debug)]
pub struct VariationFlags {
    /// First turns that are drawn, in proportion to visits, among the steps that are nearly best
    #[arg(long, value_name = "TURNS", default_value_t = limits::DRAWN_TURNS.usual)]
    pub drawn_turns: u64,
    /// How much a drawn step may be worth less than the best one, in expected score (0 to 1)
    #[arg(long, value_name = "X", default_value_t = limits::DELTA.usual)]
    pub delta: f64,
}

/// What every measurement takes.
#[derive(clap::Args, Clone, Debug)]
pub struct MeasureFlags {
    #[command(flatten)]
    pub board: GameFlags,
    /// Network (.safetensors) that values positions; without one, random playouts do
    #[arg(long, value_name = "FILE")]
    pub net: Option<PathBuf>,
    /// Simulations that the search of each step is topped up to
    #[arg(long, value_name = "N", default_value_t = limits::MEASURED_VISITS.usual)]
    pub visits: u64,
    #[command(flatten)]
    pub variation: VariationFlags,
    #[command(flatten)]
    pub play: PlayFlags,
    #[command(flatten)]
    pub job: JobFlags,
}

/// Play games against oneself, to learn from
#[derive(clap::Args, Clone, Debug)]
#[command(
    long_about = "Plays games of one engine against itself and writes them, and every search in them, to a run \
        directory: data to learn from. Games begin with a few random turns, and komi is drawn for each, so that they \
        differ. Without --net the engine judges positions by random playouts.",
    after_help = "Example:\n  fairkomi selfplay --game yugo --size 5 --games 500 --out runs/yugo5"
)]
pub struct SelfplayFlags {
    #[command(flatten)]
    pub board: GameFlags,
    /// Games to play
    #[arg(long, value_name = "N", default_value_t = limits::SELFPLAY_GAMES.usual)]
    pub games: u64,
    /// Network (.safetensors) that values positions; without one, random playouts do
    #[arg(long, value_name = "FILE")]
    pub net: Option<PathBuf>,
    /// Simulations that the search of each step is topped up to
    #[arg(long, value_name = "N", default_value_t = limits::SELFPLAY_VISITS.usual)]
    pub visits: u64,
    /// Middle of the komi that games are played at, in points
    #[arg(long, value_name = "K", default_value = "0", allow_negative_numbers = true)]
    pub komi: HalfPoints,
    /// Standard deviation of komi around it, in points; 0: all alike [default: 4/9 of the side, Fugo 0]
    #[arg(long, value_name = "POINTS")]
    pub komi_spread: Option<f64>,
    /// Each game begins with 0 to this many random turns
    #[arg(long, value_name = "TURNS", default_value_t = limits::SELFPLAY_OPENING_TURNS.usual)]
    pub opening_turns: u64,
    /// A run whose games turned somewhere: some of the new games go on from there
    #[arg(long, value_name = "DIR")]
    pub continue_from: Option<PathBuf>,
    /// The share of the games that do
    #[arg(long, value_name = "X", default_value_t = limits::CONTINUED.usual)]
    pub continued: f64,
    /// Steps of the first turns are drawn in proportion to visits^(1/X)
    #[arg(long, value_name = "X", default_value_t = limits::TEMPERATURE.usual)]
    pub temperature: f64,
    /// The number of these turns; later the most visited step is played [default: the board's side]
    #[arg(long, value_name = "TURNS")]
    pub temperature_turns: Option<u64>,
    /// The part of the searches that have all visits, and that a policy learns from; the others move the game on
    #[arg(long, value_name = "X", default_value_t = limits::FULL_SHARE.usual)]
    pub full_share: f64,
    /// Visits of the other searches
    #[arg(long, value_name = "N", default_value_t = limits::FAST_VISITS.usual)]
    pub fast_visits: u64,
    /// PUCT: each step that is tried gets at least the root of X · prior · visits visits, which a policy does not learn
    #[arg(long, value_name = "X", default_value_t = limits::FORCED.usual)]
    pub forced: f64,
    /// Share of Dirichlet noise in the priors of the root's steps, 0 (none) to 1
    #[arg(long, value_name = "X", default_value_t = limits::NOISE_SHARE.usual)]
    pub noise_share: f64,
    /// The noise's total concentration, shared equally among the steps
    #[arg(long, value_name = "X", default_value_t = limits::NOISE_CONCENTRATION.usual)]
    pub noise_concentration: f64,
    /// Games in one file, 1 to 256
    #[arg(long, value_name = "N", default_value_t = limits::SHARD.usual)]
    pub shard: u64,
    /// Compress files (.csv.zst)
    #[arg(long)]
    pub compress: bool,
    #[command(flatten)]
    pub play: PlayFlags,
    #[command(flatten)]
    pub job: JobFlags,
}

/// Train a network on games that were played
#[derive(clap::Args, Clone, Debug)]
#[command(
    long_about = "Trains a value network on the games of one or more run directories, all of one game but of any \
        sizes, and writes it to a file. Stops when the loss on games held out no longer falls.",
    after_help = "Example:\n  fairkomi train --data runs/yugo5 runs/yugo7 --out yugo.safetensors"
)]
pub struct TrainFlags {
    /// Run directories with the games to learn from
    #[arg(long, value_name = "DIR", num_args = 1.., required = true)]
    pub data: Vec<PathBuf>,
    /// File to write the network to (.safetensors)
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Network to start from, instead of a random one
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Convolutions of the trunk
    #[arg(long, value_name = "N", default_value_t = limits::LAYERS.usual)]
    pub layers: u64,
    /// Channels of each convolution
    #[arg(long, value_name = "N", default_value_t = limits::CHANNELS.usual)]
    pub channels: u64,
    /// Learn the expected score alone, not the margin
    #[arg(long)]
    pub no_margins: bool,
    /// Passes over the data at most
    #[arg(long, value_name = "N", default_value_t = limits::EPOCHS.usual)]
    pub epochs: u64,
    /// Epochs without a better held-out loss after which training stops
    #[arg(long, value_name = "N", default_value_t = limits::PATIENCE.usual)]
    pub patience: u64,
    /// Positions in a gradient step
    #[arg(long, value_name = "N", default_value_t = limits::TRAIN_BATCH.usual)]
    pub batch: u64,
    /// Parts into which such a batch is split for the threads; the result depends on it
    #[arg(long, value_name = "N", default_value_t = limits::CHUNKS.usual)]
    pub chunks: u64,
    /// AdamW's step size
    #[arg(long, value_name = "X", default_value_t = limits::LEARNING_RATE.usual)]
    pub learning_rate: f64,
    /// AdamW's weight decay
    #[arg(long, value_name = "X", default_value_t = limits::WEIGHT_DECAY.usual)]
    pub weight_decay: f64,
    /// Share of the games held out, 0.01 to 0.5
    #[arg(long, value_name = "X", default_value_t = limits::VALIDATION.usual)]
    pub validation: f64,
    #[command(flatten)]
    pub job: JobFlags,
}

/// Measure which komi is fair
#[derive(clap::Args, Clone, Debug)]
#[command(
    long_about = "Plays an engine against itself from the empty board at several komi, block by block, and tells \
        which komi gives both sides the same chances, with its interval. Fugo has no komi: there the first player's \
        score and that of each opening are measured.",
    after_help = "Example:\n  fairkomi komi --game sligo --size 5 --net sligo.safetensors --out runs/komi-sligo5"
)]
pub struct KomiFlags {
    /// Games in all, at least two blocks
    #[arg(long, value_name = "N", default_value_t = limits::KOMI_GAMES.usual)]
    pub games: u64,
    /// Games at one komi before the next komi is chosen
    #[arg(long, value_name = "N", default_value_t = limits::BLOCK.usual)]
    pub block: u64,
    /// The first block's komi, in points [default: what the engine suggests]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub start: Option<HalfPoints>,
    #[command(flatten)]
    pub measure: MeasureFlags,
}

/// Measure how balanced a board is at given komi
#[derive(clap::Args, Clone, Debug)]
#[command(
    long_about = "Plays an engine against itself from the empty board at each komi given, and tells how often the \
        first player wins, with intervals.",
    after_help = "Example:\n  fairkomi balance --game linage --size 5 --komi 0.5 3.5 --out runs/balance-linage5"
)]
pub struct BalanceFlags {
    /// Komi to measure at, in points [default: 0]
    #[arg(long, value_name = "K", num_args = 1.., allow_negative_numbers = true)]
    pub komi: Vec<HalfPoints>,
    /// Games at each komi
    #[arg(long, value_name = "N", default_value_t = limits::BALANCE_GAMES.usual)]
    pub games: u64,
    #[command(flatten)]
    pub measure: MeasureFlags,
}

/// Find out which of two engines is stronger
#[derive(clap::Args, Clone, Debug)]
#[command(
    long_about = "Plays two engines, a and b, against each other: each random opening twice, with the seats \
        exchanged. Tells the score of a and the difference in Elo, with intervals. With --sprt the match goes on until \
        the question is answered.",
    after_help = "Examples:\n  fairkomi match --game yugo --size 5 --a-net yugo.safetensors --out runs/net-playouts\n  \
        fairkomi match --game fugo --size 5 --a-visits 400 --b-visits 100 --sprt 0 50 --out runs/visits"
)]
pub struct MatchFlags {
    #[command(flatten)]
    pub board: GameFlags,
    /// Openings, each played twice; with --sprt at most so many [default: 200; with --sprt 1000000, with --openings all of
    /// them]
    #[arg(long, value_name = "N")]
    pub pairs: Option<u64>,
    /// Komi, in points [default: 0, Linage 0.5]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub komi: Option<HalfPoints>,
    /// Random turns of each opening; openings differ modulo symmetry as long as they can
    #[arg(long, value_name = "TURNS", default_value_t = limits::MATCH_OPENING_TURNS.usual)]
    pub opening_turns: u64,
    /// File with an opening a line, turns in notation with spaces between them; `#` begins a comment
    #[arg(long, value_name = "FILE", conflicts_with = "opening_turns")]
    pub openings: Option<PathBuf>,
    /// End the match by a sequential test of whether a is stronger by ELO1 normalised Elo or by ELO0 at most
    #[arg(long, value_names = ["ELO0", "ELO1"], num_args = 2, allow_negative_numbers = true)]
    pub sprt: Option<Vec<f64>>,
    /// How often the test may find for ELO1 although ELO0 is true
    #[arg(long, value_name = "X", default_value_t = 0.05, requires = "sprt")]
    pub alpha: f64,
    /// How often the test may find for ELO0 although ELO1 is true
    #[arg(long, value_name = "X", default_value_t = 0.05, requires = "sprt")]
    pub beta: f64,
    /// Network (.safetensors) of engine a; without one, it judges by random playouts
    #[arg(long, value_name = "FILE")]
    pub a_net: Option<PathBuf>,
    /// Simulations that engine a's search of each step is topped up to
    #[arg(long, value_name = "N", default_value_t = limits::MEASURED_VISITS.usual)]
    pub a_visits: u64,
    /// Network (.safetensors) of engine b; without one, it judges by random playouts
    #[arg(long, value_name = "FILE")]
    pub b_net: Option<PathBuf>,
    /// Simulations that engine b's search of each step is topped up to
    #[arg(long, value_name = "N", default_value_t = limits::MEASURED_VISITS.usual)]
    pub b_visits: u64,
    /// Engine a is another program that speaks GTP: its command line, for a shell
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["a_net", "a_visits"])]
    pub a_gtp: Option<String>,
    /// Engine b is another program that speaks GTP: its command line, for a shell
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["b_net", "b_visits", "b_selection", "b_no_policy"])]
    pub b_gtp: Option<String>,
    /// The time that such a program has for each answer, in milliseconds; one that takes longer has lost the game
    #[arg(long, value_name = "MS", default_value_t = limits::GTP_LIMIT.usual)]
    pub gtp_limit: u64,
    /// Leave pairs out in which a program crashed, took too long, played an illegal move or said what is no GTP, instead of
    /// taking its game for lost
    #[arg(long)]
    pub void_faults: bool,
    /// How engine b leads its simulations: puct or gumbel [default: as --selection]
    #[arg(long, value_name = "S")]
    pub b_selection: Option<Selection>,
    /// Leave the policy of engine b's network aside
    #[arg(long)]
    pub b_no_policy: bool,
    /// Numbers that engine b's network computes in [default: those of --precision]
    #[arg(long, value_name = "P")]
    pub b_precision: Option<Precision>,
    #[command(flatten)]
    pub play: PlayFlags,
    #[command(flatten)]
    pub job: JobFlags,
}

/// Rate several engines by matches between them
#[derive(clap::Args, Clone, Debug)]
#[command(
    long_about = "Plays engines against each other, each random opening twice with the seats exchanged, and tells one \
        maximum-likelihood rating with intervals. The next games are always those that are expected to tell most. With \
        more --pairs a run goes on.",
    after_help = "Example:\n  fairkomi rate --game yugo --size 5 --engine a,visits=9 --engine b,visits=99 --out runs/rate"
)]
pub struct RateFlags {
    #[command(flatten)]
    pub board: GameFlags,
    /// An engine: its name, then its network and the visits of its searches; without a network it judges by random playouts
    #[arg(long = "engine", value_name = "NAME[,net=FILE][,visits=N]", required = true)]
    pub engines: Vec<String>,
    /// The engine whose rating is 0 [default: the first]
    #[arg(long, value_name = "NAME")]
    pub anchor: Option<String>,
    /// Pairs of games in all, at least
    #[arg(long, value_name = "N", default_value_t = limits::RATED_PAIRS.usual)]
    pub pairs: u64,
    /// Komi, in points [default: 0, Linage 0.5]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub komi: Option<HalfPoints>,
    /// Random turns of each opening; openings differ modulo symmetry as long as they can
    #[arg(long, value_name = "TURNS", default_value_t = limits::MATCH_OPENING_TURNS.usual)]
    pub opening_turns: u64,
    #[command(flatten)]
    pub play: PlayFlags,
    #[command(flatten)]
    pub job: JobFlags,
}

/// Play with people and programs by the Go Text Protocol
#[derive(clap::Args, Clone, Debug)]
#[command(
    long_about = "Answers the commands of the Go Text Protocol (GTP 2) on standard input until `quit`: for a GUI such as \
        GoGui or Sabaki, or for a program. A move of the protocol is one step: one point, or `pass`, which also takes \
        Yugo's button while it is free and swaps on White's first turn of Fugo. `play` takes whole turns in notation too. \
        docs/gtp.md tells of every command.",
    after_help = "Examples:\n  fairkomi gtp --game yugo --size 9 --visits 400\n  \
        fairkomi gtp --game sligo --size 5 --net sligo.safetensors --movetime 1000"
)]
pub struct GtpFlags {
    #[command(flatten)]
    pub board: BoardFlags,
    /// Komi to begin with, in points [default: 0, Linage 0.5]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub komi: Option<HalfPoints>,
    /// Network (.safetensors) that values positions; without one, random playouts do
    #[arg(long, value_name = "FILE")]
    pub net: Option<PathBuf>,
    /// Simulations that the search of each step is topped up to
    /// [default: 200, or as many as time allows where it is limited]
    #[arg(long, value_name = "V")]
    pub visits: Option<u64>,
    /// Search each step for so many milliseconds instead; by PUCT, as all searches whose visits are not known beforehand
    #[arg(long, value_name = "MS", conflicts_with = "visits")]
    pub movetime: Option<u64>,
    #[command(flatten)]
    pub engine: EngineFlags,
    /// Key of all random streams: the same commands get the same answers, unless time decides
    #[arg(long, value_name = "S", default_value_t = limits::SEED.usual)]
    pub seed: u64,
}

impl JobFlags {
    /// Worker threads: as asked for, else one for each core.
    pub fn threads(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        self.threads.and_then(|threads| usize::try_from(threads).ok()).unwrap_or_else(cores)
    }
}

impl SelfplayFlags {
    /// The config that the flags ask for.
    pub fn config(&self) -> Result<SelfplayConfig, ConfigFaults> {
        let mut check = Check::default();
        let board = check.board(&self.board);
        let spread = self.komi_spread.unwrap_or(match board.game {
            GameKind::Fugo => 0.0,
            _ => limits::KOMI_SPREAD.usual * board.size as f64 / 9.0,
        });
        let spread = check.real("--komi-spread", spread, &limits::KOMI_SPREAD) as f32;
        if board.game == GameKind::Fugo {
            check.komi("--komi", &board, self.komi);
            if spread > 0.0 {
                check.refuse("--komi-spread", limits::refusal(spread, "fugo has no komi"));
            }
        } else {
            check.real("--komi", self.komi.points(), &limits::KOMI);
            if spread == 0.0 {
                // Drawn komi are rounded to what the game allows; a fixed one has to be allowed.
                check.komi("--komi", &board, self.komi);
            }
        }
        let turns = self.temperature_turns.map(|n| check.whole("--temperature-turns", n, &limits::TEMPERATURE_TURNS));
        let share = check.real("--noise-share", self.noise_share, &limits::NOISE_SHARE) as f32;
        let concentration =
            check.real("--noise-concentration", self.noise_concentration, &limits::NOISE_CONCENTRATION) as f32;
        let config = SelfplayConfig {
            board,
            games: check.whole("--games", self.games, &limits::SELFPLAY_GAMES),
            seed: check.job(&self.job),
            inference: check.inference(&self.play.engine),
            shard: check.whole("--shard", self.shard, &limits::SHARD),
            compress: self.compress,
            search: check.settings(&self.play.engine),
            plan: VisitPlan {
                visits: check.whole("--visits", self.visits, &limits::SELFPLAY_VISITS),
                full_share: check.real("--full-share", self.full_share, &limits::FULL_SHARE) as f32,
                fast_visits: check.whole("--fast-visits", self.fast_visits, &limits::FAST_VISITS),
            },
            komi: KomiDraw { centre: self.komi, spread },
            opening_turns: check.whole("--opening-turns", self.opening_turns, &limits::SELFPLAY_OPENING_TURNS),
            continued: match self.continue_from {
                Some(_) => check.real("--continued", self.continued, &limits::CONTINUED) as f32,
                None => 0.0,
            },
            temperature: check.real("--temperature", self.temperature, &limits::TEMPERATURE) as f32,
            temperature_turns: turns.unwrap_or(board.size),
            explore: RootExploration {
                noise: RootNoise::of_share(share, concentration),
                forced: check.real("--forced", self.forced, &limits::FORCED) as f32,
            },
        };
        check.done(config)
    }
}

impl TrainFlags {
    /// The config that the flags ask for, and the seed.
    pub fn config(&self) -> Result<(TrainSection, u64), ConfigFaults> {
        let mut check = Check::default();
        let seed = check.job(&self.job);
        let config = TrainSection {
            layers: check.whole("--layers", self.layers, &limits::LAYERS),
            channels: check.whole("--channels", self.channels, &limits::CHANNELS),
            margins: !self.no_margins,
            epochs: check.whole("--epochs", self.epochs, &limits::EPOCHS),
            patience: check.whole("--patience", self.patience, &limits::PATIENCE),
            batch: check.whole("--batch", self.batch, &limits::TRAIN_BATCH),
            chunks: check.whole("--chunks", self.chunks, &limits::CHUNKS),
            learning_rate: check.real("--learning-rate", self.learning_rate, &limits::LEARNING_RATE),
            weight_decay: check.real("--weight-decay", self.weight_decay, &limits::WEIGHT_DECAY),
            validation: check.real("--validation", self.validation, &limits::VALIDATION),
            window: usize::MAX,
            go_on: true,
        };
        check.agree("--chunks", "--batch", chunks_of_batch(config.chunks, config.batch));
        check.done((config, seed))
    }
}

impl KomiFlags {
    /// The config that the flags ask for.
    pub fn config(&self) -> Result<KomiConfig, ConfigFaults> {
        let mut check = Check::default();
        let board = check.board(&self.measure.board);
        let config = KomiConfig {
            board,
            games: check.whole("--games", self.games, &limits::KOMI_GAMES),
            block: check.whole("--block", self.block, &limits::BLOCK),
            seed: check.job(&self.measure.job),
            inference: check.inference(&self.measure.play.engine),
            search: check.search("--visits", self.measure.visits, &self.measure.play.engine),
            variation: check.variation(&self.measure.variation),
            start: self.start.map(|komi| check.komi("--start", &board, komi)),
        };
        check.agree("--games", "--block", games_in_blocks(config.games, config.block));
        check.done(config)
    }
}

impl BalanceFlags {
    /// The config that the flags ask for.
    pub fn config(&self) -> Result<BalanceConfig, ConfigFaults> {
        let mut check = Check::default();
        let board = check.board(&self.measure.board);
        let mut komi = Vec::new();
        for given in &self.komi {
            let given = check.komi("--komi", &board, *given);
            if komi.contains(&given) {
                check.refuse("--komi", format!("{given} is given twice"));
            }
            komi.push(given);
        }
        if komi.is_empty() {
            komi.push(HalfPoints(0));
        }
        let config = BalanceConfig {
            board,
            games: check.whole("--games", self.games, &limits::BALANCE_GAMES),
            seed: check.job(&self.measure.job),
            inference: check.inference(&self.measure.play.engine),
            search: check.search("--visits", self.measure.visits, &self.measure.play.engine),
            variation: check.variation(&self.measure.variation),
            komi,
        };
        check.done(config)
    }
}

impl MatchFlags {
    /// How engine b searches: as a, but for what its flags say.
    fn settings_of_b(&self, a: SearchSettings) -> SearchSettings {
        let reading = Reading { policy: a.reading.policy && !self.b_no_policy, ..a.reading };
        SearchSettings { selection: self.b_selection.unwrap_or(a.selection), reading, ..a }
    }

    /// The config that the flags ask for.
    pub fn config(&self) -> Result<MatchConfig, ConfigFaults> {
        let mut check = Check::default();
        let board = check.board(&self.board);
        let a = check.search("--a-visits", self.a_visits, &self.play.engine);
        if self.b_precision.is_some() && self.b_net.is_none() {
            check.refuse("--b-precision", "engine b has no network (--b-net)".to_string());
        }
        let has_program = self.a_gtp.is_some() || self.b_gtp.is_some();
        let limit = check.whole("--gtp-limit", self.gtp_limit, &limits::GTP_LIMIT);
        if has_program && board.handicap > 0 {
            check.refuse("--handicap", "programs are told of no handicap; leave it out".to_string());
        }
        if self.void_faults && !has_program {
            check.refuse("--void-faults", "there is no other program in the match (--a-gtp, --b-gtp)".to_string());
        }
        let sprt = self.sprt.as_ref().and_then(|ends| check.sprt([ends[0], ends[1]], [self.alpha, self.beta]));
        let openings = self.openings.as_deref().and_then(|path| check.openings(path));
        let usual = match (&openings, sprt) {
            (Some(openings), _) => openings.len() as u64,
            (None, Some(_)) => limits::PAIRS.most,
            (None, None) => limits::PAIRS.usual,
        };
        let config = MatchConfig {
            board,
            pairs: check.whole("--pairs", self.pairs.unwrap_or(usual), &limits::PAIRS),
            openings,
            sprt,
            void_faults: self.void_faults,
            program_limit: has_program.then_some(limit),
            programs: [self.a_gtp.clone(), self.b_gtp.clone()],
            seed: check.job(&self.job),
            inference: check.inference(&self.play.engine),
            komi: self.komi.map_or(least_komi(board.game), |komi| check.komi("--komi", &board, komi)),
            opening_turns: check.whole("--opening-turns", self.opening_turns, &limits::MATCH_OPENING_TURNS),
            b_precision: self.b_precision.unwrap_or(self.play.engine.precision),
            a,
            b: self.settings_of_b(a.settings).with_visits(check.whole(
                "--b-visits",
                self.b_visits,
                &limits::MEASURED_VISITS,
            )),
        };
        check.done(config)
    }
}

impl RateFlags {
    /// The config that the flags ask for.
    pub fn config(&self) -> Result<RateConfig, ConfigFaults> {
        let mut check = Check::default();
        let board = check.board(&self.board);
        let engines: Vec<RatedConfig> = self.engines.iter().map(|text| check.engine(text)).collect();
        for (index, engine) in engines.iter().enumerate() {
            if engines[..index].iter().any(|other| other.name == engine.name) {
                check.refuse("--engine", format!("{} is given twice; each needs a name of its own", engine.name));
            }
        }
        if engines.len() < 2 {
            check.refuse("--engine", "one engine has nobody to play; give two at least".to_string());
        }
        let anchor = match &self.anchor {
            None => Some(0),
            Some(name) => engines.iter().position(|engine| engine.name == *name),
        };
        if anchor.is_none() {
            check.refuse("--anchor", "no engine has that name".to_string());
        }
        let config = RateConfig {
            board,
            pairs: check.whole("--pairs", self.pairs, &limits::RATED_PAIRS),
            seed: check.job(&self.job),
            inference: check.inference(&self.play.engine),
            komi: self.komi.map_or(least_komi(board.game), |komi| check.komi("--komi", &board, komi)),
            opening_turns: check.whole("--opening-turns", self.opening_turns, &limits::MATCH_OPENING_TURNS),
            search: check.settings(&self.play.engine),
            anchor: anchor.unwrap_or_default(),
            engines,
        };
        check.done(config)
    }
}

impl GtpFlags {
    /// What the session begins with. There is no move cap but the one asked for: people end their games themselves.
    pub fn setting(&self) -> Result<Setting, ConfigFaults> {
        let mut check = Check::default();
        let board = check.board(&GameFlags { board: self.board.clone(), move_cap: None });
        let board = Board { move_cap: None, ..board };
        let usual = if self.movetime.is_some() { limits::MEASURED_VISITS.most } else { limits::MEASURED_VISITS.usual };
        let movetime = self.movetime.map(|time| check.whole("--movetime", time, &limits::MOVETIME));
        let setting = Setting {
            board,
            komi: self.komi.map_or(least_komi(board.game), |komi| check.komi("--komi", &board, komi)),
            seed: check.whole("--seed", self.seed, &limits::SEED),
            inference: check.inference(&self.engine),
            search: check.search("--visits", self.visits.unwrap_or(usual), &self.engine),
            movetime: movetime.map(Duration::from_millis),
            by_time: self.visits.is_none(),
        };
        check.done(setting)
    }
}

/// A game's board of this side, with the usual rules.
pub fn board_of(game: GameKind, size: u64) -> Result<Board, ConfigFaults> {
    let mut check = Check::default();
    let board = BoardFlags { game, size, handicap: limits::HANDICAP.usual, pie: false };
    let flags = GameFlags { board, move_cap: None };
    let board = check.board(&flags);
    check.done(board)
}

/// Collects what is wrong with flags. A flag that is wrong is read as its usual value, so that checking can go on.
#[derive(Default)]
struct Check {
    faults: Vec<ConfigFault>,
}

impl Check {
    fn whole<T: TryFrom<u64> + Default>(&mut self, flag: &str, value: u64, allowed: &Whole) -> T {
        allowed.check(value).unwrap_or_else(|what| {
            self.refuse(flag, what);
            allowed.usual()
        })
    }

    fn real(&mut self, flag: &str, value: f64, allowed: &Real) -> f64 {
        allowed.check(value).unwrap_or_else(|what| {
            self.refuse(flag, what);
            allowed.usual
        })
    }

    fn refuse(&mut self, flag: &str, what: String) {
        self.faults.push(ConfigFault { file: None, place: None, key: flag.to_string(), what });
    }

    /// Refuses a flag that does not go with another, unless one of them is wrong anyway.
    fn agree(&mut self, flag: &str, other: &str, check: Result<(), String>) {
        let sound = !self.faults.iter().any(|fault| fault.key == flag || fault.key == other);
        if let (true, Err(what)) = (sound, check) {
            self.refuse(flag, what);
        }
    }

    fn board(&mut self, flags: &GameFlags) -> Board {
        let BoardFlags { game, pie, size, handicap } = flags.board;
        let earlier = self.faults.len();
        let size = self.whole("--size", size, &limits::SIZE);
        let handicap = self.whole("--handicap", handicap, &limits::HANDICAP);
        if self.faults.len() == earlier {
            for (key, fault) in board_faults(game, size, Options { handicap, pie }) {
                self.refuse(&format!("--{key}"), fault.to_string());
            }
        }
        let move_cap = flags.move_cap.map(|turns| self.whole("--move-cap", turns, &limits::MOVE_CAP));
        Board { game, size, handicap, pie, move_cap: move_cap.or(game.default_move_cap(size)) }
    }

    /// Checks the number of threads, and gives the seed.
    fn job(&mut self, flags: &JobFlags) -> u64 {
        if let Some(threads) = flags.threads {
            let _: u64 = self.whole("--threads", threads, &limits::THREADS);
        }
        self.whole("--seed", flags.seed, &limits::SEED)
    }

    fn inference(&mut self, flags: &EngineFlags) -> Inference {
        let batch = self.whole("--batch", flags.batch, &limits::BATCH);
        Inference { batch, precision: flags.precision, device: flags.device }
    }

    fn search(&mut self, flag: &str, visits: u64, flags: &EngineFlags) -> SearchConfig {
        self.settings(flags).with_visits(self.whole(flag, visits, &limits::MEASURED_VISITS))
    }

    fn settings(&mut self, flags: &EngineFlags) -> SearchSettings {
        SearchSettings {
            selection: flags.selection,
            exploration: self.real("--exploration", flags.exploration, &limits::EXPLORATION) as f32,
            reduction: self.real("--reduction", flags.reduction, &limits::REDUCTION) as f32,
            considered: self.whole("--considered", flags.considered, &limits::CONSIDERED),
            value_scale: self.real("--value-scale", flags.value_scale, &limits::VALUE_SCALE) as f32,
            reading: Reading {
                policy: !flags.no_policy,
                symmetries: self.whole("--symmetries", flags.symmetries, &limits::SYMMETRIES),
                margin_weight: self.real("--margin-weight", flags.margin_weight, &limits::MARGIN_WEIGHT) as f32,
            },
            tree_memory: self.whole("--tree-memory", flags.tree_memory, &limits::TREE_MEMORY),
        }
    }

    fn sprt(&mut self, [elo0, elo1]: [f64; 2], [alpha, beta]: [f64; 2]) -> Option<Sprt> {
        for end in [elo0, elo1] {
            self.real("--sprt", end, &limits::SPRT_ELO);
        }
        self.real("--alpha", alpha, &limits::ERROR_RATE);
        self.real("--beta", beta, &limits::ERROR_RATE);
        let bounds = Bounds::new(elo0, elo1).map_err(|error| self.refuse("--sprt", error.to_string())).ok();
        let errors = ErrorRates::new(alpha, beta).map_err(|error| self.refuse("--alpha", error.to_string())).ok();
        Some(Sprt { bounds: bounds?, errors: errors? })
    }

    /// An engine to be rated: `NAME[,net=FILE][,visits=N]`.
    fn engine(&mut self, text: &str) -> RatedConfig {
        let mut parts = text.split(',');
        let name = parts.next().unwrap_or_default().to_string();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+.".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) || name.starts_with('.') {
            let what = format!(
                "`{name}` is no name for an engine: letters, digits, `_`, `-`, `+` and `.`, which name a folder"
            );
            self.refuse("--engine", what);
        }
        let mut engine = RatedConfig { name, net: None, visits: limits::MEASURED_VISITS.usual() };
        for part in parts {
            match part.split_once('=') {
                Some(("net", path)) => engine.net = Some(PathBuf::from(path)),
                Some(("visits", visits)) => match visits.parse() {
                    Ok(visits) => engine.visits = self.whole("--engine visits", visits, &limits::MEASURED_VISITS),
                    Err(_) => self.refuse("--engine", format!("`{part}`: visits are a whole number")),
                },
                _ => self.refuse("--engine", format!("`{part}` is not understood (net=FILE, visits=N)")),
            }
        }
        engine
    }

    /// The lines of a file of openings.
    fn openings(&mut self, path: &Path) -> Option<Vec<String>> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| self.refuse("--openings", format!("{}: {error}", path.display()))).ok()?;
        // Some editors begin a file with a byte order mark.
        let lines = text.trim_start_matches('\u{feff}').lines();
        let lines = lines.map(|line| line.split('#').next().unwrap_or_default().trim());
        let lines: Vec<String> = lines.filter(|line| !line.is_empty()).map(str::to_string).collect();
        if lines.is_empty() {
            self.refuse("--openings", format!("{} holds no opening", path.display()));
            return None;
        }
        Some(lines)
    }

    fn variation(&mut self, flags: &VariationFlags) -> Variation {
        Variation {
            drawn_turns: self.whole("--drawn-turns", flags.drawn_turns, &limits::DRAWN_TURNS),
            delta: self.real("--delta", flags.delta, &limits::DELTA) as f32,
        }
    }

    /// A komi that the rules allow.
    fn komi(&mut self, flag: &str, board: &Board, komi: HalfPoints) -> HalfPoints {
        self.real(flag, komi.points(), &limits::KOMI);
        if let Err(fault) = board.game.check_komi(komi) {
            self.refuse(flag, fault.to_string());
        }
        komi
    }

    fn done<T>(self, config: T) -> Result<T, ConfigFaults> {
        if self.faults.is_empty() { Ok(config) } else { Err(ConfigFaults(self.faults)) }
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;

    #[derive(Parser)]
    enum Job {
        Selfplay(SelfplayFlags),
        Train(TrainFlags),
        Komi(KomiFlags),
        Balance(BalanceFlags),
        Match(MatchFlags),
    }

    fn job(line: &str) -> Job {
        let words = ["fairkomi"].into_iter().chain(line.split_whitespace());
        Job::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// The config, shown, or all that is wrong with the flags.
    fn outcome(line: &str) -> Result<String, String> {
        fn shown(config: Result<impl std::fmt::Debug, ConfigFaults>) -> Result<String, String> {
            config.map(|config| format!("{config:?}")).map_err(|faults| faults.to_string())
        }
        match job(line) {
            Job::Selfplay(flags) => shown(flags.config()),
            Job::Train(flags) => shown(flags.config()),
            Job::Komi(flags) => shown(flags.config()),
            Job::Balance(flags) => shown(flags.config()),
            Job::Match(flags) => shown(flags.config()),
        }
    }

    #[test]
    fn the_flags_are_well_formed_and_every_command_has_an_example() {
        let mut command = Job::command();
        command.build();
        command.clone().debug_assert();
        for job in command.get_subcommands_mut() {
            let help = job.render_long_help().to_string();
            if job.get_name() != "help" {
                assert!(help.contains(&format!("Usage: fairkomi {}", job.get_name())), "{help}");
                assert!(help.contains("Example") && !help.contains("What every"), "{help}");
                assert!(job.get_arguments().all(|flag| flag.get_help().is_some()), "{help}");
            }
        }
    }

    #[test]
    fn faults_of_flags_are_told() {
        let table = [
            (
                "komi --game yugo --size 5 --out x --visits 0",
                "--visits: 0 is not allowed (a whole number from 1 to 1000000)",
            ),
            ("komi --game yugo --size 0 --out x", "--size: 0 is not allowed (a whole number from 1 to 19)"),
            ("komi --game linage --size 2 --out x", "--size: size 2 is not allowed in linage (3 to 19)"),
            ("komi --game yugo --size 5 --out x --pie", "--pie: the pie rule belongs to fugo, not to yugo"),
            (
                "komi --game fugo --size 5 --out x --handicap 1",
                "--handicap: handicap 1 is not allowed in fugo on 5x5 (0 at most)",
            ),
            (
                "komi --game sligo --size 5 --out x --move-cap 0",
                "--move-cap: 0 is not allowed (a whole number from 1 to 1000000)",
            ),
            (
                "komi --game sligo --size 5 --out x --games 100 --block 64",
                "--games: 100 is not allowed (at least two blocks, which are 128)",
            ),
            (
                "komi --game yugo --size 5 --out x --start -0.5",
                "--start: komi -0.5 is not allowed in yugo (whole points only)",
            ),
            ("komi --game yugo --size 5 --out x --delta nan", "--delta: NaN is not allowed (a number from 0 to 1)"),
            (
                "komi --game yugo --size 5 --out x --threads 0",
                "--threads: 0 is not allowed (a whole number from 1 to 1024)",
            ),
            ("balance --game linage --size 5 --out x --komi 0.5 0.5", "--komi: 0.5 is given twice"),
            (
                "balance --game fugo --size 5 --out x --komi 1",
                "--komi: komi 1 is not allowed in fugo (the game has no score and no komi)",
            ),
            (
                "balance --game sligo --size 5 --out x --komi -2000",
                "--komi: -2000 is not allowed (a number from -1000 to 1000)",
            ),
            (
                "match --game yugo --size 5 --out x --b-visits 0",
                "--b-visits: 0 is not allowed (a whole number from 1 to 1000000)",
            ),
            (
                "match --game yugo --size 5 --out x --sprt 5 5",
                "--sprt: the SPRT bound elo0 = 5 must be less than elo1 = 5",
            ),
            (
                "match --game yugo --size 5 --out x --sprt -5 5 --alpha 0.5 --beta 0.5",
                "--alpha: alpha + beta must be less than 1, not 0.5 + 0.5",
            ),
            (
                "selfplay --game fugo --size 5 --out x --komi-spread 2",
                "--komi-spread: 2 is not allowed (fugo has no komi)",
            ),
            (
                "selfplay --game yugo --size 5 --out x --batch 8",
                "--batch: 8 is not allowed (a whole number from 16 to 4096)",
            ),
            (
                "train --data a --out x --batch 16 --chunks 32",
                "--chunks: 32 is not allowed (at most the batch, which is 16)",
            ),
            (
                "train --data a b --out x --epochs 0 --learning-rate 2 --seed 9223372036854775808",
                "3 faults:
  --seed: 9223372036854775808 is not allowed (a whole number from 0 to 9223372036854775807)
  --epochs: 0 is not allowed (a whole number from 1 to 10000)
  --learning-rate: 2 is not allowed (a number from 0.000001 to 1)",
            ),
        ];
        for (line, expected) in table {
            assert_eq!(outcome(line), Err(expected.to_string()), "{line}");
        }
    }

    #[test]
    fn what_is_left_out_has_its_usual_value() {
        let Job::Selfplay(flags) = job("selfplay --game linage --size 9 --out x") else { unreachable!() };
        let config = flags.config().unwrap();
        assert_eq!((config.games, config.seed, config.inference.batch, config.shard), (1000, 1, 64, 256));
        assert_eq!(config.komi, KomiDraw { centre: HalfPoints(0), spread: 4.0 });
        assert_eq!((config.temperature_turns, config.board.move_cap), (9, None));
        assert_eq!(config.explore.noise, Some(RootNoise { concentration: 10.0, share: 0.25 }));

        let Job::Selfplay(flags) = job("selfplay --game fugo --size 3 --out x --noise-share 0 --compress") else {
            unreachable!()
        };
        let config = flags.config().unwrap();
        assert_eq!(
            (config.explore.noise, config.komi.spread, config.board.move_cap, config.compress),
            (None, 0.0, Some(36), true)
        );

        let Job::Balance(flags) = job("balance --game linage --size 9 --out x") else { unreachable!() };
        assert_eq!(flags.config().unwrap().komi, [HalfPoints(0)]);
        let Job::Balance(flags) = job("balance --game sligo --size 9 --out x --komi -1 3.5") else { unreachable!() };
        assert_eq!(flags.config().unwrap().komi, [HalfPoints(-2), HalfPoints(7)]);

        let Job::Match(flags) = job("match --game yugo --size 5 --out x --a-visits 7 --reduction 0") else {
            unreachable!()
        };
        let config = flags.config().unwrap();
        assert_eq!(
            (config.a.visits, config.b.visits, config.a.settings.reduction, config.b.settings.reduction),
            (7, 200, 0.0, 0.0)
        );
        assert_eq!((config.komi, config.pairs, config.opening_turns), (HalfPoints(0), 200, 2));

        let Job::Komi(flags) = job("komi --game yugo --size 5 --out x --threads 3") else { unreachable!() };
        assert_eq!((flags.config().unwrap().start, flags.measure.job.threads()), (None, 3));

        let Job::Train(flags) = job("train --data a b --out x --from y") else { unreachable!() };
        assert_eq!((flags.data.len(), flags.config().unwrap().1, flags.job.threads() >= 1), (2, 1, true));
        assert_eq!(flags.config().unwrap().0.learning_rate, 0.001);
    }
}
