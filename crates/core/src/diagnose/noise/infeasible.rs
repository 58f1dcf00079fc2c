use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::noise::NoiseError;

finding! {
    /// # What it means
    /// Three independent proxies with the same error rates cannot agree in the way these do. The equations for their
    ///   error rates have no solution among probabilities, so no calibrated number is given. It is not clipped into
    ///   one.
    /// # Why it matters
    /// It has three usual causes: proxies so weak that chance hides how they agree; proxies that err very differently
    ///   from each other; proxies that repeat each other's mistakes.
    /// # What to do
    /// Check that every proxy says something about the group and that none is a copy. More rows help against chance
    ///   only. Until then report the direction of the proxies' gap, not its size.
    struct Infeasible {
        reason: String,
    }
}

impl Diagnosis<Looked<'_>> for Infeasible {
    const CODE: &'static str = "N01";
    const TITLE: &'static str = "no calibrated number can be given";
    const ADVICE: &'static str = "Report a direction at most, not a size. Check that all proxies code the groups alike, and replace those that repeat each other or say little.";
    const SEVERITY: Severity = Severity::Serious;

    fn look(at: &Looked) -> Vec<Self> {
        let reasons = at.examined().filter_map(|(_, explanation)| explanation.noise.as_ref().err());
        // Too few proxies are a finding of their own.
        let others = reasons.filter(|reason| !matches!(reason, NoiseError::TooFewProxies { .. }));
        others.map(|reason| Infeasible { reason: reason.describe(at.legend()) }).collect()
    }

    fn message(&self) -> String {
        format!("The proxies' error could not be estimated: {}.", self.reason)
    }
}
