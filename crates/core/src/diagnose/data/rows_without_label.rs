use crate::diagnose::{Diagnosis, Looked, finding};

finding! {
    /// # What it means
    /// The table has labels, but not on every row. Rows without one are used for demographic parity and for learning
    ///   how the proxies err; equalized odds and equal opportunity are computed among the labelled rows.
    /// # Why it matters
    /// Labels are often known only after a decision (who repaid is known only for loans that were granted). Criteria
    ///   that need labels then describe a selected part of the people.
    /// # What to do
    /// Say beside the number whom it describes. Demographic parity does not have this problem.
    struct RowsWithoutLabel {
        rows: u64,
        all: u64,
    }
}

impl Diagnosis<Looked<'_>> for RowsWithoutLabel {
    const CODE: &'static str = "D02";
    const TITLE: &'static str = "rows without a label count for demographic parity only";
    const ADVICE: &'static str = "Say it beside the number: it describes only people whose outcome is known.";

    fn look(at: &Looked) -> Option<Self> {
        let rows = at.intake().without_label;
        (rows > 0).then(|| RowsWithoutLabel { rows, all: at.intake().rows })
    }

    fn message(&self) -> String {
        format!(
            "{} of {} rows have no label. They count for demographic parity and for how the proxies err, not for \
             equalized odds and equal opportunity.",
            self.rows, self.all
        )
    }
}
