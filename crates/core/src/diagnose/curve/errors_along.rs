use crate::curve::Along;
use crate::diagnose::{Diagnosis, Severity, finding};

finding! {
    /// # What it means
    /// The proxies err in one way where the number is low and in another where it is high, more than chance explains. Curves and
    ///   quantiles by group take their errors to be the same everywhere.
    /// # Why it matters
    /// What looks like a gap at some threshold may be guesses that change with the number; a gap may also be hidden by it.
    /// # What to do
    /// Report the answer of an audit at one threshold, which looks for this too, and not the curve. Replace the proxies that read
    ///   something the number is made from. Label a few rows in every band with their group.
    struct ErrorsAlong {
        column: String,
        statistic: f64,
        degrees_of_freedom: usize,
        p_value: f64,
    }
}

impl Diagnosis<Along<'_>> for ErrorsAlong {
    const CODE: &'static str = "U10";
    const TITLE: &'static str = "the proxies err differently along the number";
    const ADVICE: &'static str = "Report an audit at one threshold and not the curve, or replace proxies that read what the number is made from.";
    const SEVERITY: Severity = Severity::Serious;

    fn look(at: &Along) -> Option<Self> {
        let drift = at.drifts()?;
        Some(ErrorsAlong {
            column: at.column.to_owned(),
            statistic: drift.statistic,
            degrees_of_freedom: drift.degrees_of_freedom,
            p_value: drift.p_value,
        })
    }

    fn message(&self) -> String {
        format!(
            "In bands of {} the proxies err in different ways (likelihood ratio {:.0} on {} degrees of freedom). The curves take their \
             errors to be the same everywhere.",
            self.column, self.statistic, self.degrees_of_freedom
        )
    }
}
