use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/M04.md")]
pub(crate) struct ConstraintMissed {
    pub wanted: f64,
    pub found: f64,
    pub stopped: String,
}

impl Diagnosis for ConstraintMissed {
    const CODE: &'static str = "M04";
    const TITLE: &'static str = "the gap on the fitted rows was not closed";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "On the rows it was fitted on, the largest gap of the rule's decisions is {:.4}; {:.4} was to be reached. \
             Training: {}.",
            self.found, self.wanted, self.stopped
        )
    }

    fn advice(&self) -> String {
        "Try another method, other features, or a larger tolerance.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("wanted", self.wanted.into()),
            ("found", self.found.into()),
            ("stopped", self.stopped.as_str().into()),
        ]
    }
}
