//! How many more labels settle a gap, and where they tell most.
//!
//! The variance of a gap by regression is `Σ_s A_s/n_s + B`, with `n_s` labels in stratum `s` and `B` what all rows tell by their
//! guesses; the fewest labels for a variance are `n_s ∝ √A_s` (Neyman 1934).

use super::Sampled;
use super::disagree::slope;
use super::regression::Regression;
use crate::disparity::pairs;
use crate::rates::Joint;
use crate::vocabulary::{Class, Criterion, Group, Stratum};

/// Labels that a stratum should have in all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Needed {
    pub stratum: Stratum,
    pub labels: f64,
    pub has: f64,
}

/// Labels in each stratum for a standard error of every gap of a criterion; `None` where no labels do it.
pub(crate) fn share_out(
    sampled: &Sampled,
    joint: &Joint<Group>,
    regression: &Regression,
    (criterion, positive): (Criterion, Class),
    error: f64,
) -> Option<Vec<Needed>> {
    let strata = sampled.strata.len();
    let mut has = vec![0.0; strata];
    sampled.labelled.iter().for_each(|one| has[one.stratum] += one.drawn.rows as f64);
    let mut needed = vec![0.0f64; strata];
    for pair in pairs(joint, criterion, positive) {
        let slope = slope(sampled, joint, &pair)?;
        let mut roots = vec![0.0; strata];
        for (one, influence) in sampled.labelled.iter().zip(&regression.of_label) {
            roots[one.stratum] += one.drawn.squares * slope.dot(influence).powi(2) * has[one.stratum];
        }
        roots.iter_mut().for_each(|root: &mut f64| *root = root.sqrt());
        let told = |(cell, influence): (&super::known_rows::Cell, &nalgebra::DVector<f64>)| {
            cell.share / sampled.rows * slope.dot(influence).powi(2)
        };
        let told: f64 = sampled.cells.iter().zip(&regression.of_row).map(told).sum();
        let left = error * error - told;
        if left <= 0.0 {
            return None;
        }
        let all: f64 = roots.iter().sum();
        // The pair that needs most of a stratum decides.
        needed.iter_mut().zip(&roots).for_each(|(needed, root)| *needed = needed.max(root * all / left));
    }
    let one = |(s, labels): (usize, f64)| Needed { stratum: sampled.strata[s], labels, has: has[s] };
    Some(needed.into_iter().enumerate().map(one).collect())
}
