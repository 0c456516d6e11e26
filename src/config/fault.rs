//! What is wrong with a config.

use std::error::Error;
use std::fmt;

/// A place in a text. Lines and columns (in characters) count from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

/// One thing that is wrong with a config file or with flags.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigFault {
    /// The file, and where in it; neither for flags.
    pub file: Option<String>,
    pub place: Option<Place>,
    /// The key's path (`selfplay.visits`) or the flag (`--visits`); empty if the fault is no single key's.
    pub key: String,
    /// What is wrong, and what is allowed.
    pub what: String,
}

/// All that is wrong with a config; at least one fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigFaults(pub Vec<ConfigFault>);

/// Faults that are looked for; a file with more is hardly a config.
pub(super) const MOST_FAULTS: usize = 200;

impl fmt::Display for ConfigFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
            if let Some(Place { line, column }) = self.place {
                write!(f, "{line}:{column}:")?;
            }
            f.write_str(" ")?;
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.what)
    }
}

impl fmt::Display for ConfigFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [fault] = self.0.as_slice() {
            return fault.fmt(f);
        }
        let more = if self.0.len() < MOST_FAULTS { "" } else { " or more" };
        write!(f, "{}{more} faults:", self.0.len())?;
        for fault in &self.0 {
            write!(f, "\n  {fault}")?;
        }
        Ok(())
    }
}

impl Error for ConfigFaults {}
