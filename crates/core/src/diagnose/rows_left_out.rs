use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/M12.md")]
pub(crate) struct RowsLeftOut {
    pub left_out: u64,
    pub rows: u64,
}

impl Diagnosis for RowsLeftOut {
    const CODE: &'static str = "M12";
    const TITLE: &'static str = "rows without a label are left out";

    fn severity(&self) -> Severity {
        if self.left_out as f64 > 0.05 * self.rows as f64 { Severity::Serious } else { Severity::Warning }
    }

    fn message(&self) -> String {
        format!(
            "{} of {} rows have no label, decision or score and are left out. The gaps before and after are those of the others, \
             not of everyone who is decided about; where labels exist mostly after one decision, the two are far apart.",
            self.left_out, self.rows
        )
    }

    fn advice(&self) -> String {
        "For demographic parity leave out --y-true: the decisions before are then imitated, on all rows. Otherwise audit all rows, \
         before and after apply.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("left_out", (self.left_out as f64).into()), ("rows", (self.rows as f64).into())]
    }
}
