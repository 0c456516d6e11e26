//! The match between a new network and the best one before it. Its games decide that and nothing else: chosen for having
//! been won, they say too much good of the winner.

use std::path::Path;

use super::job::Job;
use super::matches::Table;
use super::pipeline::PipelineError;
use crate::arena::PairResult;
use crate::config::Board;
use crate::games::GameKind;
use crate::records::MEASURED_SHARD;
use crate::stats::Pentanomial;
use crate::stats::sprt::{Bounds, ErrorRates, Sequential, Sprt, Verdict};

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

impl Job<'_> {
    /// Plays the new network, the first of the two, against the best one, on all boards in turn, until one is clearly better or all pairs are
    /// played; then the better score decides.
    pub(super) fn gate(
        &mut self,
        game: GameKind,
        boards: &[Board],
        number: u32,
        networks: [&Path; 2],
    ) -> Result<Gate, PipelineError> {
        let pairs = self.config.gate.pairs;
        let tables = boards.iter().map(|board| self.gate_table(*board, number, networks));
        let tables = tables.collect::<Result<Vec<Table>, _>>()?;
        let bounds = Bounds::new(0.0, self.config.gate.elo)?;
        let mut test = Sequential::new(Sprt { bounds, errors: ErrorRates::new(ERRORS, ERRORS)? });
        for from in (0..pairs).step_by(ROUND as usize) {
            let to = (from + ROUND).min(pairs);
            let rounds = tables.iter().map(|table| Ok(self.play_pairs(table, from, to)?.pairs));
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

    /// The match on a board, at the komi that the best network thinks fair.
    fn gate_table(&self, board: Board, number: u32, networks: [&Path; 2]) -> Result<Table, PipelineError> {
        let settings = &self.config.gate;
        let [newcomer, best] = networks.map(|network| self.engine(board, Some(network), settings.visits));
        let engines = [newcomer?, best?];
        let komi = self.own_komi(board, &engines[1])?;
        let size = [settings.pairs, settings.opening_turns as u64];
        Ok(self.table(board, &format!("gate {number}"), engines, komi, size))
    }
}
