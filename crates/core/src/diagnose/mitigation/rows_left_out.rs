use crate::diagnose::{Diagnosis, Severity, finding};
use crate::mitigate::Trial;

finding! {
    /// # What it means
    /// A rule is learned and measured on rows that have everything it needs. Some rows do not.
    /// # Why it matters
    /// Labels are often known only after a positive decision: whether a loan was repaid is known only for those who got one.
    ///   The gap among them differs from the gap among all who asked, before and after.
    /// # What to do
    /// Demographic parity needs no labels: leave out `{y_true}`, and the decisions before are imitated on all rows. Or decide
    ///   about all rows with `{!apply}`, and audit that table.
    struct RowsLeftOut {
        left_out: u64,
        rows: u64,
    }
}

impl Diagnosis<Trial<'_>> for RowsLeftOut {
    const CODE: &'static str = "M12";
    const TITLE: &'static str = "rows without a label are left out";
    const ADVICE: &'static str = "For demographic parity leave out {y_true}: the decisions before are then imitated, on all rows. Otherwise audit all rows, \
             before and after apply.";

    fn look(at: &Trial) -> Option<Self> {
        (at.left_out > 0).then_some(RowsLeftOut { left_out: at.left_out, rows: at.rows })
    }

    fn severity(&self) -> Severity {
        if self.left_out as f64 > 0.05 * self.rows as f64 { Severity::Serious } else { Severity::Warning }
    }

    fn message(&self) -> String {
        format!(
            "{} of {} rows have no label, decision or score and are left out. The gaps before and after describe the other rows, not everyone who is decided about; where labels exist mostly after one decision, the two are far apart.",
            self.left_out, self.rows
        )
    }
}
