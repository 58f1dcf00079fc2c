//! Differences in order, from left to right: a dot, a thick bar for chance, a thin line for shared error, joined by a line.

use crate::plot::rows::upright_axis;
use crate::svg::{Anchor, Canvas, Scale, WIDTH, length};
use fairveil_core::measures::Estimate;

/// A series of differences.
pub(crate) struct Series<'a> {
    /// What is drawn upwards.
    pub what: &'a str,
    /// Each with its name; nothing where there is no number.
    pub points: Vec<(String, Option<&'a Estimate>)>,
    /// Lines across.
    pub limits: Vec<f64>,
    /// A line upwards at a point, with a word.
    pub mark: Option<(usize, &'a str)>,
}

const LEFT: f64 = 48.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 220.0;

/// How far values are apart.
fn height(values: &[f64]) -> f64 {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least
}

impl Series<'_> {
    pub fn draw(&self) -> Canvas {
        let mut canvas = Canvas::new(BOTTOM + 42.0);
        let estimate = |i: usize| self.points[i].1;
        let known = || (0..self.points.len()).filter_map(estimate);
        let chance = known().filter_map(|found| found.interval);
        let mut values: Vec<f64> =
            chance.flat_map(|ends| [ends.low, ends.high]).chain(self.limits.iter().copied()).collect();
        // Shared error is shown whole where it does not flatten all the rest.
        let honest: Vec<f64> = known()
            .filter_map(|found| found.honest_interval)
            .flat_map(|ends| [ends.low, ends.high])
            .chain(values.iter().copied())
            .collect();
        if height(&honest) <= 3.0 * height(&values) {
            values = honest;
        }
        let y = Scale::near(values, (BOTTOM, TOP));
        let last = self.points.len().saturating_sub(1).max(1) as f64;
        let x = Scale { domain: (0.0, last), range: (LEFT + 16.0, WIDTH - 20.0) };
        upright_axis(&mut canvas, &y, LEFT, WIDTH - 4.0);
        canvas.text("small", Anchor::Start, (2.0, TOP - 9.0), 200.0, self.what);
        for limit in self.limits.iter().filter(|limit| y.holds(**limit)) {
            canvas.line("tip", (LEFT, y.at(*limit)), (WIDTH - 4.0, y.at(*limit)));
        }
        let inside = |value: f64| y.at(value.clamp(y.domain.0, y.domain.1));
        let line: Vec<(f64, f64)> = (0..self.points.len())
            .filter_map(|i| Some((x.at(i as f64), inside(estimate(i)?.value?))))
            .collect();
        canvas.polyline("joined", &line);
        for i in 0..self.points.len() {
            let (at, Some(found)) = (x.at(i as f64), estimate(i)) else { continue };
            if let Some(honest) = found.honest_interval {
                canvas.line("reach-strong", (at, inside(honest.low)), (at, inside(honest.high)));
            }
            if let Some(ends) = found.interval {
                let (low, high) = (inside(ends.low), inside(ends.high));
                canvas.rect("bar-strong", (at - 2.0, high), (4.0, low - high));
            }
            if let Some(value) = found.value {
                canvas.circle("dot-strong", (at, inside(value)), 3.4);
            }
        }
        if let Some((i, word)) = self.mark {
            let at = x.at(i as f64);
            canvas.line("tip", (at, TOP), (at, BOTTOM));
            let (anchor, beside) = if at > WIDTH * 0.8 { (Anchor::End, -5.0) } else { (Anchor::Start, 5.0) };
            canvas.text("strong", anchor, (at + beside, TOP + 4.0), 90.0, word);
        }
        self.names(&mut canvas, &x);
        canvas
    }

    /// Names along the axis: the first, the last and those between that have room.
    fn names(&self, canvas: &mut Canvas, x: &Scale) {
        let mut taken: Vec<(f64, f64)> = Vec::new();
        let last = self.points.len().saturating_sub(1);
        let order = [0].into_iter().chain((last > 0).then_some(last)).chain(1..last);
        for i in order.filter(|i| *i < self.points.len()) {
            let name = &self.points[i].0;
            let half = length(name).min(90.0) / 2.0;
            let at = x.at(i as f64).clamp(half + 2.0, WIDTH - half - 2.0);
            if taken.iter().all(|(other, wide)| (at - other).abs() > half + wide + 8.0) {
                taken.push((at, half));
                canvas.text("small", Anchor::Middle, (at, BOTTOM + 15.0), 90.0, name);
            }
        }
    }
}
