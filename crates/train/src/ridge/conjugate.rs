//! Regression without the matrix of products, for sparse designs: conjugate gradients.
//!
//! ```text
//! (G + κ·n·I)·β = b          G·v = Σ w·x·(x·v)   row by row;   divided by its diagonal in between
//! ```
//! All folds at once, so that rows are read once for all of them. Penalties go from the largest to the smallest, each from
//! where the last ended.

use super::{PENALTIES, Regression, Tried};
use crate::ordered::sum;
use nalgebra::DVector;

/// Rows that are summed together at least; fixed, so that threads change no digit.
const CHUNK: usize = 8192;
/// Ends where the residual is this small a part of the right side.
const NEAR: f64 = 1e-8;
const STEPS: usize = 300;

/// One vector for each fold, place by place: those of a column side by side.
type Vectors = Vec<f64>;

/// What the folds' systems are made of.
struct Systems<'a, 'b> {
    regression: &'a Regression<'b>,
    /// Whether folds leave out their rows; else there is one, of all rows.
    folds: usize,
    diagonal: Vectors,
    /// The weight of the rows of each.
    totals: Vec<f64>,
}

impl<'a, 'b> Systems<'a, 'b> {
    fn new(regression: &'a Regression<'b>, folds: usize) -> Self {
        let mut systems = Systems { regression, folds, diagonal: Vec::new(), totals: vec![0.0; folds] };
        systems.diagonal = systems.over(|row, sums| {
            systems.each(row, |place, x| {
                let add = regression.weights[row] * x * x;
                systems.inside(row, |fold| sums[place * folds + fold] += add);
            });
        });
        // The intercept is 1 in every row.
        systems.totals = systems.diagonal[..folds].to_vec();
        systems
    }

    /// Tells the folds whose models learn from a row.
    fn inside(&self, row: usize, mut tell: impl FnMut(usize)) {
        let own = (self.folds > 1).then(|| (self.regression.fold_of)(row));
        (0..self.folds).filter(|fold| Some(*fold) != own).for_each(&mut tell);
    }

    /// Tells the regressors of a row: intercept, features, one more.
    fn each(&self, row: usize, mut tell: impl FnMut(usize, f64)) {
        tell(0, 1.0);
        self.regression.features.row(row).each(|column, x| tell(column + 1, x));
        tell(self.regression.size() - 1, self.regression.extra[row]);
    }

    /// Sums over all rows that count.
    fn over(&self, add: impl Fn(usize, &mut [f64]) + Sync) -> Vectors {
        let length = self.regression.size() * self.folds;
        sum(self.regression.features.rows(), CHUNK.max(length), length, |rows, out| {
            rows.filter(|row| (self.regression.counts)(*row)).for_each(|row| add(row, out));
        })
    }

    /// `Σ w·x·(x·v) + κ·n·v` of every fold.
    fn times(&self, v: &Vectors, penalty: f64) -> Vectors {
        let folds = self.folds;
        let mut out = self.over(|row, out| {
            let mut said = vec![0.0; folds];
            self.each(row, |place, x| {
                said.iter_mut().zip(&v[place * folds..]).for_each(|(said, v)| *said += x * v);
            });
            let (weight, own) =
                (self.regression.weights[row], (folds > 1).then(|| (self.regression.fold_of)(row)));
            said.iter_mut().for_each(|said| *said *= weight);
            if let Some(own) = own {
                said[own] = 0.0;
            }
            self.each(row, |place, x| {
                out[place * folds..].iter_mut().zip(&said).for_each(|(out, said)| *out += x * said);
            });
        });
        for (at, out) in out.iter_mut().enumerate() {
            *out += self.penalty(at, penalty) * v[at];
        }
        out
    }

    /// What is added to the diagonal at a place.
    fn penalty(&self, at: usize, penalty: f64) -> f64 {
        let total = self.totals[at % self.folds];
        if at < self.folds { 1e-12 * total.max(1.0) } else { penalty * total }
    }

    /// `Σ w·x·value` of every fold.
    fn right(&self, values: &[f64]) -> Vectors {
        let folds = self.folds;
        self.over(|row, out| {
            let add = self.regression.weights[row] * values[row];
            self.each(row, |place, x| self.inside(row, |fold| out[place * folds + fold] += add * x));
        })
    }

