use crate::diagnose::{Diagnosis, finding};
use crate::mitigate::{FittedGap, Trial};

finding! {
    /// # What it means
    /// The sampling interval of the gap on the fitted rows includes zero.
    /// # Why it matters
    /// Removing a gap that is only chance makes a true one in the other direction.
    /// # What to do
    /// Run `{!audit}` on all rows. Bring more rows or better proxies before decisions are changed.
    struct GapUnclear {
        low: f64,
        high: f64,
        gap: f64,
    }
}

impl Diagnosis<Trial<'_>> for GapUnclear {
    const CODE: &'static str = "M06";
    const TITLE: &'static str = "there may have been no gap before";
    const ADVICE: &'static str = "Audit first, on all rows. Change decisions only where a gap is clear.";

    fn look(at: &Trial) -> Option<Self> {
        let FittedGap { gap, reach, .. } = at.fitted?;
        let (low, high) = (gap - reach, gap + reach);
        (low <= 0.0 && high >= 0.0).then_some(GapUnclear { low, high, gap })
    }

    fn message(&self) -> String {
        format!(
            "Before anything was changed the gap on the fitted rows was {:.3} ({:.3} to {:.3}): chance may explain it, so there may be nothing to reduce.",
            self.gap, self.low, self.high
        )
    }
}
