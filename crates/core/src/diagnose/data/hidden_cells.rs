use crate::diagnose::{Diagnosis, Looked, Severity, finding};

finding! {
    /// # What it means
    /// Whoever made the tally withheld cells with few rows (`count {min_cell}`), so that nobody can be singled out. The tally
    ///   says how many rows were withheld.
    /// # Why it matters
    /// Rows on which all proxies agree fill large cells; rows on which they disagree are spread over small ones. Withholding
    ///   the small ones makes the proxies look better than they are: their error is underestimated, and calibrated gaps come
    ///   out too small, towards what the proxies show by themselves.
    /// # What to do
    /// Ask for a smaller limit, fewer proxies or fewer segment columns (each cuts the cells further), or run the audit where
    ///   the rows are: its output names no person and no small cell.
    struct HiddenCells {
        cells: u64,
        rows: u64,
        /// Of the weight of all rows, those withheld included.
        share: f64,
    }
}

impl HiddenCells {
    /// Past this share of the rows, what is withheld is a matter of more than rounding.
    const NOTABLE: f64 = 0.001;
}

impl Diagnosis<Looked<'_>> for HiddenCells {
    const CODE: &'static str = "D11";
    const TITLE: &'static str = "small cells were withheld from the tally";
    const ADVICE: &'static str =
        "Withhold less, drop columns that cut the rows into small cells, or audit where the rows are.";

    fn look(at: &Looked) -> Option<Self> {
        let hidden = at.intake().hidden.as_ref().filter(|hidden| hidden.rows > 0)?;
        let share = hidden.weight / (hidden.weight + at.counts.weight());
        Some(HiddenCells { cells: hidden.cells, rows: hidden.rows, share })
    }

    fn severity(&self) -> Severity {
        if self.share > Self::NOTABLE { Severity::Warning } else { Severity::Info }
    }

    fn message(&self) -> String {
        format!(
            "At most {} rows in {} cells, {:.2} % of all, are not in the tally, to protect the few. Small cells are mostly those in \
             which proxies disagree; without them the proxies look better than they are, and calibrated gaps come out \
             too small.",
            self.rows,
            self.cells,
            100.0 * self.share
        )
    }
}
