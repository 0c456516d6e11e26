//! A reader of TOML tables that collects what is wrong instead of stopping at it.

use std::cell::RefCell;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::fault::{ConfigFault, MOST_FAULTS, Place};
use super::limits::{Real, Whole, refusal};
use super::names::hint;

/// What a fault is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// This is no TOML.
    Syntax,
    /// A key or its value is wrong whatever else the file says.
    Key,
    /// Something is missing, or does not go with something else.
    Context,
}

/// The text of a config file and what has been found wrong with it.
pub(super) struct Document<'a> {
    file: String,
    text: &'a str,
    faults: RefCell<Vec<(Kind, ConfigFault)>>,
}

impl<'a> Document<'a> {
    pub(super) fn new(file: String, text: &'a str) -> Self {
        Document { file, text, faults: RefCell::default() }
    }

    /// Notes a fault at a byte of the text, or of the file as a whole.
    pub(super) fn fault(&self, kind: Kind, at: Option<usize>, key: String, what: String) {
        let mut faults = self.faults.borrow_mut();
        if faults.len() < MOST_FAULTS {
            let place = at.map(|at| place(self.text, at));
            faults.push((kind, ConfigFault { file: Some(self.file.clone()), place, key, what }));
        }
    }

    /// The faults in the order of the text; those of no place come first.
    ///
    /// Bad syntax can make other keys look wrong or missing. So only the first fault of a line with bad syntax is
    /// told, none of context, and if the heading of a section is damaged, syntax alone.
    pub(super) fn into_faults(self) -> Vec<ConfigFault> {
        let mut faults = self.faults.into_inner();
        let line = |fault: &ConfigFault| fault.place.map_or(0, |place| place.line);
        let mut damaged: Vec<usize> =
            faults.iter().filter(|(kind, _)| *kind == Kind::Syntax).map(|(_, fault)| line(fault)).collect();
        damaged.sort_unstable();
        let is_damaged = |line: usize| damaged.binary_search(&line).is_ok();
        let mut lines = self.text.lines().zip(1..);
        let lost = lines.any(|(text, line)| text.trim_start().starts_with('[') && is_damaged(line));
        faults.retain(|(kind, fault)| match kind {
            Kind::Syntax => true,
            Kind::Key => !lost && !is_damaged(line(fault)),
            Kind::Context => damaged.is_empty(),
        });
        faults.sort_by_key(|(_, fault)| fault.place);
        faults.dedup_by(|(kind, fault), (_, earlier)| *kind == Kind::Syntax && line(fault) == line(earlier));
        faults.into_iter().map(|(_, fault)| fault).collect()
    }
}

/// Line and column of a byte.
pub(super) fn place(text: &str, at: usize) -> Place {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let column = 1 + String::from_utf8_lossy(&before[start..]).chars().count();
    Place { line, column }
}

/// A table that is being read. Every read names a key that is allowed; [`Section::close`] refuses the others.
///
/// A key that is wrong is reported, and read as its usual value so that reading can go on.
pub(super) struct Section<'a> {
    document: &'a Document<'a>,
    /// The path to the table: `selfplay`, `board[1]`; empty at the top.
    path: String,
    table: Option<&'a DeTable<'a>>,
    /// Where the table begins.
    at: Option<usize>,
    known: Vec<&'static str>,
    sound: bool,
}

/// A value and where it stands.
struct Found<'a> {
    value: &'a DeValue<'a>,
    span: Range<usize>,
}

impl<'a> Section<'a> {
    /// The whole file.
    pub(super) fn top(document: &'a Document<'a>, table: &'a DeTable<'a>) -> Self {
        Section { document, path: String::new(), table: Some(table), at: None, known: Vec::new(), sound: true }
    }

    /// False if a fault was found in this table.
    pub(super) fn is_sound(&self) -> bool {
        self.sound
    }

    /// Refuses a key's value if it does not go with others, unless what is read here is wrong anyway.
    pub(super) fn agree(&mut self, key: &str, check: Result<(), String>) {
        if let (true, Err(what)) = (self.sound, check) {
            self.refuse(key, what);
        }
    }

    /// Notes that a key's value does not go with others.
    pub(super) fn refuse(&mut self, key: &str, what: String) {
        let at = self.table.and_then(|table| table.get(key)).map(|value| value.span().start).or(self.at);
        self.fault(Kind::Context, at, key, what);
    }

    /// Where the table begins, in words for another table's fault.
    pub(super) fn name(&self) -> String {
        match self.at {
            Some(at) => format!("{} (line {})", self.path, place(self.document.text, at).line),
            None => self.path.clone(),
        }
    }

    pub(super) fn whole<T: TryFrom<u64> + Default>(&mut self, key: &'static str, allowed: &Whole) -> T {
        self.optional_whole(key, allowed).unwrap_or_else(|| allowed.usual())
    }

    pub(super) fn required_whole<T: TryFrom<u64> + Default>(&mut self, key: &'static str, allowed: &Whole) -> T {
        self.require(key, allowed);
        self.whole(key, allowed)
    }

    pub(super) fn optional_whole<T: TryFrom<u64>>(&mut self, key: &'static str, allowed: &Whole) -> Option<T> {
        let found = self.find(key)?;
        let number = match found.value {
            DeValue::Integer(integer) => u64::from_str_radix(integer.as_str(), integer.radix()).ok(),
            _ => None,
        };
        let number = number.and_then(|number| allowed.check(number).ok());
        if number.is_none() {
            self.wrong(key, &found, allowed);
        }
        number
    }

