use crate::diagnose::{Diagnosis, Looked, finding};
use crate::uncertainty::checks::strata_differ;
use crate::vocabulary::Estimator;

finding! {
    /// # What it means
    /// Two proxies agree as much when both are good as when a few groups are large; one population alone does not show their
    ///   error. Parts of the table with different mixes of groups do, if the proxies err in the same way in all of them.
    /// # Why it matters
    /// The estimate rests on that assumption, which nothing here can test, and on the differences between decisions, which are
    ///   the very thing to be measured. It is less steady than one from three proxies.
    /// # What to do
    /// Add a proxy built from another source, or label a few rows chosen at random.
    struct TwoProxies {
        statistic: f64,
    }
}

impl Diagnosis<Looked<'_>> for TwoProxies {
    const CODE: &'static str = "P10";
    const TITLE: &'static str = "two proxies show their errors only where parts of the table differ";
    const ADVICE: &'static str =
        "Add a third proxy from another source, or label a few rows. Treat this number as a first look.";

    fn look(at: &Looked) -> Option<Self> {
        let relied_on = at.estimator == Some(Estimator::LatentClass) && at.legend().proxies.len() == 2;
        let answers = at.answers.first().filter(|_| relied_on)?;
        Some(TwoProxies { statistic: strata_differ(&answers.seen, answers.rows) })
    }

    fn message(&self) -> String {
        format!(
            "With two proxies the error rates follow only from how parts of the table differ in their mix of groups (χ² {:.0}).",
            self.statistic
        )
    }
}
