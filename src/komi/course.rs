//! How games went: who led and when it was decided, by the searches' own values, and how much there was to choose from.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::games::{Game, Phase, Played, Seat, parse_turn, turns};
use crate::records::{GameRow, PositionRow, ReadError, Rows, WinnerSeat};
use crate::search::{FirstValue, MoverValue};
use crate::stats::summary::quantile_f64;
use crate::with_game;

/// A player leads once the search gives them this expected score.
const LEAD: f32 = 0.6;
/// A game is decided once the winner's expected score stays this high.
const SURE: f32 = 0.9;
/// How many positions the legal turns are counted in.
const COUNTED: usize = 200;

/// For each game, by its index, the expected score of the first seat by turn: the turn's first search.
pub type Values = BTreeMap<u64, Vec<(usize, FirstValue)>>;

/// What the searches of a run thought, from its finished shards.
pub fn values(dir: &Path) -> Result<Values, ReadError> {
    let mut found = Values::new();
    for row in Rows::<PositionRow>::open(dir)? {
        let row = row?.row;
        let of_game = found.entry(row.game_index).or_default();
        if of_game.last().is_none_or(|(turn, _)| *turn < row.turn) {
            of_game.push((row.turn, MoverValue(row.root_value).for_first(row.seat)));
        }
    }
    Ok(found)
}

/// How games went. Leads and decisions are those that the engine saw, so they belong to it and its visits.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Course {
    /// Games with searches, which the next figures rest on.
    pub games: u64,
    /// How often the lead went from one player to the other, on average: who leads has an expected score of 0.6 or more.
    pub lead_changes: f64,
    /// The share of games in which it ever did.
    pub changed: f64,
    /// After which share of their turns won games were decided, the median: from then on the winner's expected score was
    /// never below 0.9.
    pub decided: Option<f64>,
    /// Legal turns at hand, the mean over positions of these games.
    pub branching: Option<f64>,
}

/// Sums up how these games went; `None` if nothing was searched in any of them.
pub fn course(rows: &[GameRow], values: &Values) -> Option<Course> {
    let searched: Vec<(&GameRow, &[(usize, FirstValue)])> =
        rows.iter().filter_map(|row| Some((row, values.get(&row.game_index)?.as_slice()))).collect();
    let games = searched.len() as f64;
    let changes: Vec<usize> = searched.iter().map(|(_, values)| lead_changes(values)).collect();
    let decided: Vec<f64> = searched.iter().filter_map(|(row, values)| decided(row, values)).collect();
    (games > 0.0).then(|| Course {
        games: searched.len() as u64,
        lead_changes: changes.iter().sum::<usize>() as f64 / games,
        changed: changes.iter().filter(|changes| **changes > 0).count() as f64 / games,
        decided: quantile_f64(&decided, 0.5),
        branching: branching(rows),
    })
}

