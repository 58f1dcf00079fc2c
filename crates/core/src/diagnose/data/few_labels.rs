use crate::diagnose::{Diagnosis, Looked, finding};

finding! {
    /// # What it means
    /// The audit sample shows how the proxies err in each group. In one of them it holds very few people.
    /// # Why it matters
    /// What is learned about that group rests on them. The interval shows how uncertain that is, but with a handful of labels
    ///   it is itself rough.
    /// # What to do
    /// Label more rows. Choose them at random from the whole table; choosing by what a proxy guesses would bias the estimate.
    struct FewLabels {
        group: String,
        labels: u64,
        all: u64,
    }
}

/// Fewer labels of a group hardly tell how it is guessed.
const FEW: u64 = 15;

impl Diagnosis<Looked<'_>> for FewLabels {
    const CODE: &'static str = "D08";
    const TITLE: &'static str = "few rows have a known group";
    const ADVICE: &'static str = "Label more rows, chosen at random: {!plan} says how many.";

    /// The group with the fewest labels only.
    fn look(at: &Looked) -> Option<Self> {
        let known = at.counts.audit_labels()?;
        let sizes = at.legend().all_groups().map(|group| (group, known.of_group(group)));
        let (group, labels) = sizes.min_by_key(|(_, labels)| *labels)?;
        let group = at.legend().group(group).to_owned();
        (labels < FEW).then(|| FewLabels { group, labels, all: known.rows() })
    }

    fn message(&self) -> String {
        format!("Of the {} labelled rows, {} belong to group {}.", self.all, self.labels, self.group)
    }
}
