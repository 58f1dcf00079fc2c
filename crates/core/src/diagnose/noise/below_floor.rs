use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::record::Measurement;
use crate::vocabulary::{Aggregate, Criterion};

finding! {
    /// # What it means
    /// If a proxy errs in a way that does not depend on the decision within a group, the gap it shows is at most the true one.
    ///   Here one proxy shows more than calibration leaves.
    /// # Why it matters
    /// One of two assumptions fails: the proxy errs differently where the decision differs, or the proxies err in different
    ///   ways, so one table of errors for all of them is wrong. Either way the calibrated number is off.
    /// # What to do
    /// Ask whether this proxy could know something about the decision (an address that the model also uses). Try without it. An
    ///   audit sample settles it.
    struct BelowFloor {
        proxy: String,
        criterion: Criterion,
        shown: f64,
        calibrated: f64,
    }
}

impl Diagnosis<Looked<'_>> for BelowFloor {
    const CODE: &'static str = "N08";
    const TITLE: &'static str = "the calibrated gap is smaller than a proxy shows";
    const SEVERITY: Severity = Severity::Serious;
    const ADVICE: &'static str = "This proxy's errors depend on the decision, or differ from those of the others. Look at how it was built; do not report the calibrated number until that is understood.";

    /// By more than chance; the first only.
    fn look(at: &Looked) -> Option<Self> {
        let relied_on = |r: &&Measurement| {
            at.relied.chose(r.criterion.view(), &r.origin) && r.aggregate == Aggregate::Difference
        };
        at.results.iter().filter(relied_on).find_map(|result| {
            let (calibrated, interval) = (result.value?, result.interval.as_ref()?);
            let shows_more = |r: &&Measurement| {
                r.origin.proxy.is_some()
                    && (r.criterion, r.aggregate) == (result.criterion, result.aggregate)
                    && r.interval.as_ref().is_some_and(|direct| direct.ends.low > interval.ends.high)
            };
            let direct = at.results.iter().find(shows_more)?;
            Some(BelowFloor {
                proxy: direct.origin.proxy.clone()?,
                criterion: result.criterion,
                shown: direct.value.unwrap_or_default(),
                calibrated,
            })
        })
    }

    fn message(&self) -> String {
        format!(
            "Proxy {} alone shows a gap of {:.3} in {}, more than the calibrated {:.3}, by more than chance. Errors unrelated to the decision can only shrink a gap.",
            self.proxy,
            self.shown,
            self.criterion.words(),
            self.calibrated
        )
    }
}
