use crate::diagnose::{Diagnosis, Looked, finding};

finding! {
    /// # What it means
    /// The audit sample learns how often each group gives each pattern of guesses. With many proxies there are many patterns,
    ///   and few labels for each.
    /// # Why it matters
    /// Chance then pulls the estimate, and draws of the same rows repeat that pull. In simulations with two to three labels for
    ///   each pattern and group, intervals meant to hold in 95 % of samples held in 80 to 89 %.
    /// # What to do
    /// Label more rows: about five for each pattern and group were enough. Or leave out proxies that add little: with three
    ///   two-valued proxies there are eight patterns, with five there are thirty-two.
    struct SparseLabels {
        labels: u64,
        for_each: f64,
    }
}

/// With fewer labels for each thing to be learned, intervals were seen to hold in 80 to 89 % of samples.
const FEW: f64 = 5.0;

impl Diagnosis<Looked<'_>> for SparseLabels {
    const CODE: &'static str = "D09";
    const TITLE: &'static str = "few labels for so many patterns of guesses";
    const ADVICE: &'static str =
        "Treat the interval as a first look. Label more rows, or use fewer proxies with the labels you have.";

    fn look(at: &Looked) -> Option<Self> {
        let labels = at.counts.audit_labels()?;
        let for_each = labels.for_each_pattern(at.legend().groups.len());
        (for_each < FEW).then(|| SparseLabels { labels: labels.rows(), for_each })
    }

    fn message(&self) -> String {
        format!(
            "{} labels are {:.1} for each pattern of guesses and group; with fewer than {FEW:.0} the interval of the audit sample \
             is too narrow.",
            self.labels, self.for_each
        )
    }
}
