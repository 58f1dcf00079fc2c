//! The report of what an epsilon costs.

mod page;

use crate::About;
use crate::plot::Plot;
use crate::plot::rows::upright_axis;
use crate::report::json;
use crate::sentence::{Figure, Sentence, thousands};
use crate::svg::{Anchor, Canvas, Scale, WIDTH, length};
use crate::table::Table;
use fairveil_core::privacy::{PrivacyCurve, PrivacyPoint};

/// How much precision an epsilon costs, so that someone can choose.
#[derive(Debug, Clone, Copy)]
pub struct PrivacyReport<'a> {
    /// The half-width of a gap's interval over epsilon.
    pub curve: &'a PrivacyCurve,
    /// Where it comes from.
    pub about: About<'a>,
}

impl PrivacyReport<'_> {
    /// The contract that the JSON keeps.
    pub const SCHEMA: &'static str = "fairveil.privacy/1";

    /// For machines, ending in a newline.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        json(Self::SCHEMA, self.about.version, self.curve)
    }

    /// One page that needs nothing else.
    pub fn html(&self) -> String {
        page::html(self.curve, &self.about)
    }

    /// The curve as a file.
    pub fn svg(&self) -> String {
        plot(self.curve).file().svg
    }
}

/// The point at which the half-width is below the gap itself, so that the gap can be told from none.
fn least_telling(curve: &PrivacyCurve) -> Option<(usize, &PrivacyPoint)> {
    let tells =
        |point: &PrivacyPoint| !point.direction_only && point.half_width.is_some_and(|half| half < curve.gap);
    curve.points.iter().enumerate().find(|(_, point)| tells(point))
}

/// The curve in a sentence or two.
pub(crate) fn answer(curve: &PrivacyCurve) -> Sentence {
    let number = |value: f64, path: &str| Figure::new(Some(value), path.to_owned());
    if curve.gap == 0.0 {
        return Sentence::of("In the clear, the gap in demographic parity would be known to about ± ")
            .number(precise(Some(curve.in_the_clear), "/in_the_clear".into()))
            .text(". With each epsilon it would be known to what the table says.");
    }
    let sentence = Sentence::of("In the clear, the gap of ")
        .number(precise(Some(curve.gap), "/gap".into()))
        .text(" in demographic parity would be known to about ± ")
        .number(precise(Some(curve.in_the_clear), "/in_the_clear".into()))
        .text(". ");
    match least_telling(curve) {
        Some((i, point)) => sentence
            .text("It can still be told from none with an epsilon of ")
            .number(number(point.epsilon, &format!("/points/{i}/epsilon")))
            .text(" for each proxy (± ")
            .number(precise(point.half_width, format!("/points/{i}/half_width")))
            .text("), the smallest of these values that does."),
        None => sentence.text("At none of these values of epsilon can it be told from none."),
    }
}

pub(crate) fn plot(curve: &PrivacyCurve) -> Plot {
    let mut table =
        Table::with_head(["epsilon, each", "epsilon, all", "flip", "half-width", "against the clear"]);
    for (i, point) in curve.points.iter().enumerate() {
        let figure = |value: f64, field: &str| Figure::new(Some(value), format!("/points/{i}/{field}"));
        let times = match point.half_width {
            Some(_) if point.direction_only => "direction only".to_string(),
            Some(half) => format!("× {:.1}", half / curve.in_the_clear),
            None => "–".to_string(),
        };
        table.push(vec![
            figure(point.epsilon, "epsilon").into(),
            figure(point.epsilon_per_row, "epsilon_per_row").into(),
            precise(Some(point.flip), format!("/points/{i}/flip")).into(),
            precise(point.half_width, format!("/points/{i}/half_width")).into(),
            Sentence::of(times),
        ]);
    }
    Plot {
        id: "privacy".into(),
        title: Sentence::of("What an epsilon costs"),
        reading: Sentence::of(format!(
            "Half-width of the {:.0} % interval of the gap, planned for these {} rows and {} proxies, all randomised.",
            100.0 * curve.confidence,
            thousands(curve.rows as f64),
            curve.proxies.len()
        )),
        key: Sentence::of(if curve.gap == 0.0 {
            "Dashed: the half-width in the clear. Grey points: an audit would give a direction and no size."
        } else {
            "Dashed: the half-width in the clear, and the gap itself. Grey points: an audit would give a direction and no size."
        }),
        canvas: draw(curve),
        table,
    }
}

