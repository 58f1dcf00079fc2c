use crate::answers::Explanation;
use crate::diagnose::data::SparseLabels;
use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::record::Test;

finding! {
    /// # What it means
    /// Proxies agree because they are right together or because they are wrong together. Rows whose group is known show which:
    ///   agreement beyond chance within one group is shared error.
    /// # Why it matters
    /// Agreement alone then makes the proxies look better than they are, by that much. The wider intervals allow for a stated
    ///   share ({shared_error}). This is the share that the labels show, as precisely as so many labels can.
    /// # What to do
    /// Rely on the audit sample where there is one. Where other tables come from the same proxies and have no labels, state
    ///   this share with {shared_error}.
    struct LabelsShowSharing {
        shared_error: f64,
        assumed: f64,
        labels: u64,
    }
}

impl Diagnosis<Looked<'_>> for LabelsShowSharing {
    const CODE: &'static str = "P09";
    const TITLE: &'static str = "known groups show how much error is shared";
    const SEVERITY: Severity = Severity::Info;

    fn look(at: &Looked) -> Option<Self> {
        let labels = at.counts.audit_labels()?.rows();
        // Strata that err in ways of their own look like shared error to one table of errors for all.
        if at.rejected(Test::SameNoise).is_some() || SparseLabels::look(at).is_some() {
            return None;
        }
        let answers = at.about_all()?;
        let told = |one: &Explanation| one.estimator.shared_error(&answers.seen);
        let shared_error = answers.explanations.iter().find_map(told)?;
        Some(LabelsShowSharing { shared_error, assumed: at.settings.shared_error, labels })
    }

    fn message(&self) -> String {
        format!(
            "According to {} labelled rows, about {:.0} % of the proxies' agreement is shared error; the intervals without labels allow for up to {:.0} %.",
            self.labels,
            100.0 * self.shared_error,
            100.0 * self.assumed
        )
    }

    fn advice(&self) -> &'static str {
        if self.shared_error > self.assumed {
            "Rely on the audit sample; numbers from agreement alone are too low here even with their wider intervals."
        } else {
            "Numbers from agreement alone are covered by their wider intervals here; the audit sample is narrower."
        }
    }
}
