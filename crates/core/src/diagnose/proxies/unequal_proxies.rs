use crate::diagnose::{Diagnosis, Looked, finding};
use crate::record::{Test, TestRecord};

finding! {
    /// # What it means
    /// If the proxies err alike, every order of the same guesses is equally frequent: "yes, yes, no" as often as "no, yes,
    ///   yes". A χ² test in every stratum says they are not.
    /// # Why it matters
    /// Numbers that use one table of errors for all proxies (moments, and latent class where it is preferred) usually come out
    ///   too large where one proxy is much weaker than the others. The automatic choice gives each proxy its own errors where
    ///   that explains the table better. Mistakes that all proxies share do not disturb this test; mistakes that only some
    ///   share do, and look like skill.
    /// # What to do
    /// Look at what each proxy says directly: the one that shows the smallest gap is usually the weakest. Leave it out if three
    ///   others remain, or replace it.
    struct UnequalProxies {
        statistic: f64,
        degrees_of_freedom: usize,
        p_value: f64,
    }
}

impl Diagnosis<Looked<'_>> for UnequalProxies {
    const CODE: &'static str = "P07";
    const TITLE: &'static str = "the proxies do not err alike";
    const ADVICE: &'static str = "Do not ask for a method that uses one table of errors for all proxies. Make sure that no two proxies are made from the same data.";

    fn look(at: &Looked) -> Option<Self> {
        let test = at.rejected(Test::Exchangeable).filter(|_| at.explained())?;
        let &TestRecord { statistic, degrees_of_freedom, p_value, .. } = test;
        Some(UnequalProxies { statistic, degrees_of_freedom, p_value })
    }

    fn message(&self) -> String {
        format!(
            "The proxies err in clearly different ways (χ² {:.1} on {} degrees of freedom).",
            self.statistic, self.degrees_of_freedom
        )
    }
}
