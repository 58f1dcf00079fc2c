use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::record::Test;

/// Shares that are this far apart matter, however many rows say so.
const FAR: f64 = 0.03;

finding! {
    /// # What it means
    /// Sources of evidence, each used alone, give different group shares for the same people.
    /// # Why it matters
    /// At least one table is off for these people: its names say less about the group here than among the people it was made
    ///   from, or it knows the names of one group less well. Rates suffer less than shares, but they do suffer.
    /// # What to do
    /// Compare the shares with what you know of these people from elsewhere. Give a table made from people more like them
    ///   (`{tables}`), or leave out the source whose shares are wrong.
    struct SharesApart {
        sources: Vec<String>,
        groups: Vec<String>,
    } with {
        shares: Vec<Vec<f64>>,
    }
}

impl Diagnosis<Looked<'_>> for SharesApart {
    const CODE: &'static str = "P17";
    const TITLE: &'static str = "sources disagree about who these people are";
    const ADVICE: &'static str = "Compare the shares of the groups with what you know of these people; a source whose shares are wrong is off for them.";

    fn look(at: &Looked) -> Option<Self> {
        at.rejected(Test::SharesAgree)?;
        let evidence = at.about_all()?.evidence.as_ref()?;
        let shares = |joint: &crate::rates::Joint<crate::vocabulary::Group>| -> Option<Vec<f64>> {
            at.legend().all_groups().map(|a| joint.share(a).ok()).collect()
        };
        let each: Vec<Vec<f64>> = evidence
            .each()
            .iter()
            .map(|reading| reading.joint.as_ref().ok().and_then(shares))
            .collect::<Option<_>>()?;
        let apart = |a: usize| {
            let of_group = each.iter().map(|shares| shares[a]);
            of_group.clone().fold(f64::MIN, f64::max) - of_group.fold(f64::MAX, f64::min)
        };
        let far = (0..at.legend().groups.len()).any(|a| apart(a) > FAR);
        far.then(|| SharesApart {
            sources: evidence.sources.clone(),
            groups: at.legend().groups.clone(),
            shares: each,
        })
    }

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        let said: Vec<String> = (self.sources.iter().zip(&self.shares))
            .map(|(source, shares)| {
                let groups: Vec<String> = (self.groups.iter().zip(shares))
                    .map(|(group, share)| format!("{group} {:.1} %", 100.0 * share))
                    .collect();
                format!("by {source} {}", groups.join(", "))
            })
            .collect();
        format!("The shares of the groups come out differently: {}.", said.join("; "))
    }
}
