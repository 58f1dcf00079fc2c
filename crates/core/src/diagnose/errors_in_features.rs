use super::{Diagnosis, Evidence, Severity};

#[doc = include_str!("texts/M11.md")]
pub(crate) struct ErrorsInFeatures {
    pub proxy: String,
    pub other: String,
    pub statistic: f64,
    pub freedom: usize,
}

impl Diagnosis for ErrorsInFeatures {
    const CODE: &'static str = "M11";
    const TITLE: &'static str = "a proxy errs along the features";

    fn severity(&self) -> Severity {
        Severity::Serious
    }

    fn message(&self) -> String {
        format!(
            "The features tell what {} guesses otherwise than what {} guesses (χ² {:.0} on {} degrees of freedom), where both can \
             only go with the group. At least one of them errs along the features, and a rule can close the gap by its errors: \
             the calibrated gap after can be near zero while the true one is not.",
            self.proxy, self.other, self.statistic, self.freedom
        )
    }

    fn advice(&self) -> String {
        "Leave out the features that a proxy is made from (--drop), such as facts about an area beside a proxy that reads the \
         district. Do not rely on the gap after before.".into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("proxy", self.proxy.as_str().into()),
            ("other", self.other.as_str().into()),
            ("statistic", self.statistic.into()),
            ("degrees_of_freedom", (self.freedom as f64).into()),
        ]
    }
}
