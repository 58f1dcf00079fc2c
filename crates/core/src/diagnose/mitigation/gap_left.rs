use crate::diagnose::{Diagnosis, finding};
use crate::mitigate::Trial;

finding! {
    /// # What it means
    /// The whole interval of the gap after, on rows that were held out, lies above the tolerance.
    /// # Why it matters
    /// The gap on new people is what counts. The rule has learned something about the fitted rows that does not hold for others.
    /// # What to do
    /// Fit on more rows, with fewer or coarser features, or report the gap that is left.
    struct GapLeft {
        low: f64,
        high: f64,
        gap: f64,
        tolerance: f64,
    }
}

impl Diagnosis<Trial<'_>> for GapLeft {
    const CODE: &'static str = "M08";
    const TITLE: &'static str = "a gap is left on held-out rows";
    const ADVICE: &'static str = "Fit on more rows; simpler features; or report the gap that is left.";

    fn look(at: &Trial) -> Option<Self> {
        let (gap, interval, tolerance) = (at.gap_after?, at.interval_after?, at.tolerance);
        let (low, high) = (interval.ends.low, interval.ends.high);
        (low > tolerance).then_some(GapLeft { low, high, gap, tolerance })
    }

    fn message(&self) -> String {
        format!(
            "On rows that the rule was not fitted on the calibrated gap after is {:.3} ({:.3} to {:.3}), clearly above the \
             {:.3} that was asked for.",
            self.gap, self.low, self.high, self.tolerance
        )
    }
}
