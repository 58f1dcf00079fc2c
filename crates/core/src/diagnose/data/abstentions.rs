use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::vocabulary::ProxyId;

/// From here on people without a guess can move the proxy's own number by as much as the gaps of interest.
const MANY: f64 = 0.2;

finding! {
    /// # What it means
    /// A proxy gives no guess for some people (empty, `null` or `NaN`). It abstains. The share of rows is printed.
    /// # Why it matters
    /// A proxy's own number is about the people it can guess. The calibrated number learns the proxies' error from
    ///   rows with three guesses, and takes from each proxy what it says when it guesses. Its rates are right as long
    ///   as silence depends on the group alone, even if one group is guessed far less often than another. They are
    ///   off if, among people of the same group, silence goes with the decision, or with how well any proxy guesses:
    ///   people who are hard to guess are then missing from what is learned. Group shares are those among given
    ///   guesses.
    /// # What to do
    /// If the share is large, find out who is left out. A proxy that is silent for one group only is still useful
    ///   here, but misleading when read directly.
    struct Abstentions {
        proxy: String,
        share: f64,
    }
}

impl Diagnosis<Looked<'_>> for Abstentions {
    const CODE: &'static str = "D03";
    const TITLE: &'static str = "a proxy abstains";
    const ADVICE: &'static str = "Read the number of this proxy alone as one about people it can guess. Calibrated rates are right if silence \
         depends on the group alone; group shares are those among given guesses.";

    fn look(at: &Looked) -> Vec<Self> {
        let of = |id: ProxyId| Abstentions {
            proxy: at.legend().proxies[id.0].name.clone(),
            share: at.counts.abstained(id) / at.counts.weight(),
        };
        at.legend().all_proxies().map(of).filter(|found| found.share > 0.0).collect()
    }

    fn severity(&self) -> Severity {
        if self.share < MANY { Severity::Info } else { Severity::Warning }
    }

    fn message(&self) -> String {
        format!("Proxy {} gives no guess on {:.1} % of the rows.", self.proxy, 100.0 * self.share)
    }
}
