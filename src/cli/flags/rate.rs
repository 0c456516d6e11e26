//! The flags of `fairkomi rate`.

use super::check::Check;
use super::{GameFlags, JobFlags, PlayFlags};
use crate::config::limits;
use crate::config::{ConfigFaults, RateConfig, RatedConfig, least_komi};
use crate::games::HalfPoints;

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
    /// An engine: its name, then its network and the visits of its searches (without a network it judges by random
    /// playouts), or the command line of another program that speaks GTP, for a shell
    #[arg(long = "engine", value_name = "NAME[,net=FILE][,visits=N] or NAME,gtp=COMMAND", required = true)]
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
    /// The time that a program has for each answer, in milliseconds; one that takes longer has lost the game
    #[arg(long, value_name = "MS", default_value_t = limits::GTP_LIMIT.usual)]
    pub gtp_limit: u64,
    /// Leave pairs out in which a program crashed, took too long, played an illegal move or said what is no GTP, instead of
    /// taking its game for lost
    #[arg(long)]
    pub void_faults: bool,
    #[command(flatten)]
    pub play: PlayFlags,
    #[command(flatten)]
    pub job: JobFlags,
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
        let has_program = engines.iter().any(|engine| engine.command.is_some());
        let limit = check.programs(has_program, self.gtp_limit, self.void_faults, &board);
        let config = RateConfig {
            board,
            pairs: check.whole("--pairs", self.pairs, &limits::RATED_PAIRS),
            seed: check.job(&self.job),
            inference: check.inference(&self.play.engine),
            komi: self.komi.map_or(least_komi(board.game), |komi| check.komi("--komi", &board, komi)),
            opening_turns: check.whole("--opening-turns", self.opening_turns, &limits::MATCH_OPENING_TURNS),
            search: check.settings(&self.play.engine),
            anchor: anchor.unwrap_or_default(),
            program_limit: limit,
            void_faults: self.void_faults,
            engines,
        };
        check.done(config)
    }
}
