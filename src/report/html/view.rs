//! What a page is made of, as its template sees it.

use std::path::Path;

use serde::Serialize;

/// A part of the page under a heading of its own.
#[derive(Serialize)]
pub struct Chapter {
    pub title: &'static str,
    /// What it is about, for a reader who knows the games and not the program.
    pub about: &'static str,
    pub table: Option<Grid>,
    pub sections: Vec<Section>,
}

/// What is said of one run or board.
#[derive(Serialize, Default)]
pub struct Section {
    pub title: String,
    pub lines: Vec<String>,
    pub warnings: Vec<String>,
    pub pictures: Vec<Picture>,
    pub tables: Vec<Grid>,
}

/// A drawing, which is written to a file of its own too.
#[derive(Serialize)]
pub struct Picture {
    /// The file's name.
    pub file: String,
    pub svg: String,
    /// How to read it.
    pub caption: &'static str,
}

/// A table.
#[derive(Serialize)]
pub struct Grid {
    pub header: Vec<String>,
    /// Which columns hold words; the others hold figures.
    pub words: Vec<bool>,
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// A table of these columns.
    pub fn new(header: &[&str], rows: Vec<Vec<String>>) -> Self {
        let has_words = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.into_iter().any(|cell| cell.chars().any(char::is_alphabetic))
        };
        let words = (0..header.len()).map(has_words).collect();
        Grid { header: header.iter().map(|name| name.to_string()).collect(), words, rows }
    }

    /// A table in a file of a run, if it is there.
    pub fn in_file(path: &Path) -> Option<Grid> {
        let mut reader = csv::Reader::from_path(path).ok()?;
        let header: Vec<String> = reader.headers().ok()?.iter().map(|name| name.replace('_', " ")).collect();
        let rows = reader.records().map(|row| Ok::<_, csv::Error>(row?.iter().map(figure).collect()));
        let rows: Vec<Vec<String>> = rows.collect::<Result<_, _>>().ok()?;
        Some(Grid::new(&header.iter().map(String::as_str).collect::<Vec<_>>(), rows))
    }
}

/// A cell of a file with no more digits than a reader wants.
fn figure(cell: &str) -> String {
    match cell.parse::<f64>() {
        Ok(value) if value.is_infinite() => if value > 0.0 { "∞" } else { "-∞" }.to_string(),
        Ok(value) if cell.contains('.') && value.abs() < 2.0 => format!("{value:.3}"),
        Ok(value) if cell.contains('.') => format!("{value:.0}"),
        _ if cell.is_empty() => "–".to_string(),
        _ => cell.to_string(),
    }
}
