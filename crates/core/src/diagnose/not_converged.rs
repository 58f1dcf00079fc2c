use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/N06.md")]
pub(super) struct NotConverged {
    pub place: String,
    pub iterations: usize,
}

impl Diagnosis for NotConverged {
    const CODE: &'static str = "N06";
    const TITLE: &'static str = "the solver stopped before it was done";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "Among {}, the solver still improved its fit when it reached {} steps.",
            self.place, self.iterations
        )
    }

    fn advice(&self) -> String {
        "Treat the number as rough; fewer groups or more rows help.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("place", self.place.as_str().into()), ("iterations", (self.iterations as f64).into())]
    }
}
