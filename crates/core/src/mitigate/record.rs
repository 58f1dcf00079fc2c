//! A mitigation as plain data: all that a report may say. No report computes a number of its own.

use crate::diagnose::Finding;
use crate::named::named;
use crate::record::{IntervalRecord, Measurement, NoiseRecord, RatesRecord};
use crate::setting::Dialect;
use crate::uncertainty::Interval;
use crate::vocabulary::{Criterion, Estimator};
use serde::{Deserialize, Serialize};

named! {
    /// How a rule is learned.
    #[derive(Default)]
    pub enum Method {
        /// The cross-fitted plug-in rule, on top of any score.
        #[default]
        PlugIn = "plug-in",
        /// Logistic regression with the gap as a constraint.
        Logistic = "logistic",
        /// One hidden layer with the gap as a constraint.
        Mlp = "mlp",
    }

    /// What accuracy means.
    pub enum Target {
        /// Decided as the label says.
        Label = "label",
        /// Decided as before, where there are no labels.
        Decision = "decision",
    }
}

/// All that a report on a mitigation may say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MitigationRecord {
    /// The criterion whose gap was to be reduced.
    pub criterion: Criterion,
    /// How the rule was learned.
    pub method: Method,
    /// What was read.
    pub input: MitigationInput,
    /// What was asked.
    pub settings: MitigationSettings,
    /// Where decisions are cut.
    pub operating_point: OperatingRecord,
    /// How the proxies err, as learned from all rows that the rule was fitted on; one for each proxy where they err in
    /// their own ways. Those by bin of the score are in `drift`.
    pub noise: Vec<NoiseRecord>,
    /// The decisions that were there before, on held-out rows.
    pub before: MitigatedSide,
    /// The decisions of the new rule, on the same rows.
    pub after: MitigatedSide,
    /// Every criterion that the columns allow, before and after.
    pub criteria: Vec<CriterionChange>,
    /// What deciding alike for everyone would give on these rows.
    pub constant: ConstantRecord,
    /// What other tolerances would give, smallest first: held-out rows, hard decisions.
    pub curve: Vec<CurvePoint>,
    /// Each method on the same rows, that of the rule first; none where one alone was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<MethodRecord>,
    /// Whether the proxies err alike along the score; absent where that cannot be tested.
    pub drift: Option<DriftRecord>,
    /// Why it cannot be tested.
    pub drift_unavailable: Option<String>,
    /// What a group's gap costs at the optimum, one for each constraint: λ of a plug-in rule, μ of a trained model.
    pub multipliers: Vec<Multiplier>,
    /// Why training stopped, in words.
    pub stopped: String,
    /// What to doubt, most serious first.
    pub findings: Vec<Finding>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MitigationInput {
    /// Rows that the rule was fitted on.
    pub rows_fitted: u64,
    /// Rows held out, on which before and after are measured.
    pub rows_held_out: u64,
    /// Rows left out because they had no label or no decision to learn from.
    pub rows_left_out: u64,
    /// The column of the decisions before, if there is one; otherwise they are those of the same model without a
    /// constraint.
    pub prediction: Option<String>,
    /// The column of labels, if there is one.
    pub label: Option<String>,
    /// The column of the score, if one was used.
    pub score: Option<String>,
    /// What accuracy means here.
    pub target: Target,
    /// The columns of the features.
    pub features: Vec<String>,
    /// How many numbers they became.
    pub encoded_features: usize,
    /// Names of the groups.
    pub groups: Vec<String>,
    /// Name of the positive class.
    pub positive: String,
    /// Names of the proxies.
    pub proxies: Vec<String>,
}

/// What was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MitigationSettings {
    /// The gap that may stay.
    pub tolerance: f64,
    /// The share of the rows that is held out from what decides about them.
    pub held_out: f64,
    /// Which rows are measured on.
    pub measured_on: MeasuredOn,
    /// Folds of the cross-fit.
    pub folds: usize,
    /// Into how many bins of the score the rows were cut, each with its own error rates; 1 for none.
    pub noise_bins: usize,
    /// Whether each decision before had error rates of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
    /// The noise estimator that was used.
    pub estimator: Estimator,
    /// How often an interval should hold.
    pub confidence: f64,
    /// The share of the proxies' agreement that may be shared error in honest intervals.
    pub shared_error: f64,
    /// Draws behind intervals.
    pub n_boot: usize,
    /// Seed of the split and of the draws.
    pub seed: u64,
}

/// Which rows before and after are measured on. None of them was learned from by the rule that decides about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum MeasuredOn {
    /// A share of the rows, which the rule did not learn from.
    HeldOut,
    /// The rows that a column names.
    Column {
        /// The column.
        name: String,
    },
    /// All rows, each decided about by a rule that the other folds taught. The rule that is written learned from all.
    CrossFitted {
        /// How many folds.
        folds: usize,
    },
}

/// Where decisions are to be cut.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum OperatingPoint {
    /// Where as many are decided positive as before.
    #[default]
    Kept,
    /// Where this share is decided positive.
    Rate {
        /// The share.
        share: f64,
    },
    /// At this chance of a positive label.
    Threshold {
        /// The chance.
        chance: f64,
    },
    /// Where mistakes cost least.
    Costs {
        /// What a positive decision costs where the label is not.
        false_positive: f64,
        /// What a negative decision costs where the label is positive.
        false_negative: f64,
    },
}

impl OperatingPoint {
    /// The chance of a positive label above which a positive decision costs less, where it does not follow from the rows.
    pub fn threshold(self) -> Option<f64> {
        match self {
            OperatingPoint::Kept | OperatingPoint::Rate { .. } => None,
            OperatingPoint::Threshold { chance } => Some(chance),
            OperatingPoint::Costs { false_positive, false_negative } => {
                // Of costs near the largest number there is, the sum is none.
                Some(1.0 / (1.0 + false_negative / false_positive))
            }
        }
    }
}

