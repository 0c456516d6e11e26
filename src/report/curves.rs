//! Learning curves of a run: one row a generation, as CSV, as one picture and as scalars for TensorBoard.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde::Serialize;

use super::tensorboard::Scalar;
use crate::learn::{FairKomiRow, GenerationRow};

/// The columns of the CSV file of generations: the fields of [`GenerationRow`].
const GENERATION_COLUMNS: &[&str] = &[
    "generation",
    "promoted",
    "games",
    "positions",
    "evaluations",
    "selfplay_seconds",
    "training_seconds",
    "core_hours",
    "train_loss",
    "held_out_loss",
    "margin_loss",
    "outcome_loss",
    "policy_loss",
    "ownership_loss",
    "calibration_error",
    "gate_score",
    "gate_low",
    "gate_high",
    "elo",
    "elo_low",
    "elo_high",
];

/// The columns of the CSV file of fair komis: the fields of [`FairKomiRow`].
const FAIR_KOMI_COLUMNS: &[&str] = &["generation", "size", "fair_komi"];

/// The generations as CSV (RFC 4180) with the fields' names as header, also without rows; what was not measured is
/// empty. Fails only if a row cannot be written.
pub fn curves_csv(rows: &[GenerationRow]) -> Result<String, csv::Error> {
    as_csv(GENERATION_COLUMNS, rows)
}

/// The fair komis as CSV (RFC 4180), `generation,size,fair_komi`. Fails only if a row cannot be written.
pub fn fair_komi_csv(rows: &[FairKomiRow]) -> Result<String, csv::Error> {
    as_csv(FAIR_KOMI_COLUMNS, rows)
}

fn as_csv<T: Serialize>(columns: &[&str], rows: &[T]) -> Result<String, csv::Error> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(columns)?;
    rows.iter().try_for_each(|row| writer.serialize(row))?;
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8(bytes).map_err(io::Error::other)?)
}

/// The rows' numbers as scalars for TensorBoard, by generation, which is the step. Tags are `loss/train`,
/// `loss/held_out`, `elo`, `fair_komi/5x5` and the like. `wall_times` has the end of each generation, in seconds since
/// 1970 (UTC); one that is not there counts as 0. What was not measured or is not finite is left out.
pub fn scalars(rows: &[GenerationRow], komi: &[FairKomiRow], wall_times: &BTreeMap<u32, f64>) -> Vec<Scalar> {
    let of_rows = rows.iter().flat_map(|row| {
        tagged(row).into_iter().filter_map(|(tag, value)| Some((row.generation, tag.to_string(), value?)))
    });
    let of_komi = komi.iter().map(|row| (row.generation, format!("fair_komi/{0}x{0}", row.size), row.fair_komi));
    let mut scalars: Vec<Scalar> = of_rows
        .chain(of_komi)
        .map(|(generation, tag, value)| {
            let wall_time = wall_times.get(&generation).copied().unwrap_or(0.0);
            Scalar { tag, step: i64::from(generation), wall_time, value: value as f32 }
        })
        .filter(|scalar| scalar.value.is_finite())
        .collect();
    scalars.sort_by_key(|scalar| scalar.step);
    scalars
}

