use crate::diagnose::{Diagnosis, Looked, Severity, finding};

finding! {
    /// # What it means
    /// Means by group undo the proxies' errors as they are on average in a group (and decision, where errors are learned for each).
    ///   They hold if inside a group people with a high outcome are guessed as well as people with a low one.
    /// # Why it matters
    /// A name or an address that is guessed better where prices are high moves the means of all groups, and nothing in the table
    ///   shows it.
    /// # What to do
    /// Cut the table by bands of the outcome (`{by}`) and see whether the proxies err alike in them. Compare with a proxy from another
    ///   source.
    struct OutcomeAssumed {
        column: String,
    }
}

impl Diagnosis<Looked<'_>> for OutcomeAssumed {
    const CODE: &'static str = "U08";
    const TITLE: &'static str = "guesses are taken to be unrelated to the outcome inside a group";
    const ADVICE: &'static str =
        "Cut the table by bands of the outcome ({by}) and see whether the proxies err alike in them.";
    const SEVERITY: Severity = Severity::Info;

    fn look(at: &Looked) -> Option<Self> {
        let outcome = at.counts.intake().outcome.as_ref().filter(|_| at.explained())?;
        Some(OutcomeAssumed { column: outcome.column.clone() })
    }

    fn message(&self) -> String {
        format!(
            "Means of {} by group hold if inside every group the guesses are unrelated to it. The table cannot show that.",
            self.column
        )
    }
}
