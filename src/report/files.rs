//! The same figures as CSV files in the run's directory.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::Serialize;

use super::curves::{curves_csv, curves_svg, fair_komi_csv, scalars};
use super::tensorboard::encode;
use crate::arena::PairResult;
use crate::config::Board;
use crate::games::{GameKind, HalfPoints};
use crate::komi::{Balance, Course, Fair, Measurement, Openings};
use crate::learn::{BoardResult, FairKomiRow, GenerationRow, NetCalibration, SUMMARY};
use crate::net::OwnAnswer;
use crate::records::{EngineTag, RunError, Tally, write_whole};
use crate::stats::komi_lattice::KomiStatus;

/// Writes rows to a CSV file, whole or not at all. Without `header` the rows' field names are the header.
pub(super) fn write<T: Serialize>(
    path: &Path,
    header: Option<&[&str]>,
    rows: impl IntoIterator<Item = T>,
) -> Result<(), RunError> {
    write_whole(path, |file| {
        let mut writer = csv::WriterBuilder::new().has_headers(header.is_none()).from_writer(file);
        if let Some(header) = header {
            writer.write_record(header)?;
        }
        for row in rows {
            writer.serialize(row)?;
        }
        writer.flush()
    })?;
    Ok(())
}

/// Writes a game's learning curves into a run: `learning.csv`, `fair_komi.csv`, `learning.svg` and events for TensorBoard.
pub fn write_curves(run: &Path, game: GameKind, rows: &[GenerationRow], komi: &[FairKomiRow]) -> Result<(), RunError> {
    let folder = run.join(game.name());
    let text = |name: &str, made: Result<String, String>| {
        let made = &made;
        write_whole(&folder.join(name), |file| {
            let text = made.as_ref().map_err(|error| io::Error::other(error.clone()))?;
            file.write_all(text.as_bytes())
        })
    };
    text("learning.csv", curves_csv(rows).map_err(|error| error.to_string()))?;
    text("fair_komi.csv", fair_komi_csv(komi).map_err(|error| error.to_string()))?;
    text("learning.svg", curves_svg(&format!("{game}: learning curves"), rows, komi))?;
    let written = |generation: u32| {
        let file = run.join("nets").join(format!("{game}-{generation}.safetensors"));
        let time = file.metadata().and_then(|known| known.modified()).ok()?;
        Some((generation, time.duration_since(UNIX_EPOCH).ok()?.as_secs_f64()))
    };
    let times: BTreeMap<u32, f64> = rows.iter().filter_map(|row| written(row.generation)).collect();
    let events = encode(&scalars(rows, komi, &times));
    write_whole(&folder.join("events.out.tfevents.fairkomi"), |file| file.write_all(&events))?;
    Ok(())
}

/// Results of games in columns. Scores are the first seat's; the interval has level 95 %.
#[derive(Serialize)]
struct TallyColumns {
    games: u64,
    differing: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    score: Option<f64>,
    score_low: f64,
    score_high: f64,
    repetitions: u64,
    capped: u64,
}

impl From<&Tally> for TallyColumns {
    fn from(tally: &Tally) -> Self {
        let interval = tally.interval();
        TallyColumns {
            games: tally.games(),
            differing: tally.unique,
            wins: tally.wdl.wins,
            draws: tally.wdl.draws,
            losses: tally.wdl.losses,
            score: tally.score(),
            score_low: interval.lo,
            score_high: interval.hi,
            repetitions: tally.repetitions,
            capped: tally.capped,
        }
    }
}

/// Results with what they belong to: kind, game, size, komi, first move. The CSV writer cannot flatten structs with
/// names, so the header is written apart.
#[derive(Serialize)]
struct Line<'a>(&'a str, &'a str, usize, &'a str, &'a str, TallyColumns);

/// The header of rows of [`Line`].
const LINE: [&str; 15] = [
    "kind",
    "game",
    "size",
    "komi",
    "first_move",
    "games",
    "differing",
    "wins",
    "draws",
    "losses",
    "score",
    "score_low",
    "score_high",
    "repetitions",
    "capped",
];