/// A generation's numbers with their tags.
fn tagged(row: &GenerationRow) -> [(&'static str, Option<f64>); 20] {
    [
        ("loss/train", Some(row.train_loss)),
        ("loss/held_out", row.held_out_loss),
        ("loss/margin", row.margin_loss),
        ("loss/outcome", row.outcome_loss),
        ("loss/policy", row.policy_loss),
        ("loss/ownership", row.ownership_loss),
        ("calibration_error", row.calibration_error),
        ("gate/score", row.gate_score),
        ("gate/low", row.gate_low),
        ("gate/high", row.gate_high),
        ("gate/promoted", Some(f64::from(u8::from(row.promoted)))),
        ("elo", row.elo),
        ("elo/low", row.elo_low),
        ("elo/high", row.elo_high),
        ("work/games", Some(row.games as f64)),
        ("work/positions", Some(row.positions as f64)),
        ("work/evaluations", Some(row.evaluations as f64)),
        ("work/selfplay_seconds", Some(row.selfplay_seconds)),
        ("work/training_seconds", Some(row.training_seconds)),
        ("work/core_hours", Some(row.core_hours)),
    ]
}

/// A colour on white, and what stands for it where a dark picture is preferred.
#[derive(Clone, Copy)]
struct Shade {
    light: RGBColor,
    dark: RGBColor,
}

const PAPER: Shade = Shade { light: RGBColor(255, 255, 255), dark: RGBColor(22, 27, 34) };
const INK: Shade = Shade { light: RGBColor(36, 41, 47), dark: RGBColor(230, 237, 243) };
const FAINT: Shade = Shade { light: RGBColor(101, 109, 118), dark: RGBColor(152, 161, 171) };
const GRID: Shade = Shade { light: RGBColor(228, 231, 235), dark: RGBColor(48, 55, 64) };

/// Curves' colours, which the colour-blind can tell apart too: those of Okabe and Ito, the yellow darker.
const COLOURS: [Shade; 7] = [
    Shade { light: RGBColor(0, 114, 178), dark: RGBColor(78, 163, 224) },
    Shade { light: RGBColor(213, 94, 0), dark: RGBColor(240, 136, 62) },
    Shade { light: RGBColor(0, 158, 115), dark: RGBColor(38, 190, 146) },
    Shade { light: RGBColor(190, 100, 150), dark: RGBColor(214, 139, 180) },
    Shade { light: RGBColor(198, 146, 0), dark: RGBColor(230, 184, 60) },
    Shade { light: RGBColor(86, 180, 233), dark: RGBColor(128, 206, 250) },
    Shade { light: RGBColor(110, 110, 110), dark: RGBColor(170, 170, 170) },
];

/// The picture's units, two a pixel of its natural size, since plotters places things on whole units.
const SIZE: (u32, u32) = (2200, 2040);
/// The height of the picture's title.
const TITLE_HEIGHT: u32 = 90;
/// The height of a panel's title and legend.
const HEAD_HEIGHT: u32 = 100;
/// Between a panel's left edge and its axis.
const LEFT: u32 = 150;
/// Around a panel.
const MARGIN: i32 = 30;
/// The size of text.
const TEXT: f64 = 25.0;
/// A letter's mean width, as a part of its size.
const LETTER: f64 = 0.56;
/// Letters of the picture's title at most.
const TITLE_LETTERS: usize = 100;
/// Points of a curve that are shown as dots at most.
const DOTS: usize = 60;
/// Numbers beyond are left out: pictures of more overflow.
const MOST: f64 = 1e300;
/// Numbers nearer to 0 count as 0.
const LEAST: f64 = 1e-290;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type DrawError = DrawingAreaErrorKind<io::Error>;

/// The curves as one SVG picture that needs no other file: six panels with the loss, the held-out loss's parts, the
/// calibration error, Elo by generation and by core-hours with its interval, and the fair komi. It is dark where the
/// viewer prefers that. Numbers that are missing, not finite or beyond 1e300 are left out, and the line goes on to the
/// next; a panel with none says so. The error is plotters' text.
pub fn curves_svg(title: &str, rows: &[GenerationRow], komi: &[FairKomiRow]) -> Result<String, String> {
    let drawn = draw(&printable(title), &panels(rows, komi)).map_err(|error| error.to_string())?;
    Ok(framed(&drawn))
}

/// The text without what XML or one line cannot have, cut to the picture's width.
fn printable(text: &str) -> String {
    let fits = |letter: &char| !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}');
    let mut letters: Vec<char> = text.chars().filter(fits).collect();
    if letters.len() > TITLE_LETTERS {
        letters.truncate(TITLE_LETTERS - 1);
        letters.push('…');
    }
    letters.into_iter().collect()
}

fn draw(title: &str, panels: &[Panel]) -> Result<String, DrawError> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area().margin(0, MARGIN / 2, 0, 0);
        let (head, body) = area.split_vertically(TITLE_HEIGHT);
        head.draw_text(title, &text(1.4 * TEXT, INK, HPos::Left), (MARGIN, TITLE_HEIGHT as i32 / 2))?;
        for (area, panel) in body.split_evenly((3, 2)).iter().zip(panels) {
            panel.draw(area)?;
        }
        area.present()?;
    }
    Ok(svg)
}

