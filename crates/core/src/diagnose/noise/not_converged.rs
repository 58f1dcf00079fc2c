use crate::diagnose::{Diagnosis, Fitted, Looked, finding};
use crate::noise::Stopped;

finding! {
    /// # What it means
    /// The solver reached its limit of steps while its fit was still improving.
    /// # Why it matters
    /// The estimate may lie short of the best one.
    /// # What to do
    /// Merge small groups. If it happens with few groups, the table is worth a bug report.
    struct NotConverged {
        place: String,
        iterations: usize,
    }
}

impl Diagnosis<Looked<'_>> for NotConverged {
    const CODE: &'static str = "N06";
    const TITLE: &'static str = "the solver stopped before it was done";
    const ADVICE: &'static str = "Treat the number as rough; fewer groups or more rows help.";

    fn look(at: &Looked) -> Vec<Self> {
        let stopped = |fitted: Fitted| match fitted.fit.stopped {
            Stopped::IterationLimit { iterations } => Some(NotConverged { place: fitted.place, iterations }),
            _ => None,
        };
        at.fits().into_iter().filter_map(stopped).collect()
    }

    fn message(&self) -> String {
        format!(
            "Among {}, the solver still improved its fit when it reached {} steps.",
            self.place, self.iterations
        )
    }
}
