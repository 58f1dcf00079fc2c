use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::labels::{LEAST_LABELS, Unusable};

finding! {
    /// # What it means
    /// A rate needs labelled people of its group (within a label, where the criterion compares people with the same label) and
    ///   labelled people of each decision. Of some kind there are fewer than ten.
    /// # Why it matters
    /// With a handful of labelled people the labels say next to nothing about that rate, and intervals from so few rows hold
    ///   the truth too seldom.
    /// # What to do
    /// Label more rows. A rare group or decision needs many random labels: label more of the rows that are guessed to be of it,
    ///   and state each row's chance of being labelled with {label_probability}.
    struct LabelsTooFew {
        kind: String,
        labels: u64,
        least: u64,
        also: usize,
    }
}

impl Diagnosis<Looked<'_>> for LabelsTooFew {
    const CODE: &'static str = "D14";
    const TITLE: &'static str = "too few labelled rows for a number";
    const ADVICE: &'static str = "Label more rows: {!plan} says how many. Until then, report what is read directly, and its direction.";
    const SEVERITY: Severity = Severity::Serious;

    /// The first view that lacks some, and the kind of which it has least.
    fn look(at: &Looked) -> Option<Self> {
        let labels = at.answers.iter().filter_map(|answers| answers.labels.as_ref());
        let mut lacking = labels.filter_map(|labels| match &labels.unusable {
            Some(Unusable::TooFew(lacking)) => Some(lacking),
            _ => None,
        });
        let lacking = lacking.next()?;
        let least = lacking.iter().min_by_key(|lack| lack.rows)?;
        Some(LabelsTooFew {
            kind: least.kind.describe(at.legend()),
            labels: least.rows,
            least: LEAST_LABELS,
            also: lacking.len() - 1,
        })
    }

    fn message(&self) -> String {
        let also = match self.also {
            0 => String::new(),
            1 => ", and too few of one other kind".into(),
            more => format!(", and too few of {more} other kinds"),
        };
        format!(
            "Only {} labelled rows are of {}{also}; a number needs at least {} of each.",
            self.labels, self.kind, self.least
        )
    }
}
