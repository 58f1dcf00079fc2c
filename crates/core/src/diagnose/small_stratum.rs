use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/D07.md")]
pub(super) struct SmallStratum {
    pub place: String,
    pub rows: f64,
}

/// With fewer rows a matrix of their own can not be learned.
pub(super) const FEW: f64 = 100.0;

impl Diagnosis for SmallStratum {
    const CODE: &'static str = "D07";
    const TITLE: &'static str = "a part of the table is small";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "Rows with {} are about {:.0}, and a few of them decide what is learned there.",
            self.place, self.rows
        )
    }

    fn advice(&self) -> String {
        "Rely on one matrix for all rows (global scope), and on criteria that do not need this part alone."
            .into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("place", self.place.as_str().into()), ("rows", self.rows.into())]
    }
}
