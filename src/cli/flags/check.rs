//! Checks flags against what is allowed.

use std::path::{Path, PathBuf};

use super::{BoardFlags, EngineFlags, GameFlags, JobFlags, VariationFlags};
use crate::config::limits::{self, Real, Whole};
use crate::config::{
    Board, ConfigFault, ConfigFaults, Inference, RatedConfig, Reading, SearchConfig, SearchSettings, Variation,
    board_faults,
};
use crate::games::{HalfPoints, Options};
use crate::stats::sprt::{Bounds, ErrorRates, Sprt};

/// Collects what is wrong with flags. A flag that is wrong is read as its usual value, so that checking can go on.
#[derive(Default)]
pub(super) struct Check {
    pub faults: Vec<ConfigFault>,
}

impl Check {
    pub fn whole<T: TryFrom<u64> + Default>(&mut self, flag: &str, value: u64, allowed: &Whole) -> T {
        allowed.check(value).unwrap_or_else(|what| {
            self.refuse(flag, what);
            allowed.usual()
        })
    }

    pub fn real(&mut self, flag: &str, value: f64, allowed: &Real) -> f64 {
        allowed.check(value).unwrap_or_else(|what| {
            self.refuse(flag, what);
            allowed.usual
        })
    }

    pub fn refuse(&mut self, flag: &str, what: String) {
        self.faults.push(ConfigFault { file: None, place: None, key: flag.to_string(), what });
    }

    /// Refuses a flag that does not go with another, unless one of them is wrong anyway.
    pub fn agree(&mut self, flag: &str, other: &str, check: Result<(), String>) {
        let sound = !self.faults.iter().any(|fault| fault.key == flag || fault.key == other);
        if let (true, Err(what)) = (sound, check) {
            self.refuse(flag, what);
        }
    }

    pub fn board(&mut self, flags: &GameFlags) -> Board {
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
    pub fn job(&mut self, flags: &JobFlags) -> u64 {
        if let Some(threads) = flags.threads {
            let _: u64 = self.whole("--threads", threads, &limits::THREADS);
        }
        self.whole("--seed", flags.seed, &limits::SEED)
    }

    pub fn inference(&mut self, flags: &EngineFlags) -> Inference {
        let batch = self.whole("--batch", flags.batch, &limits::BATCH);
        Inference { batch, precision: flags.precision, device: flags.device }
    }

    pub fn search(&mut self, flag: &str, visits: u64, flags: &EngineFlags) -> SearchConfig {
        self.settings(flags).with_visits(self.whole(flag, visits, &limits::MEASURED_VISITS))
    }

    pub fn settings(&mut self, flags: &EngineFlags) -> SearchSettings {
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

    pub fn sprt(&mut self, [elo0, elo1]: [f64; 2], [alpha, beta]: [f64; 2]) -> Option<Sprt> {
        for end in [elo0, elo1] {
            self.real("--sprt", end, &limits::SPRT_ELO);
        }
        self.real("--alpha", alpha, &limits::ERROR_RATE);
        self.real("--beta", beta, &limits::ERROR_RATE);
        let bounds = Bounds::new(elo0, elo1).map_err(|error| self.refuse("--sprt", error.to_string())).ok();
        let errors = ErrorRates::new(alpha, beta).map_err(|error| self.refuse("--alpha", error.to_string())).ok();
        Some(Sprt { bounds: bounds?, errors: errors? })
    }

    /// An engine to be rated: `NAME[,net=FILE][,visits=N]` or `NAME,gtp=COMMAND`, in which all that follows is the command.
    pub fn engine(&mut self, text: &str) -> RatedConfig {
        let (text, command) = match text.split_once(",gtp=") {
            Some((text, command)) => (text, Some(command.to_string())),
            None => (text, None),
        };
        let mut parts = text.split(',');
        let name = parts.next().unwrap_or_default().to_string();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+.".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) || name.starts_with('.') {
            let what = format!(
                "`{name}` is no name for an engine: letters, digits, `_`, `-`, `+` and `.`, which name a folder"
            );
            self.refuse("--engine", what);
        }
        if command.as_ref().is_some_and(|command| command.trim().is_empty()) {
            self.refuse("--engine", format!("{name}: after gtp= comes the program's command line"));
        }
        let mut engine = RatedConfig { name, net: None, visits: limits::MEASURED_VISITS.usual(), command };
        for part in parts {
            if engine.command.is_some() {
                self.refuse("--engine", format!("`{part}` does not go with gtp=, which names another program"));
            }
            match part.split_once('=') {
                Some(("net", path)) => engine.net = Some(PathBuf::from(path)),
                Some(("visits", visits)) => match visits.parse() {
                    Ok(visits) => engine.visits = self.whole("--engine visits", visits, &limits::MEASURED_VISITS),
                    Err(_) => self.refuse("--engine", format!("`{part}`: visits are a whole number")),
                },
                _ => self.refuse("--engine", format!("`{part}` is not understood (net=FILE, visits=N, gtp=COMMAND)")),
            }
        }
        engine
    }

    /// The flags of other programs: the time that they have for each answer, if there are any.
    pub fn programs(&mut self, has_program: bool, limit: u64, void_faults: bool, board: &Board) -> Option<u64> {
        let limit = self.whole("--gtp-limit", limit, &limits::GTP_LIMIT);
        if has_program && board.handicap > 0 {
            self.refuse("--handicap", "programs are told of no handicap; leave it out".to_string());
        }
        if void_faults && !has_program {
            self.refuse("--void-faults", "no other program takes part".to_string());
        }
        has_program.then_some(limit)
    }

    /// The lines of a file of openings.
    pub fn openings(&mut self, path: &Path) -> Option<Vec<String>> {
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

    pub fn variation(&mut self, flags: &VariationFlags) -> Variation {
        Variation {
            drawn_turns: self.whole("--drawn-turns", flags.drawn_turns, &limits::DRAWN_TURNS),
            delta: self.real("--delta", flags.delta, &limits::DELTA) as f32,
        }
    }

    /// A komi that the rules allow.
    pub fn komi(&mut self, flag: &str, board: &Board, komi: HalfPoints) -> HalfPoints {
        self.real(flag, komi.points(), &limits::KOMI);
        if let Err(fault) = board.game.check_komi(komi) {
            self.refuse(flag, fault.to_string());
        }
        komi
    }

    pub fn done<T>(self, config: T) -> Result<T, ConfigFaults> {
        if self.faults.is_empty() { Ok(config) } else { Err(ConfigFaults(self.faults)) }
    }
}
