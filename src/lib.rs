//! fairkomi plays four Go-like games against itself, learns from that, and measures how balanced they are.

pub mod arena;
pub mod bench;
pub mod board;
pub mod cli;
pub mod config;
pub mod games;
pub mod gtp;
pub mod komi;
pub mod learn;
pub mod net;
pub mod records;
pub mod report;
pub mod search;
pub mod selfplay;
pub mod solve;
pub mod stats;
