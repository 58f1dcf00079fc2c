use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::record::Test;

/// Sources that go together by less than this inside the groups move no gap that matters.
const LITTLE: f64 = 0.05;

finding! {
    /// # What it means
    /// Two sources of evidence are related within the groups: they agree more often, or less often, than the groups explain.
    /// # Why it matters
    /// When sources are used together, their evidence is multiplied, which counts what they share twice. People then look like
    ///   surer members of a group than they are, and the gap comes out too small. Inside a group such as "other", first names
    ///   and surnames of the same origin occur together; a table that is off for these people looks the same. What each source
    ///   says alone does not need them to be independent, and stands in the range.
    /// # What to do
    /// Read the range. Name finer groups if the tables know them (`{groups}`). Do not give two columns that are made from the
    ///   same data.
    struct SourcesTogether {
        a: String,
        b: String,
        correlation: f64,
        standard_errors: f64,
    }
}

impl Diagnosis<Looked<'_>> for SourcesTogether {
    const CODE: &'static str = "P16";
    const TITLE: &'static str = "sources are related within the groups";
    const ADVICE: &'static str =
        "Read the range: what each source says alone does not need them to be independent of each other.";

    fn look(at: &Looked) -> Vec<Self> {
        if at.rejected(Test::SourcesIndependent).is_none() {
            return Vec::new();
        }
        let evidence = at.about_all().and_then(|answers| answers.evidence.as_ref());
        let pairs = evidence.into_iter().flat_map(|evidence| {
            evidence.dependence.iter().map(|pair| SourcesTogether {
                a: evidence.sources[pair.sources.0].clone(),
                b: evidence.sources[pair.sources.1].clone(),
                correlation: pair.correlation,
                standard_errors: pair.z,
            })
        });
        // Two sides of the normal distribution at one in a hundred.
        pairs.filter(|pair| pair.correlation.abs() >= LITTLE && pair.standard_errors.abs() > 2.576).collect()
    }

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "Within the groups, evidence from {} and from {} has a correlation of {:.2} ({:.1} standard errors from zero).",
            self.a,
            self.b,
            self.correlation,
            self.standard_errors.abs()
        )
    }
}
