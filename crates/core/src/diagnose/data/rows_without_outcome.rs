use crate::diagnose::{Diagnosis, Looked, Severity, finding};

finding! {
    /// # What it means
    /// Rows without an outcome, or with an infinite one, are left out of its means. They still count for everything else.
    /// # Why it matters
    /// The means are about the people who have an outcome: a price is known of those who were approved. If the groups differ in who has
    ///   one, a gap between means is partly a gap in who is counted.
    /// # What to do
    /// Say beside the means whom they are about. If the outcome should be known of everyone, find out why it is missing.
    struct RowsWithoutOutcome {
        column: String,
        rows: u64,
        of: u64,
    }
}

impl Diagnosis<Looked<'_>> for RowsWithoutOutcome {
    const CODE: &'static str = "D19";
    const TITLE: &'static str = "rows without an outcome";
    const ADVICE: &'static str = "Say beside the means whom they are about.";
    const SEVERITY: Severity = Severity::Info;

    fn look(at: &Looked) -> Option<Self> {
        let intake = at.counts.intake();
        let outcome = intake.outcome.as_ref().filter(|outcome| outcome.missing > 0)?;
        Some(RowsWithoutOutcome { column: outcome.column.clone(), rows: outcome.missing, of: intake.rows })
    }

    fn message(&self) -> String {
        let RowsWithoutOutcome { column, rows, of } = self;
        format!("{rows} of {of} rows have no {column}, or an infinite one: its means are about the others.")
    }
}
