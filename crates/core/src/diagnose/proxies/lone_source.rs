use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::vocabulary::Estimator;

finding! {
    /// # What it means
    /// One source of probabilities is all there is: a vendor's column, a table of surnames.
    /// # Why it matters
    /// As evidence it gives a number if, within a group, it is unrelated to the decision. Nothing in the table can test that.
    ///   Probabilities used as weights show too little of the gap and a regression on them shows too much, if decisions depend
    ///   on the group and on its probability in the same direction (Elzayn and others 2023). The range lies between the two,
    ///   sampling error included. A probability based on a place is related to income; then none of the three is safe.
    ///   Probabilities are assumed to be made for these very people, unless {population} gives the group shares among the
    ///   people they were made for. A column made for the nation is off where these people differ from the nation.
    /// # What to do
    /// Bring a second source made from other data, so that the two can be compared. A few hundred labelled rows test the
    ///   direction and settle the size.
    struct LoneSource {
        source: String,
        population: Vec<String>,
    }
}

impl Diagnosis<Looked<'_>> for LoneSource {
    const CODE: &'static str = "P18";
    const TITLE: &'static str = "one source of evidence, which nothing tests";
    const ADVICE: &'static str = "Read the range. Bring a second source made from other data, or label a few hundred rows ({audit_labels}). Where the probabilities were made for other people, state the shares of the groups among them ({population}).";

    fn look(at: &Looked) -> Option<Self> {
        let evidence = at.about_all()?.evidence.as_ref()?;
        let relied = at.estimator == Some(Estimator::Evidence) && evidence.is_lone();
        relied.then(|| {
            let told = at.counts.evidence();
            let stated =
                told.and_then(|told| Some((&told.groups, told.sources.first()?.population.as_ref()?)));
            let pairs = stated.into_iter().flat_map(|(groups, shares)| groups.iter().zip(shares));
            let population = pairs.map(|(group, share)| format!("{group} {share:.3}")).collect();
            LoneSource { source: evidence.sources.join(", "), population }
        })
    }

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        let people = match self.population.as_slice() {
            [] => "It is assumed to be made for these very people".to_owned(),
            shares => format!("It was made for people with group shares {}", shares.join(", ")),
        };
        format!(
            "All that is known about the groups comes from {}. {people}. Nothing in the table tests whether it is related to the decision.",
            self.source
        )
    }
}
