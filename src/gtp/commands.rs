//! The commands: their names, and what each does.

use super::clock::Clock;
use super::protocol::{Reply, Request};
use super::serve::{GtpError, Io, Outcome};
use super::session::Session;
use crate::board::MAX_SIZE;
use crate::games::{Ending, GameKind, HalfPoints, Options, Phase, Step, turns};
use crate::search::PlayoutPolicy;

/// The version of the protocol.
const PROTOCOL: &str = "2";

/// Whole turns are not listed beyond this number of them: Sligo has thousands on large boards.
const MOST_TURNS: usize = 100_000;

/// The commands, as `list_commands` lists them.
pub(super) const NAMES: &[&str] = &[
    "boardsize",
    "clear_board",
    "fairkomi-accept",
    "fairkomi-best_line",
    "fairkomi-choose_side",
    "fairkomi-dead",
    "fairkomi-dispute",
    "fairkomi-genturn",
    "fairkomi-komi",
    "fairkomi-legal_turns",
    "fairkomi-margin",
    "fairkomi-ownership",
    "fairkomi-param",
    "fairkomi-propose",
    "fairkomi-swap",
    "fairkomi-visits",
    "fairkomi-win_rate",
    "final_score",
    "final_status_list",
    "genmove",
    "gogui-analyze_commands",
    "gogui-rules_board",
    "gogui-rules_board_gfx",
    "gogui-rules_board_size",
    "gogui-rules_captured_count",
    "gogui-rules_final_result",
    "gogui-rules_game_id",
    "gogui-rules_legal_moves",
    "gogui-rules_side_to_move",
    "kata-analyze",
    "known_command",
    "komi",
    "list_commands",
    "lz-analyze",
    "name",
    "place_free_handicap",
    "play",
    "protocol_version",
    "quit",
    "reg_genmove",
    "set_free_handicap",
    "showboard",
    "time_left",
    "time_settings",
    "undo",
    "version",
];

/// The arguments of a command.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a>(pub &'a [String]);

impl<'a> Arguments<'a> {
    /// The argument at a place, which the command needs.
    pub fn word(self, place: usize) -> Result<&'a str, String> {
        self.0.get(place).map(String::as_str).ok_or_else(|| "an argument is missing".to_string())
    }

    /// The argument at a place as a number.
    pub fn number<T: std::str::FromStr>(self, place: usize) -> Result<T, String> {
        let word = self.word(place)?;
        word.parse().map_err(|_| format!("`{word}` is not a number that can be meant here"))
    }
}

/// The version, with the commit where it is known: two builds of one version are two engines.
fn version() -> String {
    let commit = option_env!("FAIRKOMI_COMMIT").filter(|commit| *commit != "unknown");
    let version = env!("CARGO_PKG_VERSION");
    commit.map_or(version.to_string(), |commit| format!("{version} ({commit})"))
}

impl<G: PlayoutPolicy> Session<G> {
    /// Does what a command asks for.
    pub fn run(&mut self, request: &Request, io: &mut Io<'_>) -> Result<Outcome, GtpError> {
        let arguments = Arguments(&request.arguments);
        match request.command.as_str() {
            "quit" => return Ok(Outcome::Quit),
            "boardsize" => {
                let size = arguments.number(0).and_then(|size| self.check_size(size));
                return Ok(match size {
                    Ok(size) if size != self.shared.size => Outcome::NewBoard(size),
                    Ok(_) => Outcome::Reply(self.clear_board()),
                    Err(fault) => Outcome::Reply(Err(fault)),
                });
            }
            "lz-analyze" | "kata-analyze" => return self.analyze(request, io),
            _ => {}
        }
        Ok(Outcome::Reply(self.reply(&request.command, arguments)))
    }

