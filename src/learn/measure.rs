//! The measurements at the end of the main job.

use std::path::Path;

use super::job::Job;
use super::layout::{BALANCE, KOMI, MATCH};
use super::pipeline::{BoardResult, PipelineError};
use crate::arena::MatchReport;
use crate::config::{BalanceConfig, Board, KomiConfig};
use crate::games::HalfPoints;
use crate::komi::{Balance, Measurement, known, measurable_near, measure_balance, measure_komi, own_answer};
use crate::net::OwnAnswer;
use crate::selfplay::Engine;
use crate::with_game;

impl Job<'_> {
    /// All that is measured on a board, with the network in a file.
    pub fn measure(&mut self, board: Board, network: &Path) -> Result<BoardResult, PipelineError> {
        let (komi, network_answer, engine) = self.komi(board, network)?;
        let (engine, tag) = (engine.describe() + &board.extras(), engine.tag());
        let best = match &komi {
            Measurement::Komi(fair) => {
                let points = fair.lattice.k_star.map(|k| HalfPoints(k).points());
                let beside = points.map(|points| measurable_near(board.game, board.size, points));
                let best = fair.best.as_ref();
                best.filter(|best| best.is_near).map(|best| best.komi).or(beside).or(best.map(|best| best.komi))
            }
            Measurement::Openings(_) => Some(HalfPoints(0)),
        };
        let best = best.unwrap_or_else(|| measurable_near(board.game, board.size, 0.0));
        let balance = self.balance(board, network, best)?;
        let strength = self.strength(board, network, best)?;
        let known = known(&board);
        Ok(BoardResult { board, known, engine, tag, komi, network_answer, balance, strength })
    }

    fn komi(
        &mut self,
        board: Board,
        network: &Path,
    ) -> Result<(Measurement, Option<OwnAnswer>, Engine), PipelineError> {
        let settings = &self.config.komi;
        let (game, size) = (board.game, board.size);
        let stage = format!("{game} {size}x{size} komi");
        let engine = self.engine(board, Some(network), settings.visits)?;
        let config = KomiConfig {
            board,
            games: settings.games,
            block: settings.block,
            seed: self.seed(&stage),
            inference: self.config.inference,
            search: engine.search,
            variation: settings.variation,
            start: None,
            width: None,
        };
        let mut dir = self.open(&self.folder(board).join(KOMI), &config, &[&engine])?;
        let done = dir.manifest().games();
        let (found, own) = self.watch(&stage, config.games, done, |workers, control| {
            with_game!(game, size, G => (
                measure_komi::<G>(&config, &engine, &mut dir, workers, control),
                own_answer::<G>(&engine, &board),
            ))
        });
        Ok((found?, own?, engine))
    }

    /// At komi 0 and at `best`.
    fn balance(&mut self, board: Board, network: &Path, best: HalfPoints) -> Result<Vec<Balance>, PipelineError> {
        let settings = &self.config.balance;
        let (game, size) = (board.game, board.size);
        let stage = format!("{game} {size}x{size} balance");
        let engine = self.engine(board, Some(network), settings.visits)?;
        // Fairness at komi 0 is of interest also where the rules forbid that komi: games can be played at it.
        let mut komi = vec![HalfPoints(0), best];
        komi.dedup();
        let config = BalanceConfig {
            board,
            games: settings.games,
            seed: self.seed(&stage),
            inference: self.config.inference,
            search: engine.search,
            variation: settings.variation,
            komi,
        };
        let mut dir = self.open(&self.folder(board).join(BALANCE), &config, &[&engine])?;
        let (games, done) = (config.games * config.komi.len() as u64, dir.manifest().games());
        Ok(self.watch(&stage, games, done, |workers, control| {
            with_game!(game, size, G => measure_balance::<G>(&config, &engine, &mut dir, workers, control))
        })?)
    }

    fn strength(&mut self, board: Board, network: &Path, komi: HalfPoints) -> Result<MatchReport, PipelineError> {
        let settings = self.config.matches.clone();
        let engine = self.engine(board, Some(network), settings.visits)?;
        let playouts = Engine::playouts(engine.search);
        let size = [settings.pairs, settings.opening_turns as u64];
        let table = self.table(board, MATCH, [engine, playouts], komi, size);
        self.play_pairs(&table, 0, settings.pairs)
    }
}
