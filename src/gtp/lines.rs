//! Lines of input, read ahead by a thread of their own, so that a long answer can see that more has come.

use std::io::{BufRead, Read};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;

/// The longest command, in bytes; what is longer is cut.
const LONGEST: u64 = 1 << 16;

/// The input.
pub(super) struct Lines {
    received: Receiver<String>,
    /// A line that was looked for before it was asked for.
    waiting: Option<String>,
    has_ended: bool,
}

impl Lines {
    /// Begins to read.
    pub fn read(input: impl BufRead + Send + 'static) -> Self {
        let (sender, received) = channel();
        thread::spawn(move || read_all(input, &sender));
        Lines { received, waiting: None, has_ended: false }
    }

    /// The next line; none once the input has ended.
    pub fn next(&mut self) -> Option<String> {
        self.waiting.take().or_else(|| self.received.recv().ok())
    }

    /// True if there is a next line, or never will be.
    pub fn has_more(&mut self) -> bool {
        if self.waiting.is_none() && !self.has_ended {
            match self.received.try_recv() {
                Ok(line) => self.waiting = Some(line),
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => self.has_ended = true,
            }
        }
        self.waiting.is_some() || self.has_ended
    }
}

/// Sends all lines on, until nobody wants them any more. An input that cannot be read has ended.
fn read_all(mut input: impl BufRead, sender: &Sender<String>) {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        if !matches!(read, Ok(count) if count > 0) {
            return;
        }
        if !line.ends_with(b"\n") && skip_line(&mut input).is_err() {
            return;
        }
        if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
            return;
        }
    }
}

/// Reads past the end of the line.
fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let chunk = input.fill_buf()?;
        let (used, is_over) = match chunk.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (chunk.len(), chunk.is_empty()),
        };
        input.consume(used);
        if is_over {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn lines_come_in_order_and_long_ones_are_cut() {
        let long = "x".repeat(3 * LONGEST as usize);
        let mut lines = Lines::read(Cursor::new(format!("a\n\nb\r\n{long}\nlast\u{fffd}").into_bytes()));
        assert_eq!(lines.next().as_deref(), Some("a\n"));
        while !lines.has_more() {}
        assert!(lines.has_more());
        assert_eq!(lines.next().as_deref(), Some("\n"));
        assert_eq!(lines.next().as_deref(), Some("b\r\n"));
        assert_eq!(lines.next().map(|line| line.len()), Some(LONGEST as usize));
        assert_eq!(lines.next().as_deref(), Some("last\u{fffd}"));
        assert_eq!(lines.next(), None);
        while !lines.has_more() {}
        assert!(lines.has_more() && lines.next().is_none());
    }
}
