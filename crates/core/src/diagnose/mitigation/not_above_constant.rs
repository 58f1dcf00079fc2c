use crate::diagnose::{Diagnosis, Severity, finding};
use crate::mitigate::{ConstantRecord, OperatingPoint, Trial};

finding! {
    /// # What it means
    /// The rule with the smaller gap is right no more often than a lottery that decides as many positive. Or it cuts where mistakes of
    ///   both kinds weigh the same, and is right no more often than giving everyone the more frequent decision, while the same rule
    ///   without the constraint is.
    /// # Why it matters
    /// Lots, and deciding alike for everyone, close every gap. A rule that comes near them looks like a success by its gap alone.
    /// # What to do
    /// Look at the trade-off curve and allow a larger tolerance, bring features that say more about the label, or leave the
    ///   model as it is and say why. Where the label is rare, accuracy is a poor measure: look at the rates by group as well.
    struct NotAboveConstant {
        accuracy: f64,
        constant: f64,
        instead: String,
    }
}

impl Diagnosis<Trial<'_>> for NotAboveConstant {
    const CODE: &'static str = "M02";
    const TITLE: &'static str = "the rule is no better than lots, or than deciding alike for everyone";
    const ADVICE: &'static str =
        "Allow a larger tolerance (see the trade-off curve), bring better features, or do not use this rule.";
    const SEVERITY: Severity = Severity::Serious;

    fn look(at: &Trial) -> Option<Self> {
        let accuracy = at.accuracy;
        let reached = |without: &f64| accuracy <= *without + 1e-9;
        if let Some(constant) = at.lottery.filter(reached) {
            let instead = "a lottery that decides as many positive".into();
            return Some(NotAboveConstant { accuracy, constant, instead });
        }
        // Cut elsewhere than at one half, a rule is meant to be right less often than a constant may be.
        let half = match at.approvals?.asked {
            OperatingPoint::Threshold { chance } => chance == 0.5,
            OperatingPoint::Costs { false_positive, false_negative } => false_positive == false_negative,
            OperatingPoint::Kept | OperatingPoint::Rate { .. } => false,
        };
        let ConstantRecord { decision, accuracy: constant } = at.constant?.clone();
        let free = at.accuracy_free.is_none_or(|free| free > constant);
        (half && free && reached(&constant)).then_some(NotAboveConstant {
            accuracy,
            constant,
            instead: format!("giving everyone {decision}"),
        })
    }

    fn message(&self) -> String {
        format!(
            "On held-out rows the new rule is right for {:.3}, and {} for {:.3}, without any gap: the rule is of no use.",
            self.accuracy, self.instead, self.constant
        )
    }
}
