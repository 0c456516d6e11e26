//! All integration tests in one binary: linking libtorch once is slow enough.

mod cli_rules;
mod conformance;
mod oracle;
mod play;
mod played;
mod published;
mod reference;
mod versus_reference;
