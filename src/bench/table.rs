//! What `bench` measures on each board, round after round, and how it is shown.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;

use super::{BenchError, PlayoutRates, memory, playouts, selfplay, value_error};
use crate::config::{
    Board, Device, Inference, KomiDraw, RootExploration, RootNoise, SearchConfig, SelfplayConfig, VisitPlan, least_komi,
};
use crate::games::GameKind;
use crate::records::{RunError, write_whole};
use crate::search::PlayoutPolicy;
use crate::selfplay::{Engine, PlayError};
use crate::with_game;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Plan {
    pub search: SearchConfig,
    pub inference: Inference,
    /// Workers of self-play, and of the bare forward beside it.
    pub threads: usize,
    /// Games of each run of self-play with the network.
    pub games: u64,
    /// Everything is measured so many times, in turn.
    pub rounds: usize,
    /// How long each rate of its own is measured.
    pub duration: Duration,
}

/// A quantity that is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// Playouts from the empty board a second, one core.
    Playouts,
    /// Turns of these a second.
    PlayoutTurns,
    /// Simulations of searches with playouts a second, one core.
    Simulations,
    /// Simulations by playouts.
    SimulationsShare,
    /// Games a second of self-play with playouts.
    PlayoutGames,
    /// Positions a second of the network alone, on full batches, all of it libtorch's own operations.
    LibtorchForward,
    /// Positions a second of the network alone, on full batches, as it is evaluated in play.
    BareForward,
    /// Positions a second that games asked the network about.
    Evaluations,
    /// Evaluations by libtorch's forward.
    LibtorchShare,
    /// Evaluations by bare forward.
    EvaluationsShare,
    /// The share of positions whose value the network had said before.
    Known,
    /// Games a second of self-play with the network.
    NetworkGames,
    /// How many visits with playouts take as long as one with the network, both in self-play from the first search to the
    /// last.
    VisitsOfPlayouts,
    /// How far values in bfloat16 are from those in 32 bits, on average over positions of playouts.
    Bf16Error,
    /// The largest such distance.
    Bf16Largest,
    /// The most that a game's trees took, in MiB.
    TreeMemory,
    /// The most memory of the whole program so far, in MiB.
    PeakMemory,
}

impl Figure {
    /// All, in the order of the table.
    const ALL: [Figure; 17] = [
        Figure::Playouts,
        Figure::PlayoutTurns,
        Figure::Simulations,
        Figure::SimulationsShare,
        Figure::PlayoutGames,
        Figure::LibtorchForward,
        Figure::BareForward,
        Figure::Evaluations,
        Figure::LibtorchShare,
        Figure::EvaluationsShare,
        Figure::Known,
        Figure::NetworkGames,
        Figure::VisitsOfPlayouts,
        Figure::Bf16Error,
        Figure::Bf16Largest,
        Figure::TreeMemory,
        Figure::PeakMemory,
    ];

    fn title(self) -> &'static str {
        match self {
            Figure::Playouts => "playouts/s",
            Figure::PlayoutTurns => "their turns/s",
            Figure::Simulations => "simulations/s",
            Figure::SimulationsShare => "of playouts",
            Figure::PlayoutGames => "games/s, playouts",
            Figure::LibtorchForward => "libtorch forward/s",
            Figure::BareForward => "own forward/s",
            Figure::Evaluations => "evals/s",
            Figure::LibtorchShare => "of libtorch",
            Figure::EvaluationsShare => "of own forward",
            Figure::Known => "known before",
            Figure::NetworkGames => "games/s, network",
            Figure::VisitsOfPlayouts => "playout visits/net visit",
            Figure::Bf16Error => "bf16 v f32, mean",
            Figure::Bf16Largest => "bf16 v f32, most",
            Figure::TreeMemory => "tree MiB",
            Figure::PeakMemory => "peak MiB",
        }
    }

    fn text(self, value: f64) -> String {
        match self {
            Figure::SimulationsShare | Figure::LibtorchShare | Figure::EvaluationsShare | Figure::Known => {
                format!("{:.1} %", 100.0 * value)
            }
            Figure::Bf16Error | Figure::Bf16Largest => format!("{value:.4}"),
            _ if value >= 1e6 => format!("{:.2} M", value / 1e6),
            _ if value >= 1e4 => format!("{:.1} k", value / 1e3),
            _ if value >= 100.0 => format!("{value:.0}"),
            _ => format!("{value:.2}"),
        }
    }
}

