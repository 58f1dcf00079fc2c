use crate::diagnose::{Diagnosis, Looked, finding};
use crate::estimate::GivenNoise;
use crate::vocabulary::{Estimator, Group};

finding! {
    /// # What it means
    /// Error rates were given together with the shares of the groups. Undoing those errors in this table gives different
    ///   shares.
    /// # Why it matters
    /// If this is a different population, nothing is wrong. If it is the same, the proxies err differently here than the given
    ///   matrix says, and every calibrated number inherits that.
    /// # What to do
    /// Compare the sources of the two tables. Where shares are known for sure, use a matrix learned on this table.
    struct GivenShares {
        group: String,
        given: f64,
        found: f64,
    }
}

/// Shares that differ by less may differ by chance.
const FAR: f64 = 0.05;

impl Diagnosis<Looked<'_>> for GivenShares {
    const CODE: &'static str = "N10";
    const TITLE: &'static str = "given shares and given errors disagree";
    const ADVICE: &'static str = "This table has a different mix of groups from the one the errors were learned in, or the proxies err differently here. Rates use the shares found here.";

    /// The group that is farthest off.
    fn look(at: &Looked) -> Vec<Self> {
        let Some(noise) = at.one_matrix(Estimator::Given) else {
            return Vec::new();
        };
        let farthest = |given: &GivenNoise| {
            let (given, found) = (given.group_shares.as_ref()?, &noise.group_shares);
            let off = |group: &Group| (given[*group] - found[*group]).abs();
            let group = at.legend().all_groups().max_by(|a, b| off(a).total_cmp(&off(b)))?;
            let (given, found) = (given[group], found[group]);
            (off(&group) > FAR).then(|| GivenShares {
                group: at.legend().group(group).to_owned(),
                given,
                found,
            })
        };
        at.settings.given.iter().flat_map(|given| &given.noise).filter_map(farthest).collect()
    }

    fn message(&self) -> String {
        format!(
            "The given share of group {} is {:.3}; the given error rates make it {:.3} in this table.",
            self.group, self.given, self.found
        )
    }
}
