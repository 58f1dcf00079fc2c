use super::{Diagnosis, Evidence, Severity};
use crate::record::TestRecord;

#[doc = include_str!("texts/N07.md")]
pub(super) struct NoiseByStratum {
    pub test: TestRecord,
}

impl Diagnosis for NoiseByStratum {
    const CODE: &'static str = "N07";
    const TITLE: &'static str = "the proxies err differently where decisions differ";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "The way in which the proxies err clearly differs between strata (χ² {:.1} on {} degrees of freedom).",
            self.test.statistic, self.test.degrees_of_freedom
        )
    }

    fn advice(&self) -> String {
        "Compare the global with the local number; local is recommended by itself where every stratum is large enough."
            .into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("statistic", self.test.statistic.into()),
            ("degrees_of_freedom", (self.test.degrees_of_freedom as f64).into()),
            ("p_value", self.test.p_value.into()),
        ]
    }
}
