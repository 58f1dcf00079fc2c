use crate::diagnose::{Diagnosis, Looked, Severity, finding};

use crate::counts::Spelling;
finding! {
    /// # What it means
    /// A column writes the same value in several ways, such as `1` and `1.0`, or with blanks around it. They were
    ///   read as one value.
    /// # Why it matters
    /// Tables glued together from several exports often differ in such details. Read as different values they would
    ///   become groups or classes of their own.
    /// # What to do
    /// Nothing, if they are meant to be one. If they are not, rename them.
    struct Spellings {
        column: String,
        read_as: String,
        written: Vec<String>,
    }
}

impl Diagnosis<Looked<'_>> for Spellings {
    const CODE: &'static str = "D04";
    const TITLE: &'static str = "one value is spelled in several ways";
    const ADVICE: &'static str =
        "Write the value in one way if they are meant to be one; rename them if not.";
    const SEVERITY: Severity = Severity::Info;

    fn look(at: &Looked) -> Vec<Self> {
        let of = |Spelling { column, read_as, written }: Spelling| Spellings { column, read_as, written };
        at.intake().spellings.iter().cloned().map(of).collect()
    }

    fn message(&self) -> String {
        format!(
            "Column {} writes {} as {}; they were read as one value.",
            self.column,
            self.read_as,
            self.written.join(", ")
        )
    }
}
