use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/D09.md")]
pub(super) struct SparseLabels {
    pub labels: u64,
    pub for_each: f64,
}

/// With fewer labels for each thing to be learned, intervals were seen to hold in 80 to 89 % of samples.
pub(super) const FEW: f64 = 5.0;

impl Diagnosis for SparseLabels {
    const CODE: &'static str = "D09";
    const TITLE: &'static str = "few labels for so many patterns of guesses";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "{} labels are {:.1} for each pattern of guesses and group; with fewer than {FEW:.0} the interval of the audit sample \
             is too narrow.",
            self.labels, self.for_each
        )
    }

    fn advice(&self) -> String {
        "Take the interval for a first look. Label more rows, or use fewer proxies with the labels you have."
            .into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("labels", (self.labels as f64).into()), ("for_each", self.for_each.into())]
    }
}
