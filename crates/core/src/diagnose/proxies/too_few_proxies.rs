use crate::diagnose::{Diagnosis, Looked, finding};
use crate::estimate::Hoc;

finding! {
    /// # What it means
    /// It takes three proxies to learn from agreement how they err. Two can do where strata differ enough, and any number where
    ///   some groups are known or error rates are given. Nothing of that is here, so only what the proxies say directly is
    ///   reported.
    /// # Why it matters
    /// Read directly, a proxy that errs mixes the groups, and the gap it shows is smaller than the true one. With two groups
    ///   and errors that do not depend on the decision, it shows the gap times one minus the two probabilities of being wrong
    ///   about a guessed group.
    /// # What to do
    /// Add proxies from other sources. Where rows have features or embeddings that the proxy does not see, each can borrow the
    ///   guesses of its nearest neighbours (`{features}`). Until then report the direction of the gap and not its size. With
    ///   two groups and errors that do not depend on the decision the direction is right; with more groups the order of the
    ///   groups can change.
    struct TooFewProxies {
        found: usize,
        needed: usize,
    }
}

impl Diagnosis<Looked<'_>> for TooFewProxies {
    const CODE: &'static str = "P03";
    const TITLE: &'static str = "fewer than three proxies, and nothing else shows how they err";
    const ADVICE: &'static str = "Add proxies built from other sources until there are three; or borrow guesses from nearest neighbours ({features}), if the \
             proxy is not computed from the features; or report the direction of the gap and not its size.";

    fn look(at: &Looked) -> Option<Self> {
        let found = at.legend().proxies.len();
        (found < Hoc::PROXIES && at.estimator.is_none())
            .then_some(TooFewProxies { found, needed: Hoc::PROXIES })
    }

    fn message(&self) -> String {
        format!(
            "It takes three proxies to learn from agreement how they err, and there {} {}. The numbers are what the proxies say directly, which usually understates the gap.",
            if self.found == 1 { "is" } else { "are" },
            self.found
        )
    }
}
