//! The facts of a mitigation that findings look at.

use super::record::{ConstantRecord, CriterionChange, DriftRecord, OperatingPoint};
use crate::record::IntervalRecord;
use crate::vocabulary::Criterion;

/// The chance below which a doubt about a rule is serious. Several are tested, before and after: at the level of one audit, a reviewer saw
/// one in 9 of 60 rules without any fault.
pub const CLEAR: f64 = 0.001;

/// A rule that was learned from fitted rows and tried on held-out ones. An absent fact raises nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trial<'a> {
    /// All rows.
    pub rows: u64,
    /// Those left out because they have no label, decision or score.
    pub left_out: u64,
    /// The gap before, on fitted rows.
    pub fitted: Option<FittedGap>,
    /// The proxies' errors along the score, unless each bin has error rates of its own.
    pub drift: Option<&'a DriftRecord>,
    /// The proxies' errors along the features.
    pub along: Option<&'a Along>,
    /// The score against the labels.
    pub scale: Option<Scale>,
    /// A feature whose values are the names of the groups.
    pub guess_feature: Option<&'a str>,
    /// How many proxies there are.
    pub proxies: usize,
    /// How closely labels follow the score, where it is one from 0 to 1.
    pub sharpness: Option<Sharpness>,
    /// One for each gap, where the rule predicts the weights of people from features.
    pub explained: Option<Vec<ExplainedShare>>,
    /// The gap that was to be reached on fitted rows.
    pub wanted: f64,
    /// The gap that was reached on them.
    pub reached: f64,
    /// The reason why training stopped.
    pub stopped: &'a str,
    /// Accuracy of the decisions before, where there were some.
    pub accuracy_before: Option<f64>,
    /// Accuracy of the rule without a constraint, where there are labels.
    pub accuracy_free: Option<f64>,
    /// Accuracy of the rule.
    pub accuracy: f64,
    /// Deciding alike for everyone instead.
    pub constant: Option<&'a ConstantRecord>,
    /// Accuracy of a lottery that decides as many positive as the rule does.
    pub lottery: Option<f64>,
    /// How many are decided positive.
    pub approvals: Option<Approvals>,
    /// The criterion whose gap was to be reduced.
    pub criterion: Option<Criterion>,
    /// Every criterion before and after.
    pub criteria: &'a [CriterionChange],
    /// The calibrated gap after.
    pub gap_after: Option<f64>,
    /// Its interval.
    pub interval_after: Option<&'a IntervalRecord>,
    /// The gap that may stay.
    pub tolerance: f64,
}

/// Shares of the held-out rows that are decided positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approvals {
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
    /// How far chance moves their difference to either side, in 99 of 100 tables.
    pub reach: f64,
    /// What was asked for.
    pub asked: OperatingPoint,
}

/// The gap before on the rows that a rule is fitted on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FittedGap {
    /// The gap.
    pub gap: f64,
    /// Its standard error.
    pub error: f64,
    /// How far its interval reaches to either side.
    pub reach: f64,
    /// The rows.
    pub rows: f64,
    /// Rows like these that would tell it to half of its size.
    pub needed: Option<f64>,
}

/// The clearest difference between what features tell of two proxies' guesses.
#[derive(Debug, Clone, PartialEq)]
pub struct Along {
    /// The proxies.
    pub proxies: [String; 2],
    /// As many times a value of F as it has degrees of freedom; with many rows a χ².
    pub statistic: f64,
    /// Its degrees of freedom.
    pub freedom: usize,
    /// Those of what is left.
    pub residual: f64,
    /// How many pairs of proxies were compared, of which this is the clearest.
    pub pairs: usize,
}

/// The labels on the log odds of the score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// 1 for a score that is a probability.
    pub slope: f64,
    /// 0 for a score that is a probability.
    pub intercept: f64,
    /// The share of positive labels less the mean score.
    pub mean_difference: f64,
}

/// How far labels lie from the score, for each unit that a chance of that size would: `Σ(y − s)² / Σs(1 − s)`, 1 for a chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sharpness {
    /// The ratio.
    pub ratio: f64,
    /// Its standard error, if the score were a chance.
    pub error: f64,
}

/// Shares of the spread of people's weights, for one gap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExplainedShare {
    /// Explained by features.
    pub explained: f64,
    /// Explained by the group, if it were known.
    pub possible: f64,
}
