//! Checks of settings that must go together.

use super::Board;
use super::limits::refusal;
use crate::games::{GameKind, HalfPoints, Options, OptionsError};

/// What is wrong with a board, each with the setting (as a key of [`Board`]) that is to blame.
pub fn board_faults(game: GameKind, size: usize, options: Options) -> Vec<(&'static str, OptionsError)> {
    let Options { handicap, pie } = options;
    let mut faults = Vec::new();
    match Options::default().check(game, size) {
        Err(fault) => faults.push(("size", fault)),
        Ok(()) => {
            faults.extend(Options { handicap, pie: false }.check(game, size).err().map(|fault| ("handicap", fault)))
        }
    }
    // The pie rule does not depend on the size, which may be wrong.
    let pie = Options { handicap: 0, pie }.check(game, game.min_size());
    faults.extend(pie.err().map(|fault| ("pie", fault)));
    faults
}

impl Board {
    /// True if this is the same board with the same options, whatever the move cap.
    pub fn is_like(&self, other: &Board) -> bool {
        let of = |board: &Board| (board.game, board.size, board.handicap, board.pie);
        of(self) == of(other)
    }
}

/// The allowed komi nearest to 0; in Linage, where there are two, the one that compensates the second player.
pub fn least_komi(game: GameKind) -> HalfPoints {
    HalfPoints(i32::from(!game.allows_komi(HalfPoints(0))))
}

/// What is wrong with a number of games that are played in blocks.
pub fn games_in_blocks(games: u64, block: u64) -> Result<(), String> {
    if games >= 2 * block {
        Ok(())
    } else {
        Err(refusal(games, format!("at least two blocks, which are {}", 2 * block)))
    }
}

/// What is wrong with a number of chunks that a batch is split into.
pub fn chunks_of_batch(chunks: usize, batch: usize) -> Result<(), String> {
    if chunks <= batch { Ok(()) } else { Err(refusal(chunks, format!("at most the batch, which is {batch}"))) }
}

/// What is wrong with the share of games that are held out.
pub fn games_held_out(validation: f64, games: u64) -> Result<(), String> {
    if validation * games as f64 >= 1.0 {
        return Ok(());
    }
    Err(refusal(validation, format!("at least one game must be held out, and a game's first generation has {games}")))
}
