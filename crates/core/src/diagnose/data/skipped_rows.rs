use crate::counts::Skipped;
use crate::diagnose::{Diagnosis, Looked, finding};
use crate::setting::{Setting, Text};
use crate::text;

finding! {
    /// # What it means
    /// With `{lenient}`, rows that are broken by themselves are left out and counted: a wrong number of fields, bytes that are
    ///   not UTF-8, a weight or probabilities that make no sense, a line that is no JSON object. Each reason is a finding, with
    ///   the first such row.
    /// # Why it matters
    /// A row that cannot be read is about a person. If rows of one group break more often (names with letters that an export
    ///   spoils, say), the numbers are about the others.
    /// # What to do
    /// Correct the rows in the export. If you cannot, look at a few of them: they should be spread over the table like the
    ///   others.
    struct SkippedRows {
        reason: String,
        rows: u64,
        all: u64,
        first: String,
    }
}

impl Diagnosis<Looked<'_>> for SkippedRows {
    const CODE: &'static str = "D10";
    const TITLE: &'static str = "rows that cannot be read were left out";
    const ADVICE: &'static str =
        "Correct the rows, or find out whether they are about one group more than another.";

    fn look(at: &Looked) -> Vec<Self> {
        let intake = at.intake();
        let left_out: u64 = intake.skipped.iter().map(|skipped| skipped.rows).sum();
        let all = intake.rows + intake.without_prediction + left_out;
        let of = |Skipped { reason, rows, first }: Skipped| SkippedRows { reason, rows, all, first };
        intake.skipped.iter().cloned().map(of).collect()
    }

    fn message(&self) -> Text {
        let SkippedRows { reason, rows, all, first } = self;
        text![
            format!("{rows} of {all} rows were left out because of {reason}, as "),
            Setting::Lenient,
            format!(" asks. The first is {first}.")
        ]
    }
}
