use crate::diagnose::{Diagnosis, finding};
use crate::mitigate::Trial;

finding! {
    /// # What it means
    /// A rule from the named features alone is right far more often than the earlier decisions, or nearly always.
    /// # Why it matters
    /// On new people such a feature is not there yet, or not the same. Accuracy after would be an illusion.
    /// # What to do
    /// Look at the features one by one. Leave out copies of the label, outcomes that come after the decision, and identifiers
    ///   that encode either.
    struct LabelInFeatures {
        without_constraint: f64,
        before: f64,
    }
}

impl Diagnosis<Trial<'_>> for LabelInFeatures {
    const CODE: &'static str = "M10";
    const TITLE: &'static str = "the features predict the label suspiciously well";
    const ADVICE: &'static str = "Look at the features: leave out copies of the label and what is not known when the decision is made ({drop}).";

    fn look(at: &Trial) -> Option<Self> {
        let (free, before) = (at.accuracy_free?, at.accuracy_before);
        (free > 0.98 || before.is_some_and(|before| free > before + 0.1))
            .then(|| LabelInFeatures { without_constraint: free, before: before.unwrap_or(free) })
    }

    fn message(&self) -> String {
        format!(
            "Without any constraint, a rule from these features is right for {:.3} of the held-out rows, and the decisions before \
             for {:.3}. A feature may hold the label, or something that is known only after the decision.",
            self.without_constraint, self.before
        )
    }
}
