use crate::diagnose::{Diagnosis, Severity, finding};
use crate::mitigate::Trial;

finding! {
    /// # What it means
    /// A column that the rule looks at has the names of the groups as its values: it is a guess of the group.
    /// # Why it matters
    /// Such a rule decides by a guess of the group, which in many places the law forbids (in the United States lending and hiring
    ///   law it is disparate treatment). And it is sound only if this guess errs apart from the proxies. Where it reads what one of
    ///   them reads, such as the same name, the rule closes the gap by the errors that both make: on COMPAS, with two name proxies and a
    ///   third as a feature, .004 was told and .12 was left.
    /// # What to do
    /// Ask whether a rule may look at it. Use it only if it comes from a source of its own, and beside three proxies or more: with
    ///   fewer nothing in the table shows what it shares with them.
    struct GuessAsFeature {
        feature: String,
        proxies: usize,
    }
}

/// Proxies from which on their errors along the features are tested (M11).
const TESTED: usize = 3;

impl Diagnosis<Trial<'_>> for GuessAsFeature {
    const CODE: &'static str = "M17";
    const TITLE: &'static str = "a guess of the group is among the features";
    const ADVICE: &'static str = "Ask whether a rule may decide by a guess of the group. Unless that guess comes from a source apart from the proxies', and three \
             proxies stand beside it, do not rely on the gap after ({drop}).";

    fn look(at: &Trial) -> Option<Self> {
        let feature = at.guess_feature?.to_owned();
        Some(GuessAsFeature { feature, proxies: at.proxies })
    }

    /// With fewer proxies nothing would show that they share errors with it.
    fn severity(&self) -> Severity {
        if self.proxies < TESTED { Severity::Serious } else { Severity::Warning }
    }

    fn message(&self) -> String {
        let shown = if self.proxies < TESTED {
            "with so few proxies nothing in the table shows whether it errs apart from them"
        } else {
            "it must err apart from all proxies"
        };
        format!(
            "Column {} has the names of the groups as its values, so the rule decides by a guess of the group; {shown}. If it does not, the \
             calibrated gap after can be near zero while the true one is not.",
            self.feature
        )
    }
}
