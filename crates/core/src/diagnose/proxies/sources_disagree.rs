use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::record::Test;
use crate::vocabulary::{Aggregate, Criterion, Estimator};

finding! {
    /// # What it means
    /// Sources of evidence, each used alone, give different rates for the groups, by more than chance.
    /// # Why it matters
    /// The same people have the same rates. So within a group, one of the sources is related to the decision: first names
    ///   follow age and sex, and a model that uses age treats Emma and Gertrude of one group differently; ZIP codes follow
    ///   income; surnames follow little of that. The table does not say which source it is. The number uses all of them, and
    ///   its range covers what each of them says, sampling error included.
    /// # What to do
    /// Read the range. Name what the sources may follow with `{control}`, such as age in bands: evidence is then used within
    ///   each band. Leave out the source that follows what the model uses, and say so. A few hundred labelled rows settle it.
    struct SourcesDisagree {
        criteria: Vec<String>,
        sources: Vec<String>,
        p_value: f64,
    } with {
        gaps: Vec<Option<f64>>,
    }
}

impl Diagnosis<Looked<'_>> for SourcesDisagree {
    const CODE: &'static str = "P15";
    const TITLE: &'static str = "sources disagree about the gap";
    const ADVICE: &'static str = "Read the range, not the number alone. Use {control} for what a source follows beside the group (first names: age \
         and sex; places: income), or leave that source out.";

    fn look(at: &Looked) -> Option<Self> {
        let rejected: Vec<(Criterion, f64)> = (at.tests.iter())
            .filter(|test| test.test == Test::SourcesAgree && test.p_value < super::super::SIGNIFICANT)
            .filter_map(|test| Some((test.criterion?, test.p_value)))
            .collect();
        let (first, _) = rejected.first()?;
        let evidence = at.answers.iter().find_map(|answers| answers.evidence.as_ref())?;
        let gap = |source: &String| {
            let mine = at.results.iter().find(|result| {
                (result.criterion, result.aggregate) == (*first, Aggregate::Difference)
                    && result.origin.estimator == Some(Estimator::Evidence)
                    && result.origin.proxy.as_ref() == Some(source)
            });
            mine.and_then(|result| result.value)
        };
        Some(SourcesDisagree {
            criteria: rejected.iter().map(|(criterion, _)| criterion.words().to_owned()).collect(),
            gaps: evidence.sources.iter().map(gap).collect(),
            sources: evidence.sources.clone(),
            p_value: rejected.iter().map(|(_, p)| *p).fold(1.0, f64::min),
        })
    }

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        let said: Vec<String> = (self.sources.iter().zip(&self.gaps))
            .map(|(source, gap)| match gap {
                Some(gap) => format!("{source} {gap:.3}"),
                None => format!("{source} no number"),
            })
            .collect();
        format!(
            "Each source alone gives different rates for the groups ({}; p = {}). In {}: {}.",
            self.criteria.join(", "),
            crate::labels::short(self.p_value),
            self.criteria.first().map_or("", String::as_str),
            said.join(", ")
        )
    }
}
