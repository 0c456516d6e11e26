//! fairkomi plays four Go-like games against itself, learns from that, and measures how balanced they are.

pub mod board;
pub mod config;
pub mod games;
pub mod records;
pub mod search;
