use crate::diagnose::{Diagnosis, Evidence, Looked, finding};
use crate::record::{Test, TestRecord};

finding! {
    /// # What it means
    /// A likelihood ratio test compares one table of errors for all strata with one for each. The strata differ by more than chance.
    /// # Why it matters
    /// The global number assumes that the proxies err alike whatever was decided. Where they do not, it can be off in either direction. The local number does not assume it, but is noisier. Shared mistakes cannot be seen by this test.
    /// # What to do
    /// Compare the two. With the scope on auto, local is recommended when the difference is worth its parameters (BIC) and the agreement in every stratum stands out from chance by ten standard errors.
    pub(crate) struct NoiseByStratum {
        test: TestRecord,
    }
}

impl Diagnosis<Looked<'_>> for NoiseByStratum {
    const CODE: &'static str = "N07";
    const TITLE: &'static str = "the proxies err differently where decisions differ";

    fn look(at: &Looked) -> Option<Self> {
        let test = at.rejected(Test::SameNoise).filter(|_| at.explained())?.clone();
        Some(NoiseByStratum { test })
    }

    fn message(&self) -> String {
        format!(
            "The way in which the proxies err clearly differs between strata (χ² {:.1} on {} degrees of freedom).",
            self.test.statistic, self.test.degrees_of_freedom
        )
    }

    fn advice(&self) -> &'static str {
        "Compare the global with the local number; local is recommended by itself where every stratum is large enough."
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("statistic", self.test.statistic.into()),
            ("degrees_of_freedom", self.test.degrees_of_freedom.into()),
            ("p_value", self.test.p_value.into()),
        ]
    }
}
