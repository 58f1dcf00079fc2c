use crate::diagnose::{Diagnosis, Looked, finding};

finding! {
    /// # What it means
    /// Some rows have no prediction: the cell is empty, `null`, `NaN` or a value given with `{missing}`. They are counted and
    ///   left out of every number.
    /// # Why it matters
    /// If people of one group lack a decision more often, the gap among decided people is not the gap among all.
    /// # What to do
    /// Find out why the prediction is missing. If "no decision" is a decision, write it as a class of its own.
    struct RowsWithoutPrediction {
        rows: u64,
        all: u64,
    }
}

impl Diagnosis<Looked<'_>> for RowsWithoutPrediction {
    const CODE: &'static str = "D01";
    const TITLE: &'static str = "rows without a prediction were left out";
    const ADVICE: &'static str = "Find out why they have none: if one group lacks decisions more often, the gap among all people differs from this one.";

    fn look(at: &Looked) -> Option<Self> {
        let rows = at.intake().without_prediction;
        (rows > 0).then(|| RowsWithoutPrediction { rows, all: at.intake().rows + rows })
    }

    fn message(&self) -> String {
        format!("{} of {} rows have no prediction and are not part of any number.", self.rows, self.all)
    }
}
