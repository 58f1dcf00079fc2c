//! Estimates one under the other on a common scale: a dot, a thick bar for chance, a thin line for shared error. Names
//! stand above their bars, so that a long one costs no width.

use crate::measured::Measured;
use crate::sentence::{Figure, fixed};
use crate::svg::{Anchor, Canvas, Scale, WIDTH, length};

/// An estimate, what chance leaves open of it, and its wider interval, which may leave the scale.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Estimate {
    pub value: Option<f64>,
    pub interval: Option<(f64, f64)>,
    pub reach: Option<(f64, f64)>,
    /// What is known for certain, drawn beside it.
    pub truth: Option<f64>,
}

impl Estimate {
    pub fn of(result: &Measured) -> Self {
        Estimate { reach: result.reach(), ..Estimate::shown(&result.value()) }
    }

    pub fn shown(figure: &Figure) -> Self {
        Estimate { value: figure.value, interval: figure.ends, ..Estimate::default() }
    }

    /// What a scale must hold; the reach may leave it, with an arrow, but where it is asked for.
    pub fn held(&self, reach: bool) -> Vec<f64> {
        let reach = self.reach.filter(|_| reach);
        let ends = [self.interval, reach].into_iter().flatten().flat_map(|(low, high)| [low, high]);
        self.value.into_iter().chain(self.truth).chain(ends).collect()
    }
}

/// How an estimate is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// One of many.
    Quiet,
    /// What is to be reported.
    Strong,
    /// The same of a group that is worse off.
    Worse,
}

impl Tone {
    pub fn of(strong: bool) -> Self {
        if strong { Tone::Strong } else { Tone::Quiet }
    }

    fn class(self, name: &str) -> String {
        match self {
            Tone::Quiet => name.to_owned(),
            Tone::Strong => format!("{name}-strong"),
            Tone::Worse => format!("{name}-worse"),
        }
    }
}

/// One estimate among others.
pub(crate) struct IntervalRow {
    pub label: String,
    /// The number in words, at the right.
    pub note: String,
    pub estimate: Estimate,
    /// How it is drawn.
    pub tone: Tone,
    /// One among others that stands out.
    pub bold: bool,
    /// Other numbers about the same, named beside their marks.
    pub marks: Vec<Mark>,
}

/// A number beside the estimate.
pub(crate) struct Mark {
    pub value: f64,
    pub name: &'static str,
    /// Drawn as what is known for certain.
    pub truth: bool,
}

/// A line across all rows, and its name.
pub(crate) struct Reference {
    pub value: f64,
    pub label: String,
}

/// More rows than this make a plot longer than a sheet of paper; the table has them all.
pub(crate) const MOST: usize = 20;
const ROW: f64 = 42.0;
/// What names of marks take below the bars.
const NAMES: f64 = 18.0;
const MARGIN: f64 = 10.0;

pub(crate) fn draw(rows: &[IntervalRow], unit: &str, truth: Option<&Reference>) -> Canvas {
    draw_panels(&[Panel { title: "", rows, unit, truth, most: MOST }])
}

/// Estimates on a scale of their own, one part of a plot.
pub(crate) struct Panel<'a> {
    pub title: &'a str,
    pub rows: &'a [IntervalRow],
    pub unit: &'a str,
    pub truth: Option<&'a Reference>,
    /// More than this are left to the table.
    pub most: usize,
}