/// A drawing with a rounded background, the dark colours, and half as many pixels as units.
fn framed(drawn: &str) -> String {
    let body = drawn.split_once('>').map_or("", |(_, body)| body);
    let (width, height) = SIZE;
    let dark: String = [PAPER, INK, FAINT, GRID].iter().chain(&COLOURS).map(dark_rule).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\">\n\
         <style>@media (prefers-color-scheme: dark) {{\n{dark}}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"24\" fill=\"{}\"/>{body}",
        width / 2,
        height / 2,
        hex(PAPER.light),
    )
}

fn dark_rule(shade: &Shade) -> String {
    let (light, dark) = (hex(shade.light), hex(shade.dark));
    format!("[fill=\"{light}\"] {{ fill: {dark} }} [stroke=\"{light}\"] {{ stroke: {dark} }}\n")
}

/// A colour as plotters writes it.
fn hex(colour: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2)
}

/// Text of so many units, placed by its side and its middle. Plotters takes 1.24 times the size that it writes.
fn text(size: f64, shade: Shade, side: HPos) -> TextStyle<'static> {
    ("sans-serif", 1.24 * size).into_font().color(&shade.light).pos(Pos::new(side, VPos::Center))
}

/// A coordinate system with its curves.
struct Panel {
    title: &'static str,
    x: Quantity,
    y: Quantity,
    curves: Vec<Curve>,
}

/// What an axis shows.
#[derive(Clone, Copy)]
struct Quantity {
    /// Its name and unit.
    name: &'static str,
    /// True if only whole numbers have a tick.
    whole: bool,
    /// True if 0 belongs to the axis anyway.
    from_zero: bool,
}

const GENERATION: Quantity = Quantity { name: "generation", whole: true, from_zero: false };
const LOSS: Quantity = Quantity { name: "loss, nats", whole: false, from_zero: false };

/// The points of one line, from the left.
struct Curve {
    label: String,
    points: Vec<(f64, f64)>,
    /// What surrounds the points: where, the lower and the upper end.
    band: Vec<(f64, [f64; 2])>,
}

/// The number if a picture can have it.
fn drawable(value: f64) -> Option<f64> {
    let shown = if value.abs() < LEAST { 0.0 } else { value };
    (shown.abs() <= MOST).then_some(shown)
}

