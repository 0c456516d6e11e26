//! Runs as one page for people: self-contained HTML, which needs no network.

mod budget;
mod chapters;
mod plots;
mod replay;
mod runs;
mod view;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;
use thiserror::Error;

use self::chapters::{chapters, drawn};
use self::replay::{Replay, replay};
use self::runs::{Kind, Run};
use self::view::{Chapter, Picture};
use super::replay::winner_text;
use crate::games::TurnError;
use crate::records::{GameRow, ReadError, RunError, write_whole};

/// The page before anything is filled in.
const PAGE: &str = include_str!("page.html");

/// How a page begins.
const DOCTYPE: &[u8] = b"<!doctype html>";

/// How many games can be stepped through, and how many of one run.
const REPLAYS: usize = 24;
const REPLAYS_OF_RUN: usize = 3;

/// Why there is no page.
#[derive(Debug, Error)]
pub enum HtmlError {
    #[error("{path}: {source}; name the directory of a run")]
    Open { path: PathBuf, source: std::io::Error },
    #[error("{path}: {reason}")]
    Config { path: PathBuf, reason: String },
    #[error("{path} is no page that was made before, and is left as it is; name another file")]
    Taken { path: PathBuf },
    #[error("{folder} holds no run of selfplay, komi, balance, match, rate or pipeline")]
    Kind { folder: PathBuf },
    #[error("there is no folder {folder} for the page; make it, or name another file")]
    NoFolder { folder: PathBuf },
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{folder}: game {game}: {error}")]
    Turn { folder: PathBuf, game: u64, error: TurnError },
    #[error("the page cannot be made: {0}")]
    Template(#[from] minijinja::Error),
    #[error(transparent)]
    Write(#[from] RunError),
}

/// All that the page says.
#[derive(Serialize)]
struct Page {
    title: String,
    version: &'static str,
    chapters: Vec<Chapter>,
    /// Pictures that runs have drawn themselves.
    drawn: Vec<Picture>,
    replays: Vec<Replay>,
}

/// Writes the page on these runs to a file, and its pictures as SVG files into the folder beside it of the same name with
/// `-plots` for an ending; the number of pictures.
pub fn write_page(folders: &[PathBuf], out: &Path) -> Result<usize, HtmlError> {
    let mut runs = Vec::new();
    for folder in folders {
        runs.extend(Run::read_all(folder)?);
    }
    // A run that is not there comes first: the page is often to lie in it.
    free(out)?;
    let page = page(&runs)?;
    let mut environment = Environment::new();
    environment.add_template("page.html", PAGE)?;
    let html = environment.get_template("page.html")?.render(Serde(&page))?;
    write_whole(out, |file| file.write_all(html.as_bytes()))?;
    let sections = page.chapters.iter().flat_map(|chapter| &chapter.sections);
    // What runs have drawn themselves are files already.
    let pictures: Vec<&Picture> = sections.flat_map(|section| &section.pictures).collect();
    let plots = out.with_file_name(format!("{}-plots", out.file_stem().unwrap_or_default().to_string_lossy()));
    if !pictures.is_empty() {
        std::fs::create_dir_all(&plots).map_err(|source| HtmlError::Open { path: plots.clone(), source })?;
    }
    for picture in &pictures {
        write_whole(&plots.join(&picture.file), |file| file.write_all(picture.svg.as_bytes()))?;
    }
    Ok(pictures.len())
}

/// Refuses to write over anything but a page, least of all over a file of a run.
fn free(out: &Path) -> Result<(), HtmlError> {
    let mut begin = [0; DOCTYPE.len()];
    let taken = || HtmlError::Taken { path: out.to_path_buf() };
    match File::open(out) {
        Ok(mut file) if out.is_file() => match file.read_exact(&mut begin) {
            Ok(()) if begin == *DOCTYPE => Ok(()),
            _ => Err(taken()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if folder.is_dir() { Ok(()) } else { Err(HtmlError::NoFolder { folder: folder.to_path_buf() }) }
        }
        _ => Err(taken()),
    }
}

fn page(runs: &[Run]) -> Result<Page, HtmlError> {
    let boards: Vec<String> =
        runs.iter().filter_map(Run::board).map(|(game, size)| format!("{game} {size}×{size}")).collect();
    let mut different = boards.clone();
    different.sort();
    different.dedup();
    let title = match different.as_slice() {
        [one] => format!("fairkomi: {one}"),
        _ => "fairkomi: how balanced the games are".to_string(),
    };
    Ok(Page {
        title,
        version: env!("CARGO_PKG_VERSION"),
        chapters: chapters(runs),
        drawn: drawn(runs),
        replays: replays(runs)?,
    })
}

/// A few games of each run: its first, its shortest and its longest one.
fn replays(runs: &[Run]) -> Result<Vec<Replay>, HtmlError> {
    let mut found = Vec::new();
    // Measured games come before those of learning, which are full of noise.
    let (learning, measured): (Vec<&Run>, Vec<&Run>) = runs.iter().partition(|run| run.kind == Kind::Selfplay);
    for run in measured.into_iter().chain(learning) {
        let shortest = run.rows.iter().min_by_key(|row| row.turn_count);
        let longest = run.rows.iter().max_by_key(|row| row.turn_count);
        let mut chosen: Vec<(&GameRow, &str)> = Vec::new();
        for (row, why) in [(run.rows.first(), "first of the run"), (shortest, "shortest"), (longest, "longest")] {
            let Some(row) = row else { continue };
            if chosen.len() < REPLAYS_OF_RUN && chosen.iter().all(|(other, _)| other.game_index != row.game_index) {
                chosen.push((row, why));
            }
        }
        for (row, why) in chosen {
            if found.len() < REPLAYS {
                let game = replay(row, title(run, row, why));
                let turn = |error| HtmlError::Turn { folder: run.folder.clone(), game: row.game_index, error };
                found.push(game.map_err(turn)?);
            }
        }
    }
    Ok(found)
}

fn title(run: &Run, row: &GameRow, why: &str) -> String {
    let komi = if row.game.has_score() { format!(", komi {}", row.komi) } else { String::new() };
    format!(
        "{} {2}×{2}{komi}: {why}, {1} turns, {3} (game {4} of {5})",
        row.game,
        row.turn_count,
        row.size,
        winner_text(row),
        row.game_index,
        run.folder.display()
    )
}