impl Panel<'_> {
    fn shown(&self) -> &[IntervalRow] {
        &self.rows[..self.rows.len().min(self.most)]
    }

    fn row(&self) -> f64 {
        if self.shown().iter().any(|row| !row.marks.is_empty()) { ROW + NAMES } else { ROW }
    }

    /// What stands above the rows.
    fn head(&self) -> f64 {
        let title = if self.title.is_empty() { 0.0 } else { 24.0 };
        title + if self.truth.is_some() { 22.0 } else { 4.0 }
    }

    fn height(&self) -> f64 {
        let rest = if self.rows.len() > self.most { 58.0 } else { 40.0 };
        self.head() + self.row() * self.shown().len() as f64 + 4.0 + rest
    }

    fn draw(&self, canvas: &mut Canvas, start: f64) {
        let (shown, height, top) = (self.shown(), self.row(), start + self.head());
        let bottom = top + height * shown.len() as f64 + 4.0;
        let scale = scale(shown, self.truth);
        if !self.title.is_empty() {
            canvas.text("strong", Anchor::Start, (MARGIN + 2.0, start + 15.0), WIDTH - MARGIN, self.title);
        }
        // Lines of the scale beside the bars only: nothing is printed over them.
        let mut spans: Vec<(f64, f64)> =
            (0..shown.len()).map(|i| top + height * i as f64).map(|row| (row + 19.0, row + 33.0)).collect();
        if let Some(last) = spans.last_mut() {
            last.1 = bottom;
        }
        axis(canvas, &scale, &spans, self.unit);
        if let Some(truth) = self.truth {
            let x = scale.at(truth.value);
            spans.iter().for_each(|(from, to)| canvas.line("truth-line", (x, *from), (x, *to)));
            let (anchor, x) = if x > WIDTH * 0.6 { (Anchor::End, x + 4.0) } else { (Anchor::Start, x - 4.0) };
            canvas.text("truth-text", anchor, (x, top - 9.0), WIDTH * 0.55, &truth.label);
        }
        for (i, row) in shown.iter().enumerate() {
            one(canvas, &scale, top + height * i as f64, row);
        }
        let rest = self.rows.len() - shown.len();
        if rest > 0 {
            let note = format!("{rest} more in the table");
            canvas.text("small", Anchor::Start, (MARGIN, bottom + 52.0), WIDTH, &note);
        }
    }
}

/// Parts of a plot one under the other.
pub(crate) fn draw_panels(panels: &[Panel]) -> Canvas {
    let mut canvas = Canvas::new(panels.iter().map(Panel::height).sum());
    let mut top = 0.0;
    for panel in panels {
        panel.draw(&mut canvas, top);
        top += panel.height();
    }
    canvas
}

/// Holds every value and sampling interval, and all of the row to report. The reach of others may leave it, with an
/// arrow: one boundless interval must not flatten all the rest.
fn scale(rows: &[IntervalRow], truth: Option<&Reference>) -> Scale {
    let of_row = |row: &IntervalRow| {
        let marks = row.marks.iter().map(|mark| mark.value);
        row.estimate.held(row.tone != Tone::Quiet).into_iter().chain(marks).collect::<Vec<_>>()
    };
    let values = rows.iter().flat_map(of_row).chain(truth.map(|truth| truth.value));
    Scale::around(values, (MARGIN, WIDTH - MARGIN))
}

/// Round numbers along the scale, with lines from each top to each bottom and their names under the last.
pub(crate) fn axis(canvas: &mut Canvas, scale: &Scale, spans: &[(f64, f64)], unit: &str) {
    let bottom = spans.last().map_or(0.0, |(_, bottom)| *bottom);
    let (ticks, decimals) = scale.ticks();
    for tick in ticks {
        let x = scale.at(tick);
        let class = if tick == 0.0 { "axis" } else { "grid" };
        spans.iter().for_each(|(top, bottom)| canvas.line(class, (x, *top), (x, *bottom)));
        let anchor = match x {
            x if x < 20.0 => Anchor::Start,
            x if x > WIDTH - 20.0 => Anchor::End,
            _ => Anchor::Middle,
        };
        let x = x.clamp(2.0, WIDTH - 2.0);
        canvas.text("small", anchor, (x, bottom + 14.0), 60.0, &fixed(tick, decimals));
    }
    canvas.text("small", Anchor::Start, (2.0, bottom + 31.0), WIDTH - 4.0, unit);
}

/// Round numbers along an upright scale, with lines from `left` to `right` and their names before them.
pub(crate) fn upright_axis(canvas: &mut Canvas, scale: &Scale, left: f64, right: f64) {
    let (ticks, decimals) = scale.ticks();
    for tick in ticks {
        let (class, y) = (if tick == 0.0 { "axis" } else { "grid" }, scale.at(tick));
        canvas.line(class, (left, y), (right, y));
        canvas.text("small", Anchor::End, (left - 6.0, y + 4.0), left, &fixed(tick, decimals));
    }
}

