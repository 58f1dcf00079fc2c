//! What accuracy a smaller gap costs: one point for each tolerance, on held-out rows.

use crate::measured::Measured;
use crate::mitigation::words::{self, Side, sides};
use crate::plot::Plot;
use crate::plot::rows::diamond;
use crate::sentence::{Figure, Sentence, fixed};
use crate::svg::{Anchor, Canvas, Scale, WIDTH, length};
use crate::table::Table;
use fairveil_core::mitigate::{CurvePoint, MitigationRecord};

/// Accuracy over the gap that is left. Nothing where no other tolerance was tried.
pub(super) fn trade(record: &MitigationRecord) -> Option<Plot> {
    if record.curve.is_empty() {
        return None;
    }
    Some(Plot {
        id: "trade-off".into(),
        title: Sentence::of("What other tolerances would give"),
        reading: Sentence::of(
            "Rules that were asked to leave at most another gap, on held-out rows: what each left, and how often it is right.",
        ),
        key: key(record),
        canvas: draw(record),
        table: table(record),
    })
}

fn key(record: &MitigationRecord) -> Sentence {
    let known = record.curve.iter().any(|point| point.true_gap.is_some());
    let truth = if known { " Diamonds: the true gap." } else { "" };
    Sentence::of(format!(
        "Beside each point stands its tolerance; further left is a smaller gap, further up is more often right. Bars: what chance \
         leaves open of a gap. Dashed: deciding alike for everyone, which has none.{truth} The upright scale does not start at 0."
    ))
}

fn gap(i: usize, point: &CurvePoint) -> Figure {
    figure_of(point, format!("/curve/{i}/gap"))
}

/// The gap of a point, which stands at a place of the record.
pub(super) fn figure_of(point: &CurvePoint, place: String) -> Figure {
    let ends = point.interval.as_ref().map(|interval| (interval.ends.low, interval.ends.high));
    Figure::new(point.gap, place).within(ends)
}

/// What tolerances give by one method.
pub(super) struct Curve<'a> {
    pub name: &'a str,
    pub points: &'a [CurvePoint],
}

/// One line for each method, its name at its end.
pub(super) fn draw_curves(record: &MitigationRecord, curves: &[Curve]) -> Canvas {
    let mut canvas = Canvas::new(BOTTOM + 40.0);
    let all = || curves.iter().flat_map(|curve| curve.points).filter_map(|p| Some((p.gap?, p.accuracy)));
    if all().next().is_none() {
        canvas.text("", Anchor::Start, (2.0, TOP), WIDTH, NOTHING);
        return canvas;
    }
    let constant = words::constant(record).value;
    let x = Scale::around(all().map(|(gap, _)| gap), (LEFT + 6.0, WIDTH - 14.0));
    let y = Scale::near(all().map(|(_, right)| right).chain(constant), (BOTTOM - 8.0, TOP + 8.0));
    axes(&mut canvas, record, &x, &y);
    if let Some(accuracy) = constant {
        canvas.line("tip", (LEFT, y.at(accuracy)), (WIDTH - 4.0, y.at(accuracy)));
    }
    let mut taken: Vec<Place> = Vec::new();
    for (i, curve) in curves.iter().enumerate() {
        let places: Vec<(f64, f64)> =
            curve.points.iter().filter_map(|p| Some((x.at(p.gap?), y.at(p.accuracy)))).collect();
        canvas.polyline("joined", &places);
        let (mark, size) = if i == 0 { ("dot-strong", 4.2) } else { ("point", 3.2) };
        places.iter().for_each(|place| canvas.circle(mark, *place, size));
        let around =
            |(x, y): &(f64, f64)| Place { left: x - 5.0, right: x + 5.0, top: y - 5.0, bottom: y + 5.0 };
        taken.extend(places.iter().map(around));
    }
    for curve in curves {
        let last = curve.points.iter().rev().find_map(|p| Some((p.gap?, p.accuracy)));
        let Some((gap, accuracy)) = last else { continue };
        let dot =
            Dot { gap, accuracy, interval: None, truth: None, name: curve.name.into(), what: What::After };
        name(&mut canvas, &mut taken, &[], (x.at(gap), y.at(accuracy)), &dot);
    }
    canvas
}

const NOTHING: &str = "No gap can be estimated, so there is nothing to draw.";

