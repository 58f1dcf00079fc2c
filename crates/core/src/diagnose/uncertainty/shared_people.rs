use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::uncertainty::effective::EffectiveRows;

finding! {
    /// # What it means
    /// A person whose guess was lent to neighbours appears in several rows, or noise was added to the tally for privacy. Either
    ///   way the rows say less than the same number of independent rows.
    /// # Why it matters
    /// Intervals that treat the rows as independent would be too narrow: with lent guesses they held the truth in 88 to 90 % of
    ///   simulated tables instead of 95 %. Here the variance that sharing and noise add to the calibrated gap is computed from
    ///   the fitted model, and the table is treated as one of fewer rows.
    /// # What to do
    /// Nothing: the intervals use the smaller number. Where no model could be fitted (abstaining proxies, many groups) an upper
    ///   bound is used and intervals are wider than they need be.
    struct SharedPeople {
        rows: f64,
        effective_rows: f64,
        by_sharing: f64,
        by_noise: f64,
    } with {
        /// Not computed, but on the safe side.
        bounded: bool,
    }
}

impl Diagnosis<Looked<'_>> for SharedPeople {
    const CODE: &'static str = "U02";
    const TITLE: &'static str = "the rows are worth fewer independent rows";
    const ADVICE: &'static str = "Nothing to do: the intervals allow for it. More rows help as usual.";
    const SEVERITY: Severity = Severity::Info;

    fn look(at: &Looked) -> Option<Self> {
        let effective = at.about_all()?.effective;
        let EffectiveRows { calibrated: effective_rows, sharing, noise, bounded, .. } = effective;
        let (rows, by_sharing, by_noise) = (effective.plain(), sharing, noise);
        let fewer = effective_rows < 0.999 * rows;
        fewer.then_some(SharedPeople { rows, effective_rows, by_sharing, by_noise, bounded })
    }

    fn message(&self) -> String {
        let SharedPeople { rows, effective_rows, by_sharing, by_noise, bounded } = *self;
        let mut why = Vec::new();
        if by_sharing > 1.0 {
            why.push(format!("neighbours are shared between rows (variance times {by_sharing:.2})"));
        }
        if by_noise > 1.0 {
            why.push(format!("noise was added to the tally (variance times {by_noise:.2})"));
        }
        let bound = if bounded {
            " The exact amount is unknown here: for neighbours an upper bound is used, for noise an approximation."
        } else {
            ""
        };
        format!(
            "For calibrated gaps {rows:.0} rows are worth {effective_rows:.0}, because {}; the intervals are widened accordingly.{bound}",
            why.join(" and ")
        )
    }
}