/// How much more room a bold text takes.
const BOLD: f64 = 1.12;

fn one(canvas: &mut Canvas, scale: &Scale, top: f64, row: &IntervalRow) {
    let (words, numbers) = if row.bold { ("strong", "strong") } else { ("", "quiet") };
    // Names have what the numbers leave; bold letters take more.
    let wide = if row.bold { BOLD } else { 1.0 };
    let room = (WIDTH - 2.0 * MARGIN - (wide * length(&row.note)).min(170.0) - 8.0) / wide;
    canvas.text(words, Anchor::Start, (MARGIN + 2.0, top + 14.0), room, &row.label);
    canvas.text(numbers, Anchor::End, (WIDTH - MARGIN, top + 14.0), 170.0, &row.note);
    let y = top + 26.0;
    bar(canvas, scale, y, &row.estimate, row.tone);
    marks(canvas, scale, y, &row.marks);
}

/// One estimate on its line.
pub(crate) fn bar(canvas: &mut Canvas, scale: &Scale, y: f64, estimate: &Estimate, tone: Tone) {
    let mark = |name: &str| tone.class(name);
    if let Some((low, high)) = estimate.reach {
        let (left, right) = (scale.at(low.max(scale.domain.0)), scale.at(high.min(scale.domain.1)));
        canvas.line(&mark("reach"), (left, y), (right, y));
        for (end, x, outwards) in [(low, left, -1.0), (high, right, 1.0)] {
            if scale.holds(end) {
                canvas.line(&mark("reach"), (x, y - 4.0), (x, y + 4.0));
            } else {
                let barb = |side: f64| (x - 5.0 * outwards, y + side);
                canvas.polyline(&mark("reach"), &[barb(-4.0), (x, y), barb(4.0)]);
            }
        }
    }
    if let Some((low, high)) = estimate.interval {
        canvas.rect(&mark("bar"), (scale.at(low), y - 3.0), (scale.at(high) - scale.at(low), 6.0));
    }
    if let Some(value) = estimate.value {
        canvas.circle(&mark("dot"), (scale.at(value), y), 3.8);
    }
    if let Some(truth) = estimate.truth {
        diamond(canvas, "truth-mark", (scale.at(truth), y));
    }
}

pub(crate) fn diamond(canvas: &mut Canvas, class: &str, (x, y): (f64, f64)) {
    let corners = [(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0), (0.0, -5.0)];
    canvas.polyline(class, &corners.map(|(right, down)| (x + right, y + down)));
}

/// Diamonds on the line of a row, their names under them and away from each other.
fn marks(canvas: &mut Canvas, scale: &Scale, y: f64, marks: &[Mark]) {
    let mut order: Vec<&Mark> = marks.iter().collect();
    order.sort_by(|a, b| a.value.total_cmp(&b.value));
    // Where the name before ends.
    let mut end = 0.0f64;
    for mark in order {
        let x = scale.at(mark.value);
        let (shape, words) = if mark.truth { ("truth-mark", "small truth-text") } else { ("dot", "small") };
        diamond(canvas, shape, (x, y));
        let near = marks.iter().filter(|other| !std::ptr::eq(*other, mark));
        let nearest = near.map(|other| scale.at(other.value)).find(|other| (x - other).abs() < 90.0);
        let (anchor, at) = match nearest {
            Some(other) if other < x || (other == x && mark.truth) => (Anchor::Start, x - 4.0),
            Some(_) => (Anchor::End, x + 4.0),
            None => (Anchor::Middle, x),
        };
        let room = length(mark.name);
        let at = match anchor {
            Anchor::Start => at.max(end + 8.0).min(WIDTH - 2.0 - room),
            Anchor::Middle => at.clamp(room / 2.0 + 2.0, WIDTH - room / 2.0 - 2.0),
            Anchor::End => at.max(room + 2.0),
        };
        end = match anchor {
            Anchor::Start => at + room,
            Anchor::Middle => at + room / 2.0,
            Anchor::End => at,
        };
        canvas.text(words, anchor, (at, y + 18.0), 120.0, mark.name);
    }
}
