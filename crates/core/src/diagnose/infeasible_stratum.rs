use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/N02.md")]
pub(super) struct InfeasibleStratum {
    pub place: String,
    pub reason: String,
}

impl Diagnosis for InfeasibleStratum {
    const CODE: &'static str = "N02";
    const TITLE: &'static str = "a part of the rows has no estimate of its own";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!("Among {} no error rates explain how the proxies agree: {}.", self.place, self.reason)
    }

    fn advice(&self) -> String {
        "Use the global scope, or bring more rows or better proxies. Local numbers that do not need this part stand.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("place", self.place.as_str().into()), ("reason", self.reason.as_str().into())]
    }
}
