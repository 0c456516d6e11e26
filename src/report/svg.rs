//! Drawings as SVG, light or dark as the reader prefers.

use std::fmt::Write;

/// The colours; in a page they hold for all drawings in it.
const STYLE: &str = "<style>.drawing text { font: 14px sans-serif; fill: #24292f } .paper { fill: #fff } \
    .grid { stroke: #e4e7eb } .axis { stroke: #8c959f } .ink { stroke: #0072b2; fill: #0072b2 } \
    .band { fill: #0072b2; opacity: 0.16 } .first { fill: #0072b2 } .second { fill: #d55e00 } .blank { fill: #eef0f3 } \
    @media (prefers-color-scheme: dark) { .drawing text { fill: #e6edf3 } .paper { fill: #161b22 } \
    .grid { stroke: #303740 } .axis { stroke: #6e7681 } .ink { stroke: #4ea3e0; fill: #4ea3e0 } \
    .band { fill: #4ea3e0; opacity: 0.22 } .first { fill: #4ea3e0 } .second { fill: #e98a3c } .blank { fill: #252c35 } }</style>";

/// A place, in the drawing's own units from its upper left corner.
pub type At = (f64, f64);

/// Where a text stands to its place.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A drawing that is being made.
pub struct Drawing {
    size: At,
    body: String,
}

impl Drawing {
    /// An empty sheet. `title` is read out to those who do not see it.
    pub fn new(size: At, title: &str) -> Self {
        let mut drawing = Drawing { size, body: String::new() };
        let _ = write!(drawing.body, "<title>{}</title>", escaped(title));
        drawing.rectangle("paper", (0.0, 0.0), size);
        drawing
    }

    /// A filled rectangle from its upper left corner.
    pub fn rectangle(&mut self, class: &str, (x, y): At, (width, height): At) {
        let (width, height) = (width.max(0.0), height.max(0.0));
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        );
    }

    /// As [`Drawing::rectangle`], as opaque as `share` of 1 says.
    pub fn shade(&mut self, class: &str, (x, y): At, (width, height): At, share: f64) {
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             opacity=\"{:.2}\"/>",
            share.clamp(0.0, 1.0)
        );
    }

    /// A line of this width.
    pub fn line(&mut self, class: &str, width: f64, (x1, y1): At, (x2, y2): At) {
        let _ = writeln!(
            self.body,
            "<line class=\"{class}\" stroke-width=\"{width}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
    }

    /// A filled disc.
    pub fn disc(&mut self, class: &str, (x, y): At, radius: f64) {
        let _ = writeln!(self.body, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
    }

    /// A text on its base line.
    pub fn text(&mut self, anchor: Anchor, (x, y): At, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        let _ = writeln!(self.body, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
    }

    /// The drawing as a file, which is also a part of a page.
    pub fn finish(self) -> String {
        let ((width, height), body) = (self.size, self.body);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" role=\"img\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\">\n{STYLE}\n{body}</svg>\n"
        )
    }
}

/// A text as it may stand in a drawing.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A step of a scale that gives some three to seven of them over `range`.
pub fn step(range: f64) -> f64 {
    let rough = (range / 7.0).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power).find(|step| *step >= rough).unwrap_or(rough)
}

/// The marks of a scale from `low` to `high`.
pub fn ticks(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(move |mark| mark as f64 * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_have_few_steps() {
        for (range, expected) in [(4.0, 1.0), (40.0, 10.0), (90.0, 20.0), (700.0, 100.0), (2600.0, 500.0), (0.6, 0.1)] {
            assert!((step(range) - expected).abs() < 1e-9, "{range}");
        }
        assert_eq!(ticks(-25.0, 21.0, 10.0).collect::<Vec<_>>(), [-20.0, -10.0, 0.0, 10.0, 20.0]);
    }

    #[test]
    fn what_users_write_is_no_part_of_the_drawing() {
        let mut drawing = Drawing::new((10.0, 10.0), "<b>");
        drawing.text(Anchor::End, (1.0, 2.0), "a < \"b\" & c");
        let svg = drawing.finish();
        assert!(svg.contains("<title>&lt;b&gt;</title>") && svg.contains("a &lt; &quot;b&quot; &amp; c"), "{svg}");
    }
}
