use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/M06.md")]
pub(crate) struct GapUnclear {
    pub low: f64,
    pub high: f64,
    pub gap: f64,
}

impl Diagnosis for GapUnclear {
    const CODE: &'static str = "M06";
    const TITLE: &'static str = "the gap before may be none";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "Before anything was changed the gap on the fitted rows was {:.3} ({:.3} to {:.3}): chance may explain it, and \
             there may be nothing to reduce.",
            self.gap, self.low, self.high
        )
    }

    fn advice(&self) -> String {
        "Audit first, on all rows. Change decisions only where a gap is clear.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("gap", self.gap.into()), ("low", self.low.into()), ("high", self.high.into())]
    }
}
