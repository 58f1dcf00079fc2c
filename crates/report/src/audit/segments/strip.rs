//! One segment among many: its gap on a scale that all share.

use crate::measured::Measured;
use crate::svg::{Canvas, Scale, WIDTH};

/// A scale that holds the sampling intervals of all segments; wider ones are cut at its end.
pub(crate) fn common_scale(ends: impl IntoIterator<Item = f64>) -> Scale {
    Scale::around(ends, (6.0, WIDTH - 6.0))
}

/// A gap with its intervals, without words: the words stand beside it.
pub(crate) fn strip(result: Option<&Measured>, scale: &Scale) -> Canvas {
    let mut canvas = Canvas::new(28.0);
    let y = 14.0;
    canvas.line("grid", (6.0, y), (WIDTH - 6.0, y));
    canvas.line("axis", (scale.at(0.0), 2.0), (scale.at(0.0), 26.0));
    let Some(result) = result else { return canvas };
    let inside = |value: f64| scale.at(value.clamp(scale.domain.0, scale.domain.1));
    if let Some((low, high)) = result.reach() {
        canvas.line("reach-strong", (inside(low), y), (inside(high), y));
    }
    if let Some((low, high)) = result.ends() {
        let (low, high) = (inside(low), inside(high));
        canvas.rect("bar-strong", (low, y - 5.0), (high - low, 10.0));
    }
    if let Some(value) = result.value {
        canvas.circle("dot-strong", (inside(value), y), 7.0);
    }
    canvas
}