/// A planned number, good for two digits or so.
fn precise(value: Option<f64>, path: String) -> Figure {
    Figure::new(value, path).within(value.map(|value| (0.95 * value, 1.05 * value)))
}

const LEFT: f64 = 48.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 230.0;

fn draw(curve: &PrivacyCurve) -> Canvas {
    let mut canvas = Canvas::new(BOTTOM + 44.0);
    let known: Vec<(f64, f64)> =
        curve.points.iter().filter_map(|point| Some((point.epsilon.ln(), point.half_width?))).collect();
    let ends = (known.first().map(|p| p.0), known.last().map(|p| p.0));
    let (Some(first), Some(last)) = ends else {
        canvas.text("", Anchor::Start, (2.0, TOP), WIDTH, "There is no curve to draw.");
        return canvas;
    };
    // Past a half-width of one nothing is known: what lies above is not drawn.
    let most = known.iter().map(|p| p.1).filter(|half| *half <= 1.0).fold(curve.gap, f64::max);
    let x = Scale { domain: (first - 0.05, last + 0.05), range: (LEFT, WIDTH - 14.0) };
    let y = Scale::around([0.0, most, curve.in_the_clear], (BOTTOM, TOP));
    upright_axis(&mut canvas, &y, LEFT, WIDTH - 4.0);
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for point in &curve.points {
        let at = x.at(point.epsilon.ln());
        let text = format!("{}", point.epsilon);
        let half = length(&text) / 2.0;
        if x.holds(point.epsilon.ln())
            && taken.iter().all(|(other, wide)| (at - other).abs() > half + wide + 8.0)
        {
            taken.push((at, half));
            canvas.line("axis", (at, BOTTOM), (at, BOTTOM + 4.0));
            canvas.text("small", Anchor::Middle, (at, BOTTOM + 17.0), 60.0, &text);
        }
    }
    let axis = "epsilon of each guess, more privacy to the left (log scale)";
    canvas.text("small", Anchor::Start, (LEFT, BOTTOM + 35.0), WIDTH - LEFT, axis);
    let unit = format!("half-width of the {:.0} % interval", 100.0 * curve.confidence);
    canvas.text("small", Anchor::Start, (2.0, TOP - 10.0), WIDTH, &unit);
    // Where both are near each other their names stand on either side.
    let gap = Some(curve.gap).filter(|gap| *gap != 0.0);
    let dashed = [
        (Some(curve.in_the_clear), "in the clear", Anchor::End, WIDTH - 4.0),
        (gap, "the gap itself", Anchor::Start, LEFT + 4.0),
    ];
    for (value, name, anchor, at) in dashed {
        if let Some(value) = value.filter(|value| y.holds(*value)) {
            canvas.line("tip", (LEFT, y.at(value)), (WIDTH - 4.0, y.at(value)));
            canvas.text("strong", anchor, (at, y.at(value) - 6.0), 150.0, name);
        }
    }
    let places: Vec<(f64, f64)> =
        known.iter().filter(|(_, half)| *half <= most).map(|(e, half)| (x.at(*e), y.at(*half))).collect();
    canvas.polyline("curve", &places);
    for point in &curve.points {
        if let Some(half) = point.half_width.filter(|half| *half <= most) {
            let class = if point.direction_only { "other-point" } else { "point" };
            canvas.circle(class, (x.at(point.epsilon.ln()), y.at(half)), 3.0);
        }
    }
    canvas
}
