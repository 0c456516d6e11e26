//! A board with a figure on each point.

use crate::games::{Game, GameKind, Options};

/// The names of a board's points, by rows from the bottom.
pub(super) fn point_names(game: GameKind, size: usize) -> Vec<Vec<String>> {
    crate::with_game!(game, size, G => {
        let empty = G::new(size, Options::default());
        let row = |row: usize| (0..size).map(|column| empty.point_name(empty.from_dense(row * size + column))).collect();
        (0..size).map(row).collect()
    })
}

/// The board as text: rows from the top with their numbers, `cell` of each point's name, the column letters below.
pub fn board_map(game: GameKind, size: usize, cell: impl Fn(&str) -> String) -> String {
    let names = point_names(game, size);
    let cells: Vec<Vec<String>> = names.iter().rev().map(|row| row.iter().map(|name| cell(name)).collect()).collect();
    let width = cells.iter().flatten().map(|cell| cell.chars().count()).max().unwrap_or(1).max(1);
    let mut text = String::new();
    for (index, row) in cells.iter().enumerate() {
        text += &format!("{:>4}", size - index);
        row.iter().for_each(|cell| text += &format!(" {cell:>width$}"));
        text.push('\n');
    }
    text += "    ";
    for name in &names[0] {
        text += &format!(" {:>width$}", &name[..1]);
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_run_from_the_top_and_letters_leave_out_i() {
        let text = board_map(GameKind::Fugo, 9, str::to_string);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("   9 A9 B9"));
        assert!(lines[8].ends_with("H1 J1"));
        assert!(lines[9].ends_with("H  J"));
    }
}
