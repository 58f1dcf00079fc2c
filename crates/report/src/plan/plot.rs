//! The half-width over rows, with and without labels.

use crate::plot::rows::upright_axis;
use crate::sentence::thousands;
use crate::svg::{Anchor, Canvas, Scale, WIDTH, length};
use fairveil_core::plan::{Plan, PlanPoint};

const LEFT: f64 = 44.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 230.0;

/// The plan's curve as an SVG file.
pub(super) fn svg(plan: &Plan) -> String {
    let title = "How exact a gap becomes with more rows";
    let needed = match plan.rows_without_labels {
        Some(rows) => format!("reached with about {} rows and no label", thousands(rows as f64)),
        None => "not reached by rows alone".into(),
    };
    let description = format!(
        "Half-width of the {:.0} % interval over rows, without labels and with 200 labels; the wanted ± {} is {needed}.",
        100.0 * plan.confidence,
        plan.half_width
    );
    draw(plan).file("plan", title, &description)
}

fn draw(plan: &Plan) -> Canvas {
    let mut canvas = Canvas::new(BOTTOM + 44.0);
    let rows = || plan.curve.iter().map(|point| (point.rows.max(1) as f64).log10());
    let (low, high) = (rows().fold(f64::INFINITY, f64::min), rows().fold(0.0, f64::max));
    if low >= high {
        canvas.text("", Anchor::Start, (2.0, TOP), WIDTH, "There is no curve to draw.");
        return canvas;
    }
    let x = Scale { domain: (low, high), range: (LEFT, WIDTH - 14.0) };
    let widths = plan.curve.iter().flat_map(|p| [p.half_width, p.half_width_with_200_labels]).flatten();
    let y = Scale::around(widths.chain([plan.half_width]), (BOTTOM, TOP));
    axes(&mut canvas, &x, &y, plan);
    let wanted = y.at(plan.half_width);
    canvas.line("tip", (LEFT, wanted), (WIDTH - 4.0, wanted));
    let text = format!("wanted: ± {}", plan.half_width);
    canvas.text("strong", Anchor::End, (WIDTH - 4.0, wanted - 6.0), 150.0, &text);
    let line = |width: fn(&PlanPoint) -> Option<f64>| -> Vec<(f64, f64)> {
        let at = |p: &PlanPoint| Some((x.at((p.rows.max(1) as f64).log10()), y.at(width(p)?)));
        plan.curve.iter().filter_map(at).collect()
    };
    let (alone, beside) = (line(|p| p.half_width), line(|p| p.half_width_with_200_labels));
    for (points, curve, point) in [(&beside, "other-curve", "other-point"), (&alone, "curve", "point")] {
        canvas.polyline(curve, points);
        points.iter().for_each(|place| canvas.circle(point, *place, 3.0));
    }
    // Named where they are furthest apart: few rows, where labels help most.
    if let Some((at, height)) = alone.get(1).or(alone.first()) {
        canvas.text("strong", Anchor::Start, (at + 8.0, height - 6.0), 160.0, "no labels");
    }
    if let Some((at, height)) = beside.first() {
        // Between the curves where they leave room, else under the lower one.
        let room = alone.get(1).is_none_or(|(_, upper)| height - upper > 18.0);
        let under = beside.get(2).map_or(*height, |(_, third)| third.max(*height)) + 17.0;
        let baseline = if room { height - 7.0 } else { under };
        canvas.text("quiet", Anchor::Start, (at + 6.0, baseline), 160.0, "200 labels");
    }
    if let Some(needed) = plan.rows_without_labels.map(|rows| (rows.max(1) as f64).log10())
        && x.holds(needed)
    {
        let at = x.at(needed);
        canvas.line("tip", (at, wanted), (at, BOTTOM));
        let text = format!("{} rows", thousands(10f64.powf(needed).round()));
        let (anchor, at) = if at > WIDTH * 0.7 { (Anchor::End, at - 5.0) } else { (Anchor::Start, at + 5.0) };
        canvas.text("strong", anchor, (at, BOTTOM - 8.0), 150.0, &text);
    }
    canvas
}

fn axes(canvas: &mut Canvas, x: &Scale, y: &Scale, plan: &Plan) {
    upright_axis(canvas, y, LEFT, WIDTH - 4.0);
    // Powers of ten first; between them what has room.
    let powers = || (x.domain.0.floor() as i32)..=(x.domain.1.ceil() as i32);
    let round = [1.0, 2.0, 5.0].into_iter().flat_map(|lead| powers().map(move |p| lead * 10f64.powi(p)));
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for rows in round.filter(|rows| *rows >= 1.0 && x.holds(rows.log10())) {
        let (text, at) = (thousands(rows), x.at(rows.log10()));
        let half = length(&text) / 2.0;
        let at = at.min(WIDTH - half - 2.0);
        if taken.iter().all(|(other, wide)| (at - other).abs() > half + wide + 10.0) {
            taken.push((at, half));
            canvas.line("axis", (x.at(rows.log10()), BOTTOM), (x.at(rows.log10()), BOTTOM + 4.0));
            canvas.text("small", Anchor::Middle, (at, BOTTOM + 17.0), 100.0, &text);
        }
    }
    canvas.text("small", Anchor::Start, (LEFT, BOTTOM + 35.0), WIDTH - LEFT, "rows (logarithmic scale)");
    let unit = format!("half-width of the {:.0} % interval", 100.0 * plan.confidence);
    canvas.text("small", Anchor::Start, (2.0, TOP - 10.0), WIDTH, &unit);
}