/// The figures of one board, one value a round each.
#[derive(Clone, Debug)]
pub struct Measured {
    pub game: GameKind,
    pub size: usize,
    /// What valued positions, and in which batches.
    pub engine: String,
    values: Vec<(Figure, Vec<f64>)>,
}

impl Measured {
    /// How many rounds have been measured.
    pub fn rounds(&self) -> usize {
        self.values[0].1.len()
    }

    fn new(board: Board, engine: &Engine) -> Self {
        let values = Figure::ALL.map(|figure| (figure, Vec::new())).into();
        let batches: Vec<String> = engine.batches().iter().map(usize::to_string).collect();
        let engine = format!("{}, batches of {}", engine.describe(), batches.join(" "));
        Measured { game: board.game, size: board.size, engine, values }
    }

    fn add(&mut self, figure: Figure, value: f64) {
        if let Some((_, values)) = self.values.iter_mut().find(|(known, _)| *known == figure) {
            values.push(value);
        }
    }
}

/// Measures everything on a board, in rounds, so that what the machine does besides strikes all figures alike; `after` is
/// shown what there is after each round. After a stop what was measured is returned.
pub fn measure<E: From<BenchError>>(
    plan: &Plan,
    board: Board,
    engine: &Engine,
    stop: &AtomicBool,
    after: &mut dyn FnMut(&Measured) -> Result<(), E>,
) -> Result<Measured, E> {
    let mut measured = Measured::new(board, engine);
    // The values of a network that has learnt nothing are no values.
    if let Some(file) = engine.network().filter(|file| file.network.meta().provenance != Default::default()) {
        let inference = Inference { device: Device::Cpu, ..plan.inference };
        let error = with_game!(board.game, board.size, G => value_error::<G>(&file.network, board.size, inference));
        let error = error.map_err(BenchError::from)?;
        measured.add(Figure::Bf16Error, error.mean);
        measured.add(Figure::Bf16Largest, error.most);
    }
    for _ in 0..plan.rounds {
        match with_game!(board.game, board.size, G => one_round::<G>(plan, board, engine, stop)) {
            Err(BenchError::Play(PlayError::Stopped)) => break,
            done => done?.into_iter().for_each(|(figure, value)| measured.add(figure, value)),
        }
        after(&measured)?;
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(measured)
}

fn one_round<G: PlayoutPolicy>(
    plan: &Plan,
    board: Board,
    engine: &Engine,
    stop: &AtomicBool,
) -> Result<Vec<(Figure, f64)>, BenchError> {
    let size = board.size;
    let mut measured = Vec::new();
    let PlayoutRates { playouts, turns, simulations } = playouts::<G>(size, plan.search, plan.duration, stop);
    measured.push((Figure::Playouts, playouts.per_second()));
    measured.push((Figure::PlayoutTurns, turns.per_second()));
    measured.push((Figure::Simulations, simulations.per_second()));
    measured.push((Figure::SimulationsShare, simulations.per_second() / playouts.per_second()));
    // As many simulations as the network's runs have, in the end fewer games.
    let config = selfplay_config(plan, board, plan.games.div_ceil(4));
    let with_playouts = selfplay::<G>(&config, &Engine::playouts(plan.search), plan.threads, stop)?;
    measured.push((Figure::PlayoutGames, with_playouts.games as f64 / with_playouts.seconds));
    let run = selfplay::<G>(&selfplay_config(plan, board, plan.games), engine, plan.threads, stop)?;
    let evaluations = run.work.evaluations as f64 / run.seconds;
    let asked = run.work.evaluations + run.work.known;
    if let Some([libtorch, own]) = run.forwards {
        measured.push((Figure::LibtorchForward, libtorch));
        measured.push((Figure::BareForward, own));
        measured.push((Figure::LibtorchShare, evaluations / libtorch));
        measured.push((Figure::EvaluationsShare, evaluations / own));
    }
    measured.push((Figure::Evaluations, evaluations));
    measured.push((Figure::Known, run.work.known as f64 / asked.max(1) as f64));
    measured.push((Figure::NetworkGames, run.games as f64 / run.seconds));
    if run.work.searches > 0 && with_playouts.work.searches > 0 {
        measured.push((Figure::VisitsOfPlayouts, run.seconds_a_search() / with_playouts.seconds_a_search()));
    }
    measured.push((Figure::TreeMemory, run.work.tree_bytes as f64 / f64::from(1 << 20)));
    if let Some(memory) = memory() {
        measured.push((Figure::PeakMemory, memory.peak));
    }
    Ok(measured)
}

/// Self-play as it is played to learn from.
pub fn selfplay_config(plan: &Plan, board: Board, games: u64) -> SelfplayConfig {
    SelfplayConfig {
        board,
        games,
        seed: 1,
        inference: plan.inference,
        shard: 64,
        compress: false,
        search: plan.search.settings,
        plan: VisitPlan { visits: plan.search.visits, full_share: 1.0, fast_visits: 1 },
        komi: KomiDraw { centre: least_komi(board.game), spread: 0.0 },
        opening_turns: 4,
        continued: 0.0,
        temperature: 1.0,
        temperature_turns: board.size,
        explore: RootExploration { noise: RootNoise::of_share(0.25, 10.0), forced: 0.0 },
    }
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        count if count % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

/// The boards' figures as a table, medians over the rounds.
pub fn bench_text(plan: &Plan, boards: &[Measured]) -> String {
    let s = |count: usize| if count == 1 { "" } else { "s" };
    let mut text = format!(
        "{}\n{} visits, batch {}, {}, {}, {} worker thread{}; medians of rounds of {} s\n",
        super::machine(),
        plan.search.visits,
        plan.inference.batch,
        plan.inference.precision.name(),
        plan.inference.device.name(),
        plan.threads,
        s(plan.threads),
        plan.duration.as_secs_f64(),
    );
    for board in boards {
        let Measured { game, size, engine, .. } = board;
        let rounds = board.rounds();
        let _ = writeln!(text, "{game} {size}x{size}: {engine}; {rounds} round{}", s(rounds));
    }
    let mut table = Table::new();
    table.load_preset(UTF8_FULL_CONDENSED);
    let names = boards.iter().map(|board| format!("{} {1}x{1}", board.game, board.size));
    table.set_header(std::iter::once(String::new()).chain(names));
    for (index, figure) in Figure::ALL.into_iter().enumerate() {
        let value =
            |board: &Measured| median(&board.values[index].1).map_or("–".to_string(), |value| figure.text(value));
        table.add_row(std::iter::once(figure.title().to_string()).chain(boards.iter().map(value)));
    }
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    let _ = writeln!(text, "{table}");
    let is_told = |board: &Measured| {
        board.values.iter().any(|(figure, values)| *figure == Figure::LibtorchForward && !values.is_empty())
    };
    if !boards.iter().all(is_told) {
        let _ = writeln!(
            text,
            "Runs of self-play too short to measure the forward beside them have a dash there: more --games."
        );
    }
    text
}

/// Writes all figures to `bench.csv` in a folder.
pub fn write_bench<'a>(
    folder: &Path,
    plan: &Plan,
    boards: impl IntoIterator<Item = &'a Measured>,
) -> Result<(), RunError> {
    #[derive(Serialize)]
    struct Row<'a> {
        game: GameKind,
        size: usize,
        engine: &'a str,
        visits: u32,
        batch: usize,
        precision: &'a str,
        device: &'a str,
        threads: usize,
        games: u64,
        figure: Figure,
        round: usize,
        value: f64,
    }
    write_whole(&folder.join("bench.csv"), |file| {
        let mut writer = csv::Writer::from_writer(file);
        for board in boards {
            for (figure, values) in &board.values {
                for (index, value) in values.iter().enumerate() {
                    writer.serialize(Row {
                        game: board.game,
                        size: board.size,
                        engine: &board.engine,
                        visits: plan.search.visits,
                        batch: plan.inference.batch,
                        precision: plan.inference.precision.name(),
                        device: plan.inference.device.name(),
                        threads: plan.threads,
                        games: plan.games,
                        figure: *figure,
                        round: index + 1,
                        value: *value,
                    })?;
                }
            }
        }
        writer.flush()
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn every_figure_has_its_line() {
        for (index, figure) in Figure::ALL.into_iter().enumerate() {
            assert!(!Figure::ALL[..index].contains(&figure) && !figure.title().is_empty());
        }
        assert_eq!(Figure::EvaluationsShare.text(0.856), "85.6 %");
        assert_eq!(
            [2_345_678.0, 34_567.0, 345.6, 3.456].map(|value| Figure::Playouts.text(value)),
            ["2.35 M", "34.6 k", "346", "3.46"]
        );
    }
}
