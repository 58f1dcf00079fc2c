//! The facts of an audit that findings look at.

use crate::advise::Relied;
use crate::answers::{Answers, Explanation};
use crate::counts::{Cell, Counts, Intake, View};
use crate::noise::{Fit, NoiseModel, ProxyNoise};
use crate::rates::Joint;
use crate::record::{Measurement, Test, TestRecord};
use crate::settings::Settings;
use crate::uncertainty::attach::Plausible;
use crate::vocabulary::{Estimator, Group, Legend, Scope, Stratum};

/// A test must be clearer than usual to raise a finding: several are made.
pub(crate) const SIGNIFICANT: f64 = 0.01;
/// The same for guesses that shift with the decision: a shift that goes unseen costs far more than one that is seen in vain.
pub(crate) const LIKELY: f64 = 0.05;

/// Errors that were learned from some of the rows.
pub(crate) struct Fitted<'a> {
    /// The rows, in words.
    pub place: String,
    pub cells: &'a [(Cell, f64)],
    /// The effective number of rows.
    pub rows: f64,
    pub fit: &'a Fit<ProxyNoise>,
}

/// An audit, to be looked at.
pub(crate) struct Looked<'a> {
    pub counts: &'a Counts,
    pub answers: &'a [Answers],
    pub tests: &'a [TestRecord],
    pub results: &'a [Measurement],
    /// The explanations that the table does not rule out.
    pub plausible: &'a [Plausible],
    pub settings: &'a Settings,
    /// What would be relied on in each view, if its number may stand on top.
    pub relied: &'a Relied,
    /// The method that is relied on, if any.
    pub estimator: Option<Estimator>,
}

impl<'a> Looked<'a> {
    pub fn legend(&self) -> &'a Legend {
        self.counts.legend()
    }

    pub fn intake(&self) -> &'a Intake {
        self.counts.intake()
    }

    /// Rows of a stratum, in words.
    pub fn place(&self, stratum: Stratum) -> String {
        format!("rows with {}", self.legend().stratum(stratum))
    }

    /// Every two proxies, by place.
    pub fn pairs(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let proxies = self.legend().proxies.len();
        (0..proxies).flat_map(move |i| (i + 1..proxies).map(move |j| [i, j]))
    }

    /// The answers about all rows.
    pub fn about_all(&self) -> Option<&'a Answers> {
        self.answers.iter().find(|answers| answers.view == View::Predictions)
    }

    /// A test that clearly rejects.
    pub fn rejected(&self, test: Test) -> Option<&'a TestRecord> {
        self.tests.iter().find(|record| record.test == test && record.p_value < SIGNIFICANT)
    }

    /// How the proxies err by moments, one matrix for all rows, if that can be told.
    pub fn by_moments(&self) -> Option<&'a ProxyNoise> {
        self.one_matrix(Estimator::Hoc)
    }

    /// How the proxies err by one method, one matrix for all rows, if that can be told.
    pub fn one_matrix(&self, estimator: Estimator) -> Option<&'a ProxyNoise> {
        self.about_all()?.by_scope(estimator, Scope::Global)?.one_matrix()
    }

    /// Some calibrated number can be told.
    pub fn explained(&self) -> bool {
        let told = |joint: &Joint<Group>| joint.strata().any(|(_, shares)| shares.is_some());
        let mut explanations = self.answers.iter().flat_map(|answers| &answers.explanations);
        explanations.any(|explanation| explanation.joint.as_ref().is_ok_and(told))
    }

    /// A number rests on how the proxies agree. Labels need no independence, and show what else the table cannot; what
    /// neighbours must be like is a finding of its own.
    pub fn rests_on_agreement(&self) -> bool {
        let mut relied = self.answers.iter().filter_map(|answers| answers.by(self.estimator?).next());
        let independent = relied.all(|explanation| explanation.estimator.needs_independence());
        // The regression on labelled rows explains nothing, and needs nothing of the proxies.
        let by_model = self.estimator.is_none_or(Estimator::learns_errors);
        self.explained() && by_model && independent && lent(self.legend()).is_empty()
    }

    /// The explanations to look at. Every method that is not relied on has its reasons in its own place; moments are what
    /// most rely on.
    pub fn examined(&self) -> impl Iterator<Item = (&'a Answers, &'a Explanation)> {
        let examined = [Some(Estimator::Hoc), self.estimator, self.settings.estimator.fixed()];
        let of_view = |answers: &'a Answers| answers.explanations.iter().map(move |one| (answers, one));
        let explanations = self.answers.iter().flat_map(of_view);
        explanations.filter(move |(_, explanation)| examined.contains(&explanation.origin.estimator))
    }

    /// All that was fitted, of all rows or of a stratum.
    pub fn fits(&self) -> Vec<Fitted<'a>> {
        let mut fits = Vec::new();
        for (Answers { view, seen, rows, .. }, explanation) in self.examined() {
            match &explanation.noise {
                // In the labelled view the same matrix was learned from all rows, not from those with a label.
                Ok(NoiseModel::Global(fit)) if *view == View::Predictions => {
                    fits.push(Fitted { place: "all rows".into(), cells: seen.cells(), rows: *rows, fit });
                }
                Ok(NoiseModel::Local(strata)) => fits.extend(strata.iter().filter_map(|(stratum, fit)| {
                    let cells = seen.strata().find(|(other, _)| other == stratum).map_or(&[][..], |s| s.1);
                    let share: f64 = cells.iter().map(|(_, share)| share).sum();
                    let place = self.place(*stratum);
                    Some(Fitted { place, cells, rows: rows * share, fit: fit.as_ref().ok()? })
                })),
                _ => {}
            }
        }
        fits
    }
}

/// The proxies whose guesses neighbours lent.
pub(crate) fn lent(legend: &Legend) -> Vec<String> {
    let mut lent: Vec<String> = legend.proxies.iter().filter_map(|proxy| proxy.lent_by.clone()).collect();
    lent.dedup();
    lent
}
