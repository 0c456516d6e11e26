//! The flags of `fairkomi selfplay`.

use std::path::PathBuf;

use super::check::Check;
use super::{GameFlags, JobFlags, PlayFlags};
use crate::config::limits;
use crate::config::{ConfigFaults, KomiDraw, RootExploration, RootNoise, SelfplayConfig, VisitPlan};
use crate::games::{GameKind, HalfPoints};

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
