use crate::diagnose::{Diagnosis, Evidence, Looked, finding};
use crate::record::{Test, TestRecord};

finding! {
    /// # What it means
    /// If the proxies err alike, every order of the same guesses is equally frequent: "yes, yes, no" as often as "no, yes, yes". A χ² test in every stratum says they are not.
    /// # Why it matters
    /// The calibrated numbers use one table of errors for all proxies. When one proxy is much weaker than the others, the gap usually comes out too large. Shared mistakes do not disturb this test, and passing it does not show that there are none.
    /// # What to do
    /// Look at what each proxy says directly: the one that shows the smallest gap is usually the weakest. Leave it out if three others remain, or replace it.
    pub(crate) struct UnequalProxies {
        test: TestRecord,
    }
}

impl Diagnosis<Looked<'_>> for UnequalProxies {
    const CODE: &'static str = "P07";
    const TITLE: &'static str = "the proxies do not err alike";

    fn look(at: &Looked) -> Option<Self> {
        let test = at.rejected(Test::Exchangeable).filter(|_| at.explained())?.clone();
        Some(UnequalProxies { test })
    }

    fn message(&self) -> String {
        format!(
            "The proxies err in clearly different ways (χ² {:.1} on {} degrees of freedom).",
            self.test.statistic, self.test.degrees_of_freedom
        )
    }

    fn advice(&self) -> &'static str {
        "Calibrated numbers rest on one table of errors for all proxies. Leave out the proxy that differs most, or \
         replace it."
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("statistic", self.test.statistic.into()),
            ("degrees_of_freedom", self.test.degrees_of_freedom.into()),
            ("p_value", self.test.p_value.into()),
        ]
    }
}