impl Curve {
    fn new(label: impl Into<String>, points: impl Iterator<Item = (f64, Option<f64>)>) -> Self {
        let mut points: Vec<(f64, f64)> =
            points.filter_map(|(x, y)| Some((drawable(x)?, y.and_then(drawable)?))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Curve { label: label.into(), points, band: Vec::new() }
    }

    /// Elo with its interval.
    fn elo(rows: &[GenerationRow], x: impl Fn(&GenerationRow) -> f64) -> Self {
        let end = |end: fn(&GenerationRow) -> Option<f64>| {
            let measured = rows.iter().filter(|row| [row.elo, row.elo_low, row.elo_high].iter().all(shown));
            Curve::new("interval", measured.map(|row| (x(row), end(row)))).points
        };
        let ends = end(|row| row.elo_low).into_iter().zip(end(|row| row.elo_high));
        let band: Vec<_> = ends.map(|((x, low), (_, high))| (x, [low.min(high), low.max(high)])).collect();
        let label = if band.is_empty() { "Elo" } else { "Elo and its interval" };
        Curve { band, ..Curve::new(label, rows.iter().map(|row| (x(row), row.elo))) }
    }

    /// All numbers that the vertical axis must show.
    fn heights(&self) -> impl Iterator<Item = f64> {
        self.points.iter().map(|point| point.1).chain(self.band.iter().flat_map(|(_, ends)| *ends))
    }

    /// Around the band: to the right along the lower ends, and back along the upper ones. `None` of less than two.
    fn outline(&self) -> Option<Vec<(f64, f64)>> {
        let lower = self.band.iter().map(|&(x, [low, _])| (x, low));
        let upper = self.band.iter().rev().map(|&(x, [_, high])| (x, high));
        (self.band.len() > 1).then(|| lower.chain(upper).collect())
    }
}

/// True of a number that a picture can have.
fn shown(value: &Option<f64>) -> bool {
    value.and_then(drawable).is_some()
}

fn panels(rows: &[GenerationRow], komi: &[FairKomiRow]) -> [Panel; 6] {
    let generation = |row: &GenerationRow| f64::from(row.generation);
    let curve = |label: &str, value: fn(&GenerationRow) -> Option<f64>| {
        Curve::new(label, rows.iter().map(|row| (generation(row), value(row))))
    };
    let elo = Quantity { name: "Elo points", ..LOSS };
    [
        Panel {
            title: "Loss",
            x: GENERATION,
            y: LOSS,
            curves: vec![curve("training", |row| Some(row.train_loss)), curve("held out", |row| row.held_out_loss)],
        },
        Panel {
            title: "Parts of the held-out loss",
            x: GENERATION,
            y: Quantity { from_zero: true, ..LOSS },
            curves: vec![
                curve("margin", |row| row.margin_loss),
                curve("outcome", |row| row.outcome_loss),
                curve("policy", |row| row.policy_loss),
                curve("ownership", |row| row.ownership_loss),
            ],
        },
        Panel {
            title: "Calibration error, held out",
            x: GENERATION,
            y: Quantity { name: "|value − outcome|, 0 to 1", from_zero: true, ..LOSS },
            curves: vec![curve("expected calibration error", |row| row.calibration_error)],
        },
        Panel { title: "Elo by generation", x: GENERATION, y: elo, curves: vec![Curve::elo(rows, generation)] },
        Panel {
            title: "Elo by work",
            x: Quantity { name: "core-hours since the start", from_zero: true, ..LOSS },
            y: elo,
            curves: vec![Curve::elo(rows, |row| row.core_hours)],
        },
        Panel {
            title: "Fair komi",
            x: GENERATION,
            y: Quantity { name: "fair komi, points", ..LOSS },
            curves: komi_curves(komi),
        },
    ]
}

/// A curve a board size, the smallest first.
fn komi_curves(komi: &[FairKomiRow]) -> Vec<Curve> {
    let mut by_size: BTreeMap<usize, Vec<(f64, Option<f64>)>> = BTreeMap::new();
    for row in komi {
        by_size.entry(row.size).or_default().push((f64::from(row.generation), Some(row.fair_komi)));
    }
    by_size.into_iter().map(|(size, points)| Curve::new(format!("{size}×{size}"), points.into_iter())).collect()
}

impl Panel {
    fn draw(&self, area: &Area) -> Result<(), DrawError> {
        let (head, body) = area.margin(MARGIN / 2, MARGIN / 2, MARGIN, MARGIN).split_vertically(HEAD_HEIGHT);
        head.draw_text(self.title, &text(1.2 * TEXT, INK, HPos::Left), (0, 24))?;
        let curves: Vec<(&Curve, RGBColor)> = self
            .curves
            .iter()
            .zip(COLOURS.iter().cycle())
            .filter(|(curve, _)| !curve.points.is_empty())
            .map(|(curve, shade)| (curve, shade.light))
            .collect();
        if curves.is_empty() {
            let (width, height) = body.dim_in_pixel();
            let middle = (width as i32 / 2, height as i32 / 2);
            return body.draw_text("no data yet", &text(TEXT, FAINT, HPos::Center), middle);
        }
        draw_legend(&head, &curves)?;
        self.draw_plot(&body, &curves)
    }

