//! Generations: self-play with the best network so far, training on the latest games, a match that decides whether the
//! new network takes the best one's place, and matches for ratings, which decide nothing.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::calibration::{NetCalibration, of_held_out};
use super::curves::{FairKomiRow, GenerationRow};
use super::gate::Gate;
use super::job::Job;
use super::layout::network_file;
use super::pipeline::PipelineError;
use super::status::rows_of;
use super::training::{TrainingJob, train};
use super::window::latest;
use crate::config::{Board, KomiDraw, SelfplayConfig};
use crate::games::GameKind;
use crate::komi::own_answer;
use crate::net::{Calibration, EpochReport, Progress, Trained};
use crate::records::tally;
use crate::selfplay::{game_rows, generate, turning_points};
use crate::stats::ratings::{Encounter, Ratings};
use crate::stats::{LEVEL, Pentanomial};
use crate::with_game;

/// The side of the board for which the komi's spread is given.
const SPREAD_SIDE: f32 = 9.0;

/// What a game's generations have brought so far.
struct Learning {
    game: GameKind,
    boards: Vec<Board>,
    /// The runs of each generation's self-play, one for each board.
    runs: Vec<Vec<PathBuf>>,
    /// Positions to learn from in each generation.
    positions: Vec<usize>,
    /// The networks that took the best one's place, in order: generation and file.
    best: Vec<(u32, PathBuf)>,
    /// Results of the matches for ratings. Player 0 is playouts, player k the k-th of the best networks.
    encounters: Vec<Encounter>,
    rows: Vec<GenerationRow>,
    komi: Vec<FairKomiRow>,
    /// The best network's, on the games that its training held out.
    calibration: Option<NetCalibration>,
}

impl Learning {
    /// The network that plays.
    fn network(&self) -> Option<&Path> {
        self.best.last().map(|(_, path)| path.as_path())
    }

    /// Writes the ratings into the rows of the networks that have one.
    fn rate(&mut self) {
        let Ok(ratings) = Ratings::new(self.best.len() + 1, 0, &self.encounters) else { return };
        for (index, (generation, _)) in self.best.iter().enumerate() {
            let rating = ratings.rating(index + 1, LEVEL);
            let Some(row) = self.rows.iter_mut().find(|row| row.generation == *generation) else { continue };
            row.elo = rating.map(|rating| rating.elo);
            row.elo_low = rating.map(|rating| rating.interval.lo);
            row.elo_high = rating.map(|rating| rating.interval.hi);
        }
    }
}

