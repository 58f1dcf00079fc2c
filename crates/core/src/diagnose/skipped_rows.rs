use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/D10.md")]
pub(super) struct SkippedRows {
    pub skipped: crate::counts::Skipped,
    pub all: u64,
}

impl Diagnosis for SkippedRows {
    const CODE: &'static str = "D10";
    const TITLE: &'static str = "rows that can not be read were left out";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "{} of {} rows were left out because of {}, as --lenient asks. The first is {}.",
            self.skipped.rows, self.all, self.skipped.reason, self.skipped.first
        )
    }

    fn advice(&self) -> String {
        "Correct the rows, or find out whether they are about one group more than about another.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("reason", self.skipped.reason.as_str().into()),
            ("rows", (self.skipped.rows as f64).into()),
            ("all", (self.all as f64).into()),
            ("first", self.skipped.first.as_str().into()),
        ]
    }
}
