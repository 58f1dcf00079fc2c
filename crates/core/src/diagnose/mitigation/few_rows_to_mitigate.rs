use crate::diagnose::{Diagnosis, finding};
use crate::mitigate::{FittedGap, Trial};

finding! {
    /// # What it means
    /// The rule brings to zero what the proxies show on the rows it is fitted on. They show the true gap plus chance, and here
    ///   chance is large compared with the gap.
    /// # Why it matters
    /// A gap that was only chance is "removed" by making a true one of the same size. Where the standard error is as large as
    ///   the gap itself nothing is gained, and `mitigate` refuses.
    /// # What to do
    /// Bring more rows or better proxies. Measured with three proxies that are right for 58 %: a true gap of .112 stays with
    ///   2,000 rows, .046 with 8,000, .021 with 32,000; right for 70 %: .045, .019, .010.
    struct FewRowsToMitigate {
        standard_error: f64,
        gap: f64,
        rows: f64,
        rows_needed: Option<f64>,
    }
}

fn wanted(rows: Option<f64>) -> String {
    match rows {
        Some(rows) => {
            format!(" About {rows:.0} rows like these would measure it to within half of the gap (95 %).")
        }
        None => String::new(),
    }
}

impl Diagnosis<Trial<'_>> for FewRowsToMitigate {
    const CODE: &'static str = "M03";
    const TITLE: &'static str = "few rows for these proxies";
    const ADVICE: &'static str =
        "Bring more rows, or proxies that err less; or a few rows with known groups ({!plan} says how many).";

    /// Twice the error is what chance reaches in one of twenty tables.
    fn look(at: &Trial) -> Option<Self> {
        let FittedGap { gap, error: standard_error, rows, needed: rows_needed, .. } = at.fitted?;
        let gap = gap.abs();
        (4.0 * standard_error > gap).then_some(FewRowsToMitigate { standard_error, gap, rows, rows_needed })
    }

    fn message(&self) -> String {
        format!(
            "On {:.0} rows the proxies measure the gap to about ± {:.3} (one standard error), and the gap is {:.3}. The rule cannot remove what chance adds: expect a true gap of that size to remain or to appear.{}",
            self.rows,
            self.standard_error,
            self.gap,
            wanted(self.rows_needed)
        )
    }
}
