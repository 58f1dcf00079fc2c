use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/D08.md")]
pub(super) struct FewLabels {
    pub group: String,
    pub labels: u64,
    pub all: u64,
}

/// Fewer labels of a group hardly tell how it is guessed.
pub(super) const FEW: u64 = 15;

impl Diagnosis for FewLabels {
    const CODE: &'static str = "D08";
    const TITLE: &'static str = "few rows have a known group";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!("Of the {} labelled rows {} are of group {}.", self.all, self.labels, self.group)
    }

    fn advice(&self) -> String {
        "Label more rows, chosen at random: fairveil plan says how many.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("group", self.group.as_str().into()),
            ("labels", (self.labels as f64).into()),
            ("all", (self.all as f64).into()),
        ]
    }
}