    fn draw_plot(&self, area: &Area, curves: &[(&Curve, RGBColor)]) -> Result<(), DrawError> {
        let x = Axis::of(self.x, curves.iter().flat_map(|(curve, _)| curve.points.iter().map(|point| point.0)));
        let y = Axis::of(self.y, curves.iter().flat_map(|(curve, _)| curve.heights()));
        let mut chart =
            ChartBuilder::on(area).x_label_area_size(90).y_label_area_size(LEFT).build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(GRID.light.stroke_width(2))
            .axis_style(FAINT.light.stroke_width(2))
            .label_style(text(TEXT, FAINT, HPos::Left))
            .axis_desc_style(text(TEXT, FAINT, HPos::Left))
            .set_all_tick_mark_size(8)
            .x_desc(self.x.name)
            .y_desc(self.y.name)
            .draw()?;
        for (curve, colour) in curves {
            chart.draw_series(curve.outline().map(|outline| Polygon::new(outline, colour.mix(0.18))))?;
            chart.draw_series(LineSeries::new(curve.points.iter().copied(), colour.stroke_width(4)))?;
            if curve.points.len() <= DOTS {
                let bars = curve.band.iter().map(|&(x, [low, high])| vec![(x, low), (x, high)]);
                chart.draw_series(bars.map(|bar| PathElement::new(bar, colour.mix(0.5).stroke_width(3))))?;
                chart.draw_series(curve.points.iter().map(|&point| Circle::new(point, 7, colour.filled())))?;
            }
        }
        Ok(())
    }
}

/// A line of samples with their labels, as many as there is room for.
fn draw_legend(area: &Area, curves: &[(&Curve, RGBColor)]) -> Result<(), DrawError> {
    const SAMPLE: i32 = 40;
    let style = text(TEXT, INK, HPos::Left);
    let (width, height) = area.dim_in_pixel();
    let (mut x, y) = (0, height as i32 - 35);
    for (curve, colour) in curves {
        let end = x + SAMPLE + 10 + (curve.label.chars().count() as f64 * LETTER * TEXT) as i32;
        if end + 2 * SAMPLE > width as i32 {
            return area.draw_text("…", &style, (x, y));
        }
        area.draw(&PathElement::new(vec![(x, y), (x + SAMPLE, y)], colour.stroke_width(6)))?;
        area.draw_text(&curve.label, &style, (x + SAMPLE + 10, y))?;
        x = end + 30;
    }
    Ok(())
}

/// The range of an axis with round numbers in it.
struct Axis {
    range: Range<f64>,
    ticks: Vec<f64>,
    /// The power of ten of the ticks' last digit.
    digit: i32,
}

impl Axis {
    /// An axis with room for these numbers, of which there must be one.
    fn of(quantity: Quantity, values: impl Iterator<Item = f64>) -> Self {
        let zero = quantity.from_zero.then_some(0.0);
        let (low, high) =
            values.chain(zero).fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        // Less wide, the ticks would need more digits than there is room for.
        let largest = low.abs().max(high.abs());
        let narrowest = if quantity.whole || largest == 0.0 { 1.0 } else { 1e-3 * largest };
        let widening = (0.5 * (narrowest - (high - low))).max(0.0) + 0.04 * (high - low);
        let start = if quantity.from_zero && low == 0.0 { 0.0 } else { low - widening };
        Axis::ticked(start..high + widening, quantity.whole)
    }

