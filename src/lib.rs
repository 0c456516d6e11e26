//! fairkomi plays four Go-like games against itself, learns from that, and measures how balanced they are.

pub mod board;
pub mod games;
pub mod net;
pub mod search;
