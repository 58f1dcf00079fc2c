use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/P10.md")]
pub(super) struct TwoProxies {
    pub statistic: f64,
}

impl Diagnosis for TwoProxies {
    const CODE: &'static str = "P10";
    const TITLE: &'static str = "two proxies: their error shows only between parts of the table";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "With two proxies the error rates follow only from how parts of the table differ in their mix of groups (χ² {:.0}).",
            self.statistic
        )
    }

    fn advice(&self) -> String {
        "Add a third proxy from another source, or label a few rows. Take this number as a first look.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![("statistic", self.statistic.into())]
    }
}
