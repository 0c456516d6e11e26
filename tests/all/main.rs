//! All integration tests in one binary: linking libtorch once is slow enough.

mod cli_rules;
mod conformance;
mod docs;
mod faults;
mod gtp;
mod oracle;
mod play;
mod played;
mod program;
mod programs;
mod published;
mod reference;
mod report;
mod runs;
mod versus_reference;
