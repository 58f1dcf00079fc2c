use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/P09.md")]
pub(super) struct LabelsShowSharing {
    pub share: f64,
    pub assumed: f64,
    pub labels: u64,
}

impl Diagnosis for LabelsShowSharing {
    const CODE: &'static str = "P09";
    const TITLE: &'static str = "known groups show how much error is shared";

    fn severity(&self) -> Severity {
        Severity::Info
    }

    fn message(&self) -> String {
        format!(
            "By {} labelled rows about {:.0} % of the proxies' agreement is shared error; the intervals without labels allow for up \
             to {:.0} %.",
            self.labels,
            100.0 * self.share,
            100.0 * self.assumed
        )
    }

    fn advice(&self) -> String {
        match self.share > self.assumed {
            true => "Rely on the audit sample; numbers from agreement alone are too low here even with their wider intervals.".into(),
            false => "Numbers from agreement alone are covered by their wider intervals here; the audit sample is narrower.".into(),
        }
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("shared_error", self.share.into()),
            ("assumed", self.assumed.into()),
            ("labels", (self.labels as f64).into()),
        ]
    }
}
