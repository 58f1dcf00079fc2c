use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/U01.md")]
pub(super) struct NoInterval;

impl Diagnosis for NoInterval {
    const CODE: &'static str = "U01";
    const TITLE: &'static str = "a number has no interval";

    fn severity(&self) -> Severity {
        Severity::Info
    }

    fn message(&self) -> String {
        "Some calibrated numbers come without an interval: none was asked for, or there are too many groups for one."
            .into()
    }

    fn advice(&self) -> String {
        "Compare with the same audit on halves of the table before relying on a small gap.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![]
    }
}
