use crate::diagnose::{Diagnosis, Looked, finding};
use crate::record::{Test, TestRecord};

finding! {
    /// # What it means
    /// Numbers from agreement rest on a model: within a group, the proxies err independently, each in its own way, and in the
    ///   same way whatever was decided. A likelihood ratio test compares what that model expects with what was counted, for
    ///   every combination of guesses. They differ by more than chance.
    /// # Why it matters
    /// Some proxies share mistakes, or errors depend on the decision, or some people within a group are hard for all proxies.
    ///   The test cannot say which, and each moves the gap differently.
    /// # What to do
    /// Rely on the honest range. It covers every explanation considered: one table of errors for all proxies, one for each
    ///   proxy, and one set for each stratum that is large enough, with shared error up to the stated share. Declare the source
    ///   of each proxy, and label a few rows ({audit_labels}) if the answer matters.
    struct Contradicted {
        statistic: f64,
        degrees_of_freedom: usize,
        p_value: f64,
    }
}

impl Diagnosis<Looked<'_>> for Contradicted {
    const CODE: &'static str = "P14";
    const TITLE: &'static str = "the table contradicts independent errors";
    const ADVICE: &'static str = "Report the honest range. Rows whose group is known ({audit_labels}) show how the proxies err together.";

    fn look(at: &Looked) -> Option<Self> {
        let test = at.rejected(Test::Fit).filter(|_| at.rests_on_agreement())?;
        let &TestRecord { statistic, degrees_of_freedom, p_value, .. } = test;
        Some(Contradicted { statistic, degrees_of_freedom, p_value })
    }

    fn message(&self) -> String {
        format!(
            "Proxies that err independently, each in its own way and the same in all strata, would not produce this table (G² {:.1} on {} \
             degrees of freedom, p {:.2e}). The honest range covers every explanation considered.",
            self.statistic, self.degrees_of_freedom, self.p_value
        )
    }
}
