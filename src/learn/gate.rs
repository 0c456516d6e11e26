//! The match between a new network and the best one before it. Its games decide that and nothing else: chosen for having
//! been won, they say too much good of the winner.

use std::path::Path;

use super::job::Job;
use super::pipeline::PipelineError;
use crate::arena::{PairResult, match_report, play_match};
use crate::config::{Board, MatchConfig};
use crate::games::GameKind;
use crate::records::MEASURED_SHARD;
use crate::selfplay::{Engine, game_rows};
use crate::stats::Pentanomial;
use crate::stats::sprt::{Bounds, ErrorRates, Sequential, Sprt, Verdict};
use crate::with_game;

/// Pairs on each board between two looks: those of a file.
const ROUND: u64 = MEASURED_SHARD / 2;

/// The error rates of the early end. A wrong step costs one generation, so they need not be small.
const ERRORS: f64 = 0.1;

/// How the match went.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Gate {
    /// True if the new network is the best one now.
    pub promoted: bool,
    /// The pairs that were looked at, by their result for the new network.
    pub pairs: Pentanomial,
}

/// A board's part of the match.
struct Table {
    board: Board,
    engines: [Engine; 2],
    config: MatchConfig,
    stage: String,
}

impl Job<'_> {
    /// Plays the new network against the best one, on all boards in turn, until one is clearly better or all pairs are
    /// played; then the better score decides.
    pub(super) fn gate(
        &mut self,
        game: GameKind,
        boards: &[Board],
        number: u32,
        [newcomer, best]: [&Path; 2],
    ) -> Result<Gate, PipelineError> {
        let pairs = self.config.gate.pairs;
        let tables = boards.iter().map(|board| self.table(*board, number, [newcomer, best]));
        let tables = tables.collect::<Result<Vec<Table>, _>>()?;
        let bounds = Bounds::new(0.0, self.config.gate.elo)?;
        let mut test = Sequential::new(Sprt { bounds, errors: ErrorRates::new(ERRORS, ERRORS)? });
        for from in (0..pairs).step_by(ROUND as usize) {
            let to = (from + ROUND).min(pairs);
            let rounds = tables.iter().map(|table| self.round(table, from, to));
            let rounds = rounds.collect::<Result<Vec<Vec<PairResult>>, PipelineError>>()?;
            // A pair of each board in turn, or else the test might be over before the larger boards are heard.
            for index in 0..(to - from) as usize {
                for pair in rounds.iter().filter_map(|round| round.get(index)) {
                    if let (Some(first), Some(second)) = (pair.a_first, pair.a_second) {
                        test.record(first, second);
                    }
                }
            }
            if test.verdict() != Verdict::Continue {
                break;
            }
        }
        let found = *test.pairs();
        let promoted = match test.verdict() {
            Verdict::AcceptH1 => true,
            Verdict::AcceptH0 => false,
            Verdict::Continue => found.score().is_some_and(|score| score > 0.5),
        };
        let score = found.score().map_or("no score".to_string(), |score| format!("{score:.3}"));
        let word = if promoted { "takes its place" } else { "does not take its place" };
        self.ui.say(&format!(
            "{game}: network {number} scores {score} against the best before it in {} pairs and {word}",
            found.pairs()
        ));
        Ok(Gate { promoted, pairs: found })
    }

    fn table(&self, board: Board, number: u32, [newcomer, best]: [&Path; 2]) -> Result<Table, PipelineError> {
        let settings = &self.config.gate;
        let stage = format!("{} {1}x{1} gate {number}", board.game, board.size);
        let engines =
            [self.engine(board, Some(newcomer), settings.visits)?, self.engine(board, Some(best), settings.visits)?];
        let config = MatchConfig {
            board,
            pairs: settings.pairs,
            seed: self.seed(&stage),
            inference: self.config.inference,
            komi: self.own_komi(board, &engines[1])?,
            opening_turns: settings.opening_turns,
            b_precision: self.config.inference.precision,
            a: engines[0].search,
            b: engines[1].search,
        };
        Ok(Table { board, engines, config, stage })
    }

    /// The pairs from one number up to another.
    fn round(&mut self, table: &Table, from: u64, to: u64) -> Result<Vec<PairResult>, PipelineError> {
        let Table { board, engines, config, stage } = table;
        let folder = stage.rsplit(' ').next().map_or("gate".to_string(), |number| format!("gate-{number}"));
        let mut dir = self.open(&self.folder(*board).join(folder), config, &[&engines[0], &engines[1]])?;
        let done = dir.manifest().games();
        let now = MatchConfig { pairs: to, ..config.clone() };
        if done < 2 * to {
            self.watch(stage, 2 * to, done, |workers, control| {
                with_game!(board.game, board.size, G => play_match::<G>(&now, engines, &mut dir, workers, control))
            })?;
        }
        let mut rows = game_rows(dir.path())?;
        rows.retain(|row| (from..to).contains(&(row.game_index / 2)));
        Ok(match_report(&rows, config, engines).pairs)
    }
}
