use crate::counts::Cell;
use crate::diagnose::{Diagnosis, Looked, finding};

finding! {
    /// # What it means
    /// The table is cut into parts by decision and, where there are labels, by label. One of them holds few rows.
    /// # Why it matters
    /// The local scope learns how the proxies err in every part from its own rows, and rates within a label rest on its rows
    ///   alone. In a small part both are mostly chance, and the interval of everything that needs it is wide.
    /// # What to do
    /// Bring more rows, or report the global scope. Where a label is rare, report demographic parity beside the criteria that
    ///   need it.
    struct SmallStratum {
        place: String,
        rows: f64,
    }
}

/// With fewer rows a matrix of their own cannot be learned.
const FEW: f64 = 100.0;

impl Diagnosis<Looked<'_>> for SmallStratum {
    const CODE: &'static str = "D07";
    const TITLE: &'static str = "a part of the table is small";
    const ADVICE: &'static str =
        "Rely on one matrix for all rows (global scope), and on criteria that do not need this part alone.";

    /// The smallest part only.
    fn look(at: &Looked) -> Option<Self> {
        let sizes = at.answers.iter().flat_map(|answers| {
            let rows =
                |cells: &[(Cell, f64)]| answers.rows * cells.iter().map(|(_, share)| share).sum::<f64>();
            answers.seen.strata().map(move |(stratum, cells)| (stratum, rows(cells)))
        });
        let (stratum, rows) = sizes.min_by(|a, b| a.1.total_cmp(&b.1))?;
        (rows < FEW).then(|| SmallStratum { place: at.legend().stratum(stratum), rows })
    }

    fn message(&self) -> String {
        format!(
            "Rows with {}: about {:.0}. A few of them decide what is learned there.",
            self.place, self.rows
        )
    }
}
