//! Whether the model of errors that the audit sample takes for granted agrees with the labels that need none.
//!
//! Every row moves both estimates, and what it moves their difference by is known (its influence). The difference of the signed gaps
//! is tested with the variance that follows (Hausman 1978, without taking either for efficient):
//! ```text
//! χ² = dᵀ·V⁻¹·d        d = gaps by regression − gaps by the audit sample        V = Σ over rows of their influence on d, squared
//! ```

use super::Sampled;
use super::regression::Regression;
use crate::disparity::{Pair, pairs};
use crate::estimate::mixture::Influences;
use crate::rates::Joint;
use crate::uncertainty::draws::{chi_square_tail, wald};
use crate::vocabulary::{Class, Group};
use nalgebra::{DMatrix, DVector};

/// The two disagree beyond chance where the test rejects at this level. A rejection costs precision and no validity,
/// so that it need not be rare.
pub(crate) const BEYOND_CHANCE: f64 = 0.05;

/// The model of errors is refuted, and no part of a range, where the test rejects at this level. Between the two levels the range
/// reaches as far as both do: it never holds less than the regression's.
pub(crate) const REFUTED: f64 = 0.001;

/// The test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Disagreement {
    pub statistic: f64,
    pub freedom: usize,
    pub p_value: f64,
}

/// How a signed gap changes with each share of a joint table, by stratum and group.
pub(super) fn slope(sampled: &Sampled, joint: &Joint<Group>, pair: &Pair<Group>) -> Option<DVector<f64>> {
    let groups = sampled.groups;
    let mut slope = DVector::zeros(sampled.strata.len() * groups);
    for (a, sign) in [(pair.a, 1.0), (pair.b, -1.0)] {
        let rate = joint.proportion(a, pair.rate).ok()?;
        let whole = joint.mass(a, |stratum| pair.rate.among.holds(stratum)).ok()?;
        for (s, stratum) in sampled.strata.iter().enumerate() {
            if pair.rate.among.holds(*stratum) {
                let is = f64::from(u8::from(pair.rate.counts(*stratum)));
                slope[s * groups + a.0] += sign * (is - rate) / whole;
            }
        }
    }
    Some(slope)
}

/// Compares the regression with the audit sample, whose rows move it by `influences`. `None` where one of the two has no
/// gap to compare.
pub(crate) fn disagreement(
    sampled: &Sampled,
    (by_labels, regression): (&Joint<Group>, &Regression),
    (by_model, influences): (&Joint<Group>, &Influences),
    positive: Class,
) -> Option<Disagreement> {
    let criterion = by_labels.view().every_stratum();
    let found = |joint| pairs(joint, criterion, positive);
    let (labels, model) = (found(by_labels), found(by_model));
    if labels.is_empty() || labels.len() != model.len() {
        return None;
    }
    let slopes = |joint, pairs: &[Pair<Group>]| -> Option<DMatrix<f64>> {
        let columns: Option<Vec<_>> = pairs.iter().map(|pair| slope(sampled, joint, pair)).collect();
        Some(DMatrix::from_columns(&columns?).transpose())
    };
    let (of_labels, of_model) = (slopes(by_labels, &labels)?, slopes(by_model, &model)?);
    let difference: Vec<f64> =
        labels.iter().zip(&model).map(|(labels, model)| labels.difference - model.difference).collect();
    let mut variance = DMatrix::zeros(difference.len(), difference.len());
    let rows = sampled.rows;
    let model_of = |stratum: usize, guesses: &[_], group| {
        influences.get(&(sampled.strata[stratum], guesses.into(), group)).map(|moved| &of_model * moved)
    };
    // What is left of a cell once its labelled rows are counted for themselves.
    let mut left: Vec<f64> = sampled.cells.iter().map(|cell| cell.share * rows).collect();
    for (one, of_label) in sampled.labelled.iter().zip(&regression.of_label) {
        let cell = sampled.cells.iter().position(|c| c.stratum == one.stratum && c.guesses == one.guesses)?;
        let count = one.drawn.rows as f64;
        left[cell] -= count;
        let each = one.drawn.design / count;
        let own = &of_labels * (of_label * each + &regression.of_row[cell] / rows);
        let moved = own - model_of(one.stratum, &one.guesses, Some(one.group))? / rows;
        variance.ger(count, &moved, &moved, 1.0);
    }
    for ((cell, of_row), count) in sampled.cells.iter().zip(&regression.of_row).zip(left) {
        // A cell that is labelled throughout has no other rows.
        if let Some(model) = model_of(cell.stratum, &cell.guesses, None).filter(|_| count > 0.0) {
            let moved = (&of_labels * of_row - model) / rows;
            variance.ger(count, &moved, &moved, 1.0);
        }
    }
    let (statistic, freedom) = wald(&difference, &variance);
    (freedom > 0).then(|| Disagreement { statistic, freedom, p_value: chi_square_tail(statistic, freedom) })
}
