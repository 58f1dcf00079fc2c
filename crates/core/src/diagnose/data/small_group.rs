use crate::counts::View;
use crate::diagnose::{Diagnosis, Looked, finding};
use crate::rates::soft_votes;

finding! {
    /// # What it means
    /// By the votes of all proxies, a group has fewer than fifty rows.
    /// # Why it matters
    /// The largest gap is the largest over all groups, so the smallest group, whose rates are the noisiest, tends to
    ///   set it. One person can then be the headline.
    /// # What to do
    /// Merge the group with another, or report the gaps between the larger groups. The intervals in the JSON show
    ///   which rates are worth little.
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

    /// By the votes of all proxies; the smallest only.
    fn look(at: &Looked) -> Option<Self> {
        let votes = soft_votes(&at.counts.frequencies().view(View::Predictions)?);
        let rows = |guess| Some((guess, at.counts.effective_rows() * votes.share(guess).ok()?));
        let (guess, rows) = votes.axis().filter_map(rows).min_by(|a, b| a.1.total_cmp(&b.1))?;
        (rows < FEW).then(|| SmallGroup { group: at.legend().group(guess).to_owned(), rows })
    }

    fn message(&self) -> String {
        format!(
            "Group {} comes out as about {:.0} of the rows, and a few people decide its rates.",
            self.group, self.rows
        )
    }
}
