//! Another program that speaks the Go Text Protocol, as a player in matches.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::steps::{legal_steps, meant, vertex};
use crate::arena::{Fault, Player, PlayerError};
use crate::games::{Ending, Game, GameKind, Phase, Played, Player as Colour, Rules, Turn, parse_step};

/// How often a wait for an answer looks whether the user wants to stop.
const GLANCE: Duration = Duration::from_millis(50);

/// How long a program may take to end by itself.
const FAREWELL: Duration = Duration::from_millis(500);

/// The longest line that is read, and the longest answer, in bytes.
const LONGEST: usize = 1 << 20;

/// How many lines are read ahead: a program that says more waits.
const AHEAD: usize = 64;

/// The commands without which there is no playing.
const NEEDED: [&str; 5] = ["boardsize", "clear_board", "komi", "play", "genmove"];

/// The command that tells which game a program plays, if it has it.
const GAME_ID: &str = "gogui-rules_game_id";

/// How a program is run.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgramSetting {
    /// The command line, for a shell.
    pub command: String,
    /// The game that it has to play.
    pub game: GameKind,
    /// The time for each answer.
    pub limit: Duration,
    /// What it writes to standard error is added to this file.
    pub log: PathBuf,
}

/// A program, running or not.
pub struct Program {
    setting: ProgramSetting,
    process: Option<Process>,
}

/// A running program.
struct Process {
    child: Child,
    input: ChildStdin,
    /// What comes out, line by line.
    lines: Receiver<String>,
}

fn fault(ending: Ending, what: impl Into<String>) -> Fault {
    Fault { ending, what: what.into() }
}

impl Process {
    fn start(setting: &ProgramSetting) -> Result<Self, Fault> {
        let crash = |what: String| fault(Ending::Crash, what);
        let log = OpenOptions::new().create(true).append(true).open(&setting.log);
        let log: File = log.map_err(|error| crash(format!("{}: {error}", setting.log.display())))?;
        let mut command = Command::new("sh");
        command.args(["-c", &setting.command]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            // A group of its own: what the program starts ends with it, and Ctrl-C is for this program alone.
            command.process_group(0);
        }
        let mut child = command.spawn().map_err(|error| crash(format!("`{}`: {error}", setting.command)))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(crash("it has no input or output".to_string()));
        };
        let (sender, lines) = sync_channel(AHEAD);
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            loop {
                line.clear();
                match output.by_ref().take(LONGEST as u64).read_until(b'\n', &mut line) {
                    Ok(count) if count > 0 => {}
                    _ => return,
                }
                if sender.send(String::from_utf8_lossy(&line).trim_end().to_string()).is_err() {
                    return;
                }
            }
        });
        Ok(Process { child, input, lines })
    }

    /// The answer to a command, without its mark; `Err` in it is a failure that the program tells of.
    fn ask(
        &mut self,
        command: &str,
        limit: Duration,
        stop: &AtomicBool,
    ) -> Result<Result<String, String>, PlayerError> {
        let due = Instant::now() + limit;
        let written = writeln!(self.input, "{command}").and_then(|()| self.input.flush());
        if written.is_err() {
            return Err(fault(Ending::Crash, format!("it ended before `{command}`")).into());
        }
        let mut answer: Option<(bool, String)> = None;
        loop {
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let what = format!("no answer to `{command}` within {} s", limit.as_secs_f64());
                return Err(fault(Ending::Timeout, what).into());
            }
            if stop.load(Ordering::Relaxed) {
                return Err(PlayerError::Stopped);
            }
            let line = match self.lines.recv_timeout(left.min(GLANCE)) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(fault(Ending::Crash, format!("it ended while `{command}` was to be answered")).into());
                }
            };
            match &mut answer {
                None if line.is_empty() => {}
                None => {
                    let mut rest = line.chars();
                    let is_success = match rest.next() {
                        Some('=') => true,
                        Some('?') => false,
                        _ => return Err(fault(Ending::Protocol, format!("`{command}` was answered `{line}`")).into()),
                    };
                    answer = Some((is_success, rest.as_str().trim().to_string()));
                }
                Some((is_success, text)) if line.is_empty() => {
                    let text = std::mem::take(text);
                    return Ok(if *is_success { Ok(text) } else { Err(text) });
                }
                Some((_, text)) if text.len() + line.len() > LONGEST => {
                    return Err(fault(Ending::Protocol, format!("the answer to `{command}` has no end")).into());
                }
                Some((_, text)) => {
                    text.push('\n');
                    text.push_str(&line);
                }
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = writeln!(self.input, "quit");
        let begun = Instant::now();
        while begun.elapsed() < FAREWELL && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(5));
        }
        // What it has started may be alive even if it is not.
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Program {
    /// Starts the program, and makes sure that it knows the commands that are needed, and plays the game if it can tell.
    pub fn start(setting: ProgramSetting, stop: &AtomicBool) -> Result<Self, PlayerError> {
        let game = setting.game;
        let mut program = Program { setting, process: None };
        let listed = program.must("list_commands", stop)?;
        let knows = |name: &str| listed.split_whitespace().any(|known| known == name);
        let missing: Vec<&str> = NEEDED.into_iter().filter(|name| !knows(name)).collect();
        if !missing.is_empty() {
            return Err(fault(Ending::Protocol, format!("it does not know {}", missing.join(", "))).into());
        }
        if knows(GAME_ID) {
            let plays = program.must(GAME_ID, stop)?;
            if !plays.eq_ignore_ascii_case(game.name()) {
                return Err(fault(Ending::Protocol, format!("it plays {plays}, not {game}")).into());
            }
        }
        Ok(program)
    }

    /// The program's name and version, as it gives them.
    pub fn describe(&mut self, stop: &AtomicBool) -> Result<String, PlayerError> {
        let mut words = Vec::new();
        for command in ["name", "version"] {
            match self.must(command, stop) {
                Err(PlayerError::Stopped) => return Err(PlayerError::Stopped),
                answer => words.push(answer.unwrap_or_default()),
            }
        }
        let name = words.join(" ").trim().to_string();
        // A program need not have a name.
        Ok(if name.is_empty() { self.setting.command.clone() } else { name })
    }

    /// The answer to a command that may not fail. A program that fails has ended.
    fn must(&mut self, command: &str, stop: &AtomicBool) -> Result<String, PlayerError> {
        if self.process.is_none() {
            self.process = Some(Process::start(&self.setting)?);
        }
        let process = self.process.as_mut().expect("it was started");
        let answer = process.ask(command, self.setting.limit, stop).and_then(|answer| {
            answer.map_err(|text| fault(Ending::Protocol, format!("`{command}` was refused: {text}")).into())
        });
        if answer.is_err() {
            self.process = None;
        }
        answer
    }

    /// Tells the program of a turn.
    fn tell<G: Game>(&mut self, turn: Turn, before: &Played<G>, stop: &AtomicBool) -> Result<(), PlayerError> {
        let mut game = before.clone();
        for step in turn.steps() {
            let colour = colour_name(game.position().to_move());
            let vertex = vertex(game.position(), *step);
            self.must(&format!("play {colour} {vertex}"), stop)?;
            game.play(*step);
        }
        Ok(())
    }
}