/// Where decisions are cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperatingRecord {
    /// What was asked for.
    pub asked: OperatingPoint,
    /// The share of the fitted rows that was to be decided positive, where it is a share that is kept or asked for.
    pub wanted_rate: Option<f64>,
    /// The chance above which the rule decides positive; of a plug-in rule, as it is moved.
    pub cut: f64,
}

/// Decisions, measured on held-out rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MitigatedSide {
    /// The share of rows decided as their label says (or as the decisions before, where there are no labels).
    pub accuracy: RateRecord,
    /// The share of rows decided positive.
    pub positive_rate: RateRecord,
    /// The criterion on every basis and aggregate; that to report is marked as recommended. Where the truth is known it
    /// has the errors too.
    pub results: Vec<Measurement>,
    /// Rates by calibrated group, of what is recommended; absent where nothing is.
    pub rates: Option<RatesRecord>,
    /// The true gap (largest difference), where true groups were given to compare.
    pub true_gap: Option<f64>,
    /// The largest gap with error rates of their own in every bin of the score, where those were asked for; error rates
    /// are taken as known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binned_gap: Option<RateRecord>,
}

/// One criterion before and after, on held-out rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CriterionChange {
    /// The criterion.
    pub criterion: Criterion,
    /// The calibrated gap (largest difference) before; absent where none can be told.
    pub before: Option<f64>,
    /// What chance leaves open of it.
    pub before_interval: Option<IntervalRecord>,
    /// The same after.
    pub after: Option<f64>,
    /// What chance leaves open of it.
    pub after_interval: Option<IntervalRecord>,
    /// The true gap before, where true groups were given to compare.
    pub true_before: Option<f64>,
    /// The same after.
    pub true_after: Option<f64>,
    /// How much wider the largest gap is after than before, row by row on the same rows, with the error rates of the fitted
    /// rows taken as known; absent where the criterion is not about decisions.
    pub wider_by: Option<RateRecord>,
}

impl CriterionChange {
    /// Whether the gap is wider by more than chance explains, and by more than one point.
    pub fn widened(&self) -> bool {
        self.wider_by.is_some_and(|change| change.interval.low > 0.0 && change.value > 0.01)
    }
}

/// A share of rows and what chance leaves open of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RateRecord {
    /// The share.
    pub value: f64,
    /// What chance leaves open of it.
    #[serde(flatten)]
    pub interval: Interval,
}

/// Deciding alike for everyone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConstantRecord {
    /// What everyone would get: the more frequent class.
    pub decision: String,
    /// How often that is right on the held-out rows.
    pub accuracy: f64,
}

/// What one tolerance gives, on held-out rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The gap that may stay.
    pub tolerance: f64,
    /// The calibrated gap (largest difference) that is left.
    pub gap: Option<f64>,
    /// What chance leaves open of it.
    pub interval: Option<IntervalRecord>,
    /// The share of rows decided as their label says.
    pub accuracy: f64,
    /// The share of rows decided positive.
    pub positive_rate: f64,
    /// The true gap, where true groups were given to compare.
    pub true_gap: Option<f64>,
}

/// One method, tried on the same rows as the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodRecord {
    /// The method.
    pub method: Method,
    /// What the tolerance that was asked for gives by it; absent where it was refused.
    pub after: Option<CurvePoint>,
    /// What tolerances give, smallest first.
    pub curve: Vec<CurvePoint>,
    /// Why it was refused.
    pub unavailable: Option<String>,
}

impl MethodRecord {
    /// What tolerances gave by a method, or why it was refused.
    pub fn new(method: Method, tolerance: f64, tried: Result<Vec<CurvePoint>, String>) -> Self {
        let (curve, unavailable) =
            tried.map_or_else(|reason| (Vec::new(), Some(reason)), |curve| (curve, None));
        let after = curve.iter().find(|point| point.tolerance == tolerance).cloned();
        MethodRecord { method, after, curve, unavailable }
    }
}

/// Whether the proxies err alike along the score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DriftRecord {
    /// Twice the log likelihood that one matrix for each bin gains over one for all.
    pub statistic: f64,
    /// Its degrees of freedom.
    pub degrees_of_freedom: usize,
    /// The chance of a larger one if the proxies err alike.
    pub p_value: f64,
    /// The bins, lowest scores first.
    pub bins: Vec<DriftBin>,
    /// The groups, in the order of rows and columns of the matrices.
    pub groups: Vec<String>,
}

/// One bin of the score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DriftBin {
    /// The lowest score in it.
    pub low: f64,
    /// The highest score in it.
    pub high: f64,
    /// Its rows.
    pub rows: u64,
    /// Row: group; column: guess. Absent where it cannot be told.
    pub transition: Option<Vec<Vec<f64>>>,
    /// Why it cannot.
    pub reason: Option<String>,
}

/// The price of one constraint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Multiplier {
    /// The group whose rate comes first.
    pub a: String,
    /// The group whose rate is subtracted.
    pub b: String,
    /// The label within which the rates are taken.
    pub label: Option<String>,
    /// The multiplier.
    pub value: f64,
    /// The constraint on fitted rows after: rate of `a` minus rate of `b`, hard decisions.
    pub gap: f64,
}

impl MitigationRecord {
    /// The record in the words of a front end.
    pub fn spelled(mut self, dialect: &dyn Dialect) -> Self {
        for finding in &mut self.findings {
            finding.spell(dialect);
        }
        self
    }
}
