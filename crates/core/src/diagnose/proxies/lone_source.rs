use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::vocabulary::Estimator;

finding! {
    /// # What it means
    /// One source of probabilities is all there is: a vendor's column, a table of surnames.
    /// # Why it matters
    /// As evidence it gives a number if, inside a group, it does not go with the decision, and nothing in the table can test that.
    ///   Probabilities used as weights show too little of the gap and a regression on them shows too much, if decisions go with
    ///   the group and with its probability in the same direction (Elzayn and others 2023): the range is what lies between,
    ///   chance included. A probability made from a place goes with income, and then none of the three is safe. Probabilities are
    ///   taken to be about these very people, unless {population} says how large the groups are among those whom they were made for: a
    ///   column made for the nation is off where these people are others.
    /// # What to do
    /// Bring a second source that is made from other data: then they can be compared. A few hundred labelled rows test the
    ///   direction and settle the size.
    struct LoneSource {
        source: String,
        population: Vec<String>,
    }
}

impl Diagnosis<Looked<'_>> for LoneSource {
    const CODE: &'static str = "P18";
    const TITLE: &'static str = "one source of evidence: nothing tests it";
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
            [] => "It is taken to be made for these very people".to_owned(),
            shares => format!("It was made for people of whom the groups are {}", shares.join(", ")),
        };
        format!(
            "All that is known of the groups comes from {}. {people}. Nothing in the table tests whether it goes with the decision.",
            self.source
        )
    }
}
