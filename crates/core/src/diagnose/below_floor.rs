use super::{Diagnosis, Evidence, Severity};
use crate::vocabulary::Criterion;

#[doc = include_str!("texts/N08.md")]
pub(super) struct BelowFloor {
    pub proxy: String,
    pub criterion: Criterion,
    pub shown: f64,
    pub calibrated: f64,
}

impl Diagnosis for BelowFloor {
    const CODE: &'static str = "N08";
    const TITLE: &'static str = "the calibrated gap is smaller than a proxy shows";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "Proxy {} alone shows a gap of {:.3} in {}, more than the calibrated {:.3}, by more than chance. Errors that do not go \
             with the decision only ever shrink a gap.",
            self.proxy,
            self.shown,
            self.criterion.words(),
            self.calibrated
        )
    }

    fn advice(&self) -> String {
        "This proxy errs in ways that go with the decision, or differs from the others. Look at how it was built; do not report the \
         calibrated number before that is understood.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("proxy", self.proxy.as_str().into()),
            ("criterion", self.criterion.name().into()),
            ("shown", self.shown.into()),
            ("calibrated", self.calibrated.into()),
        ]
    }
}
