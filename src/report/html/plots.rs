//! The pictures of a page.

use std::collections::BTreeMap;

use super::super::map::point_names;
use super::super::svg::{Anchor, At, Drawing, step, ticks};
use crate::games::{GameKind, HalfPoints};
use crate::komi::Fair;

/// The sheet of a plot, and the room around its axes.
const SHEET: At = (640.0, 300.0);
const LEFT: f64 = 56.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;

/// The side of a point of a board map, and the room around the board.
const CELL: f64 = 46.0;
const EDGE: f64 = 34.0;

/// A plot with a horizontal and a vertical scale.
struct Plot {
    drawing: Drawing,
    x: [f64; 2],
    y: [f64; 2],
}

impl Plot {
    /// Empty axes with their names; the vertical one's is the plot's title.
    fn new(title: &str, x_name: &str, x: [f64; 2], y: [f64; 2]) -> Self {
        let mut plot = Plot { drawing: Drawing::new(SHEET, title), x, y };
        plot.drawing.text(Anchor::Start, (LEFT, 22.0), title);
        plot.drawing.text(Anchor::End, (SHEET.0 - RIGHT, SHEET.1 - 8.0), x_name);
        for tick in ticks(y[0], y[1], step(y[1] - y[0])) {
            let at = plot.at(x[0], tick);
            plot.drawing.line("grid", 1.0, at, plot.at(x[1], tick));
            plot.drawing.text(Anchor::End, (LEFT - 8.0, at.1 + 5.0), &figure(tick));
        }
        for tick in ticks(x[0], x[1], step(x[1] - x[0])) {
            let at = plot.at(tick, y[0]);
            plot.drawing.line("grid", 1.0, at, plot.at(tick, y[1]));
            plot.drawing.text(Anchor::Middle, (at.0, at.1 + 20.0), &figure(tick));
        }
        plot
    }

    fn at(&self, x: f64, y: f64) -> At {
        let share = |value: f64, [low, high]: [f64; 2]| (value.clamp(low, high) - low) / (high - low);
        (
            LEFT + share(x, self.x) * (SHEET.0 - LEFT - RIGHT),
            SHEET.1 - BOTTOM - share(y, self.y) * (SHEET.1 - TOP - BOTTOM),
        )
    }
}

