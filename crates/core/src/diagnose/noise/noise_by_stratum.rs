use crate::diagnose::{Diagnosis, LIKELY, Looked, Severity, finding};
use crate::record::{Test, TestRecord};

finding! {
    /// # What it means
    /// A likelihood ratio test compares error rates that all strata share with rates of each stratum's own, for proxies
    ///   that err alike or each in its own way, whichever explains the table better. The strata differ by more than chance. A
    ///   second test looks for one kind of difference alone, guesses that are more frequent among the selected than among
    ///   the others in every group, and sees a smaller one; it raises this finding at 5 %, so that one in fifteen tables
    ///   without any such difference has it too.
    /// # Why it matters
    /// The global number assumes that the proxies err alike whatever was decided. Where they do not, it can be off in
    ///   either direction, and by far more than chance: guesses that are five points more frequent among the selected make
    ///   a gap of some ten. The local number does not assume it, but is noisier, and mistakes that proxies share look the
    ///   same to this test and mislead it.
    /// # What to do
    /// Label some rows with their group: that settles it, whatever the proxies do. Short of that, compare the two numbers. With
    ///   the scope on auto, local is recommended when what differs is mostly a shift, or the likelihood gains six for each further
    ///   parameter and what is left fits, and the agreement in every stratum stands out from chance by four standard
    ///   errors; else the honest range takes in the local explanation too, and where the two give different numbers beyond
    ///   chance the range stands alone. The largest shift that is held possible can be stated, and widens the range.
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
    const ADVICE: &'static str = "Label some rows with their group before the number is used; until then compare the global with the local number.";

    fn look(at: &Looked) -> Option<Self> {
        let shifts = |test: &&TestRecord| test.test == Test::Shift && test.p_value < LIKELY;
        let test = at.rejected(Test::SameNoise).or_else(|| at.tests.iter().find(shifts));
        let &TestRecord { statistic, degrees_of_freedom, p_value, .. } = test.filter(|_| at.explained())?;
        let shift = test.is_some_and(|test| test.test == Test::Shift);
        Some(NoiseByStratum { statistic, degrees_of_freedom, p_value, shift })
    }

    fn message(&self) -> String {
        let what = if self.shift {
            "Inside the groups, the selected seem to be guessed otherwise than the others"
        } else {
            "The way in which the proxies err clearly differs between strata"
        };
        format!("{what} (χ² {:.1} on {} degrees of freedom).", self.statistic, self.degrees_of_freedom)
    }
}
