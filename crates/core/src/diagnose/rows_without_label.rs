use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/D02.md")]
pub(super) struct RowsWithoutLabel {
    pub rows: u64,
    pub all: u64,
}

impl Diagnosis for RowsWithoutLabel {
    const CODE: &'static str = "D02";
    const TITLE: &'static str = "rows without a label count for demographic parity only";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "{} of {} rows have no label. They count for demographic parity and for how the proxies err, not for \
             equalized odds and equal opportunity.",
            self.rows, self.all
        )
    }

    fn advice(&self) -> String {
        "Say it beside the number: it describes only people whose outcome is known.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("rows", (self.rows as f64).into()), ("all", (self.all as f64).into())]
    }
}
