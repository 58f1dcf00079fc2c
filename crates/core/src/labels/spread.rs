//! A joint table with its covariance, and tables drawn around it.
//!
//! Shares are drawn as logarithms, so that none is below zero and a rate keeps to its side of 0 and 1: a rate of two groups'
//! decisions is then drawn as log odds, which is right for few rows where a normal rate is not. Half a labelled row is added to
//! every cell and to its variance (Gart 1966), so that a cell without one has a logarithm. The draws are those of Student's
//! `t`, because the variance was estimated from few rows.

use super::Sampled;
use crate::counts::View;
use crate::rates::{Joint, Shares};
use crate::uncertainty::bootstrap::student_draws;
use crate::vocabulary::{Group, Stratum};
use nalgebra::{DMatrix, DVector};

/// Shares of strata and groups and their covariance.
#[derive(Debug, Clone)]
pub(crate) struct LabelEstimate {
    groups: usize,
    strata: Vec<Stratum>,
    /// By stratum, then by group.
    pub joint: DVector<f64>,
    pub covariance: DMatrix<f64>,
    freedom: f64,
    /// What half a labelled row is of all.
    half_row: f64,
}

impl LabelEstimate {
    pub fn new(sampled: &Sampled, joint: DVector<f64>, covariance: DMatrix<f64>) -> Self {
        LabelEstimate {
            groups: sampled.groups,
            strata: sampled.strata.clone(),
            joint,
            covariance,
            freedom: sampled.freedom(),
            half_row: 0.5 / sampled.labels().max(1) as f64,
        }
    }

    fn with(&self, joint: &[f64], view: View, classes: usize) -> Joint<Group> {
        let shares = joint.chunks(self.groups).map(|shares| Some(Shares::new(shares)));
        Joint::new(view, classes, self.groups, self.strata.iter().copied().zip(shares))
    }

    /// The table itself.
    pub fn table(&self, view: View, classes: usize) -> Joint<Group> {
        self.with(self.joint.as_slice(), view, classes)
    }

    /// Tables drawn around it. A share that is below zero by more than half a row has no draws.
    pub fn draws(&self, view: View, classes: usize, draws: usize, seed: u64) -> Vec<Option<Joint<Group>>> {
        let centre = self.joint.map(|share| share + self.half_row);
        if centre.iter().any(|share| *share <= 0.0) {
            return vec![None; draws];
        }
        let size = centre.len();
        // Half a row adds as much to the variance of a count as to the count.
        let added = self.half_row * 2.0 * self.half_row;
        let relative = DMatrix::from_fn(size, size, |i, j| {
            let own = if i == j { added } else { 0.0 };
            (self.covariance[(i, j)] + own) / (centre[i] * centre[j])
        });
        let logs = centre.map(f64::ln);
        let table = |logs: Vec<f64>| {
            let shares: Vec<f64> = logs.into_iter().map(f64::exp).collect();
            let total: f64 = shares.iter().sum();
            let shares: Vec<f64> = shares.into_iter().map(|share| share / total).collect();
            (total.is_finite()).then(|| self.with(&shares, view, classes))
        };
        student_draws(logs.as_slice(), &relative, self.freedom, draws, seed).into_iter().map(table).collect()
    }
}
