//! The mean gap over the share of the proxies' agreement that is shared error, and where it tips.

use crate::audit::words;
use crate::plot::rows::upright_axis;
use crate::plot::{Plot, id};
use crate::sentence::{Figure, Sentence, Unit, capital, fixed};
use crate::svg::{Anchor, Canvas, Scale, WIDTH};
use crate::table::Table;
use fairveil_core::Audit;
use fairveil_core::record::SharedErrorRecord;

pub(crate) fn curves(audit: &Audit) -> Vec<Plot> {
    audit.shared_error.iter().enumerate().map(|(i, record)| curve(audit, i, record)).collect()
}

fn curve(audit: &Audit, i: usize, record: &SharedErrorRecord) -> Plot {
    let mut table = Table::with_head(["shared error", "copying", "mean gap"]);
    for (j, point) in record.curve.iter().enumerate() {
        let path = format!("/shared_error/{i}/curve/{j}");
        table.push(vec![
            Figure::new(Some(point.shared_error), format!("{path}/shared_error")).unit(Unit::Percent).into(),
            Figure::new(Some(point.copying), format!("{path}/copying")).into(),
            Figure::new(point.value, format!("{path}/value")).into(),
        ]);
    }
    Plot {
        id: format!("shared-error-{}", id(record.criterion)),
        title: Sentence::of(capital(record.criterion.words()) + ": the gap if the proxies share mistakes"),
        reading: words::what_if(audit, &format!("/shared_error/{i}"), record).capital(),
        key: Sentence::default(),
        canvas: draw(audit, record),
        table: table.even(),
    }
}

const LEFT: f64 = 40.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 220.0;

fn draw(audit: &Audit, record: &SharedErrorRecord) -> Canvas {
    let mut canvas = Canvas::new(BOTTOM + 42.0);
    let known: Vec<(f64, f64)> =
        record.curve.iter().filter_map(|point| Some((point.shared_error, point.value?))).collect();
    let start = known.first().map_or(0.0, |(_, value)| *value);
    let doubled = record.doubles_at.map(|_| 2.0 * start);
    let x = Scale { domain: (0.0, 1.0), range: (LEFT, WIDTH - 12.0) };
    let y = Scale::around(known.iter().map(|(_, value)| *value).chain(doubled), (BOTTOM, TOP));
    let end = known.last().map_or(0.0, |(r, _)| *r);
    axes(&mut canvas, &x, &y);
    if end < 0.9 {
        let (left, right) = (x.at(end), x.at(1.0));
        canvas.rect("void", (left, TOP), (right - left, BOTTOM - TOP));
        // A narrow band has no room for words; the sentence above the plot says it too.
        if right - left > 90.0 {
            canvas.text("small", Anchor::End, (right - 4.0, BOTTOM - 8.0), right - left, "not possible");
        }
    }
    if let (Some(r), Some(gap)) = (record.doubles_at, doubled) {
        canvas.polyline("tip", &[(LEFT, y.at(gap)), (x.at(r), y.at(gap)), (x.at(r), BOTTOM)]);
        let place = (LEFT + 6.0, y.at(gap) - 5.0);
        let note = format!("twice the gap at {} %", fixed(100.0 * r, 0));
        canvas.text("strong", Anchor::Start, place, WIDTH - LEFT, &note);
    }
    let asked = audit.settings.shared_error;
    if asked > 0.0 {
        canvas.line("tip", (x.at(asked), TOP), (x.at(asked), BOTTOM));
        let note = format!("allowed: {} %", fixed(100.0 * asked, 0));
        canvas.text("small", Anchor::Middle, (x.at(asked), TOP - 6.0), 120.0, &note);
    }
    let points: Vec<(f64, f64)> = known.iter().map(|(r, value)| (x.at(*r), y.at(*value))).collect();
    canvas.polyline("curve", &points);
    points.iter().for_each(|point| canvas.circle("point", *point, 3.0));
    if let (Some(first), Some((_, value))) = (points.first(), known.first()) {
        let text = fixed(*value, 2);
        canvas.text("strong", Anchor::Start, (first.0 + 5.0, first.1 + 18.0), 60.0, &text);
    }
    if let (Some(last), Some((r, value)), true) = (points.last(), known.last(), points.len() > 1) {
        // Beside the end where there is room, else above it.
        let (anchor, place) = if *r < 0.85 {
            (Anchor::Start, (last.0 + 8.0, last.1 + 4.0))
        } else {
            (Anchor::End, (last.0 - 4.0, last.1 - 8.0))
        };
        canvas.text("strong", anchor, place, 60.0, &fixed(*value, 2));
    }
    canvas
}

fn axes(canvas: &mut Canvas, x: &Scale, y: &Scale) {
    upright_axis(canvas, y, LEFT, WIDTH - 12.0);
    for percent in [0, 20, 40, 60, 80, 100] {
        let at = x.at(f64::from(percent) / 100.0);
        let (anchor, at) = if percent == 100 { (Anchor::End, WIDTH - 2.0) } else { (Anchor::Middle, at) };
        canvas.text("small", anchor, (at, BOTTOM + 15.0), 50.0, &format!("{percent} %"));
    }
    let unit = "share of the proxies' agreement that is shared error";
    canvas.text("small", Anchor::Start, (LEFT, BOTTOM + 33.0), WIDTH - LEFT, unit);
    canvas.text("small", Anchor::Start, (2.0, TOP - 9.0), 120.0, "mean gap");
}