    fn reply(&mut self, command: &str, arguments: Arguments<'_>) -> Reply {
        match command {
            "protocol_version" => Ok(PROTOCOL.to_string()),
            "name" => Ok("fairkomi".to_string()),
            "version" => Ok(version()),
            "known_command" => Ok(NAMES.contains(&arguments.word(0)?).to_string()),
            "list_commands" => Ok(NAMES.join("\n")),

            "clear_board" => self.clear_board(),
            "komi" => self.komi(arguments),
            "play" => self.play_words(arguments),
            "undo" => self.undo(),
            "place_free_handicap" => self.place_handicap(arguments),
            "set_free_handicap" => self.set_handicap(arguments),

            "genmove" => self.generate_step(arguments.word(0)?),
            "reg_genmove" => self.advise(arguments),
            "fairkomi-genturn" => self.generate_turn(arguments.word(0)?),
            "time_settings" => self.time_settings(arguments),
            "time_left" => self.time_left(arguments),

            "final_score" => Ok(self.final_score()),
            "final_status_list" => self.final_status(arguments),
            "showboard" => Ok(self.board_text()),

            "gogui-rules_game_id" => Ok(super::serve::game_id(G::KIND)),
            "gogui-rules_board" => Ok(self.rules_board()),
            "gogui-rules_board_gfx" => Ok(self.rules_board_gfx()),
            "gogui-rules_board_size" => Ok(self.position().size().to_string()),
            "gogui-rules_captured_count" => Ok(format!("{} {}", self.now.captured[0], self.now.captured[1])),
            "gogui-rules_final_result" => Ok(self.final_result()),
            "gogui-rules_legal_moves" => Ok(self.legal_vertices()),
            "gogui-rules_side_to_move" => Ok(self.position().to_move().to_string()),
            "gogui-analyze_commands" => Ok(self.analyze_commands()),

            "fairkomi-legal_turns" => self.legal_turns(),
            "fairkomi-swap" => self.swap(),
            "fairkomi-komi" => self.suggest_komi(),
            "fairkomi-choose_side" => self.choose_side(arguments),
            "fairkomi-param" => self.parameters(arguments),
            "fairkomi-win_rate" => self.win_rate(),
            "fairkomi-margin" => self.margin(),
            "fairkomi-visits" => self.visits(),
            "fairkomi-best_line" => self.best_line(),
            "fairkomi-ownership" => self.ownership_board(),

            "fairkomi-dead" => self.dead(),
            "fairkomi-propose" => self.propose(arguments),
            "fairkomi-accept" => self.accept(arguments),
            "fairkomi-dispute" => self.dispute(arguments),

            _ => Err("unknown command".to_string()),
        }
    }

    fn check_size(&self, size: usize) -> Result<usize, String> {
        let options = Options { handicap: 0, ..self.shared.options };
        options
            .check(G::KIND, size)
            .map(|()| size)
            .map_err(|_| format!("unacceptable size: {} is played on {} to {MAX_SIZE}", G::KIND, G::KIND.min_size()))
    }

    fn clear_board(&mut self) -> Reply {
        self.clear(Options { handicap: 0, ..self.shared.options });
        Ok(String::new())
    }

    fn komi(&mut self, arguments: Arguments<'_>) -> Reply {
        let komi = arguments.word(0)?.parse::<HalfPoints>()?;
        self.set_komi(G::KIND.check_komi(komi).map_err(|error| error.to_string())?);
        Ok(String::new())
    }

    /// `play`: a colour, then a vertex or a whole turn.
    fn play_words(&mut self, arguments: Arguments<'_>) -> Reply {
        self.mover(arguments.word(0)?)?;
        let steps = self.steps_of(arguments.word(1)?)?;
        self.keep();
        steps.into_iter().for_each(|step| self.play(step));
        Ok(String::new())
    }

    fn swap(&mut self) -> Reply {
        if !self.legal_steps().contains(&Step::SWAP) {
            return Err("there is nothing to swap: Fugo's White may do so on the first turn, with --pie".to_string());
        }
        self.keep();
        self.play(Step::SWAP);
        Ok(String::new())
    }

