//! How the fair komi depends on the size of the board, and on the engine where a board was measured more than once.

use std::collections::BTreeMap;

use super::super::text::{fair, score};
use super::chapters::board;
use super::plots::{Measured, side_by_side};
use super::runs::{Kind, Run};
use super::view::{Chapter, Grid, Picture, Section};
use crate::games::GameKind;
use crate::komi::{known, lattice_answer, openings};
use crate::stats::komi_lattice::FairKomi;

/// How many sizes make a picture.
const SIZES: usize = 3;

/// The fair komi of each game by size, and that (Fugo: the first player's score) of each board that was measured by
/// several engines.
pub fn budgets(runs: &[Run]) -> Option<Chapter> {
    let mut sections = sizes(runs);
    let mut boards: BTreeMap<(&'static str, usize, usize), Vec<&Run>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.kind == Kind::Komi && !run.rows.is_empty()) {
        let Some((game, size)) = run.board() else { continue };
        boards.entry((game.name(), size, run.handicap())).or_default().push(run);
    }
    let several = |runs: &[&Run]| runs.iter().any(|run| run.engines() != runs[0].engines());
    sections.extend(boards.into_values().filter(|runs| several(runs)).filter_map(|runs| section(&runs)));
    (!sections.is_empty()).then_some(Chapter {
        title: "Fair komi by size and engine",
        about: "The fair komi of each game on boards of several sizes; then the same boards, measured with more visits or by other networks. Where the answer still moves, it is one about the \
            engine; where it has settled, it may be one about the game. Solved boards have their exact value beside it.",
        table: None,
        sections,
    })
}

/// For each engine, the boards of several sizes.
fn sizes(runs: &[Run]) -> Vec<Section> {
    /// Game, visits and the engine in words.
    type Key = (&'static str, Option<u32>, String);
    let mut games: BTreeMap<Key, BTreeMap<usize, Measured>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.kind == Kind::Komi && run.handicap() == 0) {
        let Some((game, size)) = run.board().filter(|(game, _)| game.has_score()) else { continue };
        let found = lattice_answer(&run.rows, game, size);
        if let Some(measured) = Measured::new(size.to_string(), &found, known(&board(game, size, 0))) {
            let engine = run.engines().join("; ");
            games.entry((game.name(), run.visits(), engine)).or_default().entry(size).or_insert(measured);
        }
    }
    let picture = |(number, ((game, _, engine), sizes)): (usize, (Key, BTreeMap<usize, Measured>))| {
        let measured: Vec<Measured> = sizes.into_values().collect();
        let title = format!("{game}: fair komi by size, {engine}");
        let svg = side_by_side(&title, "size", &measured).filter(|_| measured.len() >= SIZES)?;
        let file = format!("sizes-{number}-{game}.svg");
        let caption = "The fair komi with its 95 % interval; an arrow: the interval goes on. A bar across is the exact value, where it \
            is known.";
        Some(Section { title, pictures: vec![Picture { file, svg, caption }], ..Section::default() })
    };
    games.into_iter().enumerate().filter_map(picture).collect()
}

fn section(runs: &[&Run]) -> Option<Section> {
    let (game, size) = runs[0].board()?;
    let board = board(game, size, runs[0].handicap());
    let mut runs = runs.to_vec();
    runs.sort_by_key(|run| run.visits());
    let name = format!("{game} {size}×{size}{}", board.extras());
    let exact = known(&board);
    let mut section = Section { title: name.clone(), ..Section::default() };
    section.lines.extend(exact.map(|exact| format!("Exact value: {exact}.")));
    let row = |run: &Run, answer: String| vec![run.engines().join("; "), run.rows.len().to_string(), answer];
    if game == GameKind::Fugo {
        let rows = runs.iter().map(|run| row(run, score(&openings(&run.rows, size).free)));
        section.tables.push(Grid::new(&["engine", "games", "first player's score, pie off [95 %]"], rows.collect()));
        return Some(section);
    }
    let found: Vec<_> = runs.iter().map(|run| (*run, lattice_answer(&run.rows, game, size))).collect();
    let rows = found.iter().map(|(run, found)| row(run, fair(found)));
    section.tables.push(Grid::new(&["engine", "games", "fair komi [95 %]"], rows.collect()));
    // Engines with equal visits are told apart by their networks.
    let is_alone = |run: &Run| runs.iter().filter(|other| other.visits() == run.visits()).count() == 1;
    let label = |run: &Run| match (run.visits(), is_alone(run)) {
        (Some(visits), true) => visits.to_string(),
        (Some(visits), false) => {
            format!("{visits} {}", run.network().map_or("playouts", |hash| &hash[..hash.len().min(4)]))
        }
        (None, _) => run.engines().join("; "),
    };
    let measured = |(run, found): &(&Run, FairKomi)| Measured::new(label(run), found, exact);
    let measured: Vec<Measured> = found.iter().filter_map(measured).collect();
    if let Some(svg) = side_by_side(&format!("{name}: fair komi by visits"), "visits", &measured) {
        section.pictures.push(Picture {
            file: format!("budget-{game}-{size}x{size}-{}.svg", board.handicap),
            svg,
            caption: "The fair komi of engines with so many visits a step, with 95 % intervals; an arrow: the \
                interval goes on. A bar across is the exact value, where it is known.",
        });
    }
    Some(section)
}