    /// Three to six ticks at multiples of 1, 2 or 5 times a power of ten.
    fn ticked(range: Range<f64>, whole: bool) -> Self {
        let least = (range.end - range.start) / 6.0;
        let digit = least.log10().floor() as i32;
        let steps = [(1.0, digit), (2.0, digit), (5.0, digit), (1.0, digit + 1)];
        let mut steps = steps.map(|(factor, digit)| (factor * 10f64.powi(digit), digit)).into_iter();
        let (step, digit) = steps.find(|(step, _)| *step >= least).unwrap_or((least, digit));
        let (step, digit) = if whole && digit < 0 { (1.0, 0) } else { (step, digit) };
        let (first, last) = ((range.start / step).ceil() as i64, (range.end / step).floor() as i64);
        Axis { range, ticks: (first..=last).map(|tick| tick as f64 * step).collect(), digit }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let part = (value - self.range.start) / (self.range.end - self.range.start);
        first + (f64::from(last - first) * part).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    /// A tick with as many digits as tell it from the next, with an exponent if that is shorter.
    fn format_ext(&self, tick: &f64) -> String {
        let largest = self.ticks.iter().fold(0.0, |largest: f64, tick| largest.max(tick.abs()));
        if *tick == 0.0 {
            "0".to_string()
        } else if !(1e-3..1e6).contains(&largest) {
            let digits = (tick.abs().log10().floor() as i32 - self.digit).max(0) as usize;
            format!("{tick:.digits$e}")
        } else {
            format!("{tick:.*}", (-self.digit).max(0) as usize)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    /// A row with numbers for its fields from the training loss on.
    fn row(generation: u32, core_hours: f64, numbers: [Option<f64>; 13]) -> GenerationRow {
        let [train_loss, held_out_loss, margin_loss, outcome_loss, policy_loss, ownership_loss, rest @ ..] = numbers;
        let [calibration_error, gate_score, gate_low, gate_high, elo, elo_low, elo_high] = rest;
        GenerationRow {
            generation,
            promoted: generation % 2 == 1,
            games: 1000,
            positions: 30_000,
            evaluations: 6_000_000,
            selfplay_seconds: 61.5,
            training_seconds: 20.25,
            core_hours,
            train_loss: train_loss.unwrap_or(f64::NAN),
            held_out_loss,
            margin_loss,
            outcome_loss,
            policy_loss,
            ownership_loss,
            calibration_error,
            gate_score,
            gate_low,
            gate_high,
            elo,
            elo_low,
            elo_high,
        }
    }

    /// Row `generation` of a run in which everything was measured.
    fn full(generation: u32) -> GenerationRow {
        let numbers = [3.5, 3.75, 2.0, 0.5, 1.0, 0.25, 0.03, 0.55, 0.5, 0.6, 120.0, 100.0, 140.0];
        row(generation, 0.5 * f64::from(generation), numbers.map(Some))
    }

    fn komi(generation: u32, size: usize, fair_komi: f64) -> FairKomiRow {
        FairKomiRow { generation, size, fair_komi }
    }

    fn read<T: serde::de::DeserializeOwned>(text: &str) -> Vec<T> {
        csv::Reader::from_reader(text.as_bytes()).deserialize().map(|row| row.expect("a row")).collect()
    }

    /// The values of an attribute, quotes and all before it left out.
    fn values<'a>(svg: &'a str, attribute: &str) -> Vec<&'a str> {
        let start = format!(" {attribute}=\"");
        svg.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
    }

    /// Checks that tags are closed in order, that text has no bare markup, and that nothing lies outside.
    fn check_svg(svg: &str) {
        let mut open = Vec::new();
        for piece in svg.split('<').skip(1) {
            let (tag, text) = piece.split_once('>').expect("a tag's end");
            assert!(!text.contains('>') && text.split('&').skip(1).all(|rest| rest.contains(';')), "{text}");
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().expect("a name"));
            }
        }
        assert_eq!(open, [""; 0]);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let inside = |number: &str, end: u32| {
            let number: f64 = number.parse().expect("a number");
            assert!((0.0..=f64::from(end)).contains(&number), "{number}");
        };
        for attribute in ["x", "cx", "x1", "x2"] {
            values(svg, attribute).into_iter().for_each(|x| inside(x, SIZE.0));
        }
        for attribute in ["y", "cy", "y1", "y2"] {
            values(svg, attribute).into_iter().for_each(|y| inside(y, SIZE.1));
        }
        for point in values(svg, "points").into_iter().flat_map(str::split_whitespace) {
            let (x, y) = point.split_once(',').expect("two numbers");
            inside(x, SIZE.0);
            inside(y, SIZE.1);
        }
    }

    fn picture(rows: &[GenerationRow], komi: &[FairKomiRow]) -> String {
        let svg = curves_svg("Yugo <5×5> & \"more\"\n\0", rows, komi).expect("a picture");
        check_svg(&svg);
        svg
    }

    fn axis(low: f64, high: f64, whole: bool) -> (Vec<String>, Axis) {
        let axis = Axis::of(Quantity { whole, ..LOSS }, [low, high].into_iter());
        (axis.ticks.iter().map(|tick| axis.format_ext(tick)).collect(), axis)
    }

