//! The regression estimator, leaving each labelled row out of what predicts it.
//!
//! A labelled row has `x` = (its stratum, each proxy's guess) and `z` = 1 if it is of group `a`. One least-squares fit with
//! weights `d` and a ridge of one row on the guesses gives `β`; `h = d·xᵀS⁻¹x` is how much a row predicts itself. A row's
//! prediction must not know its own label, so each is predicted by the others (closed form, no folds to draw):
//! ```text
//! β₋ᵢ = β − S⁻¹xᵢ·dᵢ·ẽᵢ        ẽᵢ = (zᵢ − xᵢᵀβ)/(1 − hᵢ) = zᵢ − xᵢᵀβ₋ᵢ
//! q[a,s] = Σᵢ dᵢ·( x̄ₛᵀβ₋ᵢ + ẽᵢ ) / Σᵢ dᵢ          over labelled rows i of stratum s;  x̄ₛ over all rows of it
//! J[a,s] = P(s)·q[a,s]
//! ```
//! Each term of the sum is unbiased for the share of `a` in the stratum, whatever `β₋ᵢ` is. A row's influence on `J` is
//! `P(s)·d·(ẽ − mean ẽ)/Σd` where it is labelled, and `(1[s]·(xᵀβ + mean ẽ) − J)/N` in any case; the covariance is the sum of their squares.
//! The `ẽ` are larger than the residuals `z − xᵀβ` by what fitting made these too small.

use super::Sampled;
use super::spread::LabelEstimate;
use crate::vocabulary::Guess;
use nalgebra::{DMatrix, DVector};

/// Where each column of `x` stands.
struct Columns {
    strata: usize,
    proxies: usize,
    groups: usize,
}

impl Columns {
    fn count(&self) -> usize {
        self.strata + self.proxies * self.groups
    }

    /// The columns that are one; all others are zero. The first group's guess is what the others are compared with, and
    /// silence has a column of its own.
    fn of(&self, stratum: usize, guesses: &[Option<Guess>]) -> Vec<usize> {
        let place = |c: usize, column: usize| self.strata + c * self.groups + column - 1;
        let guessed = |(c, guess): (usize, &Option<Guess>)| match guess {
            Some(Guess(0)) => None,
            Some(Guess(v)) => Some(place(c, *v)),
            None => Some(place(c, self.groups)),
        };
        std::iter::once(stratum).chain(guesses.iter().enumerate().filter_map(guessed)).collect()
    }
}

/// The fit, and what it leaves.
struct Fitted<'a> {
    sampled: &'a Sampled,
    columns: Columns,
    inverse: DMatrix<f64>,
    /// Coefficients: a column for each group.
    slopes: DMatrix<f64>,
    /// For each cell of labelled rows, by group: what others predict wrongly of it.
    left_out: Vec<DVector<f64>>,
}

impl<'a> Fitted<'a> {
    fn of(sampled: &'a Sampled) -> Option<Self> {
        let columns =
            Columns { strata: sampled.strata.len(), proxies: sampled.proxies, groups: sampled.groups };
        let total: f64 = sampled.labelled.iter().map(|one| one.drawn.design).sum();
        let row = total / sampled.labels() as f64;
        let size = columns.count();
        let mut gram = DMatrix::zeros(size, size);
        let mut right = DMatrix::zeros(size, sampled.groups);
        for one in &sampled.labelled {
            let at = columns.of(one.stratum, &one.guesses);
            for i in &at {
                at.iter().for_each(|j| gram[(*i, *j)] += one.drawn.design);
                right[(*i, one.group.0)] += one.drawn.design;
            }
        }
        (columns.strata..size).for_each(|i| gram[(i, i)] += row);
        let inverse = gram.cholesky()?.inverse();
        let slopes = &inverse * &right;
        let mut fitted = Fitted { sampled, columns, inverse, slopes, left_out: Vec::new() };
        fitted.left_out =
            sampled.labelled.iter().map(|one| fitted.residual(one)).collect::<Option<Vec<_>>>()?;
        Some(fitted)
    }

