use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::estimate::{AuditLabels, Population};
use crate::record::Test;

finding! {
    /// # What it means
    /// A test shows that the proxies err differently between parts of the table (finding N07), and the audit sample is from
    ///   another population.
    /// # Why it matters
    /// Labels show how the proxies err on average over decisions. If they err differently among the selected, undoing that
    ///   average is wrong in both parts: in simulations with errors that shifted by five points with the decision, the audit
    ///   sample showed .36 for a gap of .20.
    /// # What to do
    /// Where every part is large enough the local scope is recommended instead. Label rows of this table: they need no such
    ///   assumption.
    struct StrataAgainstLabels {}
}

impl Diagnosis<Looked<'_>> for StrataAgainstLabels {
    const CODE: &'static str = "N11";
    const TITLE: &'static str = "the labels are used as if the proxies erred in the same way everywhere";
    const ADVICE: &'static str = "Compare with the local scope. Label rows of this table, chosen at random.";
    const SEVERITY: Severity = Severity::Serious;

    fn look(at: &Looked) -> Option<Self> {
        let elsewhere = |labels: &&AuditLabels| labels.population() == Population::Other;
        at.counts
            .audit_labels()
            .filter(elsewhere)
            .and(at.rejected(Test::SameNoise))
            .map(|_| StrataAgainstLabels {})
    }

    fn message(&self) -> &'static str {
        "The proxies err differently where the decision differs. The audit sample takes their errors to be the same in all \
         parts of the table, and can be far off."
    }
}
