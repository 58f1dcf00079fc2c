use crate::diagnose::{Diagnosis, Looked, Severity, finding};

/// Half of the people would have to be others for this much: shares that differ less are usual.
const FAR: f64 = 0.3;

finding! {
    /// # What it means
    /// The group shares among these people are far from those among the people the table was made from.
    /// # Why it matters
    /// That by itself does no harm: evidence is divided by the table's own shares. But where a group is large, its people may
    ///   have other names than where it is small, and the table may know only the latter.
    /// # What to do
    /// Nothing, if another source agrees. Otherwise give a table made from people more like these (`{tables}`).
    struct OtherPeople {
        source: String,
        distance: f64,
    }
}

impl Diagnosis<Looked<'_>> for OtherPeople {
    const CODE: &'static str = "P19";
    const TITLE: &'static str = "a table is about people unlike these";
    const ADVICE: &'static str =
        "Nothing to do if sources agree; otherwise give a table made from people more like these.";

    fn look(at: &Looked) -> Vec<Self> {
        let Some(tally) = at.counts.evidence() else { return Vec::new() };
        let ours =
            at.about_all().and_then(|answers| answers.evidence.as_ref()?.together().joint.as_ref().ok());
        let Some(ours) = ours else { return Vec::new() };
        let shares: Vec<f64> = at.legend().all_groups().map(|a| ours.share(a).unwrap_or(0.0)).collect();
        let far = |source: &crate::evidence::EvidenceSource| {
            let mut theirs = vec![0.0; shares.len()];
            let population = source.population.as_ref()?;
            tally.of.iter().zip(population).for_each(|(group, share)| theirs[group.0] += share);
            let distance = shares.iter().zip(theirs).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0;
            (distance > FAR).then(|| OtherPeople { source: source.name.clone(), distance })
        };
        tally.sources.iter().filter_map(far).collect()
    }

    fn severity(&self) -> Severity {
        Severity::Info
    }

    fn message(&self) -> String {
        format!(
            "To match the group shares of the table of {1}, {0:.0} % of these people would have to be of another group.",
            100.0 * self.distance,
            self.source
        )
    }
}