/// `komi.csv`: results by komi (Fugo: by opening, of the empty board and with the pie rule), and `fair_komi.csv`: the
/// estimate, in a row of its own. `own` is the network's own answer.
pub fn write_komi(
    dir: &Path,
    board: &Board,
    engine: &EngineTag,
    found: &Measurement,
    own: Option<&OwnAnswer>,
) -> Result<(), RunError> {
    write(&dir.join("fair_komi.csv"), None, [FairColumns::new(board, engine, found, own)])?;
    match found {
        Measurement::Komi(fair) => {
            let komi: Vec<String> = fair.at.iter().map(|at| at.komi.to_string()).collect();
            let lines = fair
                .at
                .iter()
                .zip(&komi)
                .map(|(at, komi)| Line("komi", fair.game.name(), fair.size, komi, "", (&at.tally).into()));
            write(&dir.join("komi.csv"), Some(&LINE), lines)
        }
        Measurement::Openings(found) => {
            let lines = [("empty_board", "", &found.free), ("pie", "", &found.pie)];
            let openings = found.openings.iter().map(|opening| ("opening", opening.turn.as_str(), &opening.tally));
            let lines = lines.into_iter().chain(openings);
            let lines = lines.map(|(kind, turn, tally)| Line(kind, "fugo", found.size, "", turn, tally.into()));
            write(&dir.join("komi.csv"), Some(&LINE), lines)
        }
    }
}

/// What a measurement says of a board's fair komi, in points; in Fugo of the first player's chances.
#[derive(Serialize, Default)]
struct FairColumns {
    game: &'static str,
    size: usize,
    handicap: usize,
    visits: u32,
    network: String,
    games: u64,
    differing: u64,
    draws: u64,
    fair_komi: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    status: String,
    smooth: Option<f64>,
    smooth_low: Option<f64>,
    smooth_high: Option<f64>,
    resampled_low: Option<f64>,
    resampled_high: Option<f64>,
    best_komi: Option<f64>,
    score: Option<f64>,
    score_low: Option<f64>,
    score_high: Option<f64>,
    fairest_opening: String,
    opening_score: Option<f64>,
    opening_low: Option<f64>,
    opening_high: Option<f64>,
    network_answer: Option<f64>,
    network_median: Option<f64>,
    search_low: Option<f64>,
    search_high: Option<f64>,
}

impl FairColumns {
    fn new(board: &Board, engine: &EngineTag, found: &Measurement, own: Option<&OwnAnswer>) -> Self {
        let columns = FairColumns {
            game: board.game.name(),
            size: board.size,
            handicap: board.handicap,
            visits: engine.visits,
            network: engine.net.clone().unwrap_or_default(),
            network_answer: own.map(|own| own.komi.points()),
            network_median: own.and_then(|own| own.median).map(HalfPoints::points),
            ..FairColumns::default()
        };
        match found {
            Measurement::Komi(fair) => columns.with_komi(fair),
            Measurement::Openings(openings) => columns.with_openings(openings),
        }
    }

    fn with_komi(self, fair: &Fair) -> Self {
        let points = |half: Option<i32>| half.map(|half| HalfPoints(half).points());
        let (smooth, best) = (fair.smooth.as_ref(), fair.best.as_ref());
        let resampled = smooth.and_then(|smooth| smooth.bootstrap.interval);
        let between = fair.search.as_ref().and_then(|search| search.between);
        FairColumns {
            games: fair.all.games(),
            differing: fair.all.unique,
            draws: fair.all.wdl.draws,
            fair_komi: points(fair.lattice.k_star),
            low: points(fair.lattice.lo),
            high: points(fair.lattice.hi),
            status: match fair.lattice.status {
                KomiStatus::Identified => "identified".to_string(),
                KomiStatus::CleanSeparation => "clean separation".to_string(),
                KomiStatus::NotIdentified { reason } => reason.to_string(),
            },
            smooth: smooth.map(|smooth| smooth.root),
            smooth_low: smooth.map(|smooth| smooth.profile.lo),
            smooth_high: smooth.map(|smooth| smooth.profile.hi),
            resampled_low: resampled.map(|interval| interval.lo),
            resampled_high: resampled.map(|interval| interval.hi),
            best_komi: best.map(|best| best.komi.points()),
            score: best.map(|best| best.score),
            score_low: best.map(|best| best.interval.lo),
            score_high: best.map(|best| best.interval.hi),
            search_low: between.map(|[low, _]| low.points()),
            search_high: between.map(|[_, high]| high.points()),
            ..self
        }
    }

    fn with_openings(self, found: &Openings) -> Self {
        let free = found.free.interval();
        let fairest = found.fairest();
        let interval = fairest.map(|fairest| fairest.tally.interval());
        FairColumns {
            games: found.all.games(),
            differing: found.all.unique,
            draws: found.all.wdl.draws,
            score: found.free.score(),
            score_low: Some(free.lo),
            score_high: Some(free.hi),
            fairest_opening: fairest.map_or(String::new(), |fairest| fairest.turn.clone()),
            opening_score: fairest.and_then(|fairest| fairest.tally.score()),
            opening_low: interval.map(|interval| interval.lo),
            opening_high: interval.map(|interval| interval.hi),
            ..self
        }
    }
}