    pub(super) fn real(&mut self, key: &'static str, allowed: &Real) -> f64 {
        let Some(found) = self.find(key) else { return allowed.usual };
        let number = match found.value {
            DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|n| n as f64),
            DeValue::Float(float) => float.as_str().parse().ok(),
            _ => None,
        };
        match number.and_then(|number| allowed.check(number).ok()) {
            Some(number) => number,
            None => {
                self.wrong(key, &found, allowed);
                allowed.usual
            }
        }
    }

    pub(super) fn boolean(&mut self, key: &'static str, usual: bool) -> bool {
        match self.find(key) {
            None => usual,
            Some(Found { value: DeValue::Boolean(value), .. }) => *value,
            Some(found) => {
                self.wrong(key, &found, "true or false");
                usual
            }
        }
    }

    /// One of several names.
    pub(super) fn required_name(&mut self, key: &'static str, allowed: &[&str]) -> Option<&'a str> {
        self.require(key, allowed.join(", "));
        self.optional_name(key, allowed)
    }

    /// One of some choices, by its name; the first where nothing is said.
    pub(super) fn choice<T: Copy>(&mut self, key: &'static str, all: &[T], name: impl Fn(T) -> &'static str) -> T {
        let names: Vec<&str> = all.iter().map(|choice| name(*choice)).collect();
        let found = self.optional_name(key, &names);
        found.and_then(|found| all.iter().copied().find(|choice| name(*choice) == found)).unwrap_or(all[0])
    }

    fn optional_name(&mut self, key: &'static str, allowed: &[&str]) -> Option<&'a str> {
        let found = self.find(key)?;
        match found.value {
            DeValue::String(name) if allowed.contains(&name.as_ref()) => Some(name),
            DeValue::String(name) => {
                self.wrong(key, &found, hint(name, allowed));
                None
            }
            _ => {
                self.wrong(key, &found, allowed.join(", "));
                None
            }
        }
    }

    /// A table in this one; without it, all its keys are missing.
    pub(super) fn section(&mut self, key: &'static str) -> Section<'a> {
        let found = self.find(key);
        let table = found.as_ref().and_then(|found| found.value.as_table());
        if let Some(found) = found.as_ref().filter(|_| table.is_none()) {
            self.wrong(key, found, format!("a table: [{key}]"));
        }
        self.inner(key.to_string(), table, found.map(|found| found.span.start))
    }

    /// A list of tables in this one; `None` if there is no such list.
    pub(super) fn sections(&mut self, key: &'static str) -> Option<Vec<Section<'a>>> {
        let found = self.find(key)?;
        let Some(array) = found.value.as_array() else {
            self.wrong(key, &found, format!("a list of tables: [[{key}]]"));
            return Some(Vec::new());
        };
        let mut sections = Vec::new();
        for (index, item) in array.iter().enumerate() {
            let path = format!("{key}[{}]", index + 1);
            let found = Found { value: item.get_ref(), span: item.span() };
            match found.value.as_table() {
                Some(table) => sections.push(self.inner(path, Some(table), Some(found.span.start))),
                None => self.wrong(&path, &found, "a table"),
            }
        }
        Some(sections)
    }

    /// Refuses the keys that nothing asked for.
    pub(super) fn close(&mut self) {
        for (key, value) in self.table.into_iter().flatten() {
            let name = key.get_ref().as_ref();
            if self.known.contains(&name) {
                continue;
            }
            let kind = match value.get_ref() {
                DeValue::Table(_) => "unknown section",
                DeValue::Array(items) if items.iter().any(|item| item.get_ref().is_table()) => "unknown section",
                _ => "unknown key",
            };
            let hint = match name {
                "seed" => "it belongs above the first section".to_string(),
                _ => hint(name, &self.known),
            };
            self.fault(Kind::Key, Some(key.span().start), &shown_key(name), format!("{kind} ({hint})"));
        }
    }

    fn inner(&self, path: String, table: Option<&'a DeTable<'a>>, at: Option<usize>) -> Section<'a> {
        Section { document: self.document, path, table, at, known: Vec::new(), sound: true }
    }

    fn find(&mut self, key: &'static str) -> Option<Found<'a>> {
        self.allow(key);
        let value = self.table?.get(key)?;
        Some(Found { value: value.get_ref(), span: value.span() })
    }

    fn allow(&mut self, key: &'static str) {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
    }

    /// Reports a key that is missing.
    pub(super) fn require(&mut self, key: &'static str, allowed: impl std::fmt::Display) {
        if self.find(key).is_none() {
            self.fault(Kind::Context, self.at, key, format!("is missing ({allowed})"));
        }
    }

    fn wrong(&mut self, key: &str, found: &Found<'_>, allowed: impl std::fmt::Display) {
        // As written, where that is short: `1_000`, `0x10`, `1e400`.
        let text = self.document.text.get(found.span.clone()).unwrap_or_default();
        let shown = match found.value {
            DeValue::Table(_) => "a table".to_string(),
            DeValue::Array(_) => "a list".to_string(),
            _ => cut(text),
        };
        self.fault(Kind::Key, Some(found.span.start), key, refusal(shown, allowed));
    }

    fn fault(&mut self, kind: Kind, at: Option<usize>, key: &str, what: String) {
        self.sound = false;
        let path = if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) };
        self.document.fault(kind, at, path, what);
    }
}

/// A key as a file would have it, on one line.
fn shown_key(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { cut(key) } else { cut(&format!("{key:?}")) }
}

/// The beginning of a text that may be long or have several lines.
fn cut(text: &str) -> String {
    let line = text.split(['\n', '\r']).next().unwrap_or_default();
    match line.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.len() < text.len() => format!("{line}…"),
        None => line.to_string(),
    }
}
