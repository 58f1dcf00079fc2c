//! What rows with a known group say without any model of how the proxies err.
//!
//! Labelled rows are drawn from the table, at random or with known probabilities. Two readings of them need nothing else:
//! ```text
//! direct        J[a,s] = Σ d·1[A=a, s] / Σ d                 over the labelled rows
//! regression    J[a,s] = P(s) · ( mean of m(x) over all rows of s  +  mean of (1[A=a] − m(x)) over its labelled rows )
//! ```
//! with `d = w/p` the weight of a labelled row, one over the chance that it was labelled. `m` is any guess of the group from
//! what every row tells (the stratum and the guesses): a poor one makes the interval wide and not wrong, because the labelled
//! rows say how far it is off. Survey statistics calls this the regression estimator (Cassel, Särndal and Wretman 1976), machine
//! learning prediction-powered inference (Angelopoulos and others 2023).
//!
//! Assumes right labels on rows that were drawn as stated; `chosen` tests it. Does not assume anything about the proxies.

pub(crate) mod chosen;
mod direct;
pub(crate) mod disagree;
mod known_rows;
mod regression;
mod share_out;
mod spread;

use chosen::Chosen;
use disagree::Disagreement;
pub use known_rows::Drawn;
pub(crate) use known_rows::{DrawnRows, Labelled, Sampled};

use crate::counts::Counts;
use crate::estimate::{AuditSample, Population};
use crate::rates::Joint;
use crate::record::Origin;
use crate::uncertainty::{Redraw, normal_quantile};
use crate::vocabulary::{Basis, Class, Criterion, Estimator, Group, Legend, Stratum};
use regression::{Regression, regression};
pub(crate) use share_out::Needed;
pub(crate) use spread::LabelEstimate;

/// With fewer labelled rows of a group (among people with one label, where the criterion compares those), or of a
/// decision, there is no number: intervals of fewer held the truth too rarely in simulations, and the least that says
/// anything about a rate is a handful on either side of it (docs/methods/estimators.md).
pub const LEAST_LABELS: u64 = 10;

/// A number that rests on labelled rows and no model of errors.
pub(crate) struct FromLabels {
    pub origin: Origin,
    /// The table, or why it says nothing.
    pub joint: Result<Joint<Group>, String>,
    estimate: Option<LabelEstimate>,
}

/// Why labelled rows give no number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Unusable {
    /// They are not the random part of the table that they should be.
    NotRandom { p_value: f64 },
    /// Too few of a group or of a decision.
    TooFew(Vec<Lacking>),
}

/// Labelled rows of some kind, of which there are too few.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lacking {
    pub kind: Kind,
    pub rows: u64,
}

/// A kind of labelled rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Of a group, among people with a label where the view has labels.
    Group(Group, Option<Class>),
    /// Of a stratum: a decision, among people with a label where the view has labels.
    Stratum(Stratum),
}

impl Kind {
    /// `group blue with repaid = 1`.
    pub fn describe(self, legend: &Legend) -> String {
        match self {
            Kind::Group(group, None) => format!("group {}", legend.group(group)),
            Kind::Group(group, Some(label)) => {
                format!("group {} with {}", legend.group(group), legend.label(label))
            }
            Kind::Stratum(stratum) => format!("rows with {}", legend.stratum(stratum)),
        }
    }
}

impl Unusable {
    /// The reason, in the words of the user's table.
    pub fn describe(&self, legend: &Legend) -> String {
        match self {
            Unusable::NotRandom { p_value } => format!(
                "the labelled rows are no random part of the table (p = {}): who was labelled goes with the decision, the label or \
                 the guesses",
                short(*p_value)
            ),
            Unusable::TooFew(lacking) => {
                let one = |lack: &Lacking| format!("{} of {}", lack.rows, lack.kind.describe(legend));
                let few: Vec<String> = lacking.iter().map(one).collect();
                format!(
                    "too few labelled rows: {}; at least {LEAST_LABELS} of each are needed",
                    few.join(", ")
                )
            }
        }
    }
}

/// A p-value for people.
pub(crate) fn short(p_value: f64) -> String {
    if p_value < 0.001 { "below 0.001".into() } else { format!("{p_value:.3}") }
}