    /// A board for a handicap game, if there can be one.
    fn handicap_options(&self, handicap: usize) -> Result<Options, String> {
        if !self.now.played.turns().is_empty() {
            return Err("board not empty".to_string());
        }
        let options = Options { handicap, ..self.shared.options };
        options.check(G::KIND, self.shared.size).map_err(|error| format!("invalid number of stones: {error}"))?;
        if handicap == 0 { Err("invalid number of stones".to_string()) } else { Ok(options) }
    }

    /// `place_free_handicap`: the engine places Black's pawns, and says where.
    fn place_handicap(&mut self, arguments: Arguments<'_>) -> Reply {
        let options = self.handicap_options(arguments.number(0)?)?;
        self.clear(options);
        let mut vertices = Vec::new();
        while self.position().handicap_left() > 0 && self.ending().is_none() {
            let step = self.best_step()?;
            vertices.push(self.vertex(step));
            self.play(step);
        }
        Ok(vertices.join(" "))
    }

    /// `set_free_handicap`: Black's pawns stand on these points.
    fn set_handicap(&mut self, arguments: Arguments<'_>) -> Reply {
        let options = self.handicap_options(arguments.0.len())?;
        let before = self.shared.options;
        self.clear(options);
        for vertex in arguments.0 {
            match self.steps_of(vertex) {
                Ok(steps) => steps.into_iter().for_each(|step| self.play(step)),
                Err(fault) => {
                    self.clear(before);
                    return Err(format!("bad vertex list: {vertex}: {fault}"));
                }
            }
        }
        Ok(String::new())
    }

    /// `reg_genmove`: the step that the engine would play.
    fn advise(&mut self, arguments: Arguments<'_>) -> Reply {
        self.mover(arguments.word(0)?)?;
        if self.ending().is_some() {
            return Err("the game is over".to_string());
        }
        // What has been searched before must not change the answer.
        self.forget();
        let step = self.best_step()?;
        Ok(self.vertex(step))
    }

    fn time_settings(&mut self, arguments: Arguments<'_>) -> Reply {
        self.shared.clock = Clock::settings(arguments.number(0)?, arguments.number(1)?, arguments.number(2)?);
        Ok(String::new())
    }

    fn time_left(&mut self, arguments: Arguments<'_>) -> Reply {
        let colour = self.colour(arguments.word(0)?)?;
        self.shared.clock.set_left(colour, arguments.number(1)?, arguments.number(2)?);
        Ok(String::new())
    }

    /// All legal turns in notation.
    fn legal_turns(&self) -> Reply {
        if self.position().phase() != Phase::Start {
            return Err("a turn has begun; take it back first".to_string());
        }
        if self.ending().is_some() {
            return Ok(String::new());
        }
        let mut found: Vec<String> =
            turns(self.position()).iter().map(|(turn, _)| turn.text(self.position())).collect();
        if found.len() > MOST_TURNS {
            return Err(format!("there are {} turns", found.len()));
        }
        found.sort();
        Ok(found.join("\n"))
    }

    /// `fairkomi-param`: shows the settings of the search, or changes one.
    fn parameters(&mut self, arguments: Arguments<'_>) -> Reply {
        if arguments.0.is_empty() {
            return Ok(format!("[string] visits {}", self.shared.visits));
        }
        match arguments.word(0)? {
            "visits" => {
                let visits = arguments.number(1)?;
                self.shared.visits = crate::config::limits::MEASURED_VISITS.check(visits)?;
                Ok(String::new())
            }
            other => Err(format!("there is no parameter `{other}`")),
        }
    }

    /// True if the game has come to its end by passes, and may still be agreed on.
    pub fn has_passed(&self) -> bool {
        self.ending() == Some(Ending::Pass) && matches!(G::KIND, GameKind::Yugo | GameKind::Sligo)
    }

    /// True if the game is not over.
    pub fn is_running(&self) -> bool {
        self.ending().is_none()
    }
}
