//! The flags of `fairkomi match`.

use std::path::PathBuf;

use super::check::Check;
use super::{GameFlags, JobFlags, PlayFlags};
use crate::config::limits;
use crate::config::{ConfigFaults, MatchConfig, Precision, Reading, SearchSettings, Selection, least_komi};
use crate::games::HalfPoints;

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
    /// Random turns of each opening; openings differ modulo symmetry as long as they can. With the pie rule give 0 or 1: White
    /// may swap on the first turn only
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
    /// Show this game of the finished match turn by turn; engines of this program play it again, to see that it comes out
    /// the same
    #[arg(long, value_name = "GAME")]
    pub replay: Option<u64>,
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
        let limit = check.programs(has_program, self.gtp_limit, self.void_faults, &board);
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
            program_limit: limit,
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
