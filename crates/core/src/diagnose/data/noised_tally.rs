use crate::diagnose::{Diagnosis, Looked, Severity, finding};

finding! {
    /// # What it means
    /// Whoever made the tally added noise to every cell (`count {epsilon}`), so that it hides whether any one row is in it. The
    ///   tally says how much: the epsilon, and the variance of the noise. Counts that came out below zero are counted as empty.
    /// # Why it matters
    /// Every count is off by a few rows, and so is the number of all rows. Large cells hardly notice it; small cells are mostly
    ///   noise. Noise does not favour either sign, but an empty cell can only be counted as too full: cells below zero are set
    ///   to zero and those above are kept, which adds rows that stand for no one. Small cells are mostly those in which proxies
    ///   disagree, so the proxies seem to disagree somewhat more often than they do.
    /// # What to do
    /// Count fewer proxies or segment columns (each makes more cells, and every cell has its noise), ask for a larger epsilon,
    ///   or run the audit where the rows are: its output names no person and no small cell. Several tallies of the same rows
    ///   cost the sum of their epsilons.
    struct NoisedTally {
        epsilon: f64,
        standard_deviation: f64,
        negative_cells: u64,
        negative_rows: f64,
        /// Of the rows as counted, those that no one is behind.
        share: f64,
    }
}

/// Past this share of the rows, what counting negative cells as empty adds is a matter of more than rounding.
const NOTABLE: f64 = 0.001;

impl Diagnosis<Looked<'_>> for NoisedTally {
    const CODE: &'static str = "D12";
    const TITLE: &'static str = "the tally has noise for privacy";
    const ADVICE: &'static str =
        "Count fewer columns or more rows, ask for a larger epsilon, or audit where the rows are.";

    fn look(at: &Looked) -> Option<Self> {
        let noised = at.intake().noised.as_ref()?;
        Some(NoisedTally {
            epsilon: noised.epsilon,
            standard_deviation: noised.variance.sqrt(),
            negative_cells: noised.negative_cells,
            negative_rows: noised.negative_rows,
            share: noised.negative_rows / at.counts.weight(),
        })
    }

    fn severity(&self) -> Severity {
        if self.share > NOTABLE { Severity::Warning } else { Severity::Info }
    }

    fn message(&self) -> String {
        let below = match self.negative_cells {
            0 => "No cell came out below zero.".to_owned(),
            cells => format!(
                "{cells} cells came out below zero and are counted as empty, which adds {:.0} rows ({:.2} % of all) that stand for no one; most are in cells where proxies disagree.",
                self.negative_rows,
                100.0 * self.share
            ),
        };
        format!(
            "The tally states an epsilon of {:.2} for adding or removing one row. The noise of a cell has a standard \
             deviation of {:.1} rows. {below}",
            self.epsilon, self.standard_deviation
        )
    }
}
