use crate::diagnose::{Diagnosis, finding};
use crate::mitigate::Trial;

finding! {
    /// # What it means
    /// Training ended before the decisions on the fitted rows had the gap that was asked for, or one that chance could not tell
    ///   from it: what is missed is more than the standard error of the gap on these rows.
    /// # Why it matters
    /// The numbers after describe this rule, so they stand; but the rule is not what was asked for.
    /// # What to do
    /// The plug-in rule moves its decisions directly and nearly always reaches its target. With few different rows (coarse
    ///   features), only some gaps can be reached; then use a tolerance of that size.
    struct ConstraintMissed {
        wanted: f64,
        found: f64,
        stopped: String,
    }
}

impl Diagnosis<Trial<'_>> for ConstraintMissed {
    const CODE: &'static str = "M04";
    const TITLE: &'static str = "the gap on the fitted rows was not closed";
    const ADVICE: &'static str = "Try another method, other features, or a larger tolerance.";

    fn look(at: &Trial) -> Option<Self> {
        let (wanted, found) = (at.wanted, at.reached);
        let chance = at.fitted.map_or(0.0, |fitted| fitted.error);
        (found > wanted + chance.max(0.005).max(0.05 * wanted)).then(|| ConstraintMissed {
            wanted,
            found,
            stopped: at.stopped.to_owned(),
        })
    }

    fn message(&self) -> String {
        format!(
            "On the rows it was fitted on, the rule's largest gap is {:.4}; the target was {:.4}. \
             Training: {}.",
            self.found, self.wanted, self.stopped
        )
    }
}
