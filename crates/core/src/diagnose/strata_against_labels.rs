use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/N11.md")]
pub(super) struct StrataAgainstLabels;

impl Diagnosis for StrataAgainstLabels {
    const CODE: &'static str = "N11";
    const TITLE: &'static str = "the labels are used as if the proxies erred alike everywhere";

    fn severity(&self) -> Severity {
        Severity::Serious
    }

    fn message(&self) -> String {
        "The proxies err differently where the decision differs. The audit sample takes their errors to be the same in all \
         parts of the table, and can be far off."
            .into()
    }

    fn advice(&self) -> String {
        "Compare with the local scope. Label enough rows to compare the labelled people of each decision directly.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        Vec::new()
    }
}
