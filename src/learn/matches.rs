//! Matches of the main job: between networks, and of the best one against playouts.

use super::job::Job;
use super::pipeline::PipelineError;
use crate::arena::{MatchReport, match_report, play_match};
use crate::config::{Board, MatchConfig};
use crate::games::HalfPoints;
use crate::selfplay::{Engine, game_rows};
use crate::with_game;

/// A match on one board.
pub(super) struct Table {
    engines: [Engine; 2],
    config: MatchConfig,
    stage: String,
    /// The folder of its run, below that of the board.
    folder: String,
}

impl Job<'_> {
    /// Lays out a match of so many pairs; `what` names it among those on the board.
    pub(super) fn table(
        &self,
        board: Board,
        what: &str,
        engines: [Engine; 2],
        komi: HalfPoints,
        [pairs, opening_turns]: [u64; 2],
    ) -> Table {
        let stage = format!("{} {1}x{1} {what}", board.game, board.size);
        let config = MatchConfig {
            pairs,
            seed: self.seed(&stage),
            komi,
            opening_turns: opening_turns as usize,
            ..MatchConfig::between([engines[0].search, engines[1].search], board, self.config.inference)
        };
        Table { engines, config, stage, folder: what.replace(' ', "-") }
    }

    /// Plays a match up to a pair, or what is left of it, and tells of the pairs from another one on.
    pub(super) fn play_pairs(&mut self, table: &Table, from: u64, to: u64) -> Result<MatchReport, PipelineError> {
        let Table { engines, config, stage, folder } = table;
        let board = config.board;
        let mut dir = self.open(&self.folder(board).join(folder), config, &[&engines[0], &engines[1]])?;
        let done = dir.manifest().games();
        if done < 2 * to {
            let now = MatchConfig { pairs: to, ..config.clone() };
            self.watch(stage, 2 * to, done, |workers, control| {
                with_game!(board.game, board.size, G => play_match::<G>(&now, engines, &mut dir, workers, control, |_| ()))
            })?;
        }
        let mut rows = game_rows(dir.path())?;
        rows.retain(|row| (from..to).contains(&(row.game_index / 2)));
        Ok(match_report(&rows, config, [0, 1].map(|engine| engines[engine].describe())))
    }
}