    #[test]
    fn csv_has_the_fields_names_and_can_be_read_again() {
        let every_other = std::array::from_fn(|number| (number % 2 == 0).then_some(-0.5));
        let rows = [full(1), row(2, 1.5, every_other), full(3)];
        let text = curves_csv(&rows).expect("written");
        let header = "generation,promoted,games,positions,evaluations,selfplay_seconds,training_seconds,core_hours,\
                      train_loss,held_out_loss,margin_loss,outcome_loss,policy_loss,ownership_loss,calibration_error,\
                      gate_score,gate_low,gate_high,elo,elo_low,elo_high";
        assert_eq!(text.lines().next(), Some(header));
        let gaps = "2,false,1000,30000,6000000,61.5,20.25,1.5,-0.5,,-0.5,,-0.5,,-0.5,,-0.5,,-0.5,,-0.5";
        assert_eq!(text.lines().nth(2), Some(gaps));
        assert_eq!(read::<GenerationRow>(&text), rows);
        assert_eq!(curves_csv(&[]).expect("written"), format!("{header}\n"));
    }

    #[test]
    fn the_header_is_what_the_fields_are_called() {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(full(1)).expect("written");
        let named = String::from_utf8(writer.into_inner().expect("bytes")).expect("text");
        assert_eq!(curves_csv(&[full(1)]).expect("written"), named);
    }

    #[test]
    fn fair_komis_as_csv_can_be_read_again() {
        let rows = [komi(1, 5, 2.5), komi(1, 7, 1e-300), komi(2, 5, 3.0)];
        let text = fair_komi_csv(&rows).expect("written");
        assert_eq!(text, "generation,size,fair_komi\n1,5,2.5\n1,7,1e-300\n2,5,3.0\n");
        assert_eq!(read::<FairKomiRow>(&text), rows);
    }

    #[test]
    fn scalars_run_by_generation_without_gaps_or_overflows() {
        let rows = [full(1), GenerationRow { held_out_loss: None, elo: Some(1e300), core_hours: f64::NAN, ..full(2) }];
        let found = scalars(&rows, &[komi(1, 5, 2.5)], &BTreeMap::from([(1, 1.7e9)]));
        let of = |step: i64| -> Vec<&Scalar> { found.iter().filter(|scalar| scalar.step == step).collect() };
        assert!(found.is_sorted_by_key(|scalar| scalar.step));
        assert_eq!((of(1).len(), of(2).len()), (21, 17));
        assert!(
            of(1).iter().all(|scalar| scalar.wall_time == 1.7e9) && of(2).iter().all(|scalar| scalar.wall_time == 0.0)
        );
        let value = |tag: &str| found.iter().find(|scalar| scalar.tag == tag).map(|scalar| scalar.value);
        assert_eq!(value("loss/held_out"), Some(3.75));
        assert_eq!(value("elo"), Some(120.0));
        assert_eq!(value("gate/promoted"), Some(1.0));
        assert_eq!(value("fair_komi/5x5"), Some(2.5));
    }

