use crate::diagnose::{Diagnosis, Severity, finding};
use crate::mitigate::{ExplainedShare, Trial};

finding! {
    /// # What it means
    /// The rule predicts the weights `V` from features. `V` is made of guesses: what the group explains of it has a known size,
    ///   and the rest are the proxies' errors. Here the features explain more than the group could, so they predict the errors
    ///   themselves.
    /// # Why it matters
    /// A rule that knows the guesses brings the gap *by guesses* to zero without touching the true one, and calibration cannot
    ///   see it: its errors are no longer independent of the decision.
    /// # What to do
    /// Look for a feature that is a guess, a probability of a proxy, or what a proxy reads (a surname, a district), and leave
    ///   it out. Finding nothing proves nothing: only a clear excess is detected.
    struct GuessesInFeatures {
        explained: f64,
        possible: f64,
    }
}

impl Diagnosis<Trial<'_>> for GuessesInFeatures {
    const CODE: &'static str = "M09";
    const TITLE: &'static str = "features explain more of the guesses than a group could";
    const ADVICE: &'static str = "Leave out features that a proxy is made from ({drop}), such as the surname or the district that it reads. Until then, do not use this rule.";
    const SEVERITY: Severity = Severity::Serious;

    /// The share is measured where it was not fitted; chance moves it by little.
    fn look(at: &Trial) -> Option<Self> {
        let more = |part: &&ExplainedShare| part.explained > part.possible + 0.03;
        let ExplainedShare { explained, possible } = *at.explained.iter().flatten().find(more)?;
        Some(GuessesInFeatures { explained, possible })
    }

    fn message(&self) -> String {
        format!(
            "Features explain {:.1} % of how the weights of people differ. If the proxies erred independently of the features, \
             knowing the group itself would explain {:.1} %: a feature and a proxy are made from the same thing, or a guess is \
             among the features. The calibrated gap after can be near zero while the true one is not.",
            100.0 * self.explained,
            100.0 * self.possible
        )
    }
}
