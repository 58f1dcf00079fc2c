use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/M13.md")]
pub(crate) struct GapGrew {
    pub before: f64,
    pub after: f64,
}

impl Diagnosis for GapGrew {
    const CODE: &'static str = "M13";
    const TITLE: &'static str = "the gap after is larger than before";

    fn severity(&self) -> Severity {
        Severity::Serious
    }

    fn message(&self) -> String {
        format!(
            "On held-out rows the calibrated gap was {:.3} before and is {:.3} after: the new rule does not reduce it.",
            self.before, self.after
        )
    }

    fn advice(&self) -> String {
        "Do not use this rule. Ask for a smaller --tolerance; a gap that is small already may be chance."
            .into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("before", self.before.into()), ("after", self.after.into())]
    }
}
