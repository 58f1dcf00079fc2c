use crate::diagnose::{Diagnosis, Looked, finding};
use crate::noise::{NoiseError, NoiseModel};
use crate::vocabulary::Stratum;

finding! {
    /// # What it means
    /// The local scope learns the proxies' error in each stratum, that is among rows with the same prediction (and
    ///   label). In this one the equations have no solution.
    /// # Why it matters
    /// A local number that needs this stratum is not given. Other strata, and numbers that do not need it, stand.
    /// # What to do
    /// Prefer the global scope unless you have reason to think that the proxies err differently where the decision
    ///   differs. More rows help when the stratum is small.
    struct InfeasibleStratum {
        place: String,
        reason: String,
    }
}

impl Diagnosis<Looked<'_>> for InfeasibleStratum {
    const CODE: &'static str = "N02";
    const TITLE: &'static str = "a part of the rows has no estimate of its own";
    const ADVICE: &'static str = "Use the global scope, or bring more rows or better proxies. Local numbers that do not need this part stand.";

    fn look(at: &Looked) -> Vec<Self> {
        let without = |(stratum, fit): (&Stratum, &Result<_, NoiseError>)| {
            let reason = fit.as_ref().err()?.describe(at.legend());
            Some(InfeasibleStratum { place: at.place(*stratum), reason })
        };
        let local = at.examined().filter_map(|(_, explanation)| match &explanation.noise {
            Ok(NoiseModel::Local(fits)) => Some(fits),
            _ => None,
        });
        local.flatten().filter_map(without).collect()
    }

    fn message(&self) -> String {
        format!("Among {} no error rates explain how the proxies agree: {}.", self.place, self.reason)
    }
}
