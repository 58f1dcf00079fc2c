use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/N01.md")]
pub(super) struct Infeasible {
    pub reason: String,
}

impl Diagnosis for Infeasible {
    const CODE: &'static str = "N01";
    const TITLE: &'static str = "no calibrated number can be given";

    fn severity(&self) -> Severity {
        Severity::Serious
    }

    fn message(&self) -> String {
        format!("The proxies' error could not be estimated: {}.", self.reason)
    }

    fn advice(&self) -> String {
        "Report what the proxies say directly as a direction, not a size; then replace proxies that repeat each other or say little.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("reason", self.reason.as_str().into())]
    }
}
