//! Whether guesses shift with the decision: a score test, which fits nothing again.

use super::{Fitness, Likelihood, Parameters, Votes};
use crate::vocabulary::{Class, Stratum};
use nalgebra::{DMatrix, DVector};

/// A parameter of which the others leave less than this share of the information is not told from them.
const UNTOLD: f64 = 1e-6;

impl Likelihood {
    /// Whether guesses shift with the decision: a score test of guesses that are more frequent among the selected than among
    /// the others, by as much in every group and for every proxy. `None` where guesses were randomised or several are one
    /// view, or the table does not tell such a shift from anything else.
    ///
    /// ```text
    /// P(g|a) + δ_g·(1 − P_sel) where selected, P(g|a) − δ_g·P_sel elsewhere          U = ∂ℓ/∂δ at δ = 0
    /// χ² = Uᵀ·(I_δδ − I_δθ·I_θθ⁻¹·I_θδ)⁻¹·U
    /// ```
    pub fn shift(&self, at: &Parameters, positive: Class) -> Option<Fitness> {
        if self.letters.is_some() || self.responses.iter().any(Option::is_some) {
            return None;
        }
        let (size, freedom) = (self.size(), self.groups - 1);
        let weights = self.by_decision(at, positive);
        let told = self.told(at);
        let (mut score, mut information) =
            (DVector::zeros(size + freedom), DMatrix::zeros(size + freedom, size + freedom));
        for cells in self.cells.chunks(256) {
            let mut slopes = DMatrix::zeros(size + freedom, cells.len());
            for (cell, mut slope) in cells.iter().zip(slopes.column_iter_mut()) {
                let chance = self.slope(cell, at, &told, &mut slope.as_mut_slice()[..size]);
                for (g, part) in self.shift_slope(cell, at, weights[cell.stratum]).into_iter().enumerate() {
                    slope[size + g] = part;
                }
                score.axpy(cell.rows / chance, &slope, 1.0);
                let weight =
                    if self.whole { self.rows * cell.orders / chance } else { cell.rows / (chance * chance) };
                slope *= weight.sqrt();
            }
            information.gemm(1.0, &slopes, &slopes.transpose(), 1.0);
        }
        let kept = self.told_of(&information.view((0, 0), (size, size)).into_owned());
        let shifts: Vec<usize> = (size..size + freedom).collect();
        let block = |rows: &[usize], columns: &[usize]| information.select_rows(rows).select_columns(columns);
        let own = block(&shifts, &shifts);
        let solved = block(&kept, &kept).cholesky()?.solve(&block(&kept, &shifts));
        let left = &own - block(&shifts, &kept) * &solved;
        // What other parameters can take the place of is no information.
        let lost = (0..freedom).any(|g| left[(g, g)] < UNTOLD * own[(g, g)]);
        let score = score.select_rows(&shifts) - solved.transpose() * score.select_rows(&kept);
        let statistic = left.cholesky().filter(|_| !lost)?.solve(&score).dot(&score);
        Some(Fitness { statistic, freedom }).filter(|fitness| fitness.statistic.is_finite())
    }

    /// For each stratum how far it stands from all with its label in what was decided.
    fn by_decision(&self, at: &Parameters, positive: Class) -> Vec<f64> {
        let held = |s: usize| at.joint.column(s).sum();
        let weight = |stratum: &Stratum| {
            let mine = || (0..self.strata.len()).filter(|s| self.strata[*s].label == stratum.label);
            let selected: f64 = mine().filter(|s| self.strata[*s].prediction == positive).map(held).sum();
            let share = selected / mine().map(held).sum::<f64>();
            if stratum.prediction == positive { 1.0 - share } else { -share }
        };
        self.strata.iter().map(weight).collect()
    }

    /// The derivative of a cell's chance by a shift towards each group but the last.
    fn shift_slope(&self, cell: &Votes, at: &Parameters, weight: f64) -> Vec<f64> {
        let groups = self.groups;
        let mut terms = vec![0.0; groups];
        self.terms(cell, at, &at.rows, &mut terms);
        let elsewhere = -1.0 / (groups - 1) as f64;
        let toward = |g: usize| -> f64 {
            let of_group = |(a, term): (usize, &f64)| -> f64 {
                let said = cell.said.iter().enumerate().filter(|(_, said)| **said > 0.0);
                let parts = said.map(|(place, said)| {
                    let (m, x) = (place / groups, place % groups);
                    let direction = if x == g { 1.0 } else { elsewhere };
                    said * direction / at.rows[(m * groups + a, x)].max(f64::MIN_POSITIVE)
                });
                if *term > 0.0 { term * parts.sum::<f64>() } else { 0.0 }
            };
            weight * terms.iter().enumerate().map(of_group).sum::<f64>()
        };
        (0..groups - 1).map(toward).collect()
    }
}
