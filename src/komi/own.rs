//! What an engine itself says of the fair komi, beside what its games say.

use std::collections::BTreeMap;

use serde::Serialize;

use super::course::Values;
use super::fair::lattice;
use crate::games::{HalfPoints, Seat};
use crate::records::GameRow;

/// The searches' own answer: what the first search of each game, at the empty board, gave the first player, at komi at which
/// no margin ties. It rests on no result, and on as many different searches as there are komi.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SearchAnswer {
    /// The mean expected score of the first player by komi, ascending.
    pub at: Vec<(HalfPoints, f64)>,
    /// The highest komi at which the first player is ahead, and the next one, at which not: where the answer lies.
    pub between: Option<[HalfPoints; 2]>,
}

/// The answer of the searches that these games began with; `None` if there was none.
pub fn search_answer(rows: &[GameRow], values: &Values) -> Option<SearchAnswer> {
    let mut sums: BTreeMap<HalfPoints, (f64, f64)> = BTreeMap::new();
    let can_tie = |row: &GameRow| !lattice(row.game, row.size).measurable(row.komi.0);
    for row in rows.iter().filter(|row| row.opening_turns == 0 && !can_tie(row)) {
        let Some((0, value)) = values.get(&row.game_index).and_then(|values| values.first()) else { continue };
        let (sum, count) = sums.entry(row.komi).or_default();
        *sum += f64::from(value.0);
        *count += 1.0;
    }
    let at: Vec<(HalfPoints, f64)> = sums.into_iter().map(|(komi, (sum, count))| (komi, sum / count)).collect();
    let crossing = at.windows(2).rev().find(|pair| pair[0].1 >= 0.5 && pair[1].1 < 0.5);
    let between = crossing.map(|pair| [pair[0].0, pair[1].0]);
    (!at.is_empty()).then_some(SearchAnswer { at, between })
}

/// What Yugo's button is worth: half a point to the player who takes it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ButtonEffect {
    /// Games in which it was taken.
    pub games: u64,
    /// Of these, games in which the first player took it.
    pub by_first: u64,
    /// Games that ended half a point apart at their komi and were won by the player with the button: without its half
    /// point they would be tied.
    pub decided: u64,
    /// The first player's score, and what it would be if those games were tied.
    pub score: f64,
    pub score_without: f64,
}

/// The effect of the button in these games of Yugo; `None` if it was taken in none.
pub fn button_effect<'a>(rows: impl IntoIterator<Item = &'a GameRow>) -> Option<ButtonEffect> {
    let mut effect = ButtonEffect { games: 0, by_first: 0, decided: 0, score: 0.0, score_without: 0.0 };
    for row in rows {
        let (Some(margin), Some(taker)) = (row.margin, taker(row)) else { continue };
        let lead = margin - row.komi;
        let winner = if lead.0 > 0 { Seat::First } else { Seat::Second };
        let won = f64::from(winner == Seat::First);
        let is_decided = lead.0.abs() == 1 && winner == taker;
        effect.games += 1;
        effect.by_first += u64::from(taker == Seat::First);
        effect.decided += u64::from(is_decided);
        effect.score += won;
        effect.score_without += if is_decided { 0.5 } else { won };
    }
    let games = effect.games as f64;
    (effect.games > 0).then(|| ButtonEffect {
        score: effect.score / games,
        score_without: effect.score_without / games,
        ..effect
    })
}

/// Who took the button.
fn taker(row: &GameRow) -> Option<Seat> {
    use crate::games::{Button, Game, GameKind, Player};
    if row.game != GameKind::Yugo {
        return None;
    }
    crate::with_game!(row.game, row.size, G => {
        let played = super::course::after::<G>(row, row.turn_count)?;
        match played.position().button() {
            Button::Taken(Player::Black) => Some(played.position().seat_of(Player::Black)),
            Button::Taken(Player::White) => Some(played.position().seat_of(Player::White)),
            Button::Absent | Button::Free => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GameKind;
    use crate::records::WinnerSeat;
    use crate::records::testing::{made_up, random_record};
    use crate::search::FirstValue;

    #[test]
    fn the_searches_answer_lies_where_their_value_crosses_a_half() {
        let mut values = Values::new();
        let mut rows = Vec::new();
        let known = [(1, 0.8), (1, 0.6), (2, 0.2), (3, 0.55), (5, 0.4), (7, 0.1)];
        for (index, (komi, value)) in known.into_iter().enumerate() {
            let index = index as u64;
            rows.push(GameRow {
                opening_turns: 0,
                ..made_up(GameKind::Sligo, 5, HalfPoints(komi), index, WinnerSeat::First)
            });
            values.insert(index, vec![(0, FirstValue(value)), (1, FirstValue(0.0))]);
        }
        let found = search_answer(&rows, &values).expect("searches");
        assert_eq!(found.between, Some([HalfPoints(3), HalfPoints(5)]));
        assert!((found.at[0].1 - 0.7).abs() < 1e-6 && found.at.len() == 4);
        assert_eq!(search_answer(&rows[..2], &values).and_then(|found| found.between), None);
        assert_eq!(search_answer(&rows, &Values::new()), None);
    }

    #[test]
    fn the_button_decides_what_half_a_point_decides() {
        let rows: Vec<GameRow> = (0..60).map(|index| random_record(GameKind::Yugo, 3, index).game).collect();
        let mut found = [0u64; 2];
        for row in rows.iter().filter(|row| row.margin.is_some()) {
            let Some(effect) = button_effect([row]) else { continue };
            let lead = row.margin.expect("it has one") - row.komi;
            let has_button_of_winner = (effect.by_first == 1) == (lead.0 > 0);
            assert_eq!(effect.decided == 1, lead.0.abs() == 1 && has_button_of_winner, "{row:?}");
            assert_eq!(effect.score_without == 0.5, effect.decided == 1);
            found[effect.decided as usize] += 1;
            // Without handicap pawns the turns tell, too: Black begins.
            let turn = row.turn_texts().position(|turn| turn == "button").expect("it was taken");
            assert!(row.handicap > 0 || (effect.by_first == 1) == (turn % 2 == 0));
        }
        assert!(found[0] > 5, "{found:?}");
        assert!(button_effect(&[random_record(GameKind::Sligo, 3, 1).game]).is_none());
    }
}