    /// One number for each fold.
    fn dot(&self, a: &Vectors, b: &Vectors) -> Vec<f64> {
        let mut sums = vec![0.0; self.folds];
        for (at, (a, b)) in a.iter().zip(b).enumerate() {
            sums[at % self.folds] += a * b;
        }
        sums
    }

    /// Moves `model` to the solutions.
    fn solve(&self, model: &mut Vectors, right: &Vectors, penalty: f64) {
        let folds = self.folds;
        let divided = |v: &Vectors| -> Vectors {
            let whole = |at: usize| self.diagonal[at] + self.penalty(at, penalty);
            v.iter().enumerate().map(|(at, v)| if whole(at) > 0.0 { v / whole(at) } else { 0.0 }).collect()
        };
        let before = self.times(model, penalty);
        let mut rest: Vectors = right.iter().zip(&before).map(|(right, before)| right - before).collect();
        let mut moved = divided(&rest);
        let mut direction = moved.clone();
        let mut size = self.dot(&rest, &moved);
        let wanted = self.dot(right, &divided(right));
        for _ in 0..STEPS {
            if size.iter().zip(&wanted).all(|(size, wanted)| *size <= NEAR * NEAR * wanted) {
                return;
            }
            let times = self.times(&direction, penalty);
            let along = self.dot(&direction, &times);
            let step: Vec<f64> =
                size.iter().zip(&along).map(|(s, a)| if *a > 0.0 { s / a } else { 0.0 }).collect();
            for at in 0..rest.len() {
                model[at] += step[at % folds] * direction[at];
                rest[at] -= step[at % folds] * times[at];
            }
            moved = divided(&rest);
            let next = self.dot(&rest, &moved);
            let turn: Vec<f64> =
                next.iter().zip(&size).map(|(n, s)| if *s > 0.0 { n / s } else { 0.0 }).collect();
            direction.iter_mut().enumerate().for_each(|(at, d)| *d = moved[at] + turn[at % folds] * *d);
            size = next;
        }
    }

    /// The summed squared error on rows that the models did not see; on all of them where there is one.
    fn error(&self, model: &Vectors, values: &[f64]) -> f64 {
        let (regression, folds) = (self.regression, self.folds);
        let rows = regression.features.rows();
        let sums = sum(rows, CHUNK, 1, |rows, out| {
            for row in rows.filter(|row| (regression.counts)(*row)) {
                let fold = if folds > 1 { (regression.fold_of)(row) } else { 0 };
                let mut said = 0.0;
                self.each(row, |place, x| said += x * model[place * folds + fold]);
                out[0] += regression.weights[row] * (values[row] - said).powi(2);
            }
        });
        sums[0]
    }

    /// The model of one fold.
    fn model(&self, of: &Vectors, fold: usize) -> DVector<f64> {
        DVector::from_iterator(self.regression.size(), of.iter().skip(fold).step_by(self.folds).copied())
    }
}

impl Regression<'_> {
    /// For each of the values the models of every penalty.
    pub(super) fn sparse_fit(&self, values: &[&[f64]]) -> Vec<Vec<Tried>> {
        let systems = Systems::new(self, self.folds);
        let one = |values: &&[f64]| {
            let right = systems.right(values);
            let mut model = vec![0.0; right.len()];
            let tried = PENALTIES.iter().rev().map(|penalty| {
                systems.solve(&mut model, &right, *penalty);
                let models = (0..self.folds).map(|fold| systems.model(&model, fold)).collect();
                (models, systems.error(&model, values))
            });
            tried.collect()
        };
        values.iter().map(one).collect()
    }

    /// For each of the values the share of its spread that is explained, and the freedom behind it.
    pub(super) fn sparse_within(&self, values: &[Vec<f64>]) -> Vec<Option<(f64, usize)>> {
        let (systems, freedom) = (Systems::new(self, 1), self.freedom());
        let one = |values: &Vec<f64>| {
            let right = systems.right(values);
            let mut model = vec![0.0; right.len()];
            systems.solve(&mut model, &right, 1e-9);
            let [weight, sum, squares] = self.moments(values);
            let spread = squares - sum * sum / weight;
            (spread > 0.0).then(|| (1.0 - systems.error(&model, values) / spread, freedom))
        };
        values.iter().map(one).collect()
    }
}
