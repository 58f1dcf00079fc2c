use crate::diagnose::{Diagnosis, Severity, finding};
use crate::mitigate::Trial;

finding! {
    /// # What it means
    /// The gap after is larger than the gap before by more than chance explains, compared row by row.
    ///   The rule starts from its own chance of the label, not from the decisions before. Its gap without a constraint can be
    ///   larger than theirs, and a tolerance lets that much stay.
    /// # Why it matters
    /// A mitigation that widens the gap is not one.
    /// # What to do
    /// Ask for a tolerance below the gap before, or leave the decisions as they are.
    struct GapGrew {
        before: f64,
        after: f64,
    }
}

impl Diagnosis<Trial<'_>> for GapGrew {
    const CODE: &'static str = "M13";
    const TITLE: &'static str = "the gap after is larger than before";
    const ADVICE: &'static str =
        "Do not use this rule. Ask for a smaller {tolerance}; a gap that is small already may be chance.";
    const SEVERITY: Severity = Severity::Serious;

    fn look(at: &Trial) -> Option<Self> {
        let change = at.criteria.iter().find(|change| Some(change.criterion) == at.criterion)?;
        let (before, after) = (change.before?, change.after?);
        (change.widened() && after > before).then_some(GapGrew { before, after })
    }

    fn message(&self) -> String {
        format!(
            "On held-out rows the calibrated gap was {:.3} before and is {:.3} after, a difference past chance: the new rule does not \
             reduce it.",
            self.before, self.after
        )
    }
}
