use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::record::Test;
use crate::vocabulary::ProxyId;

/// Silence of fewer people moves no rate by much, whatever it goes with.
const SOME: f64 = 0.02;

finding! {
    /// # What it means
    /// A proxy gives no guess for some people (empty, `null` or `NaN`). It abstains. The share of rows is printed.
    /// # Why it matters
    /// A proxy's own number is about the people it can guess. The calibrated number learns the proxies' error from rows with
    ///   three guesses, and takes from each proxy what it says when it guesses. Its rates are right as long as silence depends
    ///   on the group alone, even if one group is guessed far less often than another. They are off if, among people of the
    ///   same group, silence depends on the decision or on how well a proxy guesses: people who are hard to guess are then
    ///   missing from what is learned. Group shares count only the guesses that were given. Finding N07 shows this where strata
    ///   differ in how the proxies err or stay silent. Beside N07 this finding is serious; otherwise it is a note.
    /// # What to do
    /// If the share is large, find out who is left out. A proxy that is silent for one group only is still useful here, but
    ///   misleading when read directly.
    struct Abstentions {
        proxy: String,
        share: f64,
    } with {
        follows: bool,
    }
}

impl Diagnosis<Looked<'_>> for Abstentions {
    const CODE: &'static str = "D03";
    const TITLE: &'static str = "a proxy abstains";
    const ADVICE: &'static str = "This proxy's own number is about the people it can guess. Calibrated rates are right if silence depends on the group alone; group shares count only the guesses that were given.";

    fn look(at: &Looked) -> Vec<Self> {
        let strata_differ = at.rejected(Test::SameNoise).is_some();
        let share = |id: ProxyId| at.counts.abstained(id) / at.counts.weight();
        let of = |id: ProxyId| Abstentions {
            proxy: at.legend().proxies[id.0].name.clone(),
            share: share(id),
            follows: strata_differ && share(id) > SOME,
        };
        at.legend().all_proxies().map(of).filter(|found| found.share > 0.0).collect()
    }

    fn severity(&self) -> Severity {
        if self.follows { Severity::Serious } else { Severity::Info }
    }

    fn message(&self) -> String {
        let follows = if self.follows {
            " Within the groups, guesses or silence depend on the decision (N07), and silence may be the reason."
        } else {
            ""
        };
        format!("Proxy {} gives no guess on {:.1} % of the rows.{follows}", self.proxy, 100.0 * self.share)
    }
}
