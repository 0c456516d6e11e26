//! What the protocol shows of the board and of the result, GoGui's `gogui-rules_*` commands among it (GoGui's manual,
//! chapter Rules).

use std::fmt::Write;

use super::commands::Arguments;
use super::protocol::Reply;
use super::session::Session;
use crate::games::{Button, Cell, Ending, Phase, Player};
use crate::search::PlayoutPolicy;

/// How a finished game ended.
enum Verdict {
    /// With a winner.
    Won(Player),
    Tie,
    Repetition,
}

impl<G: PlayoutPolicy> Session<G> {
    /// The cells of the board that is scored, row by row from the top.
    fn shown_rows(&self) -> Vec<Vec<Cell>> {
        let position = self.scored_position();
        let n = position.size();
        let row = |row: usize| (0..n).map(|column| position.cell(position.from_dense(row * n + column))).collect();
        (0..n).rev().map(row).collect()
    }

    /// `gogui-rules_board`: "a board of string containing '.' for an empty intersection of the Goban, 'X' for a black stone
    /// or 'O' for a white stone. Other characters are ignored." So kings are shown as stones; their marks are graphics.
    pub fn rules_board(&self) -> String {
        let character = |cell: &Cell| match cell {
            Cell::Empty => ".",
            Cell::Stone(Player::Black) | Cell::King(Player::Black) => "X",
            Cell::Stone(Player::White) | Cell::King(Player::White) => "O",
        };
        let rows = self.shown_rows();
        let rows = rows.iter().map(|row| row.iter().map(character).collect::<Vec<_>>().join(" "));
        rows.collect::<Vec<_>>().join("\n")
    }

    /// `gogui-rules_board_gfx`: circles on kings, a square around the stone that is on its way, and who has the button.
    pub fn rules_board_gfx(&self) -> String {
        let position = self.position();
        let scored = self.scored_position();
        let points = (0..position.size() * position.size()).map(|dense| position.from_dense(dense));
        let kings: Vec<String> = points
            .filter(|point| matches!(scored.cell(*point), Cell::King(_)))
            .map(|point| position.point_name(point))
            .collect();
        let mut lines = Vec::new();
        if !kings.is_empty() {
            lines.push(format!("CIRCLE {}", kings.join(" ")));
        }
        match position.phase() {
            Phase::Start => {}
            Phase::Picked(point) => lines.push(format!("SQUARE {}", position.point_name(point))),
            Phase::Moved(_, point) => lines.push(format!("SQUARE {}", position.point_name(point))),
        }
        lines.extend(self.button_text().map(|text| format!("TEXT {text}")));
        lines.join("\n")
    }

    fn button_text(&self) -> Option<String> {
        match self.position().button() {
            Button::Absent => None,
            Button::Free => Some("the button is free".to_string()),
            Button::Taken(player) => Some(format!("{player} has the button")),
        }
    }

    /// The legal steps as vertices; `pass` once where it stands for the button or the swap. Empty when the game is over.
    pub fn legal_vertices(&self) -> String {
        let mut vertices: Vec<String> = self.legal_steps().into_iter().map(|step| self.vertex(step)).collect();
        vertices.dedup();
        vertices.join(" ")
    }

    /// The board with coordinates, and what else there is to know.
    pub fn board_text(&self) -> String {
        let n = self.position().size();
        let letters: Vec<String> = (0..n).map(|column| self.column(column)).collect();
        let mut text = format!("   {}\n", letters.join(" "));
        for (index, row) in self.shown_rows().iter().enumerate() {
            let cells: Vec<String> = row.iter().map(|cell| cell.character().to_string()).collect();
            let _ = writeln!(text, "{:>2} {} {}", n - index, cells.join(" "), n - index);
        }
        let _ = writeln!(text, "   {}", letters.join(" "));
        let _ =
            writeln!(text, "{} {n}x{n}, komi {}, turn {}", G::KIND, self.shared.komi, self.now.played.turns().len());
        if let Some(button) = self.button_text() {
            let _ = writeln!(text, "{button}");
        }
        match self.verdict() {
            Some(_) => {
                let _ = writeln!(text, "{}", self.final_result());
            }
            None => {
                let begun = self.now.played.partial().map(|turn| turn.text(self.position()));
                let begun = begun.map_or(String::new(), |turn| format!(", whose turn has begun with {turn}"));
                let mover = G::KIND.player_name(self.position().to_move());
                let _ = writeln!(text, "{mover} to move{begun}");
            }
        }
        text
    }

    fn column(&self, column: usize) -> String {
        let name = self.position().point_name(self.position().from_dense(column));
        name[..1].to_string()
    }

    /// How the game ended, if it has.
    fn verdict(&self) -> Option<Verdict> {
        let won = |winner: Option<Player>| winner.map_or(Verdict::Tie, Verdict::Won);
        match self.ending()? {
            Ending::Pass | Ending::NoMove => Some(won(self.scored_position().winner(self.shared.komi))),
            Ending::Repetition => Some(Verdict::Repetition),
            // No session has a cap, and none is forfeited.
            _ => None,
        }
    }

    /// `final_score`: `B+3.5`, `W+2` or `0`; a game without a score is won as `B+` or `W+`. While the game runs, the score
    /// as it stands.
    pub fn final_score(&self) -> String {
        if matches!(self.verdict(), Some(Verdict::Repetition)) {
            return "0".to_string();
        }
        let Some(score) = self.score() else {
            return match self.verdict() {
                Some(Verdict::Won(player)) => format!("{}+", initial(player)),
                _ => "0".to_string(),
            };
        };
        let lead = score.margin() - self.shared.komi;
        match score.winner(self.shared.komi) {
            None => "0".to_string(),
            Some(Player::Black) => format!("B+{lead}"),
            Some(Player::White) => format!("W+{}", -lead),
        }
    }

    /// `gogui-rules_final_result`: the result in words.
    pub fn final_result(&self) -> String {
        let name = |player: Player| G::KIND.player_name(player);
        let result = match self.verdict() {
            None => return "The game is not over".to_string(),
            Some(Verdict::Repetition) => return "Draw: an earlier board has come back".to_string(),
            Some(Verdict::Tie) => "Tie".to_string(),
            Some(Verdict::Won(winner)) => match self.score() {
                None => return format!("{} wins: {} cannot move", name(winner), name(winner.other())),
                Some(score) => {
                    let lead = score.margin() - self.shared.komi;
                    let lead = if winner == Player::Black { lead } else { -lead };
                    format!("{} wins by {lead}", name(winner))
                }
            },
        };
        let Some(score) = self.score() else { return result };
        let (black, white) = (name(Player::Black), name(Player::White));
        let removed = if self.now.agreement.agreed().is_some_and(|agreed| !agreed.is_empty()) {
            ", the groups agreed on being removed"
        } else {
            ""
        };
        format!("{result}: {black} {}, {white} {} and komi {}{removed}", score.black, score.white, self.shared.komi)
    }

    /// `final_status_list`: each group on a line. Dead are the groups that both players want removed.
    pub fn final_status(&self, arguments: Arguments<'_>) -> Reply {
        let is_dead = match arguments.word(0)? {
            "alive" => false,
            "dead" => true,
            // No rule knows it.
            "seki" => return Ok(String::new()),
            _ => return Err("invalid status".to_string()),
        };
        let agreed = self.now.agreement.agreed();
        Ok(self.group_lines(|points| agreed.is_some_and(|agreed| points.is_subset(agreed)) == is_dead))
    }
}

/// A colour's letter.
fn initial(player: Player) -> &'static str {
    if player == Player::Black { "B" } else { "W" }
}
