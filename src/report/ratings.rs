//! Ratings as a table, as CSV, and as a picture.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;

use super::files::write;
use super::svg::{Anchor, Drawing, step, ticks};
use super::text::table;
use crate::arena::RatingReport;
use crate::config::Board;
use crate::games::HalfPoints;
use crate::records::{RunError, write_whole};
use crate::stats::elo::EloEstimate;

/// The picture's measures, in its own units.
const ROW: f64 = 34.0;
const NAMES: f64 = 240.0;
const WIDTH: f64 = 900.0;
const MARGIN: f64 = 40.0;

/// Ratings beyond this, in Elo, are not drawn to scale.
const FAR: f64 = 3000.0;

/// The ratings, best first, and who played whom.
pub fn rating_text(board: &Board, komi: HalfPoints, found: &RatingReport) -> String {
    let mut text = format!("{} {1}x{1} at komi {komi}: ratings, {2} being 0\n", board.game, board.size, found.anchor);
    let mut rows = table(&["engine", "what it is", "Elo [95 %]", "pairs", "score"]);
    for engine in &found.engines {
        let elo = engine.elo.map_or("not known".to_string(), |elo| match elo.interval {
            interval if interval.lo == 0.0 && interval.hi == 0.0 => "0".to_string(),
            interval => format!("{:+.0} {interval:.0}", elo.elo),
        });
        let score = engine.score.map_or("–".to_string(), |score| format!("{score:.3}"));
        rows.add_row([engine.name.clone(), engine.engine.clone(), elo, engine.pairs.to_string(), score]);
    }
    let _ = writeln!(text, "{rows}");
    let mut rows = table(&["meeting", "pairs", "LL, LD, LW or DD, DW, WW", "score of the first [95 %]"]);
    for meeting in &found.meetings {
        let score = meeting.score.map_or("–".to_string(), |score| format!("{score:.3} {:.3}", meeting.interval));
        let pairs = meeting.pairs.pairs().to_string();
        rows.add_row([format!("{} v {}", meeting.a, meeting.b), pairs, format!("{:?}", meeting.pairs.counts), score]);
    }
    let _ = writeln!(text, "{rows}");
    text += "Pairs of games that were played before, modulo symmetry, do not count. Ratings hold for these engines at this komi and board.\n";
    text
}

/// Writes `ratings.csv`, `meetings.csv` and `ratings.svg` into a run's directory.
pub fn write_ratings(dir: &Path, found: &RatingReport) -> Result<(), RunError> {
    #[derive(Serialize)]
    struct Rated<'a> {
        name: &'a str,
        engine: &'a str,
        elo: Option<f64>,
        elo_low: Option<f64>,
        elo_high: Option<f64>,
        pairs: u64,
        score: Option<f64>,
    }
    let rated = found.engines.iter().map(|engine| Rated {
        name: &engine.name,
        engine: &engine.engine,
        elo: engine.elo.map(|elo| elo.elo),
        elo_low: engine.elo.map(|elo| elo.interval.lo),
        elo_high: engine.elo.map(|elo| elo.interval.hi),
        pairs: engine.pairs,
        score: engine.score,
    });
    write(&dir.join("ratings.csv"), None, rated)?;
    #[derive(Serialize)]
    struct Met<'a> {
        a: &'a str,
        b: &'a str,
        pairs: u64,
        score: Option<f64>,
        score_low: f64,
        score_high: f64,
    }
    let met = found.meetings.iter().map(|meeting| Met {
        a: &meeting.a,
        b: &meeting.b,
        pairs: meeting.pairs.pairs(),
        score: meeting.score,
        score_low: meeting.interval.lo,
        score_high: meeting.interval.hi,
    });
    write(&dir.join("meetings.csv"), None, met)?;
    write_whole(&dir.join("ratings.svg"), |file| file.write_all(ratings_svg(found).as_bytes()))?;
    Ok(())
}

