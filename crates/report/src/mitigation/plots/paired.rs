//! Pairs of estimates on a common scale: before above, after below it, each with its intervals.

use crate::plot::rows::{Estimate, Tone, axis, bar};
use crate::svg::{Anchor, Canvas, Scale, WIDTH};

/// One number before and after.
pub(super) struct Pair {
    pub label: String,
    /// Both numbers in words, at the right.
    pub note: String,
    pub before: Estimate,
    pub after: Estimate,
    /// The same if everyone were decided alike.
    pub alike: Option<f64>,
    pub bold: bool,
}

/// More pairs than this make a plot longer than a sheet of paper; the table has them all.
pub(super) const MOST: usize = 14;
/// Where the scale begins and ends: names of lines stand at its left.
pub(super) const RANGE: (f64, f64) = (58.0, WIDTH - 12.0);
const ROW: f64 = 62.0;
/// What the name of a pair takes above its lines.
const NAME: f64 = 21.0;
/// From one line to the next.
const LINE: f64 = 18.0;

/// All numbers that a scale for the pairs must hold.
pub(super) fn held(pairs: &[Pair]) -> Vec<f64> {
    let of = |pair: &Pair| {
        [pair.before.held(pair.bold), pair.after.held(pair.bold), Vec::from_iter(pair.alike)].concat()
    };
    pairs.iter().take(MOST).flat_map(of).collect()
}

pub(super) fn draw(pairs: &[Pair], unit: &str, scale: &Scale) -> Canvas {
    let shown = &pairs[..pairs.len().min(MOST)];
    let height = if shown.iter().any(|pair| pair.alike.is_some()) { ROW + LINE } else { ROW };
    let top = |i: usize| 2.0 + height * i as f64;
    // Names stand between the lines of the scale, not on them.
    let spans: Vec<(f64, f64)> = (0..shown.len()).map(|i| (top(i) + NAME, top(i) + height - 2.0)).collect();
    let bottom = spans.last().map_or(0.0, |(_, bottom)| *bottom);
    let rest = pairs.len() - shown.len();
    let mut canvas = Canvas::new(bottom + if rest > 0 { 58.0 } else { 40.0 });
    axis(&mut canvas, scale, &spans, unit);
    for (i, pair) in shown.iter().enumerate() {
        let (words, numbers) = if pair.bold { ("strong", "strong") } else { ("", "quiet") };
        canvas.text(words, Anchor::Start, (4.0, top(i) + 15.0), 300.0, &pair.label);
        canvas.text(numbers, Anchor::End, (WIDTH - 12.0, top(i) + 15.0), 130.0, &pair.note);
        let alike = pair.alike.map(|value| Estimate { value: Some(value), ..Estimate::default() });
        let lines = [
            ("before", Some(pair.before), false),
            ("after", Some(pair.after), true),
            ("alike", alike, false),
        ];
        let mut y = top(i) + NAME + 9.0;
        for (name, estimate, strong) in lines {
            let Some(estimate) = estimate else { continue };
            canvas.text("small", Anchor::Start, (4.0, y + 4.0), RANGE.0 - 4.0, name);
            bar(&mut canvas, scale, y, &estimate, Tone::of(strong));
            y += LINE;
        }
    }
    if rest > 0 {
        let note = format!("{rest} more in the table");
        canvas.text("small", Anchor::Start, (4.0, bottom + 52.0), WIDTH, &note);
    }
    canvas
}
