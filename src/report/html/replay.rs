//! Recorded games as boards to step through.

use serde::Serialize;

use crate::games::{Button, Cell, Game, Played, Player, TurnError, parse_turn};
use crate::records::GameRow;
use crate::with_game;

/// A game to step through in the page.
#[derive(Serialize)]
pub struct Replay {
    /// Which game it is and why it is shown.
    pub title: String,
    pub size: usize,
    /// The board before the first turn and after each.
    pub boards: Vec<Shown>,
}

/// A board of a game.
#[derive(Serialize)]
pub struct Shown {
    /// Rows from the top, in the characters of [`Cell::character`].
    pub rows: Vec<String>,
    /// What was played, in words; empty at the start.
    pub turn: String,
    /// Points whose piece came with this turn, row by row from the bottom.
    pub came: Vec<usize>,
    /// Points whose piece went with this turn.
    pub went: Vec<usize>,
    /// Yugo's button, in words.
    pub button: &'static str,
}

/// The game of a row; an error if the rules do not allow one of its turns.
pub fn replay(row: &GameRow, title: String) -> Result<Replay, TurnError> {
    with_game!(row.game, row.size, G => boards::<G>(row)).map(|boards| Replay { title, size: row.size, boards })
}

fn boards<G: Game>(row: &GameRow) -> Result<Vec<Shown>, TurnError> {
    let mut played = Played::new(G::new(row.size, row.rules().options), None);
    let mut shown = vec![look(played.position(), String::new(), &[])];
    for (index, word) in row.turn_texts().enumerate() {
        let before = cells(played.position());
        let player = row.game.player_name(played.position().to_move());
        let turn = parse_turn(played.position(), word)?;
        turn.steps().iter().for_each(|step| played.play(*step));
        let opening = if index < row.opening_turns { " (opening)" } else { "" };
        shown.push(look(played.position(), format!("{}. {player} {word}{opening}", index + 1), &before));
    }
    Ok(shown)
}

fn cells<G: Game>(position: &G) -> Vec<Cell> {
    let points = position.size() * position.size();
    (0..points).map(|dense| position.cell(position.from_dense(dense))).collect()
}

fn look<G: Game>(position: &G, turn: String, before: &[Cell]) -> Shown {
    let now = cells(position);
    let changed = || before.iter().zip(&now).enumerate().filter(|(_, (before, now))| before != now);
    Shown {
        rows: position.rows(),
        turn,
        came: changed().filter(|(_, (_, now))| **now != Cell::Empty).map(|(point, _)| point).collect(),
        went: changed().filter(|(_, (before, _))| **before != Cell::Empty).map(|(point, _)| point).collect(),
        button: match position.button() {
            Button::Absent => "",
            Button::Free => "button: free",
            Button::Taken(Player::Black) => "button: Black",
            Button::Taken(Player::White) => "button: White",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GameKind;
    use crate::records::Record;

    #[test]
    fn pieces_that_come_and_go_are_marked() {
        let row = |game: GameKind, size: usize, turns: &str| GameRow {
            game,
            size,
            turns: turns.to_string(),
            turn_count: turns.split(' ').count(),
            opening_turns: 1,
            ..GameRow::sample()
        };
        let found = replay(&row(GameKind::Yugo, 1, "button pass pass"), "t".to_string()).unwrap();
        let told: Vec<_> = found.boards.iter().map(|shown| (shown.turn.as_str(), shown.button)).collect();
        assert_eq!(
            told,
            [
                ("", "button: free"),
                ("1. Black button (opening)", "button: Black"),
                ("2. White pass", "button: Black"),
                ("3. Black pass", "button: Black")
            ]
        );
        // A Sligo turn that moves a stone: it goes from A1 to B1, and another one is placed.
        let found = replay(&row(GameKind::Sligo, 5, "A1 E5 A1-B1,C3"), "t".to_string()).unwrap();
        let last = found.boards.last().unwrap();
        assert_eq!((last.came.as_slice(), last.went.as_slice()), ([1, 12].as_slice(), [0].as_slice()));
        assert_eq!(last.rows, ["....O", ".....", "..X..", ".....", ".X..."]);
        assert!(replay(&row(GameKind::Sligo, 5, "A1 A1"), "t".to_string()).is_err());
    }
}
