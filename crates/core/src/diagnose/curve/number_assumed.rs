use crate::curve::Along;
use crate::diagnose::{Diagnosis, Severity, finding};

finding! {
    /// # What it means
    /// Thresholds, quantiles and bands by group undo the proxies' errors as they are on average in a group. They hold if inside a group
    ///   people with a high number are guessed as well as people with a low one.
    /// # Why it matters
    /// A name that is guessed better where scores are high bends the curve of every group. The test along the number sees errors that
    ///   change, but not mistakes that all proxies share.
    /// # What to do
    /// Compare with a proxy from another source. Label a few rows in every band with their group and compare.
    struct NumberAssumed {
        column: String,
    }
}

impl Diagnosis<Along<'_>> for NumberAssumed {
    const CODE: &'static str = "U09";
    const TITLE: &'static str = "guesses are taken to be unrelated to the number inside a group";
    const ADVICE: &'static str = "Compare with a proxy from another source.";
    const SEVERITY: Severity = Severity::Info;

    fn look(at: &Along) -> Option<Self> {
        at.drifts().is_none().then(|| NumberAssumed { column: at.column.to_owned() })
    }

    fn message(&self) -> String {
        format!(
            "Curves and quantiles of {} hold if inside every group the guesses are unrelated to it. The table cannot show all of that.",
            self.column
        )
    }
}
