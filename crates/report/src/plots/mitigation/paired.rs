//! Pairs of estimates on a common scale: before above, after below it, each with its intervals.

use crate::plots::rows::{Reference, axis, bar, diamond};
use crate::svg::{Anchor, Canvas, Scale, WIDTH};

/// One number before and after.
pub(super) struct Pair {
    pub label: String,
    /// Both numbers in words, at the right.
    pub note: String,
    pub before: Estimate,
    pub after: Estimate,
    pub bold: bool,
}

/// An estimate with what chance leaves open, what shared error leaves open, and the truth.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Estimate {
    pub value: Option<f64>,
    pub interval: Option<(f64, f64)>,
    pub reach: Option<(f64, f64)>,
    pub truth: Option<f64>,
}

impl Estimate {
    /// What the scale must hold. The reach may leave it, with an arrow, but where it is asked for.
    fn held(&self, reach: bool) -> Vec<f64> {
        let reach = self.reach.filter(|_| reach);
        let ends = [self.interval, reach].into_iter().flatten().flat_map(|(low, high)| [low, high]);
        self.value.into_iter().chain(self.truth).chain(ends).collect()
    }
}

/// More pairs than this make a plot longer than a sheet of paper; the table has them all.
pub(super) const MOST: usize = 14;
/// Where the scale begins and ends: names of lines stand at its left.
pub(super) const RANGE: (f64, f64) = (58.0, WIDTH - 12.0);
const ROW: f64 = 60.0;

/// All numbers that a scale for the pairs must hold.
pub(super) fn held(pairs: &[Pair]) -> Vec<f64> {
    let of = |pair: &Pair| [pair.before.held(pair.bold), pair.after.held(pair.bold)].concat();
    pairs.iter().take(MOST).flat_map(of).collect()
}

pub(super) fn draw(pairs: &[Pair], unit: &str, scale: &Scale, reference: Option<&Reference>) -> Canvas {
    let shown = &pairs[..pairs.len().min(MOST)];
    let top = if reference.is_some() { 22.0 } else { 4.0 };
    let bottom = top + ROW * shown.len() as f64 + 2.0;
    let rest = pairs.len() - shown.len();
    let mut canvas = Canvas::new(bottom + if rest > 0 { 58.0 } else { 40.0 });
    axis(&mut canvas, scale, (top, bottom), unit);
    if let Some(reference) = reference {
        let x = scale.at(reference.value);
        canvas.line("tip", (x, top - 4.0), (x, bottom));
        let (anchor, x) = if x > WIDTH * 0.6 { (Anchor::End, x + 4.0) } else { (Anchor::Start, x - 4.0) };
        canvas.text("quiet", anchor, (x, 13.0), WIDTH * 0.55, &reference.label);
    }
    for (i, pair) in shown.iter().enumerate() {
        let y = top + ROW * i as f64;
        let (words, numbers) = if pair.bold { ("strong", "strong") } else { ("", "quiet") };
        canvas.text(words, Anchor::Start, (4.0, y + 15.0), 300.0, &pair.label);
        canvas.text(numbers, Anchor::End, (WIDTH - 12.0, y + 15.0), 130.0, &pair.note);
        for (name, estimate, down, strong) in
            [("before", &pair.before, 29.0, false), ("after", &pair.after, 46.0, true)]
        {
            canvas.text("small", Anchor::Start, (4.0, y + down + 4.0), RANGE.0 - 4.0, name);
            let of_it = (estimate.value, estimate.interval, estimate.reach);
            bar(&mut canvas, scale, y + down, of_it, strong);
            if let Some(truth) = estimate.truth {
                diamond(&mut canvas, "truth-mark", (scale.at(truth), y + down));
            }
        }
    }
    if rest > 0 {
        let note = format!("{rest} more in the table");
        canvas.text("small", Anchor::Start, (4.0, bottom + 52.0), WIDTH, &note);
    }
    canvas
}
