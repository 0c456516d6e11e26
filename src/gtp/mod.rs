//! The Go Text Protocol, version 2: the engine that answers its commands, and other programs as players.
//!
//! A step is one move of the protocol: one point, or `pass`, which also stands for `button` while Yugo's button is free
//! and for `swap` on White's first turn of Fugo. So a move in Fugo and a turn of Sligo are successive moves of one side.

mod agreement;
mod analysis;
mod client;
mod clock;
mod commands;
mod lines;
mod protocol;
mod rules;
mod serve;
mod session;
mod steps;
#[cfg(test)]
mod tests;

pub use client::{Program, ProgramSetting};
pub use serve::{GtpError, Setting, serve};