fn table(record: &MitigationRecord) -> Table {
    let truth = record.curve.iter().any(|point| point.true_gap.is_some());
    let interval = format!("{:.0} % interval", 100.0 * record.settings.confidence);
    let mut table = Table::with_head([
        "tolerance",
        "gap left",
        interval.as_str(),
        words::accuracy(record),
        "decided positive",
    ]);
    table.head.extend(truth.then(|| Sentence::of("true gap")));
    let [before, after] = sides(record);
    let none = || Figure::bare(None);
    let of_side = |side: Side| {
        let gap = side.gap();
        let mut cells = vec![
            Sentence::of(side.name),
            gap.as_ref().map_or_else(none, Measured::value).into(),
            gap.as_ref().map_or(Sentence::default(), |gap| gap.sampling()),
            side.accuracy().into(),
            side.positive().into(),
        ];
        cells.extend(truth.then(|| side.truth().unwrap_or_else(none).into()));
        cells
    };
    table.push(of_side(before));
    for (i, point) in record.curve.iter().enumerate() {
        let place = |name: &str| format!("/curve/{i}/{name}");
        let gap = gap(i, point);
        let ends = gap.ends;
        // As many digits as those of the rule itself: the rows are the same.
        let accuracy = Figure::new(Some(point.accuracy), place("accuracy")).within(after.accuracy().ends);
        let positive =
            Figure::new(Some(point.positive_rate), place("positive_rate")).within(after.positive().ends);
        let mut cells = vec![
            words::setting(point.tolerance, place("tolerance")).into(),
            gap.into(),
            Sentence::range(ends, ends, &place("interval")),
            accuracy.into(),
            positive.into(),
        ];
        cells.extend(truth.then(|| words::precise(point.true_gap, place("true_gap")).into()));
        table.push(cells);
    }
    table.push(of_side(after));
    let none = Sentence::default;
    let alike = Sentence::of("all get ").name(&record.constant.decision);
    let mut cells = vec![alike, none(), none(), words::constant(record).into(), none()];
    cells.extend(truth.then(none));
    table.push(cells);
    table.trimmed()
}

const LEFT: f64 = 48.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 270.0;

/// A rule on the canvas.
struct Dot {
    gap: f64,
    accuracy: f64,
    interval: Option<(f64, f64)>,
    truth: Option<f64>,
    name: String,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Before,
    After,
    /// A rule with another tolerance.
    Other,
}

fn dots(record: &MitigationRecord) -> Vec<Dot> {
    let [before, after] = sides(record);
    let of_side = |side: Side, what| {
        let found = side.gap()?;
        Some(Dot {
            gap: found.value?,
            accuracy: side.accuracy().value?,
            interval: found.ends(),
            truth: side.side.true_gap,
            name: side.name.into(),
            what,
        })
    };
    // The rule itself is one of the tolerances: it is drawn once.
    let drawn = after.gap().map(|_| record.settings.tolerance);
    let others = record.curve.iter().enumerate().filter(|(_, point)| Some(point.tolerance) != drawn);
    let of_point = |(i, point): (usize, &CurvePoint)| {
        let figure = gap(i, point);
        Some(Dot {
            gap: figure.value?,
            accuracy: point.accuracy,
            interval: figure.ends,
            truth: point.true_gap,
            name: words::setting(point.tolerance, "").shown(),
            what: What::Other,
        })
    };
    let sides = [of_side(after, What::After), of_side(before, What::Before)];
    sides.into_iter().flatten().chain(others.filter_map(of_point)).collect()
}

fn draw(record: &MitigationRecord) -> Canvas {
    let mut canvas = Canvas::new(BOTTOM + 40.0);
    let dots = dots(record);
    if dots.is_empty() {
        canvas.text("", Anchor::Start, (2.0, TOP), WIDTH, NOTHING);
        return canvas;
    }
    let constant = words::constant(record).value;
    let held = |dot: &Dot| {
        let (low, high) = dot.interval.unwrap_or((dot.gap, dot.gap));
        [dot.gap, low, high].into_iter().chain(dot.truth).collect::<Vec<_>>()
    };
    let x = Scale::around(dots.iter().flat_map(held), (LEFT + 6.0, WIDTH - 14.0));
    let y = Scale::near(dots.iter().map(|dot| dot.accuracy).chain(constant), (BOTTOM - 8.0, TOP + 8.0));
    axes(&mut canvas, record, &x, &y);
    let mut taken: Vec<Place> = Vec::new();
    if let Some(accuracy) = constant {
        let line = y.at(accuracy);
        canvas.line("tip", (LEFT, line), (WIDTH - 4.0, line));
        let name = Sentence::of("all get ").name(&record.constant.decision).plain();
        let room = length(&name).min(200.0);
        canvas.text("quiet", Anchor::End, (WIDTH - 6.0, line - 6.0), 200.0, &name);
        taken.push(Place {
            left: WIDTH - 6.0 - 1.12 * room,
            right: WIDTH - 6.0,
            top: line - 20.0,
            bottom: line,
        });
    }
    // In the order of the tolerances.
    let place = |point: &CurvePoint| Some((x.at(point.gap?), y.at(point.accuracy)));
    canvas.polyline("joined", &record.curve.iter().filter_map(place).collect::<Vec<_>>());
    // What matters most is painted last.
    for dot in dots.iter().rev() {
        one(&mut canvas, &x, &y, dot);
    }
    for dot in &dots {
        let (at, height) = (x.at(dot.gap), y.at(dot.accuracy));
        taken.push(Place { left: at - 6.0, right: at + 6.0, top: height - 6.0, bottom: height + 6.0 });
    }
    let bar = |dot: &Dot| {
        let (height, (low, high)) = (y.at(dot.accuracy), dot.interval?);
        Some(Place { left: x.at(low), right: x.at(high), top: height - 3.0, bottom: height + 3.0 })
    };
    let bars: Vec<Place> = dots.iter().filter_map(bar).collect();
    for dot in &dots {
        name(&mut canvas, &mut taken, &bars, (x.at(dot.gap), y.at(dot.accuracy)), dot);
    }
    canvas
}

