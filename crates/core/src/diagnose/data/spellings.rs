use crate::diagnose::{Diagnosis, Evidence, Looked, Severity, finding};

finding! {
    /// # What it means
    /// A column writes the same value in several ways, such as `1` and `1.0`, or with blanks around it. They were read as one value.
    /// # Why it matters
    /// Tables glued together from several exports often differ in such details. Read as different values they would become groups or classes of their own.
    /// # What to do
    /// Nothing, if they are meant to be one. If they are not, rename them.
    pub(crate) struct Spellings(crate::counts::Spelling);
}

impl Diagnosis<Looked<'_>> for Spellings {
    const CODE: &'static str = "D04";
    const TITLE: &'static str = "one value is spelled in several ways";

    fn look(at: &Looked) -> Vec<Self> {
        at.intake().spellings.iter().cloned().map(Spellings).collect()
    }

    fn severity(&self) -> Severity {
        Severity::Info
    }

    fn message(&self) -> String {
        format!(
            "Column {} writes {} as {}; they were read as one value.",
            self.0.column,
            self.0.read_as,
            self.0.written.join(", ")
        )
    }

    fn advice(&self) -> &'static str {
        "Write the value in one way if they are meant to be one; rename them if not."
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("column", self.0.column.as_str().into()),
            ("read_as", self.0.read_as.as_str().into()),
            ("written", self.0.written.as_slice().into()),
        ]
    }
}
