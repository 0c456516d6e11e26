//! The flags of `fairkomi komi` and `fairkomi balance`.

use super::MeasureFlags;
use super::check::Check;
use crate::config::limits;
use crate::config::{BalanceConfig, ConfigFaults, KomiConfig, games_in_blocks};
use crate::games::HalfPoints;

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
    /// End sooner, once the fair komi's 95 % interval is at most so wide, in points: 0 for a single komi
    #[arg(long, value_name = "POINTS")]
    pub width: Option<f64>,
    /// The first block's komi, in points [default: what the engine suggests]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub start: Option<HalfPoints>,
    #[command(flatten)]
    pub measure: MeasureFlags,
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
            width: self.width.map(|width| check.real("--width", width, &limits::KOMI_WIDTH)),
        };
        if self.width.is_some() && !board.game.has_score() {
            check.refuse("--width", "Fugo has no komi, so there is no interval to wait for".to_string());
        }
        check.agree("--games", "--block", games_in_blocks(config.games, config.block));
        check.done(config)
    }
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
