use crate::diagnose::{Diagnosis, Looked, Severity, finding};

finding! {
    /// # What it means
    /// Some values of what is controlled for have too few rows with one decision (and label) to ask names about them alone.
    /// # Why it matters
    /// Their rows were put together with those of the most frequent value, within the same decision. For these rows nothing is
    ///   controlled for. Few rows move no rate by much.
    /// # What to do
    /// Nothing where they are few. Otherwise use wider bands, or put rare values together yourself.
    struct SmallControls {
        pooled: usize,
    }
}

impl Diagnosis<Looked<'_>> for SmallControls {
    const CODE: &'static str = "D16";
    const TITLE: &'static str = "values to control for that few rows have are put together";
    const SEVERITY: Severity = Severity::Info;
    const ADVICE: &'static str = "Use wider bands in {control} if many rows are concerned.";

    fn look(at: &Looked) -> Option<Self> {
        let evidence = at.answers.iter().filter_map(|answers| answers.evidence.as_ref());
        let pooled = evidence.map(|evidence| evidence.pooled()).max()?;
        (pooled > 0).then_some(SmallControls { pooled })
    }

    fn message(&self) -> String {
        format!(
            "{} parts of the table, one for each decision (and label) and value to control for, have too few rows: they are put together \
             with the most frequent value.",
            self.pooled
        )
    }
}
