use crate::diagnose::{Diagnosis, Looked, finding};
use crate::record::{Test, TestRecord};

finding! {
    /// # What it means
    /// Numbers by agreement rest on a model: given the group, the proxies err independently, each in its own way, and
    ///   alike whatever was decided. A likelihood ratio test compares what that model expects of every combination of
    ///   guesses with what was counted. They differ by more than chance.
    /// # Why it matters
    /// Some proxies share mistakes, or errors go with the decision, or there are kinds of people inside a group whom all
    ///   proxies find hard. The test cannot say which, and each moves the gap in its own way.
    /// # What to do
    /// Rely on the honest range: it takes in every explanation on offer, one table of errors for all proxies, one for
    ///   each, and one set for each stratum that is large enough, with shared error up to the stated share. Declare the
    ///   source of each proxy, and label a few rows ({audit_labels}) if the answer matters.
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
            "Proxies that err independently, each in its own way and alike in all strata, do not give this table (G² {:.1} on {} \
             degrees of freedom, p {:.2e}). The honest range takes in every explanation on offer.",
            self.statistic, self.degrees_of_freedom, self.p_value
        )
    }
}
