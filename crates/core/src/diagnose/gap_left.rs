use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/M08.md")]
pub(crate) struct GapLeft {
    pub low: f64,
    pub high: f64,
    pub gap: f64,
    pub tolerance: f64,
}

impl Diagnosis for GapLeft {
    const CODE: &'static str = "M08";
    const TITLE: &'static str = "a gap is left on held-out rows";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "On rows that the rule was not fitted on the calibrated gap after is {:.3} ({:.3} to {:.3}), clearly above the \
             {:.3} that was asked for.",
            self.gap, self.low, self.high, self.tolerance
        )
    }

    fn advice(&self) -> String {
        "Fit on more rows; simpler features; or report the gap that is left.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("gap", self.gap.into()),
            ("low", self.low.into()),
            ("high", self.high.into()),
            ("tolerance", self.tolerance.into()),
        ]
    }
}
