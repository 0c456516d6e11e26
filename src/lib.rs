//! fairkomi plays four Go-like games against itself, learns from that, and measures how balanced they are.

pub mod board;
pub mod cli;
pub mod games;
pub mod search;