fn axes(canvas: &mut Canvas, record: &MitigationRecord, x: &Scale, y: &Scale) {
    let (ticks, decimals) = y.ticks();
    for tick in ticks {
        canvas.line("grid", (LEFT, y.at(tick)), (WIDTH - 4.0, y.at(tick)));
        canvas.text(
            "small",
            Anchor::End,
            (LEFT - 6.0, y.at(tick) + 4.0),
            LEFT,
            &fixed(tick, decimals.max(2)),
        );
    }
    let (ticks, decimals) = x.ticks();
    for tick in ticks {
        let at = x.at(tick);
        canvas.line(if tick == 0.0 { "axis" } else { "grid" }, (at, TOP), (at, BOTTOM));
        let place = at.min(WIDTH - 16.0);
        canvas.text("small", Anchor::Middle, (place, BOTTOM + 14.0), 60.0, &fixed(tick, decimals));
    }
    let unit = "largest gap that is left (0 is none)";
    canvas.text("small", Anchor::Start, (LEFT, BOTTOM + 32.0), WIDTH - LEFT, unit);
    canvas.text("small", Anchor::Start, (2.0, TOP - 12.0), WIDTH, words::accuracy(record));
}

fn one(canvas: &mut Canvas, x: &Scale, y: &Scale, dot: &Dot) {
    let (at, height) = (x.at(dot.gap), y.at(dot.accuracy));
    let mark = |name: &str| if dot.what == What::After { format!("{name}-strong") } else { name.to_owned() };
    if let Some((low, high)) = dot.interval {
        canvas.line(&mark("reach"), (x.at(low), height), (x.at(high), height));
        for end in [low, high] {
            canvas.line(&mark("reach"), (x.at(end), height - 3.0), (x.at(end), height + 3.0));
        }
    }
    if let Some(truth) = dot.truth {
        diamond(canvas, "truth-mark", (x.at(truth), height));
    }
    if dot.what == What::Other {
        canvas.circle("point", (at, height), 3.2);
    } else {
        canvas.circle(&mark("dot"), (at, height), 4.6);
    }
}

/// A rectangle that is taken.
#[derive(Debug, Clone, Copy)]
struct Place {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Place {
    fn meets(&self, other: &Place) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

/// The name of a dot where nothing else is, or else where only bars are; a tolerance without room is left to the table.
fn name(canvas: &mut Canvas, taken: &mut Vec<Place>, bars: &[Place], (x, y): (f64, f64), dot: &Dot) {
    // Letters are larger on narrow screens.
    let (wide, high) = (1.12 * length(&dot.name), 14.0);
    let aside = wide / 2.0 + 9.0;
    let around = [(0.0, -10.0), (0.0, 20.0), (aside, -10.0), (-aside, -10.0), (aside, 20.0), (-aside, 20.0)];
    let places = around.map(|(right, down)| {
        let middle = (x + right).clamp(LEFT + wide / 2.0 + 2.0, WIDTH - 2.0 - wide / 2.0);
        let (left, right, base) = (middle - wide / 2.0, middle + wide / 2.0, y + down);
        (middle, base, Place { left, right, top: base - high, bottom: base + 3.0 })
    });
    let inside = |place: &Place| place.top > TOP - 8.0 && place.bottom < BOTTOM;
    let free = |place: &Place| inside(place) && taken.iter().all(|other| !place.meets(other));
    let clear = |place: &Place| free(place) && bars.iter().all(|bar| !place.meets(bar));
    let found =
        places.iter().find(|(.., place)| clear(place)).or(places.iter().find(|(.., place)| free(place)));
    if let Some((middle, base, place)) = found {
        let class = if dot.what != What::Other { "strong" } else { "small" };
        canvas.text(class, Anchor::Middle, (*middle, *base), wide + 20.0, &dot.name);
        taken.push(*place);
    }
}
