use crate::diagnose::{Diagnosis, Severity, finding};
use crate::mitigate::{Along, Trial};
use crate::uncertainty::draws::f_tail;

finding! {
    /// # What it means
    /// If proxies err independently of the features within a group, the features predict every proxy's guesses in the same way,
    ///   up to a factor: through the group. Here they do not: regressed on the features, two proxies differ by more than
    ///   chance.
    /// # Why it matters
    /// An audit needs guesses that are unrelated to the *decision* within a group. A rule decides from features, so it needs
    ///   guesses that are unrelated to the *features*. Where they are related, the rule learns the errors and closes the gap
    ///   with them. The gap after and its interval, even the honest one, then miss the true gap that remains.
    /// # What to do
    /// Leave out features that a proxy is made from, or the proxy. If the errors of all proxies follow the features in the same
    ///   way, nothing in the table shows it: use proxies that read nothing the rule looks at.
    struct ErrorsInFeatures {
        proxy: String,
        other: String,
        statistic: f64,
        degrees_of_freedom: usize,
    }
}

impl Diagnosis<Trial<'_>> for ErrorsInFeatures {
    const CODE: &'static str = "M11";
    const TITLE: &'static str = "a proxy's errors follow the features";
    const ADVICE: &'static str = "Leave out the features that a proxy is made from ({drop}), such as facts about an area beside a proxy that reads the \
             district. Until then, do not rely on the gap after.";
    const SEVERITY: Severity = Severity::Serious;

    /// Clearer than usual, and of several pairs the clearest: each has its part of the chance.
    fn look(at: &Trial) -> Option<Self> {
        let clear = |along: &&Along| {
            f_tail(along.statistic, along.freedom, along.residual) * (along.pairs as f64) < 1e-3
        };
        let Along { proxies: [proxy, other], statistic, freedom, .. } = at.along.filter(clear)?.clone();
        Some(ErrorsInFeatures { proxy, other, statistic, degrees_of_freedom: freedom })
    }

    fn message(&self) -> String {
        format!(
            "The features tell what {} guesses otherwise than what {} guesses (χ² {:.0} on {} degrees of freedom), where both can \
             only go with the group. At least one of them errs along the features, and a rule can close the gap by its errors: \
             the calibrated gap after can be near zero while the true one is not.",
            self.proxy, self.other, self.statistic, self.degrees_of_freedom
        )
    }
}