    /// What is predicted for each group.
    fn predicted(&self, stratum: usize, guesses: &[Option<Guess>]) -> DVector<f64> {
        let mut sum = DVector::zeros(self.sampled.groups);
        for i in self.columns.of(stratum, guesses) {
            sum += self.slopes.row(i).transpose();
        }
        sum
    }

    /// `ẽ` of one row of a cell; `None` where a row alone tells its own prediction.
    fn residual(&self, one: &super::Labelled) -> Option<DVector<f64>> {
        let at = self.columns.of(one.stratum, &one.guesses);
        let each = one.drawn.design / one.drawn.rows as f64;
        let own: f64 = at.iter().flat_map(|i| at.iter().map(move |j| self.inverse[(*i, *j)])).sum();
        let left = 1.0 - each * own;
        let mut residual = -self.predicted(one.stratum, &one.guesses);
        residual[one.group.0] += 1.0;
        (left > 1e-9).then(|| residual / left)
    }
}

/// The estimate, and how rows move it.
pub(crate) struct Regression {
    pub estimate: LabelEstimate,
    /// For each cell of the table, what a row of it adds, labelled or not, times the number of rows.
    pub of_row: Vec<DVector<f64>>,
    /// For each cell of labelled rows, what one that stands for one row adds to that.
    pub of_label: Vec<DVector<f64>>,
}

/// The shares of strata and groups; `None` where a stratum has a single labelled row, or none.
pub(crate) fn regression(sampled: &Sampled) -> Option<Regression> {
    let fitted = Fitted::of(sampled)?;
    let (groups, strata, size) = (sampled.groups, sampled.strata.len(), fitted.columns.count());
    let shares = sampled.stratum_shares();
    // Of each stratum: means of x among all rows; labelled weight; ẽ summed, and Σ d²·S⁻¹x·ẽ's coefficient.
    let mut means = DMatrix::<f64>::zeros(size, strata);
    for cell in &sampled.cells {
        for i in fitted.columns.of(cell.stratum, &cell.guesses) {
            means[(i, cell.stratum)] += cell.share / shares[cell.stratum];
        }
    }
    let mut weights = vec![0.0; strata];
    let mut off = DMatrix::<f64>::zeros(groups, strata);
    let mut moved = vec![DMatrix::<f64>::zeros(size, groups); strata];
    for (one, residual) in sampled.labelled.iter().zip(&fitted.left_out) {
        let (s, d) = (one.stratum, one.drawn);
        weights[s] += d.design;
        off.column_mut(s).axpy(d.design, residual, 1.0);
        for i in fitted.columns.of(s, &one.guesses) {
            let mut row = moved[s].row_mut(i);
            row += residual.transpose() * d.squares;
        }
    }
    if weights.iter().any(|weight| *weight <= 0.0) {
        return None;
    }
    let mut joint = DVector::zeros(strata * groups);
    let mut wrong = DMatrix::<f64>::zeros(groups, strata);
    for s in 0..strata {
        // Σ dᵢ·β₋ᵢ / Σ dᵢ
        let slopes = &fitted.slopes - &fitted.inverse * &moved[s] / weights[s];
        wrong.set_column(s, &(off.column(s) / weights[s]));
        let share = slopes.transpose() * means.column(s) + wrong.column(s);
        (0..groups).for_each(|a| joint[s * groups + a] = shares[s] * share[a]);
    }
    let of_label = |(one, residual): (&super::Labelled, &DVector<f64>)| {
        let s = one.stratum;
        let mut influence = DVector::zeros(joint.len());
        influence
            .rows_mut(s * groups, groups)
            .copy_from(&((residual - wrong.column(s)) * (shares[s] / weights[s])));
        influence
    };
    let of_label: Vec<_> = sampled.labelled.iter().zip(&fitted.left_out).map(of_label).collect();
    let of_row = |cell: &super::known_rows::Cell| {
        let mut influence = -joint.clone();
        let mut here = influence.rows_mut(cell.stratum * groups, groups);
        here += fitted.predicted(cell.stratum, &cell.guesses) + wrong.column(cell.stratum);
        influence
    };
    let of_row: Vec<_> = sampled.cells.iter().map(of_row).collect();
    let mut covariance = DMatrix::zeros(joint.len(), joint.len());
    for (one, influence) in sampled.labelled.iter().zip(&of_label) {
        covariance.ger(one.drawn.squares, influence, influence, 1.0);
    }
    for (cell, influence) in sampled.cells.iter().zip(&of_row) {
        covariance.ger(cell.share / sampled.rows, influence, influence, 1.0);
    }
    Some(Regression { estimate: LabelEstimate::new(sampled, joint, covariance), of_row, of_label })
}

