//! Fugo's answer: "it has no score and no komi: its answer is the first player's score, the score of every opening
//! (pie off), and with pie on the seats' win rates".

use serde::Serialize;

use super::balance::{FirstMove, alike, first_moves};
use crate::games::{Game, Options, Status, Step, step_name};
use crate::records::{GameRow, Tally, tally};

/// One opening and the first player's score after it.
pub type OpeningScore = FirstMove;

/// What games of Fugo on one board say.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Openings {
    pub size: usize,
    /// Games from the empty board, pie off.
    pub free: Tally,
    /// Games from each opening, pie off, by board point.
    pub openings: Vec<OpeningScore>,
    /// Games with the pie rule, by seat.
    pub pie: Tally,
    /// All of these.
    pub all: Tally,
    pub warnings: Vec<String>,
}

impl Openings {
    /// The opening that leaves the game most even.
    pub fn fairest(&self) -> Option<&OpeningScore> {
        let distance = |opening: &&OpeningScore| opening.tally.score().map_or(1.0, |score| (score - 0.5).abs());
        self.openings.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }
}

/// The first moves that differ modulo symmetry, as steps and in notation.
pub fn first_steps(size: usize) -> Vec<String> {
    crate::with_game!(GameKind::Fugo, size, G => {
        let start = G::new(size, Options::default());
        let Status::Running(steps) = start.status() else { return Vec::new() };
        let names = steps.iter().map(|step: Step| step_name(&start, step));
        names.filter(|name| alike(GameKind::Fugo, size, name)[0] == *name).collect()
    })
}

/// Sums up the games: those with an opening of one turn count for it, the others for the free board.
pub fn openings(rows: &[GameRow], size: usize) -> Openings {
    let (pie, plain): (Vec<&GameRow>, Vec<&GameRow>) = rows.iter().partition(|row| row.pie);
    let (free, opened): (Vec<&GameRow>, Vec<&GameRow>) = plain.into_iter().partition(|row| row.opening_turns == 0);
    let opened: Vec<GameRow> = opened.into_iter().cloned().collect();
    let mut scores = first_moves(&opened);
    scores.sort_by_key(|opening| (opening.turn.len(), opening.turn.clone()));
    let all = tally(rows);
    Openings { size, free: tally(free), openings: scores, pie: tally(pie), warnings: all.warnings(), all }
}