fn lead_changes(values: &[(usize, FirstValue)]) -> usize {
    let leader = |(_, value): &(usize, FirstValue)| match value.0 {
        // A mover's 0.6 is no exact 0.4 of the other.
        value if value >= LEAD - 1e-6 => Some(Seat::First),
        value if value <= 1.0 - LEAD + 1e-6 => Some(Seat::Second),
        _ => None,
    };
    let leaders: Vec<Seat> = values.iter().filter_map(leader).collect();
    leaders.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// The share of a won game's turns that had been played when it was decided.
fn decided(row: &GameRow, values: &[(usize, FirstValue)]) -> Option<f64> {
    let of_winner = |value: FirstValue| match row.winner_seat {
        Some(WinnerSeat::First) => Some(value.0),
        Some(WinnerSeat::Second) => Some(1.0 - value.0),
        Some(WinnerSeat::Draw) | None => None,
    };
    let mut turn = row.turn_count;
    for (at, value) in values.iter().rev() {
        if of_winner(*value)? < SURE - 1e-6 {
            break;
        }
        turn = *at;
    }
    (row.turn_count > 0).then(|| turn as f64 / row.turn_count as f64)
}

/// The mean number of legal turns over positions spread evenly over the games and their turns.
fn branching(rows: &[GameRow]) -> Option<f64> {
    let counts: Vec<usize> = (0..COUNTED).filter_map(|number| legal_turns(rows, number)).collect();
    (!counts.is_empty()).then(|| counts.iter().sum::<usize>() as f64 / counts.len() as f64)
}

fn legal_turns(rows: &[GameRow], number: usize) -> Option<usize> {
    let row = rows.get(number % rows.len().max(1))?;
    // The golden ratio spreads any number of positions evenly.
    let share = (number as f64 * 0.618_033_988_749_895).fract();
    let before = (share * row.turn_count as f64) as usize;
    with_game!(row.game, row.size, G => after::<G>(row, before).map(|played| turns(played.position()).len()))
}

/// A row's game after so many turns; `None` if the rules do not allow one of them.
pub(super) fn after<G: Game>(row: &GameRow, count: usize) -> Option<Played<G>> {
    let mut played = Played::new(G::new(row.size, row.rules().options), None);
    for text in row.turn_texts().take(count) {
        let turn = parse_turn(played.position(), text).ok()?;
        turn.steps().iter().for_each(|step| played.play(*step));
    }
    (played.position().phase() == Phase::Start).then_some(played)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{GameKind, HalfPoints};
    use crate::records::testing::{made_up, random_record};

    fn game(values: &[f32]) -> Vec<(usize, FirstValue)> {
        values.iter().enumerate().map(|(turn, value)| (turn, FirstValue(*value))).collect()
    }

    #[test]
    fn the_lead_changes_when_it_goes_to_the_other() {
        let changes = |values: &[f32]| lead_changes(&game(values));
        assert_eq!(changes(&[0.5, 0.7, 0.55, 0.7, 0.5]), 0, "nobody else led");
        assert_eq!(changes(&[0.5, 0.7, 0.45, 0.3, 0.2, 0.9]), 2);
        assert_eq!(changes(&[0.6, 0.4]), 1);
        assert_eq!(changes(&[]), 0);
    }

    #[test]
    fn a_game_is_decided_when_the_winner_is_sure_from_then_on() {
        let mut row = made_up(GameKind::Sligo, 5, HalfPoints(1), 0, WinnerSeat::Second);
        row.turn_count = 5;
        let at = |row: &GameRow, values: &[f32]| decided(row, &game(values));
        assert_eq!(at(&row, &[0.5, 0.05, 0.3, 0.08, 0.0]), Some(0.6));
        assert_eq!(at(&row, &[0.5, 0.5, 0.5, 0.5, 0.5]), Some(1.0));
        row.winner_seat = Some(WinnerSeat::First);
        assert_eq!(at(&row, &[0.95, 0.95, 0.95, 0.95, 0.95]), Some(0.0));
        row.winner_seat = Some(WinnerSeat::Draw);
        assert_eq!(at(&row, &[0.5; 5]), None);
    }

    #[test]
    fn courses_are_means_over_games() {
        let rows: Vec<GameRow> = (0..20).map(|index| random_record(GameKind::Linage, 4, index).game).collect();
        assert!(course(&rows, &Values::new()).is_none());
        let mut values = Values::new();
        values.insert(rows[0].game_index, game(&[0.7, 0.2]));
        values.insert(rows[1].game_index, game(&[0.5, 0.5]));
        let found = course(&rows, &values).expect("two games");
        assert_eq!((found.games, found.lead_changes, found.changed), (2, 0.5, 0.5));
        // No turn takes less than a stone of what is left to play at, and passing is one too.
        assert!(found.branching.is_some_and(|mean| mean > 1.0 && mean <= 17.0), "{found:?}");
    }

    #[test]
    fn legal_turns_are_those_of_the_rules() {
        // On an empty board, all of them.
        let mut row = random_record(GameKind::Fugo, 4, 1).game;
        row.turn_count = 0;
        assert_eq!(legal_turns(&[row], 0), Some(16));
    }
}
