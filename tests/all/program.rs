//! The program as its users run it: in a folder, with a command line, and with what it leaves there.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use fairkomi::games::GameKind;
use tempfile::TempDir;

/// The program that is tested.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_fairkomi");

/// Longer than any run here takes, on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// What is left of a program that ended.
#[derive(Debug)]
pub struct Ended {
    /// `None`: a signal ended it.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let ended = Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
        assert!(!ended.err.contains("panicked"), "{ended:?}");
        ended
    }
}

/// The program at work.
pub struct Running(Option<Child>);

impl Running {
    pub fn start(folder: &Path, line: &str) -> Self {
        let child = command(folder, line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        Running(Some(child.expect("the program starts")))
    }

    pub fn child(&mut self) -> &mut Child {
        self.0.as_mut().expect("it was not waited for yet")
    }

    /// Waits until something is so, or the program has ended.
    pub fn wait_for(&mut self, is_so: impl Fn() -> bool) {
        let begun = Instant::now();
        while !is_so() && self.child().try_wait().expect("it can be waited for").is_none() {
            assert!(begun.elapsed() < PATIENCE, "it takes for ever");
            sleep(Duration::from_millis(2));
        }
    }

    /// Sends SIGKILL, as the system does that is short of memory.
    pub fn kill(mut self) {
        self.child().kill().expect("it can be killed");
    }

    /// Sends SIGINT, as Ctrl-C does; what it left, and how long it took to stop.
    pub fn interrupt(mut self) -> (Ended, Duration) {
        let child = self.0.take().expect("it was not waited for yet");
        let begun = Instant::now();
        let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
        assert!(sent.expect("there is a shell").success());
        let output = child.wait_with_output().expect("it can be waited for");
        (output.into(), begun.elapsed())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A folder for a test's files, removed when it is dropped.
pub fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room for temporary files")
}

/// The program in a folder; the words of `line` are its arguments.
pub fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).args(line.split_whitespace()).stdin(Stdio::null());
    command
}

/// Runs the program to its end.
pub fn fairkomi(folder: &Path, line: &str) -> Ended {
    command(folder, line).output().expect("the program starts").into()
}

/// Runs the program, which must do what it is asked, and returns what it printed.
pub fn done(folder: &Path, line: &str) -> String {
    let ended = fairkomi(folder, line);
    assert_eq!(ended.code, Some(0), "{line}: {}", ended.err);
    ended.out
}

/// Runs a command as a user's shell does, to a good end; what it printed.
pub fn by_shell(folder: &Path, command: &str) -> String {
    let output = Command::new("sh").current_dir(folder).args(["-c", command]).output();
    let ended = Ended::from(output.expect("there is a shell"));
    assert_eq!(ended.code, Some(0), "{command}: {}", ended.err);
    ended.out
}

/// A small board of each game. Games on it take some ten to thirty turns.
pub fn small(game: GameKind) -> usize {
    match game {
        GameKind::Yugo | GameKind::Sligo => 3,
        GameKind::Linage | GameKind::Fugo => 4,
    }
}

/// How the networks of these tests are trained.
pub const TRAINING: &str = "--layers 1 --channels 8 --epochs 2 --batch 64 --chunks 2 --validation 0.2";

/// The file of a hardly trained network, which has seen two sizes.
pub fn network(game: GameKind) -> &'static [u8] {
    static NETWORKS: [OnceLock<Vec<u8>>; 4] = [const { OnceLock::new() }; 4];
    NETWORKS[game as usize].get_or_init(|| {
        let folder = folder();
        for size in [3, 5] {
            let line = format!("selfplay --game {game} --size {size} --games 8 --visits 2 --out {size}");
            done(folder.path(), &line);
        }
        done(folder.path(), &format!("train --data 3 5 --out net.safetensors {TRAINING}"));
        fs::read(folder.path().join("net.safetensors")).expect("the network is there")
    })
}

/// Puts a network's file into a folder as `net.safetensors`.
pub fn put_network(folder: &Path, game: GameKind) {
    fs::write(folder.join("net.safetensors"), network(game)).expect("the folder can be written");
}

/// All that the settings decide in a folder: files by their path, without logs, locks, reports with times in them, and
/// what a killed process had not finished.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap_or_else(|error| panic!("{}: {error}", next.display())) {
            let path = entry.expect("the folder can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !["lock", "log.jsonl", "times.json", "report.txt", "report.html"].contains(&name.as_str())
                && !["learning.csv", "learning.svg", "events.out.tfevents.fairkomi"].contains(&name.as_str())
                && !name.starts_with('.')
            {
                let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
                files.insert(name, bytes);
            }
        }
    }
    files
}

/// The two folders hold the same files, byte by byte.
pub fn assert_same(found: &Path, expected: &Path) {
    let (found, expected) = (files(found), files(expected));
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&expected));
    assert!(!found.is_empty());
    for (name, bytes) in &expected {
        let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().map(str::to_string).collect::<Vec<_>>();
        if found[name] != *bytes {
            let (found, expected) = (lines(&found[name]), lines(bytes));
            let line = (0..expected.len()).find(|line| found.get(*line) != expected.get(*line)).unwrap_or_default();
            panic!("{name}:{}: found {:?}, expected {:?}", line + 1, found.get(line), expected.get(line));
        }
    }
}
