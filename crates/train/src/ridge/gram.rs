//! Regression with the whole matrix of products, for designs with all numbers.

use super::{PENALTIES, Regression, Tried};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

/// Rows that are summed together; fixed, so that threads change no digit.
const CHUNK: usize = 4096;
/// Rows that are added at a time: the matrix is read once for all of them.
const BLOCK: usize = 8;
/// Numbers in matrices that are waiting to be added.
const WAITING: usize = 16_000_000;

#[derive(Clone)]
struct Sums {
    /// The part below the diagonal, of columns.
    gram: DMatrix<f64>,
    /// One for each of the values that are regressed.
    rights: Vec<DVector<f64>>,
    squares: Vec<f64>,
    weight: f64,
}

/// Rows on their way into the sums.
struct Block {
    x: Vec<f64>,
    scaled: Vec<f64>,
    rows: usize,
}

impl Sums {
    fn new(size: usize, values: usize) -> Self {
        Sums {
            gram: DMatrix::zeros(size, size),
            rights: vec![DVector::zeros(size); values],
            squares: vec![0.0; values],
            weight: 0.0,
        }
    }

    fn add(&mut self, block: &mut Block, x: &[f64], weight: f64, values: impl Iterator<Item = f64>) {
        let size = x.len();
        for ((right, squares), value) in self.rights.iter_mut().zip(&mut self.squares).zip(values) {
            right.iter_mut().zip(x).for_each(|(to, x)| *to += weight * value * x);
            *squares += weight * value * value;
        }
        self.weight += weight;
        block.x[block.rows * size..][..size].copy_from_slice(x);
        block.scaled[block.rows * size..][..size].iter_mut().zip(x).for_each(|(to, x)| *to = weight * x);
        block.rows += 1;
        if block.rows == BLOCK {
            self.flush(block);
        }
    }

    /// Adds the products of the rows that wait.
    fn flush(&mut self, block: &mut Block) {
        let size = self.gram.nrows();
        // Rows behind the last are left over from the block before; they count 0.
        block.scaled[block.rows * size..].fill(0.0);
        block.rows = 0;
        let row = |at: usize| &block.x[at * size..(at + 1) * size];
        for (j, column) in self.gram.as_mut_slice().chunks_exact_mut(size).enumerate() {
            let s = |at: usize| block.scaled[at * size + j];
            for half in [0, BLOCK / 2] {
                let (a, b, c, d) = (s(half), s(half + 1), s(half + 2), s(half + 3));
                let x = row(half)[j..].iter().zip(&row(half + 1)[j..]);
                let x = x.zip(&row(half + 2)[j..]).zip(&row(half + 3)[j..]);
                for (to, (((e, f), g), h)) in column[j..].iter_mut().zip(x) {
                    *to += (a * e + b * f) + (c * g + d * h);
                }
            }
        }
    }

    fn merge(&mut self, other: &Sums) {
        self.gram += &other.gram;
        self.rights.iter_mut().zip(&other.rights).for_each(|(to, from)| *to += from);
        self.squares.iter_mut().zip(&other.squares).for_each(|(to, from)| *to += from);
        self.weight += other.weight;
    }

    fn without(&self, other: &Sums) -> Sums {
        Sums {
            gram: &self.gram - &other.gram,
            rights: self.rights.iter().zip(&other.rights).map(|(all, some)| all - some).collect(),
            squares: self.squares.iter().zip(&other.squares).map(|(all, some)| all - some).collect(),
            weight: self.weight - other.weight,
        }
    }

    /// The models of all values.
    fn solve(&self, penalty: f64) -> Option<Vec<DVector<f64>>> {
        let mut left = self.gram.clone();
        for j in 1..left.nrows() {
            left[(j, j)] += penalty * self.weight;
        }
        left[(0, 0)] += 1e-12 * self.weight.max(1.0);
        let factor = left.cholesky()?;
        Some(self.rights.iter().map(|right| factor.solve(right)).collect())
    }

    /// The summed squared error of a model of some of the values on these rows.
    fn error(&self, symmetric: &DMatrix<f64>, which: usize, model: &DVector<f64>) -> f64 {
        self.squares[which] - 2.0 * model.dot(&self.rights[which]) + (symmetric * model).dot(model)
    }

