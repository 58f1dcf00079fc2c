//! What a rule is learned on.

use super::bins::{Binned, drift_of};
use super::copies::refuse_copies;
use super::gaps::RowWeights;
use super::learner::{Learned, Learner};
use super::noise::{self, Noise};
use super::part::{Part, Patterns, Split};
use super::{Method, MitigateError, MitigateSettings, eta};
use crate::plug_in::{Task, predict};
use crate::rule::{Eta, RULE_SCHEMA};
use crate::{Encoding, Rows, Rule};
use fairveil_core::mitigate::{CalibratedWeights, DriftRecord, GroupPair};
use fairveil_core::vocabulary::Class;

/// Bins of the score in which the proxies' errors are compared.
const DRIFT_BINS: usize = 3;

/// What a rule is learned on: rows as numbers, the chance of the label, how the proxies err, and the weights.
pub(super) struct Ground {
    pub patterns: Patterns,
    pub encoding: Encoding,
    pub fitted: Part,
    pub eta: eta::Learned,
    pub noise: Noise,
    pub binned: Option<Binned>,
    pub weights: CalibratedWeights,
    pub table: RowWeights,
    /// The gaps that are constrained, the label that each is among, and `V` of each row.
    pub pairs: Vec<GroupPair>,
    pub within: Vec<Option<bool>>,
    pub constraints: Vec<Vec<f64>>,
}

impl Ground {
    pub fn of(
        rows: &Rows,
        settings: &MitigateSettings,
        split: &Split,
        progress: &(dyn Fn(String) + Sync),
    ) -> Result<Self, MitigateError> {
        let patterns = Patterns::of(rows);
        // Levels and spreads of features are of all rows: they say nothing about labels or guesses.
        let mut taking_part = split.taking_part();
        let encoding = Encoding::fit(&rows.features, &taking_part, settings.impute).or_else(|_| {
            // What is wrong is told of the first row of the table.
            taking_part.sort_unstable();
            Encoding::fit(&rows.features, &taking_part, settings.impute)
        })?;
        let fitted = Part::of(rows, &split.fitted, &encoding, &patterns)?;
        both_classes(rows, &fitted)?;
        refuse_copies(rows, &fitted)?;
        progress("learning the chance of the label".into());
        let eta = eta::learn(rows, &fitted, settings, progress)?;
        progress("learning how the proxies err".into());
        let legend = &rows.legend;
        // The noise is one for all strata, so any decisions will do; the right ones are always there.
        let negative = Class(1 - legend.positive.0.min(1));
        let class = |row: usize| if fitted.target[row] { legend.positive } else { negative };
        let (counts, _) = fitted.tally(rows, &patterns, legend.clone(), class)?;
        let noise = noise::learn(&counts, settings)?;
        let binned = match settings.noise_bins {
            _ if settings.local => Some(Binned::by_decision(rows, &patterns, &fitted)?),
            1 => None,
            bins => Some(Binned::of(rows, &patterns, &fitted, &eta.of_rows, bins)?),
        };
        let weights = match &binned {
            None => {
                let matrix = std::slice::from_ref(&noise.transition);
                CalibratedWeights::new(&counts, settings.criterion, matrix)?
            }
            Some(binned) => binned.weights(rows, &patterns, &fitted, settings)?,
        };
        let table = RowWeights::new(&weights, &patterns, legend.groups.len(), bins_in(&binned));
        let pairs = weights.constraints();
        let bins = binned.as_ref().map_or(&[][..], |binned| &binned.of_rows);
        let constraints = pairs.iter().map(|pair| table.values(*pair, &fitted, bins)).collect();
        let within = pairs.iter().map(|pair| pair.label.map(|label| label == legend.positive)).collect();
        Ok(Ground {
            patterns,
            encoding,
            fitted,
            eta,
            noise,
            binned,
            weights,
            table,
            pairs,
            within,
            constraints,
        })
    }

    /// The share of the spread of `V` that knowing the group would explain, for one of the gaps: given the group `g` of a
    /// pair `V` has the mean `±1/P(g, label)`.
    pub fn explained_by_group(&self, gap: usize) -> f64 {
        let (pair, part) = (self.pairs[gap], &self.fitted);
        let inside = |row: &usize| self.within[gap].is_none_or(|label| part.target[*row] == label);
        let rows: Vec<usize> = (0..part.rows.len()).filter(inside).collect();
        let weight: f64 = rows.iter().map(|row| part.weights[*row]).sum();
        let mean = |value: &dyn Fn(f64) -> f64| {
            let values = rows.iter().map(|row| part.weights[*row] * value(self.constraints[gap][*row]));
            values.sum::<f64>() / weight
        };
        let spread = mean(&|v| v * v) - mean(&|v| v).powi(2);
        let (shares, among) = (self.weights.shares(pair.label), weight / part.total());
        let between = (1.0 / shares[pair.a.0] + 1.0 / shares[pair.b.0]) / (among * among);
        if spread > 0.0 { between / spread } else { 0.0 }
    }

    /// Whether the proxies err alike along the score.
    pub fn drift(&self, rows: &Rows) -> Result<DriftRecord, String> {
        drift_of(rows, &self.patterns, &self.fitted, &self.eta.of_rows, DRIFT_BINS)
    }

    /// The bin of every fitted row; empty where there are none.
    pub fn bins(&self) -> &[u8] {
        self.binned.as_ref().map_or(&[], |binned| &binned.of_rows)
    }

    pub fn learner(
        &self,
        method: Method,
        settings: &MitigateSettings,
        progress: &(dyn Fn(String) + Sync),
    ) -> Learner<'_> {
        let (part, constraints) = (&self.fitted, self.constraints.as_slice());
        match method {
            Method::PlugIn => {
                progress("learning what the features say about the weights".into());
                let task = Task {
                    features: &part.features,
                    eta: &self.eta.of_rows,
                    labels: &part.target,
                    weights: &part.weights,
                    constraints,
                    within: &self.within,
                    folds: settings.folds,
                };
                let predicted = predict(&task);
                Learner::PlugIn { task, predicted, eta: self.eta.model.clone() }
            }
            Method::Logistic => {
                let start = match &self.eta.model {
                    Eta::Features { model } => Some(model.clone()),
                    Eta::Score { .. } => None,
                };
                Learner::Logistic { part, constraints, start }
            }
            Method::Mlp => Learner::Mlp { part, constraints, seed: settings.audit.seed },
        }
    }

    pub fn rule(&self, rows: &Rows, settings: &MitigateSettings, learned: &Learned) -> Rule {
        let legend = &rows.legend;
        Rule {
            schema: RULE_SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            criterion: settings.criterion.name().into(),
            tolerance: settings.tolerance,
            positive: legend.class(legend.positive).into(),
            negative: legend.class(Class(1 - legend.positive.0.min(1))).into(),
            cut: learned.cut,
            encoding: self.encoding.clone(),
            columns: self.encoding.column_names(),
            model: learned.model.clone(),
        }
    }
}

/// How many bins have error rates of their own.
fn bins_in(binned: &Option<Binned>) -> usize {
    binned.as_ref().map_or(1, |binned| binned.matrices.len())
}

fn both_classes(rows: &Rows, fitted: &Part) -> Result<(), MitigateError> {
    let positives = fitted.target.iter().filter(|target| **target).count();
    let legend = &rows.legend;
    let one = |class: Class| Err(MitigateError::OneClass { class: legend.class(class).to_owned() });
    match positives {
        0 => one(Class(1 - legend.positive.0.min(1))),
        all if all == fitted.target.len() => one(legend.positive),
        _ => Ok(()),
    }
}