impl Job<'_> {
    /// All generations of a game; returns the best network's file.
    pub fn learn(&mut self, game: GameKind, boards: &[Board]) -> Result<PathBuf, PipelineError> {
        let mut learning = Learning {
            game,
            boards: boards.to_vec(),
            runs: Vec::new(),
            positions: Vec::new(),
            best: Vec::new(),
            encounters: Vec::new(),
            rows: Vec::new(),
            komi: Vec::new(),
            calibration: None,
        };
        // What an earlier call told of a generation is not taken back while this one comes to it again.
        let told = rows_of(&self.out.join(game.name())).map_or(0, |rows| rows.len());
        for generation in 0..self.config.selfplay.generations {
            self.generation(&mut learning, generation)?;
            if learning.rows.len() >= told {
                self.ui.learnt(game, &learning.rows, &learning.komi, learning.calibration.as_ref());
            }
        }
        let (_, best) = learning.best.pop().expect("the first network has no other to beat");
        Ok(best)
    }

    /// One generation: network `generation` + 1 learns from self-play `generation` and what came before.
    fn generation(&mut self, learning: &mut Learning, generation: usize) -> Result<(), PipelineError> {
        let mut runs = Vec::new();
        let (mut games, mut positions) = (0, 0);
        for (index, board) in learning.boards.clone().into_iter().enumerate() {
            let before = learning.runs.last().map(|runs| runs[index].clone());
            let (run, counts) = self.selfplay(board, generation, learning.network(), before.as_deref())?;
            runs.push(run);
            games += counts[0];
            positions += counts[1];
        }
        learning.runs.push(runs);
        learning.positions.push(positions as usize);
        let number = generation as u32 + 1;
        let out = network_file(self.out, learning.game, number);
        let trained = self.train(learning, number, &out)?;
        let gate = match learning.network().map(Path::to_path_buf) {
            Some(best) if self.config.gate.pairs > 0 => {
                Some(self.gate(learning.game, &learning.boards, number, [&out, &best])?)
            }
            _ => None,
        };
        let promoted = gate.as_ref().is_none_or(|gate| gate.promoted);
        learning.rows.push(self.row(learning, number, promoted, [games, positions], &trained, gate.as_ref()));
        if promoted {
            learning.best.push((number, out.clone()));
            learning.calibration = of_held_out(learning.game, &trained.held_out, self.config.seed);
            self.play_ratings(learning)?;
            learning.rate();
        }
        for board in &learning.boards {
            let engine = self.engine(*board, Some(&out), 1)?;
            if let Some(own) = with_game!(board.game, board.size, G => own_answer::<G>(&engine, board))? {
                learning.komi.push(FairKomiRow { generation: number, size: board.size, fair_komi: own.komi.points() });
            }
        }
        Ok(())
    }

    /// Plays a generation's games on a board, with playouts if there is no network yet. Returns the run, and its numbers
    /// of games and positions.
    fn selfplay(
        &mut self,
        board: Board,
        generation: usize,
        network: Option<&Path>,
        before: Option<&Path>,
    ) -> Result<(PathBuf, [u64; 2]), PipelineError> {
        let settings = &self.config.selfplay;
        let (game, size) = (board.game, board.size);
        let stage = selfplay_stage(board, generation);
        let engine = self.engine(board, network, settings.plan.visits)?;
        let config = SelfplayConfig {
            board,
            games: settings.games,
            seed: self.seed(&stage),
            inference: self.config.inference,
            shard: settings.shard,
            compress: settings.compress,
            search: engine.search.settings,
            plan: settings.plan,
            komi: KomiDraw {
                centre: self.own_komi(board, &engine)?,
                spread: settings.komi_spread * size as f32 / SPREAD_SIDE,
            },
            opening_turns: settings.opening_turns,
            continued: settings.continued,
            temperature: settings.temperature,
            temperature_turns: settings.temperature_turns.unwrap_or(size),
            explore: settings.explore,
        };
        let path = self.folder(board).join(format!("selfplay-{generation}"));
        let mut dir = self.open(&path, &config, &[&engine])?;
        let done = dir.manifest().games();
        if done < config.games {
            let continuations = match before.filter(|_| network.is_some() && settings.continued > 0.0) {
                Some(before) => with_game!(game, size, G => turning_points::<G>(before, &engine, &board))?,
                None => Vec::new(),
            };
            self.watch(&stage, config.games, done, |workers, control| {
                with_game!(game, size, G => {
                    generate::<G>(&config, &engine, &continuations, &mut dir, workers, control)
                })
            })?;
        }
        for warning in tally(&game_rows(&path)?).warnings() {
            self.ui.warn(&format!("{stage}: {warning}"));
        }
        let counts = [dir.manifest().games(), dir.manifest().positions()];
        Ok((path, counts))
    }

    fn train(&mut self, learning: &Learning, number: u32, out: &Path) -> Result<Trained, PipelineError> {
        let settings = &self.config.train;
        let stage = training_stage(learning.game, number);
        // A run keeps its number for ever, so that what is held out once is never learnt from.
        let first = latest(&learning.positions, settings.window);
        let data: Vec<(u64, PathBuf)> = learning
            .runs
            .iter()
            .flatten()
            .enumerate()
            .map(|(run, path)| (run as u64, path.clone()))
            .skip(first * learning.boards.len())
            .collect();
        let job = TrainingJob {
            settings,
            seed: self.seed(&stage),
            data: &data,
            start: learning.network().filter(|_| settings.go_on),
            out,
            generation: number,
            threads: self.threads,
        };
        let begun = Instant::now();
        let mut has_learnt = false;
        let trained = train(&job, self.stop, |data, progress| {
            has_learnt |= !matches!(progress, Progress::HeldOut { .. });
            self.ui.training(&stage, data, progress);
        });
        if has_learnt {
            self.note(&stage, begun.elapsed(), 0, 0);
        }
        Ok(trained?.0)
    }

    /// Plays the newest of the best networks against the two players before it.
    fn play_ratings(&mut self, learning: &mut Learning) -> Result<(), PipelineError> {
        let settings = self.config.rating.clone();
        if settings.pairs == 0 {
            return Ok(());
        }
        let newest = learning.best.len();
        for other in newest.saturating_sub(2)..newest {
            let mut pairs = Pentanomial::default();
            for board in learning.boards.clone() {
                let files = [newest, other].map(|player| player.checked_sub(1).map(|at| learning.best[at].1.as_path()));
                let a = self.engine(board, files[0], settings.visits)?;
                let b = self.engine(board, files[1], settings.visits)?;
                let komi = self.own_komi(board, &a)?;
                let size = [settings.pairs, settings.opening_turns as u64];
                let table = self.table(board, &format!("rating {newest}-{other}"), [a, b], komi, size);
                pairs = pairs.and(&self.play_pairs(&table, 0, settings.pairs)?.pentanomial);
            }
            learning.encounters.push(Encounter { a: newest, b: other, pairs });
        }
        Ok(())
    }

    /// What a generation cost and brought, but for ratings.
    fn row(
        &self,
        learning: &Learning,
        number: u32,
        promoted: bool,
        [games, positions]: [u64; 2],
        trained: &Trained,
        gate: Option<&Gate>,
    ) -> GenerationRow {
        let stages: Vec<String> =
            learning.boards.iter().map(|board| selfplay_stage(*board, number as usize - 1)).collect();
        let (selfplay, training) = (self.times.of(&stages), self.times.of(&[training_stage(learning.game, number)]));
        let best = trained.network.meta().epoch.checked_sub(1).and_then(|epoch| trained.history.get(epoch));
        let held_out = best.and_then(|report: &EpochReport| report.held_out);
        GenerationRow {
            generation: number,
            promoted,
            games,
            positions,
            evaluations: selfplay.evaluations,
            selfplay_seconds: selfplay.seconds,
            training_seconds: training.seconds,
            core_hours: self.times.learning(learning.game, number).core_seconds / 3600.0,
            train_loss: best.map_or(f64::NAN, |report| report.train.total()),
            held_out_loss: held_out.map(|losses| losses.total()),
            margin_loss: held_out.map(|losses| losses.margin).filter(|_| trained.network.meta().architecture.margins),
            outcome_loss: held_out.map(|losses| losses.outcome),
            policy_loss: held_out.map(|losses| losses.policy),
            ownership_loss: held_out.map(|losses| losses.ownership),
            calibration_error: held_out.map(|_| Calibration::of(&trained.held_out).error),
            gate_score: gate.and_then(|gate| gate.pairs.score()),
            gate_low: gate.map(|gate| gate.pairs.score_interval(LEVEL).lo),
            gate_high: gate.map(|gate| gate.pairs.score_interval(LEVEL).hi),
            elo: None,
            elo_low: None,
            elo_high: None,
        }
    }
}

fn selfplay_stage(board: Board, generation: usize) -> String {
    format!("{} {1}x{1} self-play {generation}", board.game, board.size)
}

fn training_stage(game: GameKind, number: u32) -> String {
    format!("{game} training {number}")
}
