use crate::diagnose::{Diagnosis, Looked, finding};
use crate::record::{Test, TestRecord};

finding! {
    /// # What it means
    /// A likelihood ratio test compares error rates that all strata share with rates of each stratum's own, for proxies
    ///   that err alike or each in its own way, whichever explains the table better. The strata differ by more than chance.
    /// # Why it matters
    /// The global number assumes that the proxies err alike whatever was decided. Where they do not, it can be off in
    ///   either direction. The local number does not assume it, but is noisier. Shared mistakes cannot be seen by
    ///   this test.
    /// # What to do
    /// Compare the two. With the scope on auto, local is recommended when the likelihood gains six for each further
    ///   parameter and the agreement in every stratum stands out from chance by four standard errors; short of that, the
    ///   honest range takes in the local explanation too.
    struct NoiseByStratum {
        statistic: f64,
        degrees_of_freedom: usize,
        p_value: f64,
    }
}

impl Diagnosis<Looked<'_>> for NoiseByStratum {
    const CODE: &'static str = "N07";
    const TITLE: &'static str = "the proxies err differently where decisions differ";
    const ADVICE: &'static str = "Compare the global with the local number; local is recommended by itself where every stratum is large enough.";

    fn look(at: &Looked) -> Option<Self> {
        let test = at.rejected(Test::SameNoise).filter(|_| at.explained())?;
        let &TestRecord { statistic, degrees_of_freedom, p_value, .. } = test;
        Some(NoiseByStratum { statistic, degrees_of_freedom, p_value })
    }

    fn message(&self) -> String {
        format!(
            "The way in which the proxies err clearly differs between strata (χ² {:.1} on {} degrees of freedom).",
            self.statistic, self.degrees_of_freedom
        )
    }
}
