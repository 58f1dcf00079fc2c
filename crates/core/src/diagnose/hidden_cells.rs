use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/D11.md")]
pub(super) struct HiddenCells {
    pub hidden: crate::counts::Hidden,
    /// Of the weight of all rows, those withheld included.
    pub share: f64,
}

impl HiddenCells {
    /// Past this share of the rows, what is withheld is a matter of more than rounding.
    const NOTABLE: f64 = 0.001;
}

impl Diagnosis for HiddenCells {
    const CODE: &'static str = "D11";
    const TITLE: &'static str = "small cells were withheld from the tally";

    fn severity(&self) -> Severity {
        if self.share > Self::NOTABLE { Severity::Warning } else { Severity::Info }
    }

    fn message(&self) -> String {
        format!(
            "{} rows in {} cells about few people, {:.2} % of all, are not in the tally. Small cells are mostly those in \
             which proxies disagree; without them the proxies look better than they are, and calibrated gaps come out \
             too small.",
            self.hidden.rows,
            self.hidden.cells,
            100.0 * self.share
        )
    }

    fn advice(&self) -> String {
        "Withhold less, drop columns that cut the rows into small cells, or audit where the rows are.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("cells", (self.hidden.cells as f64).into()),
            ("rows", (self.hidden.rows as f64).into()),
            ("share", self.share.into()),
        ]
    }
}
