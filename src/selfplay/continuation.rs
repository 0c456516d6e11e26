//! Games played on from where earlier games turned: positions that the engine misjudged are worth a second look.

use std::path::{Path, PathBuf};

use super::{Engine, EngineError};
use crate::config::Board;
use crate::games::{Game, HalfPoints, Options, Played, Rules, Seat, Step, parse_turn};
use crate::net::Snapshot;
use crate::records::{GameRow, PhaseName, PositionRow, ReadError, Rows};

/// The beginning of an earlier game, to be played on from.
#[derive(Clone, PartialEq, Debug)]
pub struct Continuation {
    /// Its turns' steps.
    pub steps: Vec<Step>,
    /// The komi, one at which games are played, at which the network thinks the position most even; 0 in Fugo.
    pub komi: HalfPoints,
}

/// Why there is nothing to play on from.
#[derive(Debug, thiserror::Error)]
pub enum ContinuationError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("{} holds games of {found}, not of {wanted}; name a run of the same game on the same board", path.display())]
    OtherBoard { path: PathBuf, found: String, wanted: String },
}

/// A value of the first seat jumped by so much there, in this turn of a game.
struct Jump {
    size: f32,
    turn: usize,
}

/// The turning points of a run's games: from each game the position after whose turn the search's value jumped most, and of
/// these the half with the largest jumps, in the order of the games. The engine, which has a network, says which komi
/// would be fair there.
pub fn turning_points<G: Game>(
    run: &Path,
    engine: &Engine,
    board: &Board,
) -> Result<Vec<Continuation>, ContinuationError> {
    let jumps = jumps(run)?;
    let mut sizes: Vec<f32> = jumps.iter().map(|(_, jump)| jump.size).collect();
    sizes.sort_by(f32::total_cmp);
    let median = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
    let mut chosen = jumps.into_iter().filter(|(_, jump)| jump.size >= median && jump.turn > 0).peekable();
    let mut network = engine.net_evaluator().map_err(EngineError::from)?;
    let mut found = Vec::new();
    for row in Rows::<GameRow>::open(run)? {
        let row = row?.row;
        let (found_rules, wanted) = (row.rules(), board.rules(HalfPoints(0)));
        if (found_rules.game, found_rules.size, found_rules.options) != (wanted.game, wanted.size, wanted.options) {
            let named = |rules: Rules| {
                let Options { handicap, pie } = rules.options;
                format!("{} {1}x{1} (handicap {handicap}, pie {pie})", rules.game, rules.size)
            };
            let (found, wanted) = (named(found_rules), named(wanted));
            return Err(ContinuationError::OtherBoard { path: run.to_path_buf(), found, wanted });
        }
        let Some((_, jump)) = chosen.next_if(|(index, _)| *index == row.game_index) else { continue };
        let Some((steps, position)) = beginning::<G>(&row, jump.turn) else { continue };
        let fair = match &mut network {
            Some(network) => network.fair_komi(&Snapshot::of(&position, HalfPoints(0))).map_err(EngineError::from)?,
            None => None,
        };
        found.push(Continuation { steps, komi: fair.map_or(HalfPoints(0), |fair| fair.most_even) });
    }
    Ok(found)
}

/// The largest jump of each game that was searched at two turns, in the order of the games.
fn jumps(run: &Path) -> Result<Vec<(u64, Jump)>, ReadError> {
    let mut found: Vec<(u64, Jump)> = Vec::new();
    let mut before: Option<(u64, usize, f32)> = None;
    for row in Rows::<PositionRow>::open(run)? {
        let row = row?.row;
        if row.phase != PhaseName::Start {
            continue;
        }
        let value = if row.seat == Seat::First { row.root_value } else { 1.0 - row.root_value };
        if let Some((game, turn, earlier)) = before
            && game == row.game_index
        {
            let jump = Jump { size: (value - earlier).abs(), turn };
            match found.last_mut().filter(|(known, _)| *known == game) {
                Some((_, largest)) if largest.size >= jump.size => {}
                Some((_, largest)) => *largest = jump,
                None => found.push((game, jump)),
            }
        }
        before = Some((row.game_index, row.turn, value));
    }
    Ok(found)
}

/// The steps of a game's first turns, and where they lead; `None` if the game ends there.
fn beginning<G: Game>(row: &GameRow, turns: usize) -> Option<(Vec<Step>, G)> {
    let rules: Rules = row.rules();
    let mut played = Played::new(G::new(rules.size, rules.options), None);
    let mut steps = Vec::new();
    for text in row.turn_texts().take(turns) {
        let turn = parse_turn(played.position(), text).ok()?;
        for step in turn.steps() {
            played.play(*step);
            steps.push(*step);
        }
    }
    played.ending().is_none().then(|| (steps, played.position().clone()))
}