#[cfg(test)]
mod tests {
    use super::super::{Drawn, DrawnRows};
    use super::*;
    use crate::vocabulary::{Class, Group, Stratum};

    fn stratum(prediction: usize) -> Stratum {
        Stratum { label: None, prediction: Class(prediction) }
    }

    fn key(prediction: usize, guess: usize) -> (Stratum, Box<[Option<Guess>]>) {
        (stratum(prediction), vec![Some(Guess(guess))].into())
    }

    fn sampled(cells: &[(usize, usize, f64)], labels: &[(usize, usize, usize, u64)]) -> Sampled {
        let mut known = DrawnRows::new();
        for (prediction, guess, group, rows) in labels {
            let (stratum, guesses) = key(*prediction, *guess);
            known.insert((stratum, guesses, Group(*group)), Drawn::alike(*rows, *rows as f64));
        }
        let cells = cells.iter().map(|(prediction, guess, share)| (key(*prediction, *guess), *share));
        Sampled::new(2, 1, 1_000.0, cells, known)
    }

    #[test]
    fn a_proxy_that_never_varies_leaves_the_mean_of_the_labelled() {
        // Half of all rows are selected; of them 3 of 4 labelled are of the second group, of the others 1 of 5.
        let table =
            sampled(&[(0, 0, 0.5), (1, 0, 0.5)], &[(0, 0, 0, 4), (0, 0, 1, 1), (1, 0, 0, 1), (1, 0, 1, 3)]);
        let joint = regression(&table).unwrap().estimate.joint;
        for (found, by_hand) in joint.iter().zip([0.4, 0.1, 0.125, 0.375]) {
            assert!((found - by_hand).abs() < 1e-12, "{joint}");
        }
    }

    #[test]
    fn the_share_of_a_small_tally_is_the_one_computed_by_hand() {
        // One decision. The proxy says "second" of 80 % of all rows but of 2 of 4 labelled rows, and is right on all four.
        // Without the row left out there are three rows: with x = (1, g) and a ridge of 1 on the slope,
        //   S₋ᵢ = [[3, n], [n, n + 1]] with n rows of g = 1, right side [z, z].
        // Leaving out a "second": n = 1, S = [[3, 1], [1, 2]], right [1, 1]: β = (1/5, 2/5); it is predicted 3/5, off by 2/5.
        // Leaving out a "first":  n = 2, S = [[3, 2], [2, 3]], right [2, 2]: β = (2/5, 2/5); it is predicted 2/5, off by −2/5.
        // At the mean of all rows, g = 4/5, the two predict 13/25 and 18/25. So q = ½·(13/25 + 2/5) + ½·(18/25 − 2/5) = 31/50.
        let table = sampled(&[(0, 0, 0.2), (0, 1, 0.8)], &[(0, 0, 0, 2), (0, 1, 1, 2)]);
        let joint = regression(&table).unwrap().estimate.joint;
        assert!((joint[1] - 0.62).abs() < 1e-12 && (joint[0] - 0.38).abs() < 1e-12, "{joint}");
    }
}
