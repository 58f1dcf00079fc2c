use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/D01.md")]
pub(super) struct RowsWithoutPrediction {
    pub rows: u64,
    pub all: u64,
}

impl Diagnosis for RowsWithoutPrediction {
    const CODE: &'static str = "D01";
    const TITLE: &'static str = "rows without a prediction were left out";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!("{} of {} rows have no prediction and are not part of any number.", self.rows, self.all)
    }

    fn advice(&self) -> String {
        "Find out why they have none: if one group is missing more often, the gap among all people is another one.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("rows", (self.rows as f64).into()), ("all", (self.all as f64).into())]
    }
}
