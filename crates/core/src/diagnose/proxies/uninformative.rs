use crate::diagnose::{Diagnosis, Fitted, Looked, Severity, finding};
use crate::noise::ProxyNoise;
use crate::vocabulary::{Group, Guess};

finding! {
    /// # What it means
    /// Requirement 4.2 of the paper: in each group the right guess must be the most likely one, or at least more likely than it
    ///   is among all people. Here one group breaks both.
    /// # Why it matters
    /// Agreement between proxies only shows that there are classes of people who are guessed alike. This requirement decides
    ///   which class is which group. Without it the names of groups may be swapped.
    /// # What to do
    /// Merge the group with another, or use proxies that tell it apart. Do not report numbers for this group.
    struct Uninformative {
        place: String,
        group: String,
        right: f64,
    }
}

impl Diagnosis<Looked<'_>> for Uninformative {
    const CODE: &'static str = "P01";
    const TITLE: &'static str = "the proxies do not inform about a group";
    const SEVERITY: Severity = Severity::Serious;

    fn look(at: &Looked) -> Vec<Self> {
        let breaks = |Fitted { place, fit, .. }: Fitted| {
            let (group, right) = worst(&fit.value)?;
            Some(Uninformative { place, group: at.legend().group(group).to_owned(), right })
        };
        at.fits().into_iter().filter_map(breaks).collect()
    }

    fn message(&self) -> String {
        format!(
            "Among {}, people of group {} are guessed right with probability {:.3}. That is less often than they are taken for another group, and no more often than anyone gets that guess.",
            self.place, self.group, self.right
        )
    }

    fn advice(&self) -> String {
        format!(
            "Do not rely on what is said about {}: its name was given to the best of bad candidates. Merge it with \
             another group, or use proxies that tell it apart.",
            self.group
        )
    }
}

/// The group that breaks Requirement 4.2 of the paper by the most: `T[a,a]` exceeds neither every other entry of
/// its row nor the share of that guess among all.
fn worst(noise: &ProxyNoise) -> Option<(Group, f64)> {
    let t = &noise.transition;
    let groups = || (0..t.groups()).map(Group);
    let guessed = |g: Guess| groups().map(|a| noise.group_shares[a] * t[(a, g)]).sum::<f64>();
    let right = |a: Group| t[(a, Guess(a.0))];
    let mistaken = |a: Group| (groups().filter(|b| *b != a)).map(|b| t[(a, Guess(b.0))]).fold(0.0, f64::max);
    groups()
        .filter(|a| right(*a) <= mistaken(*a) && right(*a) <= guessed(Guess(a.0)))
        .map(|a| (a, right(a)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
}