/// Each engine's rating with its interval, best first; light or dark as the reader prefers.
fn ratings_svg(found: &RatingReport) -> String {
    let known: Vec<EloEstimate> = found.engines.iter().filter_map(|engine| engine.elo).collect();
    let ends = known.iter().flat_map(|elo| [elo.elo, elo.interval.lo, elo.interval.hi]);
    let ends: Vec<f64> = ends.filter(|elo| elo.is_finite() && elo.abs() <= FAR).chain([0.0]).collect();
    let low = ends.iter().copied().fold(f64::INFINITY, f64::min) - 20.0;
    let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max) + 20.0;
    let x = |elo: f64| NAMES + (elo.clamp(low, high) - low) / (high - low) * (WIDTH - NAMES - MARGIN);
    let height = MARGIN + ROW * (found.engines.len() as f64 + 1.5);
    let title = format!("Elo with 95 % intervals, {} being 0", found.anchor);
    let mut drawing = Drawing::new((WIDTH, height), &title);
    drawing.text(Anchor::Start, (16.0, 26.0), &title);
    let bottom = height - ROW;
    for tick in ticks(low, high, step(high - low)) {
        drawing.line("grid", 1.0, (x(tick), MARGIN), (x(tick), bottom));
        drawing.text(Anchor::Middle, (x(tick), bottom + 20.0), &format!("{tick:.0}"));
    }
    for (index, engine) in found.engines.iter().enumerate() {
        let y = MARGIN + ROW * (index as f64 + 0.5);
        drawing.text(Anchor::End, (NAMES - 14.0, y + 5.0), &engine.name);
        if let Some(elo) = engine.elo {
            drawing.line("ink", 3.0, (x(elo.interval.lo), y), (x(elo.interval.hi), y));
            match elo.elo {
                known if known.is_finite() => drawing.disc("ink", (x(known), y), 6.0),
                // Nothing bounds it on this side.
                endless if endless > 0.0 => drawing.text(Anchor::End, (WIDTH - 8.0, y + 5.0), "∞"),
                _ => drawing.text(Anchor::Start, (NAMES - 10.0, y + 5.0), "-∞"),
            }
        }
    }
    drawing.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{Meeting, RatedEngine};
    use crate::games::GameKind;
    use crate::stats::{Interval, Pentanomial};

    fn report() -> RatingReport {
        let engine = |name: &str, elo: Option<(f64, f64, f64)>| RatedEngine {
            name: name.to_string(),
            engine: "playouts, 20 visits".to_string(),
            elo: elo.map(|(elo, lo, hi)| EloEstimate { elo, interval: Interval::new(lo, hi) }),
            pairs: 32,
            score: Some(0.25),
        };
        let pairs = Pentanomial::new([2, 0, 20, 0, 10]);
        RatingReport {
            engines: vec![
                engine("best", Some((f64::INFINITY, 120.0, f64::INFINITY))),
                engine("a<b", Some((55.0, 12.0, 99.0))),
                engine("zero", Some((0.0, 0.0, 0.0))),
                engine("lonely", None),
            ],
            meetings: vec![Meeting {
                a: "a<b".to_string(),
                b: "zero".to_string(),
                pairs,
                score: pairs.score(),
                interval: pairs.score_interval(0.95),
            }],
            anchor: "zero".to_string(),
        }
    }

    #[test]
    fn ratings_are_told_with_their_intervals() {
        let board = Board { game: GameKind::Yugo, size: 5, handicap: 0, pie: false, move_cap: None };
        let text = rating_text(&board, HalfPoints(4), &report());
        for part in [
            "yugo 5x5 at komi 2: ratings, zero being 0",
            "+inf [120, inf]",
            "+55 [12, 99]",
            "not known",
            "a<b v zero",
            "[2, 0, 20, 0, 10]",
            "0.625 [0.",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn files_and_picture_hold_every_engine() {
        let folder = tempfile::tempdir().unwrap();
        write_ratings(folder.path(), &report()).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(
            read("ratings.csv").contains("\na<b,\"playouts, 20 visits\",55.0,12.0,99.0,32,0.25\n"),
            "{}",
            read("ratings.csv")
        );
        assert!(read("ratings.csv").contains("\nlonely,\"playouts, 20 visits\",,,,32,0.25\n"));
        assert!(read("meetings.csv").starts_with("a,b,pairs,score,score_low,score_high\na<b,zero,32,0.625,0."));
        let svg = read("ratings.svg");
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains(">∞<"));
        assert!(svg.contains("a&lt;b") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
