use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/D04.md")]
pub(super) struct Spellings(pub crate::counts::Spelling);

impl Diagnosis for Spellings {
    const CODE: &'static str = "D04";
    const TITLE: &'static str = "one value is spelled in several ways";

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

    fn advice(&self) -> String {
        "Write the value in one way if they are meant to be one; rename them if not.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("column", self.0.column.as_str().into()),
            ("read_as", self.0.read_as.as_str().into()),
            ("written", self.0.written.as_slice().into()),
        ]
    }
}
