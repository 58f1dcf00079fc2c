use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::vocabulary::Group;

finding! {
    /// # What it means
    /// In the audit sample, people who truly are of a group are not guessed to be of it more often than other people.
    /// # Why it matters
    /// Either the labels and the proxies mean different things by the same name, or labels are wrong, or the proxies
    ///   know nothing about this group. An estimate from such labels is no better than they are.
    /// # What to do
    /// Look at a few labelled rows by hand. If labels are right, the proxies cannot be used for this group.
    struct LabelsContradict {
        group: String,
        right: f64,
        by_chance: f64,
    }
}

impl Diagnosis<Looked<'_>> for LabelsContradict {
    const CODE: &'static str = "N09";
    const TITLE: &'static str = "known groups contradict the proxies";
    const ADVICE: &'static str =
        "Check that the labels mean the same groups as the guesses, and that columns were not swapped.";
    const SEVERITY: Severity = Severity::Serious;

    fn look(at: &Looked) -> Vec<Self> {
        let Some(labels) = at.counts.audit_labels() else { return Vec::new() };
        let contradicts = |group: Group| {
            let (right, by_chance) = labels.guessed(group).filter(|(right, other)| right <= other)?;
            Some(LabelsContradict { group: at.legend().group(group).to_owned(), right, by_chance })
        };
        at.legend().all_groups().filter_map(contradicts).collect()
    }

    fn message(&self) -> String {
        format!(
            "People labelled {} are guessed so in {:.0} % of guesses, no more often than other people ({:.0} %).",
            self.group,
            100.0 * self.right,
            100.0 * self.by_chance
        )
    }
}
