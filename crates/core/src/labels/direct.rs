//! Labelled rows, read directly: the truth about them, and chance about everyone else.

use super::Sampled;
use super::spread::LabelEstimate;
use nalgebra::{DMatrix, DVector};

/// Shares of strata and groups among labelled rows, each counting for as many as it stands for.
pub(crate) fn direct(sampled: &Sampled) -> Option<LabelEstimate> {
    let (groups, cells) = (sampled.groups, sampled.strata.len() * sampled.groups);
    let total: f64 = sampled.labelled.iter().map(|one| one.drawn.design).sum();
    if total <= 0.0 {
        return None;
    }
    let mut joint = DVector::zeros(cells);
    for one in &sampled.labelled {
        joint[one.stratum * groups + one.group.0] += one.drawn.design / total;
    }
    let mut covariance = DMatrix::zeros(cells, cells);
    for one in &sampled.labelled {
        let mut influence = -joint.clone();
        influence[one.stratum * groups + one.group.0] += 1.0;
        covariance.ger(one.drawn.squares / (total * total), &influence, &influence, 1.0);
    }
    Some(LabelEstimate::new(sampled, joint, covariance))
}
