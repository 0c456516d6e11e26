//! The form of commands and answers (GTP 2 draft, Gunnar Farnebäck, sections 2 and 3).

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Request {
    /// A number that the answer repeats.
    pub id: Option<u32>,
    pub command: String,
    pub arguments: Vec<String>,
}

/// What is answered: a text, or why the command failed.
pub(super) type Reply = Result<String, String>;

impl Request {
    /// The command in a line; none in a line of white space or comment.
    ///
    /// "Remove all occurrences of CR and other control characters except for HT and LF. For each line with a hash sign (#),
    /// remove all text following and including this character. Convert all occurrences of HT to SPACE. Discard any empty
    /// or white-space only lines."
    pub fn parse(line: &str) -> Option<Request> {
        let line = line.split('#').next().unwrap_or_default();
        let kept: String = line.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
        let mut words = kept.split([' ', '\t']).filter(|word| !word.is_empty()).map(str::to_string).peekable();
        let id = words.peek()?.parse().ok();
        if id.is_some() {
            words.next();
        }
        let command = words.next().unwrap_or_default();
        Some(Request { id, command, arguments: words.collect() })
    }
}

/// How an answer begins: `=` or `?`, and the command's number.
pub(super) fn beginning(id: Option<u32>, is_success: bool) -> String {
    let mark = if is_success { '=' } else { '?' };
    id.map_or(mark.to_string(), |id| format!("{mark}{id}"))
}

/// A whole answer, which an empty line ends; so there is none within.
pub(super) fn answer(id: Option<u32>, reply: &Reply) -> String {
    let (Ok(text) | Err(text)) = reply;
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let space = if lines.is_empty() { "" } else { " " };
    format!("{}{space}{}\n\n", beginning(id, reply.is_ok()), lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_as_the_protocol_says() {
        let request = |id, words: &[&str]| {
            let mut words = words.iter().map(|word| word.to_string());
            Some(Request { id, command: words.next().unwrap_or_default(), arguments: words.collect() })
        };
        for (line, expected) in [
            ("name", request(None, &["name"])),
            ("12 play b C3\r\n", request(Some(12), &["play", "b", "C3"])),
            ("\tplay\tb  C3 # a comment", request(None, &["play", "b", "C3"])),
            ("7", request(Some(7), &[])),
            ("99999999999 name", request(None, &["99999999999", "name"])),
            ("pl\u{1}ay\u{7f} w \u{0}D4", request(None, &["play", "w", "D4"])),
            ("", None),
            (" \t \r\n", None),
            ("# 1 name", None),
        ] {
            assert_eq!(Request::parse(line), expected, "{line:?}");
        }
    }

    #[test]
    fn an_answer_ends_with_its_only_empty_line() {
        for (id, reply, expected) in [
            (None, Ok(""), "=\n\n"),
            (Some(3), Ok("2"), "=3 2\n\n"),
            (None, Err("unknown command"), "? unknown command\n\n"),
            (Some(0), Ok("a\n\n  b \n\n"), "=0 a\n  b\n\n"),
        ] {
            let reply = reply.map(str::to_string).map_err(str::to_string);
            assert_eq!(answer(id, &reply), expected);
        }
    }
}
