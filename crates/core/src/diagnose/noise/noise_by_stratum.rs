use crate::diagnose::{Diagnosis, LIKELY, Looked, Severity, finding};
use crate::record::{Test, TestRecord};

finding! {
    /// # What it means
    /// A likelihood ratio test compares error rates shared by all strata with separate rates for each stratum. The proxies have
    ///   one table of errors or one each, whichever explains the table better. The strata differ by more than chance. A second
    ///   test looks for one kind of difference only: guesses that are more frequent among selected people in every group. It
    ///   detects smaller differences. It raises this finding at 5 %, so one in fifteen tables without any difference has it
    ///   too.
    /// # Why it matters
    /// The global number assumes that the proxies err in the same way whatever was decided. Where they do not, it can be off in
    ///   either direction, and by far more than chance: guesses that are five points more frequent among the selected make a
    ///   gap of some ten. The local number does not assume it, but is noisier. Shared mistakes look the same to this test and
    ///   mislead it.
    /// # What to do
    /// Label some rows with their group: that settles it, whatever the proxies do. Otherwise compare the two numbers. With the
    ///   scope on auto, the local number is recommended where the difference is mostly a shift, or the likelihood gains six for
    ///   each further parameter (twenty where the table leaves nothing to test the fit with). Separate errors must also fit
    ///   the table where that can be tested, and agreement in every stratum must stand out from chance by four standard errors. Otherwise the honest range covers the local explanation too, and where the two numbers differ
    ///   beyond chance the range stands alone. You can state the largest shift you think possible; it widens the range.
    struct NoiseByStratum {
        statistic: f64,
        degrees_of_freedom: usize,
        p_value: f64,
    } with {
        shift: bool,
    }
}

impl Diagnosis<Looked<'_>> for NoiseByStratum {
    const CODE: &'static str = "N07";
    const TITLE: &'static str = "the proxies err differently where decisions differ";
    const SEVERITY: Severity = Severity::Serious;
    const ADVICE: &'static str = "Label some rows with their group before you use the number. Until then compare the numbers from one table of errors for all (global) and from one for each decision (local).";

    fn look(at: &Looked) -> Option<Self> {
        let shifts = |test: &&TestRecord| test.test == Test::Shift && test.p_value < LIKELY;
        let test = at.rejected(Test::SameNoise).or_else(|| at.tests.iter().find(shifts));
        let &TestRecord { statistic, degrees_of_freedom, p_value, .. } = test.filter(|_| at.explained())?;
        let shift = test.is_some_and(|test| test.test == Test::Shift);
        Some(NoiseByStratum { statistic, degrees_of_freedom, p_value, shift })
    }

    fn message(&self) -> String {
        let what = if self.shift {
            "Within the groups, selected people seem to be guessed differently from the others"
        } else {
            "In the same group, the proxies clearly err differently where decisions or labels differ"
        };
        format!("{what} (χ² {:.1} on {} degrees of freedom).", self.statistic, self.degrees_of_freedom)
    }
}