/// All that labelled rows say about one view without a model of errors.
pub(crate) struct LabelAnswers {
    /// Labelled rows read directly, and the regression.
    pub readings: Vec<FromLabels>,
    /// Why they give no number, if they do not, and the same in words.
    pub unusable: Option<Unusable>,
    pub reason: Option<String>,
    /// What was drawn, for further questions.
    pub sampled: Sampled,
    found: Option<Regression>,
    /// Whether they are a random part of the table.
    pub chosen: Option<Chosen>,
    /// Whether the audit sample's model of errors agrees with them.
    pub disagreement: Option<Disagreement>,
}

impl LabelAnswers {
    /// `None` where no row of the table itself has a known group.
    pub fn of(counts: &Counts, table: Redraw) -> Option<Self> {
        let (Redraw { seen, view, rows, .. }, legend) = (table, counts.legend());
        let labels = counts.audit_labels().filter(|labels| labels.population() == Population::Same)?;
        let sampled = Sampled::of(counts, labels, view, rows)?;
        // Who was labelled is one question about the whole table, whatever the view.
        let chosen = chosen::at_random(counts);
        let unusable = match chosen.as_ref().filter(|test| test.p_value < chosen::REJECTED) {
            Some(test) => Some(Unusable::NotRandom { p_value: test.p_value }),
            None => Some(sampled.lacking()).filter(|lack| !lack.is_empty()).map(Unusable::TooFew),
        };
        let reason = unusable.as_ref().map(|unusable| unusable.describe(legend));
        let origin =
            |basis, estimator| Origin { basis, estimator, scope: None, proxy: None, assumption: None };
        let read = |origin: Origin, estimate: Option<LabelEstimate>| {
            let none = || "the labelled rows do not separate the groups within every decision".to_string();
            let joint = match (&reason, &estimate) {
                (Some(reason), _) => Err(reason.clone()),
                (None, Some(estimate)) => Ok(estimate.table(view, seen.classes())),
                (None, None) => Err(none()),
            };
            FromLabels { origin, joint, estimate }
        };
        let found = regression(&sampled);
        let readings = vec![
            read(origin(Basis::LabelledRows, None), direct::direct(&sampled)),
            read(
                origin(Basis::AuditSample, Some(Estimator::Regression)),
                found.as_ref().map(|found| found.estimate.clone()),
            ),
        ];
        let mut answers =
            LabelAnswers { readings, unusable, reason, sampled, found, chosen, disagreement: None };
        let model = || AuditSample::of(counts, view)?.influence(seen, view);
        if let (Some(found), Some(joint)) = (&answers.found, answers.regression())
            && let Some((by_model, influences)) = model()
        {
            let (labels, model) = ((joint, found), (&by_model, &influences));
            answers.disagreement = disagree::disagreement(&answers.sampled, labels, model, legend.positive);
        }
        Some(answers)
    }

    /// The regression, if it has a number.
    pub fn regression(&self) -> Option<&Joint<Group>> {
        let mine = |one: &&FromLabels| one.origin.estimator == Some(Estimator::Regression);
        self.readings.iter().find(mine)?.joint.as_ref().ok()
    }

    /// Labels in each stratum for a half-width of every gap of a criterion; `None` where no labels do it.
    pub fn needed(
        &self,
        criterion: Criterion,
        positive: Class,
        half_width: f64,
        confidence: f64,
    ) -> Option<Vec<Needed>> {
        let error = half_width / normal_quantile(confidence);
        let (joint, found) = (self.regression()?, self.found.as_ref()?);
        share_out::share_out(&self.sampled, joint, found, (criterion, positive), error)
    }

    /// The two disagree beyond chance.
    pub fn disagree(&self) -> bool {
        self.disagreement.is_some_and(|test| test.p_value < disagree::BEYOND_CHANCE)
    }

    /// The model of errors is refuted.
    pub fn refute(&self) -> bool {
        self.disagreement.is_some_and(|test| test.p_value < disagree::REFUTED)
    }

    /// No number may rest on the labelled rows, for this reason.
    pub fn refuse(&mut self, reason: &str) {
        self.readings.iter_mut().for_each(|reading| reading.joint = Err(reason.to_owned()));
        self.reason = Some(reason.to_owned());
        self.disagreement = None;
    }
}

impl FromLabels {
    /// Tables around the estimate; nothing where there is none.
    pub fn draws(&self, Redraw { seen, view, draws, seed, .. }: Redraw) -> Vec<Option<Joint<Group>>> {
        match &self.estimate {
            Some(estimate) => estimate.draws(view, seen.classes(), draws, seed),
            None => Vec::new(),
        }
    }
}
