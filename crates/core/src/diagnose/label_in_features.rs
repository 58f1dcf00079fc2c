use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/M10.md")]
pub(crate) struct LabelInFeatures {
    pub free: f64,
    pub before: f64,
}

impl Diagnosis for LabelInFeatures {
    const CODE: &'static str = "M10";
    const TITLE: &'static str = "the features tell the label almost too well";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "Without any constraint, a rule from these features is right for {:.3} of the held-out rows, and the decisions before \
             for {:.3}. A feature may hold the label, or something that is known only after the decision.",
            self.free, self.before
        )
    }

    fn advice(&self) -> String {
        "Look at the features: leave out copies of the label and what is not known when the decision is made (--drop).".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("without_constraint", self.free.into()), ("before", self.before.into())]
    }
}
