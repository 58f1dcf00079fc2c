use crate::diagnose::{Diagnosis, Severity, finding};
use crate::mitigate::{ConstantRecord, Trial};

finding! {
    /// # What it means
    /// The rule with the smaller gap is right no more often than giving everyone the more frequent decision, and the same rule
    ///   without the constraint is right more often.
    /// # Why it matters
    /// Deciding alike for everyone closes every gap. A rule that comes near it looks like a success by its gap alone.
    /// # What to do
    /// Look at the trade-off curve and allow a larger tolerance, bring features that say more about the label, or leave the
    ///   model as it is and say why. Where the label is rare, accuracy is a poor measure: look at the rates by group as well.
    struct NotAboveConstant {
        accuracy: f64,
        constant: f64,
        decision: String,
    }
}

impl Diagnosis<Trial<'_>> for NotAboveConstant {
    const CODE: &'static str = "M02";
    const TITLE: &'static str = "the rule is no better than deciding alike for everyone";
    const ADVICE: &'static str =
        "Allow a larger tolerance (see the trade-off curve), bring better features, or do not use this rule.";
    const SEVERITY: Severity = Severity::Serious;

    fn look(at: &Trial) -> Option<Self> {
        let ConstantRecord { decision, accuracy: constant } = at.constant?.clone();
        // Where decisions are cut far from one half, even the rule without a constraint is right less often than a constant.
        let free = at.accuracy_free.is_none_or(|free| free > constant);
        (free && at.accuracy <= constant + 1e-9).then_some(NotAboveConstant {
            accuracy: at.accuracy,
            constant,
            decision,
        })
    }

    fn message(&self) -> String {
        format!(
            "On held-out rows the new rule is right for {:.3}, and giving everyone {} for {:.3}. A rule that decides \
             alike for everyone has no gap and is of no use.",
            self.accuracy, self.decision, self.constant
        )
    }
}
