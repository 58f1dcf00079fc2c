//! What to doubt about a mitigation.

use super::record::DriftRecord;
use crate::diagnose::Diagnosis;
use crate::diagnose::mitigation::{
    ConstraintMissed, ErrorsInFeatures, FewRowsToMitigate, GapGrew, GapLeft, GapUnclear, GuessesInFeatures,
    LabelInFeatures, NoiseAlongScore, NotAboveConstant, RowsLeftOut, ScoreScale, StandIns,
};
use crate::diagnose::{Finding, SIGNIFICANT};
use crate::noise::TransitionMatrix;
use crate::plan::Situation;
use crate::uncertainty::draws::chi_square_tail;

/// What was seen while a rule was learned; each that is worth doubting becomes a finding.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Doubt<'a> {
    /// Whether the proxies err alike along the score.
    Drift(&'a DriftRecord),
    /// Accuracy on held-out rows, that of deciding alike for everyone, and what everyone would get.
    Constant(f64, f64, &'a str),
    /// The standard error of the gap on the fitted rows, the gap, the rows, and those that would be needed.
    FewRows {
        /// The standard error.
        error: f64,
        /// The gap before.
        gap: f64,
        /// The rows.
        rows: f64,
        /// Rows for a half-width of half of the gap.
        needed: Option<f64>,
    },
    /// The gap that was to be reached on fitted rows, the one that was, and why training stopped.
    Missed(f64, f64, &'a str),
    /// Slope and offset of the labels on the log odds of the score, and by how much their means differ.
    Score(f64, f64, f64),
    /// The gap before on fitted rows and its interval.
    Unclear(f64, f64, f64),
    /// The share of the spread of weights that features explain.
    StandIns(f64),
    /// The gap after on held-out rows, its interval, and the tolerance.
    Left(f64, f64, f64, f64),
    /// The share of the spread of weights that features explain, and that knowing the group would explain.
    Guesses(f64, f64),
    /// What features tell of one proxy's guesses and not of another's: the proxies, a χ² and its degrees of freedom.
    Errors(&'a str, &'a str, f64, usize),
    /// Rows left out, and all rows.
    LeftOut(u64, u64),
    /// The calibrated gaps before and after, on held-out rows.
    Grew(f64, f64),
    /// Accuracy on held-out rows of the rule without a constraint, and of the decisions before where there are some.
    Label(f64, Option<f64>),
}

impl Doubt<'_> {
    /// The finding, if it is one.
    pub fn finding(&self) -> Option<Finding> {
        match *self {
            Doubt::Drift(drift) => (drift.p_value < SIGNIFICANT).then(|| {
                NoiseAlongScore {
                    statistic: drift.statistic,
                    freedom: drift.degrees_of_freedom,
                    p_value: drift.p_value,
                    bins: drift.bins.len(),
                }
                .finding()
            }),
            Doubt::Constant(accuracy, constant, decision) => (accuracy <= constant + 1e-9)
                .then(|| NotAboveConstant { accuracy, constant, decision: decision.into() }.finding()),
            // Twice the error is what chance reaches in one of twenty tables.
            Doubt::FewRows { error, gap, rows, needed } => {
                (4.0 * error > gap).then(|| FewRowsToMitigate { error, gap, rows, needed }.finding())
            }
            Doubt::Missed(wanted, found, stopped) => {
                let limit = wanted + 0.005f64.max(0.05 * wanted);
                (found > limit).then(|| ConstraintMissed { wanted, found, stopped: stopped.into() }.finding())
            }
            Doubt::Score(slope, intercept, mean_difference) => {
                let off = !(0.8..=1.25).contains(&slope) || mean_difference.abs() > 0.02;
                off.then(|| ScoreScale { slope, intercept, mean_difference }.finding())
            }
            Doubt::Unclear(gap, low, high) => {
                (low <= 0.0 && high >= 0.0).then(|| GapUnclear { low, high, gap }.finding())
            }
            // What is explained is measured where it was not fitted; chance moves it by little.
            Doubt::Guesses(explained, possible) => {
                (explained > possible + 0.03).then(|| GuessesInFeatures { explained, possible }.finding())
            }
            Doubt::Label(free, before) => {
                let told = free > 0.98 || before.is_some_and(|before| free > before + 0.1);
                told.then(|| LabelInFeatures { free, before: before.unwrap_or(free) }.finding())
            }
            // Clearer than usual: the scale between two proxies is itself estimated.
            Doubt::Errors(proxy, other, statistic, freedom) => {
                let clear = chi_square_tail(statistic, freedom) < 1e-3;
                let (proxy, other) = (proxy.to_owned(), other.to_owned());
                clear.then(|| ErrorsInFeatures { proxy, other, statistic, freedom }.finding())
            }
            Doubt::LeftOut(left_out, rows) => {
                (left_out > 0).then(|| RowsLeftOut { left_out, rows }.finding())
            }
            Doubt::Grew(before, after) => (after > before).then(|| GapGrew { before, after }.finding()),
            Doubt::StandIns(explained) => Some(StandIns { explained }.finding()),
            Doubt::Left(gap, low, high, tolerance) => {
                (low > tolerance).then(|| GapLeft { low, high, gap, tolerance }.finding())
            }
        }
    }
}

/// Rows with three such proxies that tell a gap to so much, if they can.
pub fn rows_to_tell(
    shares: &[f64],
    rates: &[f64],
    noise: &TransitionMatrix,
    proxies: usize,
    half_width: f64,
) -> Option<f64> {
    let situation = Situation::new(shares.to_vec(), rates.to_vec(), vec![noise.clone(); proxies]).ok()?;
    situation.rows_for(half_width, 0.95).ok()
}