/// A figure of a scale, without needless zeros.
fn figure(value: f64) -> String {
    // Zero has no sign, and hundredths are enough for any scale here.
    let text = format!("{:.2}", value + 0.0);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// The first player's score by komi with 95 % intervals, and the interval of the fair komi as a band.
pub fn score_by_komi(title: &str, found: &Fair) -> Option<String> {
    let komi = || found.at.iter().map(|at| at.komi.points());
    let (low, high) = (komi().reduce(f64::min)?, komi().reduce(f64::max)?);
    let mut plot = Plot::new(title, "komi", [low - 1.0, high + 1.0], [0.0, 1.0]);
    let end = |half: Option<i32>, open: f64| half.map_or(open, |half| HalfPoints(half).points());
    if found.lattice.k_star.is_some() {
        // A value of its own is half a point wide to either side: that is where the score may cross a half.
        let from = plot.at(end(found.lattice.lo, low - 1.0) - 0.5, 1.0);
        let to = plot.at(end(found.lattice.hi, high + 1.0) + 0.5, 0.0);
        plot.drawing.rectangle("band", from, (to.0 - from.0, to.1 - from.1));
    }
    plot.drawing.line("axis", 2.0, plot.at(low - 1.0, 0.5), plot.at(high + 1.0, 0.5));
    for at in &found.at {
        let Some(score) = at.tally.score() else { continue };
        let (komi, interval) = (at.komi.points(), at.tally.interval());
        plot.drawing.line("ink", 2.5, plot.at(komi, interval.lo), plot.at(komi, interval.hi));
        plot.drawing.disc("ink", plot.at(komi, score), 4.5);
    }
    Some(plot.drawing.finish())
}

/// How many games ended with which margin (half points).
pub fn margins(title: &str, histogram: &BTreeMap<i32, u64>) -> Option<String> {
    let (low, high) = (*histogram.keys().next()?, *histogram.keys().last()?);
    let most = *histogram.values().max()?;
    let points = |half: i32| HalfPoints(half).points();
    let mut plot = Plot::new(
        title,
        "first player's margin without komi",
        [points(low) - 1.0, points(high) + 1.0],
        [0.0, most as f64 * 1.05],
    );
    for (half, games) in histogram {
        let from = plot.at(points(*half) - 0.4, *games as f64);
        let to = plot.at(points(*half) + 0.4, 0.0);
        plot.drawing.rectangle("first", from, (to.0 - from.0, to.1 - from.1));
    }
    Some(plot.drawing.finish())
}

/// What a map says of a point: a score in [0, 1] of the first player, and lines of text.
pub struct Spot {
    pub score: Option<f64>,
    pub lines: Vec<String>,
}

/// A board with a figure on each point, in the colour of whom it favours.
pub fn board(title: &str, game: GameKind, size: usize, spot: impl Fn(&str) -> Option<Spot>) -> String {
    let side = EDGE + CELL * size as f64;
    let mut drawing = Drawing::new((side + 12.0, side + EDGE), title);
    let names = point_names(game, size);
    for (row, names) in names.iter().enumerate() {
        let y = side - CELL * (row as f64 + 1.0);
        drawing.text(Anchor::End, (EDGE - 8.0, y + 0.6 * CELL), &(row + 1).to_string());
        for (column, name) in names.iter().enumerate() {
            let x = EDGE + CELL * column as f64;
            let (corner, inner) = ((x + 1.0, y + 1.0), (CELL - 2.0, CELL - 2.0));
            drawing.rectangle("blank", corner, inner);
            let Some(spot) = spot(name) else { continue };
            if let Some(score) = spot.score {
                let class = if score >= 0.5 { "first" } else { "second" };
                drawing.shade(class, corner, inner, 0.15 + 1.4 * (score - 0.5).abs());
            }
            let first = y + 0.5 * CELL + 5.0 - 8.0 * (spot.lines.len() as f64 - 1.0);
            for (number, line) in spot.lines.iter().enumerate() {
                drawing.text(Anchor::Middle, (x + 0.5 * CELL, first + 16.0 * number as f64), line);
            }
        }
    }
    for (column, name) in names[0].iter().enumerate() {
        drawing.text(Anchor::Middle, (EDGE + CELL * (column as f64 + 0.5), side + 20.0), &name[..1]);
    }
    drawing.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_no_needless_zeros() {
        assert_eq!([0.0, -0.0, 0.5, 12.0, -20.0, 0.25].map(figure), ["0", "0", "0.5", "12", "-20", "0.25"]);
    }

    #[test]
    fn boards_have_a_figure_for_each_point_and_the_corner_lies_below() {
        let svg = board("map", GameKind::Fugo, 3, |name| {
            (name != "B2").then(|| Spot { score: Some(0.75), lines: vec![name.to_string()] })
        });
        assert_eq!(svg.matches("class=\"blank\"").count(), 9);
        assert_eq!(svg.matches("class=\"first\"").count(), 8);
        let place = |name: &str| svg.find(&format!(">{name}<")).unwrap_or_else(|| panic!("{name} in {svg}"));
        assert!(place("A1") < place("C3"), "rows from the bottom");
        assert!(!svg.contains(">B2<"));
    }

    #[test]
    fn a_histogram_has_a_bar_for_each_margin() {
        let svg = margins("margins", &BTreeMap::from([(-3, 2), (1, 9), (5, 1)])).unwrap();
        assert_eq!(svg.matches("class=\"first\"").count(), 3);
        assert!(margins("none", &BTreeMap::new()).is_none());
        // One margin alone is a scale, too.
        assert!(!margins("one", &BTreeMap::from([(2, 7)])).unwrap().contains("NaN"));
    }
}
