//! Ctrl-C and SIGTERM: the first asks a run to stop, the second ends the program at once.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Whether the user has asked for a stop.
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens from now on. The first signal sets the flag; a second one ends the program with exit code 130.
    pub fn listen() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag not yet set.
            flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&asked))?;
            flag::register(signal, Arc::clone(&asked))?;
        }
        Ok(Stop(asked))
    }

    /// The flag, for a run to look at several times a second.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }
}

/// The command line that goes on with this run, as one would type it into a shell: runs resume when started again.
pub fn resume_command() -> String {
    let words: Vec<String> = env::args_os().map(|word| quoted(&word)).collect();
    words.join(" ")
}

/// A word quoted for a POSIX shell, where it needs to be.
fn quoted(word: &OsStr) -> String {
    let Some(text) = word.to_str() else { return quoted_bytes(word.as_encoded_bytes()) };
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_string()
    } else if text.chars().any(char::is_control) {
        quoted_bytes(text.as_bytes())
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Bytes that are no printable text, as bash, zsh and ksh read them.
fn quoted_bytes(bytes: &[u8]) -> String {
    let byte = |byte: &u8| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        _ => format!("\\{byte:03o}"),
    };
    format!("$'{}'", bytes.iter().map(byte).collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_them_otherwise() {
        for (word, expected) in [
            ("target/release/fairkomi", "target/release/fairkomi"),
            ("--komi=-3.5", "--komi=-3.5"),
            ("", "''"),
            ("my runs", "'my runs'"),
            ("$HOME", "'$HOME'"),
            ("~", "'~'"),
            ("it's", r"'it'\''s'"),
            ("größe", "'größe'"),
            ("a\nb'c", r"$'a\012b\'c'"),
        ] {
            assert_eq!(quoted(OsStr::new(word)), expected);
        }
        assert!(resume_command().contains("fairkomi"), "{}", resume_command());
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        use std::os::unix::ffi::OsStrExt;
        for bytes in
            [b"a b".as_slice(), b"'", b"\\", b"$(ls) `ls` \"x\" !! * ?", b"x\ty'\\\n7", b"\xff1", "é\u{7}".as_bytes()]
        {
            let script = format!("printf %s {}", quoted(OsStr::from_bytes(bytes)));
            let Ok(output) = Command::new("bash").args(["-c", &script]).output() else { return };
            assert_eq!(output.stdout, bytes, "{script}");
        }
    }

    /// What the test below runs in a process of its own.
    const CHILD: &str = "FAIRKOMI_TEST_SIGNALS";

    #[test]
    fn the_first_signal_asks_and_the_second_ends_the_program() {
        if let Ok(signals) = env::var(CHILD) {
            let stop = Stop::listen().unwrap();
            assert!(!stop.flag().load(Ordering::SeqCst));
            for _ in 0..signals.parse().unwrap() {
                signal_hook::low_level::raise(SIGTERM).unwrap();
            }
            assert!(stop.flag().load(Ordering::SeqCst));
            return;
        }
        for (signals, code) in [("1", 0), ("2", INTERRUPTED)] {
            let name = "cli::stop::tests::the_first_signal_asks_and_the_second_ends_the_program";
            let status = Command::new(env::current_exe().unwrap())
                .args(["--exact", name])
                .env(CHILD, signals)
                .output()
                .unwrap()
                .status;
            assert_eq!(status.code(), Some(code), "{signals}");
        }
    }
}
