//! How the loss and the penalty of gaps curve: the middle of L-BFGS.
//!
//! ```text
//! M  =  A + ρ·S·Sᵀ          A = Σ w·p·(1 - p)·x·xᵀ / Σ w + ridge, or its diagonal;   S the gradients of the gaps
//! M⁻¹v  =  u − B·(I/ρ + Sᵀ·B)⁻¹·Sᵀ·u        u = A⁻¹v,  B = A⁻¹S                                  (Woodbury)
//! ```
//! `A` is factored once, whatever becomes of `ρ` and of the gaps. Few columns have the whole of it, from some rows; many its diagonal.

use crate::Problem;
use crate::pass;
use nalgebra::{Cholesky, DMatrix, DMatrixView, DVectorView, DVectorViewMut, Dyn};

/// With more columns an approximate Hessian costs more than it saves, and its diagonal has to do.
const MOST_CURVATURE: usize = 1200;
/// Rows behind an approximate Hessian; more would not make it better by much. Those of a sparse design cost little.
const CURVATURE_ROWS: usize = 20_000;
const SPARSE_ROWS: usize = 200_000;
/// For each column at least so many of them.
const ROWS_PER_COLUMN: usize = 8;

/// `A`, ready to be divided by.
pub(crate) enum Curvature {
    Whole(Cholesky<f64, Dyn>),
    Diagonal(Vec<f64>),
}

impl Curvature {
    /// At this point; none where rounding leaves a matrix that cannot be factored.
    pub fn of(problem: &Problem<'_>, beta: &[f64], ridge: f64) -> Option<Self> {
        let (size, all) = (beta.len(), problem.features.rows());
        // Some rows may lack a level that others have: nothing is known of its curvature, and a little is supposed.
        let least = ridge.max(1e-4);
        if size > MOST_CURVATURE {
            let diagonal = pass::diagonal(problem, beta);
            return Some(Curvature::Diagonal(diagonal.into_iter().map(|value| value + least).collect()));
        }
        let rows = if problem.features.is_sparse() {
            SPARSE_ROWS
        } else {
            (200_000_000 / (size * size)).max(ROWS_PER_COLUMN * size).min(CURVATURE_ROWS)
        };
        let values = pass::curvature(problem, beta, all.div_ceil(rows));
        let mut matrix = DMatrix::from_column_slice(size, size, &values);
        (0..size).for_each(|place| matrix[(place, place)] += least);
        matrix.cholesky().map(Curvature::Whole)
    }

    /// `A⁻¹v`, in place.
    fn solve(&self, v: &mut [f64]) {
        match self {
            Curvature::Whole(factor) => {
                let size = v.len();
                factor.solve_mut(&mut DVectorViewMut::from_slice(v, size));
            }
            Curvature::Diagonal(diagonal) => v.iter_mut().zip(diagonal).for_each(|(v, d)| *v /= d),
        }
    }
}

/// `M`, ready to be divided by.
pub(crate) struct Metric<'a> {
    curvature: &'a Curvature,
    /// `S` and `B`, one column for each gap.
    slopes: Vec<f64>,
    solved: DMatrix<f64>,
    small: Cholesky<f64, Dyn>,
}

impl<'a> Metric<'a> {
    /// None where rounding leaves gaps that cannot be told apart.
    pub fn new(curvature: &'a Curvature, slopes: &[Vec<f64>], rho: f64) -> Option<Self> {
        let (gaps, slopes) = (slopes.len(), slopes.concat());
        let size = slopes.len() / gaps.max(1);
        let mut solved = slopes.clone();
        solved.chunks_exact_mut(size.max(1)).for_each(|column| curvature.solve(column));
        let solved = DMatrix::from_vec(size, gaps, solved);
        let small = DMatrixView::from_slice(&slopes, size, gaps).tr_mul(&solved)
            + DMatrix::from_diagonal_element(gaps, gaps, 1.0 / rho);
        Some(Metric { curvature, slopes, solved, small: small.cholesky()? })
    }

    /// `M⁻¹v`, in place.
    pub fn solve(&self, v: &mut [f64]) {
        self.curvature.solve(v);
        let (size, gaps) = self.solved.shape();
        if gaps == 0 {
            return;
        }
        let slopes = DMatrixView::from_slice(&self.slopes, size, gaps);
        let share = self.small.solve(&slopes.tr_mul(&DVectorView::from_slice(v, size)));
        DVectorViewMut::from_slice(v, size).gemv(-1.0, &self.solved, &share, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividing_by_parts_is_dividing_by_the_whole() {
        let a = DMatrix::from_row_slice(3, 3, &[2.0, 0.3, 0.1, 0.3, 1.0, 0.2, 0.1, 0.2, 0.5]);
        let slopes = vec![vec![0.4, -0.2, 0.9], vec![-0.1, 0.8, 0.3]];
        let s = DMatrix::from_columns(&[slopes[0].clone().into(), slopes[1].clone().into()]);
        for rho in [1.0, 64.0, 1e6] {
            let whole = Curvature::Whole(a.clone().cholesky().unwrap());
            let diagonal = Curvature::Diagonal(a.diagonal().as_slice().to_vec());
            for (curvature, a) in [(whole, a.clone()), (diagonal, DMatrix::from_diagonal(&a.diagonal()))] {
                let mut v = [1.0, -2.0, 0.5];
                Metric::new(&curvature, &slopes, rho).unwrap().solve(&mut v);
                let back = (a + &s * s.transpose() * rho) * DVectorView::from_slice(&v, 3);
                // Rounding of numbers of the order of ρ.
                let near =
                    back.iter().zip([1.0, -2.0, 0.5]).all(|(a, b)| (a - b).abs() < 1e-14 * rho.max(100.0));
                assert!(near, "{rho}: {back}");
            }
        }
    }
}
