use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/D12.md")]
pub(super) struct NoisedTally {
    pub noised: crate::counts::Noised,
    /// Weight of all rows, as counted.
    pub rows: f64,
}

impl NoisedTally {
    /// Past this share of the rows, what counting negative cells as empty adds is a matter of more than rounding.
    const NOTABLE: f64 = 0.001;

    fn added(&self) -> f64 {
        self.noised.negative_rows / self.rows
    }
}

impl Diagnosis for NoisedTally {
    const CODE: &'static str = "D12";
    const TITLE: &'static str = "the tally has noise for privacy";

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

    fn advice(&self) -> String {
        "Count fewer columns or more rows, ask for a larger epsilon, or audit where the rows are.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("epsilon", self.noised.epsilon.into()),
            ("standard_deviation", self.noised.variance.sqrt().into()),
            ("negative_cells", (self.noised.negative_cells as f64).into()),
            ("negative_rows", self.noised.negative_rows.into()),
            ("share", self.added().into()),
        ]
    }
}
