use crate::diagnose::{Diagnosis, Evidence, Looked, Severity, finding};

finding! {
    /// # What it means
    /// Whoever made the tally added noise to every cell (`count {epsilon}`), so that it hides whether any one row is in it. The tally says how much: the epsilon, and the variance of the noise. Counts that came out below zero are counted as empty.
    /// # Why it matters
    /// Every count is off by a few rows, and so is the number of all rows. In large cells that is nothing; small cells are mostly noise. Noise does not favour either sign, but an empty cell can only be counted as too full: cells below zero are set to zero and those above are kept, which adds rows that no one is behind. Small cells are mostly those in which proxies disagree, so the proxies seem to disagree somewhat more often than they do.
    /// # What to do
    /// Count fewer proxies or segment columns (each makes more cells, and every cell has its noise), ask for a larger epsilon, or run the audit where the rows are: its output names no person and no small cell. Several tallies of the same rows cost the sum of their epsilons.
    pub(crate) struct NoisedTally {
        noised: crate::counts::Noised,
        /// Weight of all rows, as counted.
        rows: f64,
    }
}

impl NoisedTally {
    /// Past this share of the rows, what counting negative cells as empty adds is a matter of more than rounding.
    const NOTABLE: f64 = 0.001;

    fn added(&self) -> f64 {
        self.noised.negative_rows / self.rows
    }
}

impl Diagnosis<Looked<'_>> for NoisedTally {
    const CODE: &'static str = "D12";
    const TITLE: &'static str = "the tally has noise for privacy";

    fn look(at: &Looked) -> Option<Self> {
        Some(NoisedTally { noised: at.intake().noised.clone()?, rows: at.counts.weight() })
    }

    fn severity(&self) -> Severity {
        if self.added() > Self::NOTABLE { Severity::Warning } else { Severity::Info }
    }

    fn message(&self) -> String {
        let spread = self.noised.variance.sqrt();
        let below = match self.noised.negative_cells {
            0 => "No cell came out below zero.".to_owned(),
            cells => format!(
                "{cells} cells came out below zero and are counted as empty, which adds {:.0} rows, {:.2} % of all, that no one \
                 is behind; they are in small cells, mostly those in which proxies disagree.",
                self.noised.negative_rows,
                100.0 * self.added()
            ),
        };
        format!(
            "Its maker states an epsilon of {:.2} for adding or removing one row. The noise of a cell has a standard \
             deviation of {spread:.1} rows. {below}",
            self.noised.epsilon
        )
    }

    fn advice(&self) -> &'static str {
        "Count fewer columns or more rows, ask for a larger epsilon, or audit where the rows are."
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("epsilon", self.noised.epsilon.into()),
            ("standard_deviation", self.noised.variance.sqrt().into()),
            ("negative_cells", self.noised.negative_cells.into()),
            ("negative_rows", self.noised.negative_rows.into()),
            ("share", self.added().into()),
        ]
    }
}
