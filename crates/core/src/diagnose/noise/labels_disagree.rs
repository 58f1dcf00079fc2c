use crate::diagnose::{Diagnosis, Looked, finding};
use crate::labels::short;

finding! {
    /// # What it means
    /// Labelled rows are read twice: with one table of errors for all decisions (the audit sample), which is precise, and
    ///   without any (the regression). Here the two differ by more than chance.
    /// # Why it matters
    /// Then the proxies err differently where the decision differs, and the more precise number is off however many labels
    ///   there are. In simulations with errors that shifted by five points with the decision it held the truth in 26 % of
    ///   samples.
    /// # What to do
    /// Report the regression, which is the headline. More labels make it more precise.
    struct LabelsDisagree {
        criterion: String,
        p_value: f64,
    }
}

impl Diagnosis<Looked<'_>> for LabelsDisagree {
    const CODE: &'static str = "N12";
    const TITLE: &'static str = "labelled rows contradict one table of errors for all decisions";
    const ADVICE: &'static str =
        "Report the regression. Do not report the audit sample's number, nor one from agreement alone.";

    fn look(at: &Looked) -> Vec<Self> {
        let of_view = |answers: &crate::answers::Answers| {
            let labels = answers.labels.as_ref().filter(|labels| labels.disagree())?;
            let criterion = answers.view.every_stratum().words().to_owned();
            Some(LabelsDisagree { criterion, p_value: labels.disagreement?.p_value })
        };
        at.answers.iter().filter_map(of_view).collect()
    }

    fn message(&self) -> String {
        format!(
            "In {}, the audit sample and the regression on the same labels differ by more than chance (p = {}): errors depend on the decision.",
            self.criterion,
            short(self.p_value)
        )
    }
}
