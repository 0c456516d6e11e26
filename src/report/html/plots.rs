//! The pictures of a page.

use std::collections::BTreeMap;

use super::super::map::point_names;
use super::super::svg::{Anchor, At, Drawing, step, ticks};
use crate::games::{GameKind, HalfPoints};
use crate::komi::{Fair, Known};
use crate::stats::komi_lattice::FairKomi;

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
        let mut plot = Plot::scaled(title, x_name, x, y);
        for tick in ticks(x[0], x[1], step(x[1] - x[0])) {
            let at = plot.at(tick, y[0]);
            plot.drawing.line("grid", 1.0, at, plot.at(tick, y[1]));
            plot.drawing.text(Anchor::Middle, (at.0, at.1 + 20.0), &figure(tick));
        }
        plot
    }

    /// The same without figures on the horizontal axis.
    fn scaled(title: &str, x_name: &str, x: [f64; 2], y: [f64; 2]) -> Self {
        let mut plot = Plot { drawing: Drawing::new(SHEET, title), x, y };
        plot.drawing.text(Anchor::Start, (LEFT, 22.0), title);
        plot.drawing.text(Anchor::End, (SHEET.0 - RIGHT, SHEET.1 - 8.0), x_name);
        for tick in ticks(y[0], y[1], step(y[1] - y[0])) {
            let at = plot.at(x[0], tick);
            plot.drawing.line("grid", 1.0, at, plot.at(x[1], tick));
            plot.drawing.text(Anchor::End, (LEFT - 8.0, at.1 + 5.0), &figure(tick));
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

/// One measurement of a board's fair komi, in points.
pub struct Measured {
    /// What the measurements differ in.
    pub label: String,
    pub komi: f64,
    /// Its ends; `None` where it is open.
    pub interval: [Option<f64>; 2],
    pub exact: Option<f64>,
}

impl Measured {
    /// The answer of games; `None` if they identify no komi.
    pub fn new(label: String, found: &FairKomi, exact: Option<Known>) -> Option<Self> {
        let points = |half: Option<i32>| half.map(|half| HalfPoints(half).points());
        let exact = match exact {
            Some(Known::Margin(margin)) => Some(margin.points()),
            Some(Known::Winner(_)) | None => None,
        };
        Some(Measured { label, komi: points(found.k_star)?, interval: [points(found.lo), points(found.hi)], exact })
    }
}

/// Fair komi side by side, and exact values, where they are known. `None` for fewer than two measurements.
pub fn side_by_side(title: &str, labels: &str, measured: &[Measured]) -> Option<String> {
    if measured.len() < 2 {
        return None;
    }
    let ends = |fold: fn(f64, f64) -> f64| {
        let komi = measured.iter().map(|measured| measured.komi).chain(measured.iter().filter_map(|one| one.exact));
        komi.reduce(fold)
    };
    let (low, high) = (ends(f64::min)?, ends(f64::max)?);
    // Intervals that reach across the board would leave the answers themselves no room.
    let room = (high - low).max(4.0);
    let (low, high) = ((low - room).floor(), (high + room).ceil());
    let last = measured.len() as f64;
    let mut plot = Plot::scaled(title, labels, [-0.5, last - 0.5], [low, high]);
    for (place, measured) in measured.iter().enumerate() {
        let x = place as f64;
        let at = plot.at(x, low);
        plot.drawing.text(Anchor::Middle, (at.0, at.1 + 20.0), &measured.label);
        if let Some(exact) = measured.exact {
            plot.drawing.line("axis", 2.0, plot.at(x - 0.35, exact), plot.at(x + 0.35, exact));
        }
        let [from, to] = measured.interval;
        for (end, beyond, side) in [(from, low, -1.0), (to, high, 1.0)] {
            let reached = end.map_or(beyond, |end| end.clamp(low, high));
            plot.drawing.line("ink", 2.5, plot.at(x, measured.komi), plot.at(x, reached));
            if end.is_none_or(|end| (end - beyond) * side > 0.0) {
                let tip = plot.at(x, beyond);
                plot.drawing.line("ink", 2.5, (tip.0 - 6.0, tip.1 + 6.0 * side), tip);
                plot.drawing.line("ink", 2.5, (tip.0 + 6.0, tip.1 + 6.0 * side), tip);
            }
        }
        plot.drawing.disc("ink", plot.at(x, measured.komi), 4.5);
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
pub fn board_map(title: &str, game: GameKind, size: usize, spot: impl Fn(&str) -> Option<Spot>) -> String {
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
        let svg = board_map("map", GameKind::Fugo, 3, |name| {
            (name != "B2").then(|| Spot { score: Some(0.75), lines: vec![name.to_string()] })
        });
        assert_eq!(svg.matches("class=\"blank\"").count(), 9);
        assert_eq!(svg.matches("class=\"first\"").count(), 8);
        let place = |name: &str| svg.find(&format!(">{name}<")).unwrap_or_else(|| panic!("{name} in {svg}"));
        assert!(place("A1") < place("C3"), "rows from the bottom");
        assert!(!svg.contains(">B2<"));
    }

    #[test]
    fn each_measurement_has_a_point() {
        let measured =
            |label: &str, komi, interval, exact| Measured { label: label.to_string(), komi, interval, exact };
        let points = [
            measured("64", 8.0, [Some(8.0), Some(8.0)], Some(7.0)),
            measured("256", 7.0, [Some(-25.0), Some(25.0)], None),
            measured("1024", 7.0, [None, Some(8.0)], Some(7.0)),
        ];
        let svg = side_by_side("by visits", "visits", &points).unwrap();
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!([">64<", ">256<", ">1024<"].iter().all(|text| svg.contains(text)) && !svg.contains("NaN"));
        assert_eq!(svg.matches("class=\"axis\"").count(), 2);
        let closed = [measured("1", 7.0, [Some(7.0); 2], None), measured("2", 8.0, [Some(8.0); 2], None)];
        let lines = |svg: String| svg.matches("<line class=\"ink\"").count();
        assert_eq!(lines(side_by_side("by visits", "visits", &closed).unwrap()), 4);
        // Two ends of the second and one of the third lie beyond the picture, and get a tip of two lines.
        assert_eq!(lines(svg), 6 + 3 * 2);
        assert!(side_by_side("one", "visits", &points[..1]).is_none());
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
