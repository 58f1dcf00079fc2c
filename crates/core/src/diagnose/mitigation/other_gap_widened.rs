use crate::diagnose::{Diagnosis, finding};
use crate::mitigate::{CriterionChange, Trial};
use crate::vocabulary::Criterion;

finding! {
    /// # What it means
    /// The rule was to reduce one gap. Another one, by a criterion that nobody asked about, is wider after than before: compared row
    ///   by row on the same held-out rows, by more than chance and by more than one point in a hundred.
    /// # Why it matters
    /// Criteria pull in different directions. Where labels go with the group, equal shares of positive decisions mean unequal chances
    ///   of people with the same label, and the other way round. Who is treated worse by the other criterion should be known before the rule
    ///   is used.
    /// # What to do
    /// Decide which criterion counts for these decisions, and say why. A larger `{tolerance}` widens the other gap less; the other
    ///   criterion (`{criterion}`) can be reduced instead.
    struct OtherGapWidened {
        criterion: Criterion,
        before: f64,
        after: f64,
        low: f64,
        high: f64,
    }
}

impl Diagnosis<Trial<'_>> for OtherGapWidened {
    const CODE: &'static str = "M15";
    const TITLE: &'static str = "another gap is wider than before";
    const ADVICE: &'static str =
        "Decide which criterion counts here. A larger {tolerance} widens the other gap less.";

    fn look(at: &Trial) -> Vec<Self> {
        let wider = |change: &CriterionChange| {
            let by =
                change.wider_by.filter(|_| change.widened() && Some(change.criterion) != at.criterion)?;
            Some(OtherGapWidened {
                criterion: change.criterion,
                before: change.before?,
                after: change.after?,
                low: by.interval.low,
                high: by.interval.high,
            })
        };
        at.criteria.iter().filter_map(wider).collect()
    }

    fn message(&self) -> String {
        format!(
            "The calibrated gap in {} was {:.3} before and is {:.3} after, wider by {:.3} to {:.3} on the same held-out rows.",
            self.criterion.words(),
            self.before,
            self.after,
            self.low,
            self.high
        )
    }
}
