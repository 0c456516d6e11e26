//! A recorded game, turn by turn.

use std::fmt::Write;

use super::map::board_map;
use crate::arena::seats;
use crate::games::{Game, Played, Player, TurnError, parse_turn};
use crate::records::{EngineTag, GameRow, Winner};
use crate::with_game;

/// The game of a match's row with the board after each turn; an error if the rules do not allow one of its turns.
pub fn game_text(row: &GameRow) -> Result<String, TurnError> {
    with_game!(row.game, row.size, G => turn_by_turn::<G>(row))
}

fn turn_by_turn<G: Game>(row: &GameRow) -> Result<String, TurnError> {
    let mut played = Played::new(G::new(row.size, row.rules().options), None);
    let mut text = format!("game {}: {} {2}x{2}{3}\n", row.game_index, row.game, row.size, conditions(row));
    let engines = row.meta().engines;
    for ((seat, side), EngineTag { name, net, visits }) in
        ["first", "second"].iter().zip(seats(row.game_index)).zip(&engines)
    {
        let _ = write!(text, "{seat} ({}): {name}", ["A", "B"][side]);
        // A network without a name of its own is called one.
        let comma = if name == "network" { "" } else { ", network" };
        let _ = net.iter().try_for_each(|net| write!(text, "{comma} {net}"));
        let _ = if *visits > 0 { writeln!(text, ", {visits} visits") } else { writeln!(text) };
    }
    for (index, word) in row.turn_texts().enumerate() {
        let player = row.game.player_name(played.position().to_move());
        let turn = parse_turn(played.position(), word)?;
        turn.steps().iter().for_each(|step| played.play(*step));
        let opening = if index < row.opening_turns { ", part of the opening" } else { "" };
        let _ = writeln!(text, "\nturn {}: {player} {word}{opening}", index + 1);
        let position = played.position();
        text += &board_map(row.game, row.size, |name| {
            position.parse_point(name).map_or('?', |point| position.cell(point).character()).to_string()
        });
    }
    let _ = writeln!(text, "\n{}", end(row));
    Ok(text)
}

/// What the game is played under besides its board.
fn conditions(row: &GameRow) -> String {
    let mut text = String::new();
    if row.game.has_score() {
        let _ = write!(text, ", komi {}", row.komi);
    }
    if row.handicap > 0 {
        let _ = write!(text, ", handicap {}", row.handicap);
    }
    if row.pie {
        text += ", pie rule";
    }
    text
}

/// How the game ended.
fn end(row: &GameRow) -> String {
    let mut text = format!("ends after {} turns: {}", row.turn_count, row.ending);
    if let (Some(black), Some(white)) = (row.black_score, row.white_score) {
        let _ = write!(text, ", {black} to {white} points without komi");
    }
    text + "; " + &winner_text(row)
}

/// Who won, in words.
pub(super) fn winner_text(row: &GameRow) -> String {
    let wins = |player| format!("{} wins", row.game.player_name(player));
    match row.winner {
        Some(Winner::Black) => wins(Player::Black),
        Some(Winner::White) => wins(Player::White),
        Some(Winner::Draw) => "a draw".to_string(),
        None => "no result".to_string(),
    }
}

/// Whether a game that was played again is the game of the row, in words.
pub fn same_game_text(row: &GameRow, again: &GameRow) -> Result<String, String> {
    if row == again {
        return Ok(format!("played again: the same {} turns\n", row.turn_count));
    }
    let pairs = row.turn_texts().zip(again.turn_texts());
    let same = pairs.take_while(|(recorded, played)| recorded == played).count();
    let turn = |row: &GameRow| row.turn_texts().nth(same).unwrap_or("nothing").to_string();
    Err(format!(
        "played again, game {} is another one from turn {} on: {} instead of {}; is this the program, the network and the \
         machine that it was played with?",
        row.game_index,
        same + 1,
        turn(again),
        turn(row)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::Record;

    #[test]
    fn a_game_that_came_out_otherwise_is_told_by_its_first_turn() {
        let row = GameRow::sample();
        let text = game_text(&row).unwrap();
        assert!(text.contains("turn 1: Black button\n   1 .\n"), "{text}");
        assert!(text.ends_with("ends after 3 turns: pass, 0.5 to 0 points without komi; Black wins\n"), "{text}");
        assert_eq!(same_game_text(&row, &row), Ok("played again: the same 3 turns\n".to_string()));
        let other = GameRow { turns: "button pass button".to_string(), ..row.clone() };
        let fault = same_game_text(&row, &other).unwrap_err();
        assert!(fault.contains("another one from turn 3 on: button instead of pass"), "{fault}");
        let short = GameRow { turns: "button".to_string(), ..row.clone() };
        assert!(same_game_text(&row, &short).unwrap_err().contains("turn 2 on: nothing instead of pass"));
        assert!(game_text(&other).is_err());
    }
}
