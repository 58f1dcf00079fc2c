//! Ridge regression, cross-fitted: every row is predicted by a model that has not seen it.
//!
//! ```text
//! β_f = (G − G_f + κ·n·I)⁻¹ (b − b_f)          G_f = Σ w x xᵀ,  b_f = Σ w x v  over the rows of fold f
//! ```
//! One pass over the rows gives all folds. The penalty `κ` is the one of a few that predicts held-out folds best; the
//! intercept is not penalised.

use crate::Design;
use crate::Linear;
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

/// Rows that are summed together; fixed, so that threads change no digit.
const CHUNK: usize = 4096;
const PENALTIES: [f64; 6] = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0];

/// Models that each leave out one fold.
pub(crate) struct CrossFit {
    /// One for each fold, of the rows outside it.
    pub of_fold: Vec<Linear>,
    /// Their mean, for rows that none of them has seen.
    pub mean: Linear,
    /// The share of the spread that is explained where it was not fitted; at most 1, below 0 where nothing is learned.
    pub explained: f64,
}

/// What is regressed on features and one more number of each row.
pub(crate) struct Regression<'a> {
    pub features: &'a Design,
    /// One more regressor, last.
    pub extra: &'a [f64],
    pub weights: &'a [f64],
    /// The rows that count.
    pub counts: &'a (dyn Fn(usize) -> bool + Sync),
    pub fold_of: &'a (dyn Fn(usize) -> usize + Sync),
    pub folds: usize,
}

#[derive(Clone)]
struct Sums {
    gram: DMatrix<f64>,
    right: DVector<f64>,
    squares: f64,
    weight: f64,
}

impl Sums {
    fn new(size: usize) -> Self {
        let (gram, right) = (DMatrix::zeros(size, size), DVector::zeros(size));
        Sums { gram, right, squares: 0.0, weight: 0.0 }
    }

    fn add(&mut self, x: &[f64], value: f64, weight: f64) {
        let size = x.len();
        for (j, column) in self.gram.as_mut_slice().chunks_exact_mut(size).enumerate() {
            let scaled = weight * x[j];
            // Columns of a symmetric matrix: the part below the diagonal is enough.
            for (to, from) in column[j..].iter_mut().zip(&x[j..]) {
                *to += scaled * from;
            }
        }
        self.right.iter_mut().zip(x).for_each(|(to, x)| *to += weight * value * x);
        self.squares += weight * value * value;
        self.weight += weight;
    }

    fn merge(&mut self, other: &Sums) {
        self.gram += &other.gram;
        self.right += &other.right;
        self.squares += other.squares;
        self.weight += other.weight;
    }

    fn without(&self, other: &Sums) -> Sums {
        Sums {
            gram: &self.gram - &other.gram,
            right: &self.right - &other.right,
            squares: self.squares - other.squares,
            weight: self.weight - other.weight,
        }
    }

    fn solve(&self, penalty: f64) -> Option<DVector<f64>> {
        let size = self.right.len();
        let mut left = self.gram.clone();
        for j in 1..size {
            left[(j, j)] += penalty * self.weight;
        }
        left[(0, 0)] += 1e-12 * self.weight.max(1.0);
        left.cholesky().map(|factor| factor.solve(&self.right))
    }

    /// The summed squared error of a model on these rows.
    fn error(&self, model: &DVector<f64>) -> f64 {
        self.squares - 2.0 * model.dot(&self.right) + (model.transpose() * self.symmetric() * model)[(0, 0)]
    }

    fn symmetric(&self) -> DMatrix<f64> {
        let lower = self.gram.lower_triangle();
        let diagonal = DMatrix::from_diagonal(&self.gram.diagonal());
        &lower + lower.transpose() - diagonal
    }
}

impl Regression<'_> {
    /// The share of the spread of `values` that is explained where it was fitted, and by how many free coefficients.
    pub fn within(&self, values: &[f64]) -> Option<(f64, usize)> {
        let (folds, size) = self.sums(values);
        let mut all = Sums::new(size);
        folds.iter().for_each(|fold| all.merge(fold));
        // Columns of one feature may add up to one another: what they share is told by the penalty, not by more freedom.
        let symmetric = all.symmetric();
        let mean = symmetric.column(0) / all.weight;
        let centred = symmetric / all.weight - &mean * mean.transpose();
        let values = centred.symmetric_eigenvalues();
        let freedom = values.iter().filter(|value| **value > 1e-6).count();
        let model = all.solve(1e-9)?;
        let spread = all.squares - all.right[0] * all.right[0] / all.weight;
        let explained = 1.0 - all.error(&model) / spread;
        (spread > 0.0 && freedom > 0).then_some((explained.clamp(0.0, 1.0), freedom))
    }

    /// Regresses `values`.
    pub fn fit(&self, values: &[f64]) -> CrossFit {
        let (of_fold, size) = self.sums(values);
        self.choose(&of_fold, size)
    }

    /// What is summed over the rows of every fold.
    fn sums(&self, values: &[f64]) -> (Vec<Sums>, usize) {
        let rows = self.features.rows();
        let size = self.features.columns() + 2;
        let part = |start: usize| {
            let mut sums = vec![Sums::new(size); self.folds];
            let mut x = vec![1.0; size];
            for row in (start..(start + CHUNK).min(rows)).filter(|row| (self.counts)(*row)) {
                x[1..size - 1]
                    .iter_mut()
                    .zip(self.features.row(row))
                    .for_each(|(to, from)| *to = f64::from(*from));
                x[size - 1] = self.extra[row];
                sums[(self.fold_of)(row)].add(&x, values[row], self.weights[row]);
            }
            sums
        };
        let starts: Vec<usize> = (0..rows).step_by(CHUNK).collect();
        let mut of_fold = vec![Sums::new(size); self.folds];
        // In turns, so that memory does not grow with rows.
        for some in starts.chunks(64) {
            let parts: Vec<Vec<Sums>> = some.par_iter().map(|start| part(*start)).collect();
            for part in parts {
                of_fold.iter_mut().zip(&part).for_each(|(all, part)| all.merge(part));
            }
        }
        (of_fold, size)
    }

    fn choose(&self, of_fold: &[Sums], size: usize) -> CrossFit {
        let mut all = Sums::new(size);
        of_fold.iter().for_each(|fold| all.merge(fold));
        let models = |penalty: f64| -> Option<(Vec<DVector<f64>>, f64)> {
            let models: Option<Vec<_>> =
                of_fold.iter().map(|fold| all.without(fold).solve(penalty)).collect();
            let models = models?;
            let error = of_fold.iter().zip(&models).map(|(fold, model)| fold.error(model)).sum();
            Some((models, error))
        };
        let found = PENALTIES.iter().filter_map(|penalty| models(*penalty));
        let best = found.min_by(|a, b| a.1.total_cmp(&b.1));
        let mean_value = if all.weight > 0.0 { all.right[0] / all.weight } else { 0.0 };
        let spread = all.squares - all.weight * mean_value * mean_value;
        let (models, error) = best.unwrap_or_else(|| {
            // Without rows there is nothing to learn: everyone alike.
            (vec![DVector::zeros(size); of_fold.len()], spread)
        });
        let linear = |model: &DVector<f64>| Linear {
            intercept: model[0],
            coefficients: model.iter().skip(1).copied().collect(),
        };
        let mean =
            models.iter().fold(DVector::zeros(size), |sum, model| sum + model) / models.len().max(1) as f64;
        let explained = if spread > 0.0 { 1.0 - error / spread } else { 0.0 };
        CrossFit { of_fold: models.iter().map(linear).collect(), mean: linear(&mean), explained }
    }
}