/// `balance.csv`: results by komi, and by first move at each; `course.csv`: how the games at each komi went.
pub fn write_balance(dir: &Path, found: &[Balance]) -> Result<(), RunError> {
    let komi: Vec<String> = found.iter().map(|balance| balance.komi.to_string()).collect();
    let lines = found.iter().zip(&komi).flat_map(|(balance, komi)| {
        let (game, size) = (balance.game.name(), balance.size);
        let all = Line("komi", game, size, komi, "", (&balance.tally).into());
        let moves = balance.first_moves.iter();
        let moves = moves.map(move |first| Line("first_move", game, size, komi, &first.turn, (&first.tally).into()));
        std::iter::once(all).chain(moves)
    });
    write(&dir.join("balance.csv"), Some(&LINE), lines)?;
    let courses = found.iter().zip(&komi).filter_map(|(balance, komi)| {
        let Course { games, branching, lead_changes, changed, decided } = balance.course?;
        Some((balance.game.name(), balance.size, komi, games, branching, lead_changes, changed, decided))
    });
    let header = ["game", "size", "komi", "games", "legal_turns", "lead_changes", "changed", "decided"];
    write(&dir.join("course.csv"), Some(&header), courses)
}

/// A row for each bin of values.
pub fn write_calibration(path: &Path, found: &NetCalibration) -> Result<(), RunError> {
    write(path, None, found.rows())
}

/// `match.csv`: a row a pair, results for engine A.
pub fn write_pairs(dir: &Path, pairs: &[PairResult]) -> Result<(), RunError> {
    write(&dir.join("match.csv"), None, pairs)
}

/// `summary.csv`: a row a board of the main job.
pub fn write_summary(dir: &Path, boards: &[BoardResult]) -> Result<(), RunError> {
    #[derive(Serialize)]
    struct Row<'a> {
        game: &'static str,
        size: usize,
        engine: &'a str,
        exact: String,
        fair_komi: Option<f64>,
        low: Option<f64>,
        high: Option<f64>,
        best_komi: Option<f64>,
        fairest_opening: &'a str,
        score: Option<f64>,
        score_low: Option<f64>,
        score_high: Option<f64>,
        network_answer: Option<f64>,
        network_median: Option<f64>,
        match_score: Option<f64>,
        match_low: f64,
        match_high: f64,
    }
    let row = |board: &'_ BoardResult| {
        let points = |half: Option<i32>| half.map(|half| HalfPoints(half).points());
        let own = board.network_answer.as_ref();
        let mut row = Row {
            game: board.board.game.name(),
            size: board.board.size,
            engine: "",
            exact: board.known.map_or(String::new(), |known| known.to_string()),
            fair_komi: None,
            low: None,
            high: None,
            best_komi: None,
            fairest_opening: "",
            score: None,
            score_low: None,
            score_high: None,
            network_answer: own.map(|own| own.komi.points()),
            network_median: own.and_then(|own| own.median).map(HalfPoints::points),
            match_score: board.strength.score,
            match_low: board.strength.interval.lo,
            match_high: board.strength.interval.hi,
        };
        match &board.komi {
            Measurement::Komi(fair) => {
                (row.fair_komi, row.low, row.high) =
                    (points(fair.lattice.k_star), points(fair.lattice.lo), points(fair.lattice.hi));
                if let Some(best) = &fair.best {
                    row.best_komi = Some(best.komi.points());
                    (row.score, row.score_low, row.score_high) =
                        (Some(best.score), Some(best.interval.lo), Some(best.interval.hi));
                }
            }
            Measurement::Openings(found) => {
                if let Some(fairest) = found.fairest() {
                    let interval = fairest.tally.interval();
                    (row.score, row.score_low, row.score_high) =
                        (fairest.tally.score(), Some(interval.lo), Some(interval.hi));
                }
            }
        }
        row
    };
    let rows = boards.iter().map(|board| {
        let fairest = match &board.komi {
            Measurement::Openings(found) => found.fairest().map_or("", |fairest| &fairest.turn),
            Measurement::Komi(_) => "",
        };
        Row { engine: &board.engine, fairest_opening: fairest, ..row(board) }
    });
    write(&dir.join(SUMMARY), None, rows)
}