    #[test]
    fn ticks_are_round_and_whole_where_only_whole_numbers_mean_something() {
        assert_eq!(axis(1.0, 1.0, true).0, ["1"]);
        assert_eq!(axis(0.0, 3.0, true).0, ["0", "1", "2", "3"]);
        assert_eq!(axis(1.0, 1000.0, true).0, ["0", "200", "400", "600", "800", "1000"]);
        assert_eq!(axis(-0.1, 0.42, false).0, ["-0.1", "0", "0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(axis(0.0, 0.0, false).0, ["-0.4", "-0.2", "0", "0.2", "0.4"]);
        assert_eq!(axis(2.5, 2.5, false).0, ["2.4990", "2.4995", "2.5000", "2.5005", "2.5010"]);
        assert_eq!(axis(-1e300, 1e300, false).0, ["-1.0e300", "-5e299", "0", "5e299", "1.0e300"]);
        assert_eq!(axis(0.0, 1e-289, false).0, ["0", "2e-290", "4e-290", "6e-290", "8e-290", "1.0e-289"]);
        assert_eq!(axis(1.5e7, 1.52e7, false).0, ["1.500e7", "1.505e7", "1.510e7", "1.515e7", "1.520e7"]);
    }

    #[test]
    fn every_panel_without_numbers_says_so() {
        let panels_empty = |svg: String| svg.matches("no data yet").count();
        assert_eq!(panels_empty(picture(&[], &[])), 6);
        assert_eq!(panels_empty(picture(&[], &[komi(3, 5, 2.0)])), 5);
        assert_eq!(panels_empty(picture(&[row(0, f64::NAN, [None; 13])], &[komi(0, 5, f64::NAN)])), 6);
        assert_eq!(panels_empty(picture(&[full(1)], &[komi(1, 5, 2.0)])), 0);
    }

    #[test]
    fn the_picture_tells_what_it_shows() {
        let svg = picture(&[full(1), full(2)], &[komi(1, 5, 2.0), komi(1, 9, 7.0)]);
        for text in
            ["Yugo &lt;5×5&gt; &amp; &quot;more&quot;", "held out", "ownership", "core-hours since the start", "9×9"]
        {
            assert!(svg.contains(text), "{text}");
        }
        assert!(svg.contains("prefers-color-scheme: dark"));
        assert_eq!(svg.matches("<svg").count(), 1);
    }

    #[test]
    fn all_colours_have_a_dark_one() {
        let svg = picture(&[full(1), full(2)], &[]);
        for colour in ["fill", "stroke"].iter().flat_map(|attribute| values(&svg, attribute)).filter(|&c| c != "none") {
            assert!(svg.contains(&format!("[fill=\"{colour}\"]")), "{colour}");
        }
    }

    #[test]
    fn an_interval_needs_both_ends_and_a_middle() {
        let open = GenerationRow { elo_high: Some(f64::INFINITY), ..full(2) };
        let unknown = GenerationRow { elo: None, ..full(3) };
        let turned = GenerationRow { elo_low: Some(140.0), elo_high: Some(100.0), ..full(4) };
        let curve = Curve::elo(&[full(1), open, unknown, turned], |row| f64::from(row.generation));
        assert_eq!(curve.band, [(1.0, [100.0, 140.0]), (4.0, [100.0, 140.0])]);
        assert_eq!(curve.points, [(1.0, 120.0), (2.0, 120.0), (4.0, 120.0)]);
    }

    #[test]
    fn long_runs_and_many_boards_fit() {
        let rows: Vec<GenerationRow> = (1..=1000).map(full).collect();
        let boards: Vec<FairKomiRow> = (2..40).map(|size| komi(1000, size, 0.5 * size as f64)).collect();
        let svg = curves_svg(&"long ".repeat(100), &rows, &boards).expect("a picture");
        check_svg(&svg);
        assert_eq!(svg.matches('…').count(), 2);
    }

    /// Any numbers, infinite ones and NaN too.
    fn rows() -> impl Strategy<Value = Vec<GenerationRow>> {
        let numbers = prop::array::uniform13(prop::option::of(prop::num::f64::ANY));
        let row = (any::<u32>(), prop::num::f64::ANY, numbers)
            .prop_map(|(generation, hours, numbers)| row(generation, hours, numbers));
        prop::collection::vec(row, 0..12)
    }

    fn komis() -> impl Strategy<Value = Vec<FairKomiRow>> {
        let row = (any::<u32>(), any::<usize>(), prop::num::f64::ANY)
            .prop_map(|(generation, size, fair_komi)| komi(generation, size, fair_komi));
        prop::collection::vec(row, 0..12)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn no_numbers_break_the_picture(rows in rows(), komis in komis()) {
            picture(&rows, &komis);
            prop_assert!(scalars(&rows, &komis, &BTreeMap::new()).iter().all(|scalar| scalar.value.is_finite()));
            prop_assert_eq!(curves_csv(&rows).expect("written").lines().count(), rows.len() + 1);
        }

        #[test]
        fn numbers_close_together_do_not_break_the_picture(
            base in prop::num::f64::NORMAL,
            offsets in prop::collection::vec(-3..3i32, 1..6),
        ) {
            let near = |offset: &i32| base * (1.0 + f64::from(*offset) * f64::EPSILON);
            let rows: Vec<_> = offsets.iter().map(|offset| row(7, near(offset), [Some(near(offset)); 13])).collect();
            picture(&rows, &[]);
        }
    }
}
