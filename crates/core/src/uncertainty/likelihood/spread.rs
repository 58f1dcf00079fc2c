//! How far a maximum could have fallen elsewhere: draws around it, the covariance of contrasts, and what one more row moves.

use super::{Contrast, Likelihood, Parameters};
use crate::counts::Cell;
use crate::uncertainty::bootstrap::normal_draws;
use nalgebra::{DMatrix, DVector};

/// For each contrast, how far a row in each cell moves it, and the variance of that over rows.
#[derive(Debug, Clone)]
pub(crate) struct Influence(Vec<(Vec<f64>, f64)>);

impl Influence {
    pub fn by_contrast(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.0.iter().map(|(cells, own)| (cells.as_slice(), *own))
    }
}

impl Likelihood {
    /// Parameters drawn around a maximum by their expected information. `None` for a draw too far out to be one, and in all
    /// where not half a row tells of any.
    pub fn draws(&self, at: &Parameters, draws: usize, seed: u64) -> Option<Vec<Option<Parameters>>> {
        let (_, information) = self.score(at);
        let size = information.nrows();
        let kept = self.told_of(&information);
        if kept.is_empty() {
            return None;
        }
        let covariance = open_inverse(information.select_rows(&kept).select_columns(&kept));
        let drawn = normal_draws(&vec![0.0; kept.len()], &covariance, draws, seed);
        let moved = |step: Vec<f64>| {
            crate::watch::pause();
            let mut all = DVector::zeros(size);
            kept.iter().zip(step).for_each(|(place, part)| all[*place] = part);
            at.moved(&all)
        };
        Some(drawn.into_iter().map(moved).collect())
    }

    /// Covariance of contrasts at a maximum, by the delta method.
    pub fn covariance(&self, at: &Parameters, contrasts: &[Contrast]) -> Option<DMatrix<f64>> {
        let (_, information) = self.score(at);
        let size = information.nrows();
        let kept = self.told_of(&information);
        let information = information.select_rows(&kept).select_columns(&kept);
        let slopes: Vec<DVector<f64>> =
            contrasts.iter().map(|c| c.slope(at, size).select_rows(&kept)).collect();
        let slopes = DMatrix::from_columns(&slopes);
        let solved = match information.clone().cholesky() {
            Some(factor) => factor.solve(&slopes),
            None => open_inverse(information) * &slopes,
        };
        let covariance = slopes.transpose() * solved;
        covariance.iter().all(|v| v.is_finite()).then_some(covariance)
    }

    /// How far one more row in a cell would move each contrast.
    pub fn influence(&self, at: &Parameters, contrasts: &[Contrast]) -> Option<Influence> {
        let (_, information) = self.score(at);
        let size = information.nrows();
        let kept = self.kept(size);
        // Of one row.
        let information = information.select_rows(&kept).select_columns(&kept) / self.rows;
        let factor = information.cholesky()?;
        let told = self.told(at);
        let mut slope = DVector::zeros(size);
        let mut scores = Vec::with_capacity(self.cells.len());
        for cell in &self.cells {
            let chance = self.slope(cell, at, &told, slope.as_mut_slice());
            scores.push(slope.select_rows(&kept) / chance);
        }
        let of = |contrast: &Contrast| {
            let slope = contrast.slope(at, size).select_rows(&kept);
            let solved = factor.solve(&slope);
            let cells: Vec<f64> = scores.iter().map(|score| solved.dot(score)).collect();
            (cells, slope.dot(&solved))
        };
        let found: Vec<(Vec<f64>, f64)> = contrasts.iter().map(of).collect();
        let possible = |(cells, own): &(Vec<f64>, f64)| *own > 0.0 && cells.iter().all(|phi| phi.is_finite());
        found.iter().all(possible).then_some(Influence(found))
    }

    /// How far one more row in each of some cells would move the shares of groups and strata, by which a maximum is told. `None`
    /// where that cannot be said, or a cell lies in none of the strata or says what no cell of the table does.
    pub fn shares_moved(&self, at: &Parameters, cells: &[Cell]) -> Option<Vec<DMatrix<f64>>> {
        let (groups, strata) = at.joint.shape();
        let (_, information) = self.score(at);
        let size = information.nrows();
        let kept = self.told_of(&information);
        // Of one row.
        let information = information.select_rows(&kept).select_columns(&kept) / self.rows;
        let factor = information.cholesky()?;
        let told = self.told(at);
        let moved = |cell: &Cell| {
            let mut slope = vec![0.0; size];
            let chance = self.slope(&self.vote(cell)?, at, &told, &mut slope);
            let score = DVector::from_iterator(kept.len(), kept.iter().map(|i| slope[*i] / chance));
            let mut step = DVector::zeros(size);
            let solved = factor.solve(&score);
            kept.iter().zip(solved.iter()).for_each(|(place, part)| step[*place] = *part);
            let along: f64 = (0..groups * strata).map(|i| at.joint[(i / strata, i % strata)] * step[i]).sum();
            let moved =
                DMatrix::from_fn(groups, strata, |a, s| at.joint[(a, s)] * (step[a * strata + s] - along));
            moved.iter().all(|part| part.is_finite()).then_some(moved)
        };
        cells.iter().map(moved).collect()
    }
}

/// The inverse of an information that may leave some directions open: along these a logit moves by some five either way, which is
/// from hardly ever to nearly always.
fn open_inverse(information: DMatrix<f64>) -> DMatrix<f64> {
    const NOTHING: f64 = 1.0 / 25.0;
    if information.is_empty() {
        return information;
    }
    let eigen = information.symmetric_eigen();
    let inverse = DMatrix::from_diagonal(&eigen.eigenvalues.map(|value| 1.0 / value.max(NOTHING)));
    &eigen.eigenvectors * inverse * eigen.eigenvectors.transpose()
}
