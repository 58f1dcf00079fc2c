use crate::diagnose::{Diagnosis, Looked, Severity, finding};

finding! {
    /// # What it means
    /// Some values of a controlled column have too few rows with one decision (and label) for names to say anything about them
    ///   alone.
    /// # Why it matters
    /// Their rows were merged with those of the most frequent value, within the same decision. For these rows nothing is
    ///   controlled for. A few rows move no rate by much.
    /// # What to do
    /// Nothing where they are few. Otherwise use wider bands, or merge rare values yourself.
    struct SmallControls {
        pooled: usize,
    }
}

impl Diagnosis<Looked<'_>> for SmallControls {
    const CODE: &'static str = "D16";
    const TITLE: &'static str = "controlled values with few rows were merged";
    const SEVERITY: Severity = Severity::Info;
    const ADVICE: &'static str = "Use wider bands in {control} if many rows are affected.";

    fn look(at: &Looked) -> Option<Self> {
        let evidence = at.answers.iter().filter_map(|answers| answers.evidence.as_ref());
        let pooled = evidence.map(|evidence| evidence.pooled()).max()?;
        (pooled > 0).then_some(SmallControls { pooled })
    }

    fn message(&self) -> String {
        format!(
            "{} combinations of a decision (and label) with a controlled value have too few rows. They were merged with the most frequent value.",
            self.pooled
        )
    }
}