fn colour_name(colour: Colour) -> &'static str {
    if colour == Colour::Black { "b" } else { "w" }
}

impl<G: Game> Player<G> for Program {
    fn begin(&mut self, _: u64, rules: &Rules, played: &Played<G>, stop: &AtomicBool) -> Result<(), PlayerError> {
        self.must(&format!("boardsize {}", rules.size), stop)?;
        self.must("clear_board", stop)?;
        if G::KIND.has_score() {
            self.must(&format!("komi {}", rules.komi), stop)?;
        }
        // From the start of the game, turn by turn.
        let mut game = Played::new(G::new(rules.size, rules.options), None);
        for turn in played.turns() {
            self.tell(*turn, &game, stop)?;
            turn.steps().iter().for_each(|step| game.play(*step));
        }
        Ok(())
    }

    fn turn(&mut self, played: &Played<G>, stop: &AtomicBool) -> Result<Turn, PlayerError> {
        let mut game = played.clone();
        let mut turn: Option<Turn> = None;
        loop {
            let colour = colour_name(game.position().to_move());
            let answer = self.must(&format!("genmove {colour}"), stop)?;
            let failed = |program: &mut Self, ending, what: String| {
                // Its board is not this one any more.
                program.process = None;
                Err(fault(ending, what).into())
            };
            if answer.eq_ignore_ascii_case("resign") {
                return Err(fault(Ending::Resign, "it resigned").into());
            }
            let step = match parse_step(game.position(), &answer) {
                Ok(step) => meant(&game, step),
                Err(error) => return failed(self, Ending::Protocol, format!("`genmove {colour}`: {error}")),
            };
            if !legal_steps(&game).contains(&step) {
                let what = format!("`{answer}`: {}", game.position().fault(step));
                return failed(self, Ending::Illegal, what);
            }
            let so_far = turn.map_or(Turn::begin(step), |turn| turn.then(step));
            game.play(step);
            if game.position().phase() == Phase::Start {
                return Ok(so_far);
            }
            turn = Some(so_far);
        }
    }

    fn follow(&mut self, turn: Turn, before: &Played<G>, is_own: bool, stop: &AtomicBool) -> Result<(), PlayerError> {
        // `genmove` has played it.
        if is_own { Ok(()) } else { self.tell(turn, before, stop) }
    }
}
