use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/M02.md")]
pub(crate) struct NotAboveConstant {
    pub accuracy: f64,
    pub constant: f64,
    pub decision: String,
}

impl Diagnosis for NotAboveConstant {
    const CODE: &'static str = "M02";
    const TITLE: &'static str = "the rule is no better than deciding alike for everyone";

    fn severity(&self) -> Severity {
        Severity::Serious
    }

    fn message(&self) -> String {
        format!(
            "On held-out rows the new rule is right for {:.3}, and giving everyone {} for {:.3}. A rule that decides \
             alike for everyone has no gap and is of no use.",
            self.accuracy, self.decision, self.constant
        )
    }

    fn advice(&self) -> String {
        "Allow a larger tolerance (see the trade-off curve), bring better features, or do not use this rule."
            .into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("accuracy", self.accuracy.into()),
            ("constant", self.constant.into()),
            ("decision", self.decision.as_str().into()),
        ]
    }
}
