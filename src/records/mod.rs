//! The files of a run: the CSV schema, shards and their manifest, typed readers, the checker and the counts.
//!
//! A run is a directory with `run.toml` (the config as run), `manifest.json` (the finished shards with row counts
//! and checksums) and `shards/`. `docs/data.md` explains every column.

mod check;
mod disk;
mod error;
mod manifest;
mod reader;
mod schema;
mod shard;
mod stats;
mod tally;
mod text;

#[cfg(test)]
pub mod testing;

pub use check::{CheckError, CheckReport, Difference, check_files, check_run};
pub(crate) use disk::replace;
pub use disk::{Fingerprint, write_whole};
pub use error::RunError;
pub use manifest::{FileEntry, Manifest, ShardEntry};
pub use reader::{Located, ReadError, RowError, Rows};
pub use schema::{
    EngineTag, FieldFault, GameMeta, GameRecord, GameRow, PositionRow, Record, SearchNote, Unfinished, policy_shares,
};
pub use shard::{Claim, Layout, MAX_SHARD_GAMES, MEASURED_SHARD, RunDir, RunInfo, claim, run_toml};
pub use stats::{DataStats, GroupStats, Moments, canonical_game, canonical_hash, data_stats};
pub use tally::{Tally, first_outcome, game_key, tally};
pub use text::{ButtonState, Grid, Outcome, PhaseName, Picked, Spot, StepName, SwapState, Visits, Winner, WinnerSeat};
