use crate::counts::View;
use crate::diagnose::{Diagnosis, Looked, finding};
use crate::rates::soft_votes;
use crate::vocabulary::Estimator;

finding! {
    /// # What it means
    /// A group has fewer than fifty rows, by the votes of all proxies or by the evidence that is relied on.
    /// # Why it matters
    /// The largest gap is the largest over all groups, so the smallest group, whose rates are the noisiest, tends to set it.
    ///   One person can then be the headline.
    /// # What to do
    /// Merge the group with another, or report the gaps between the larger groups. The intervals in the JSON show which rates
    ///   are worth little.
    struct SmallGroup {
        group: String,
        rows: f64,
    }
}

/// With fewer people a rate moves by several points if one of them is decided otherwise.
const FEW: f64 = 50.0;

impl Diagnosis<Looked<'_>> for SmallGroup {
    const CODE: &'static str = "D06";
    const TITLE: &'static str = "a group is small";
    const ADVICE: &'static str = "Merge it with another group, or leave its gap out of the headline.";

    /// The smallest only.
    fn look(at: &Looked) -> Option<Self> {
        let groups = at.legend().groups.iter();
        let shares: Vec<Option<f64>> = match at.about_all().and_then(|answers| answers.evidence.as_ref()) {
            Some(evidence) if at.estimator == Some(Estimator::Evidence) => {
                let joint = evidence.together().joint.as_ref().ok()?;
                joint.axis().map(|group| joint.share(group).ok()).collect()
            }
            _ => {
                let votes = soft_votes(&at.counts.frequencies().view(View::Predictions)?);
                votes.axis().map(|guess| votes.share(guess).ok()).collect()
            }
        };
        let rows = |(group, share): (&String, Option<f64>)| {
            Some((group.clone(), at.counts.effective_rows() * share?))
        };
        let (group, rows) = groups.zip(shares).filter_map(rows).min_by(|a, b| a.1.total_cmp(&b.1))?;
        (rows < FEW).then_some(SmallGroup { group, rows })
    }

    fn message(&self) -> String {
        format!("Group {} has about {:.0} rows, so a few people decide its rates.", self.group, self.rows)
    }
}