    fn symmetric(&self) -> DMatrix<f64> {
        let lower = self.gram.lower_triangle();
        let diagonal = DMatrix::from_diagonal(&self.gram.diagonal());
        &lower + lower.transpose() - diagonal
    }
}

impl Regression<'_> {
    /// What is summed over the rows of every fold.
    fn sums(&self, values: &[&[f64]], folds: usize) -> Vec<Sums> {
        let (rows, size) = (self.features.rows(), self.size());
        let part = |start: usize| {
            let mut sums = vec![Sums::new(size, values.len()); folds];
            let block = || Block { x: vec![0.0; BLOCK * size], scaled: vec![0.0; BLOCK * size], rows: 0 };
            let mut blocks: Vec<Block> = (0..folds).map(|_| block()).collect();
            let mut x = vec![1.0; size];
            for row in (start..(start + CHUNK).min(rows)).filter(|row| (self.counts)(*row)) {
                self.features.row(row).write(&mut x[1..size - 1]);
                x[size - 1] = self.extra[row];
                let fold = if folds == 1 { 0 } else { (self.fold_of)(row) };
                let values = values.iter().map(|values| values[row]);
                sums[fold].add(&mut blocks[fold], &x, self.weights[row], values);
            }
            sums.iter_mut().zip(&mut blocks).for_each(|(sums, block)| sums.flush(block));
            sums
        };
        let starts: Vec<usize> = (0..rows).step_by(CHUNK).collect();
        let mut of_fold = vec![Sums::new(size, values.len()); folds];
        // In turns, so that memory does not grow with rows.
        let turn = (WAITING / (folds * size * size)).clamp(2, 64);
        for some in starts.chunks(turn) {
            let parts: Vec<Vec<Sums>> = some.par_iter().map(|start| part(*start)).collect();
            for part in parts {
                of_fold.iter_mut().zip(&part).for_each(|(all, part)| all.merge(part));
            }
        }
        of_fold
    }

    /// For each of the values the models of every penalty.
    pub(super) fn dense_fit(&self, values: &[&[f64]]) -> Vec<Vec<Tried>> {
        let of_fold = self.sums(values, self.folds);
        let mut all = Sums::new(self.size(), values.len());
        of_fold.iter().for_each(|fold| all.merge(fold));
        let symmetric: Vec<DMatrix<f64>> = of_fold.iter().map(Sums::symmetric).collect();
        let mut tried: Vec<Vec<Tried>> = vec![Vec::new(); values.len()];
        for penalty in PENALTIES {
            let models: Option<Vec<Vec<DVector<f64>>>> =
                of_fold.par_iter().map(|fold| all.without(fold).solve(penalty)).collect();
            let Some(models) = models else { continue };
            for (which, tried) in tried.iter_mut().enumerate() {
                let models: Vec<DVector<f64>> = models.iter().map(|models| models[which].clone()).collect();
                let errors = of_fold.iter().zip(&symmetric).zip(&models);
                let error = errors.map(|((fold, whole), model)| fold.error(whole, which, model)).sum();
                tried.push((models, error));
            }
        }
        tried
    }

    /// For each of the values the share of its spread that is explained, and the freedom behind it.
    pub(super) fn dense_within(&self, values: &[Vec<f64>]) -> Vec<Option<(f64, usize)>> {
        let views: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
        let all = self.sums(&views, 1).remove(0);
        // Columns of one feature may add up to one another: what they share is told by the penalty, not by more freedom.
        let symmetric = all.symmetric();
        let mean = symmetric.column(0) / all.weight;
        let centred = &symmetric / all.weight - &mean * mean.transpose();
        let freedom = centred.symmetric_eigenvalues().iter().filter(|value| **value > 1e-6).count();
        let Some(models) = all.solve(1e-9) else { return vec![None; values.len()] };
        let explained = |(which, model): (usize, &DVector<f64>)| {
            let sum = all.rights[which][0];
            let spread = all.squares[which] - sum * sum / all.weight;
            (spread > 0.0).then(|| (1.0 - all.error(&symmetric, which, model) / spread, freedom))
        };
        models.iter().enumerate().map(explained).collect()
    }
}
