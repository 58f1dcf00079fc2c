use super::{Diagnosis, Evidence, Severity};
use crate::record::TestRecord;

#[doc = include_str!("texts/P07.md")]
pub(super) struct UnequalProxies {
    pub test: TestRecord,
}

impl Diagnosis for UnequalProxies {
    const CODE: &'static str = "P07";
    const TITLE: &'static str = "the proxies do not err alike";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "The proxies err in clearly different ways (χ² {:.1} on {} degrees of freedom).",
            self.test.statistic, self.test.degrees_of_freedom
        )
    }

    fn advice(&self) -> String {
        "Calibrated numbers rest on one table of errors for all proxies. Leave out the proxy that differs most, or \
         replace it."
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
