use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::record::Measurement;

finding! {
    /// # What it means
    /// A calibrated number is a point estimate only: no interval was asked for (`{n_boot=0}`), or there are too many groups.
    ///   The limits are twelve by latent class; by moments five in the global scope, and three in the local scope or where
    ///   proxies abstain.
    /// # Why it matters
    /// Undoing the proxies' error magnifies chance, the more so the weaker the proxies are. Two runs on different people can
    ///   differ by more than the gap.
    /// # What to do
    /// Ask for intervals, or merge groups. Otherwise run the same audit on halves of the table and see how far they differ
    ///   before relying on a small gap.
    struct NoInterval {}
}

impl Diagnosis<Looked<'_>> for NoInterval {
    const CODE: &'static str = "U01";
    const TITLE: &'static str = "a number has no interval";
    const ADVICE: &'static str =
        "Compare with the same audit on halves of the table before relying on a small gap.";
    const SEVERITY: Severity = Severity::Info;

    fn look(at: &Looked) -> Option<Self> {
        let missing =
            |r: &Measurement| r.origin.basis.is_inferred() && r.value.is_some() && r.interval.is_none();
        (at.explained() && at.results.iter().any(missing)).then_some(NoInterval {})
    }

    fn message(&self) -> &'static str {
        "Some calibrated numbers come without an interval: none was asked for, or there are too many groups for one."
    }
}
