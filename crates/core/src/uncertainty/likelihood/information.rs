//! Derivatives of the likelihood by its logits, the information they make, and of which logits the table tells.

use super::{Likelihood, Parameters, Votes};
use nalgebra::{DMatrix, DVector};

/// What a logit is known by must be worth more than this many rows to be drawn.
const HALF_A_ROW: f64 = 0.5;

impl Likelihood {
    /// Score and information by the logits, first of `J` (group by group), then of `T`, then of silences.
    pub(super) fn score(&self, parameters: &Parameters) -> (DVector<f64>, DMatrix<f64>) {
        let size = self.size();
        let (mut score, mut information) = (DVector::zeros(size), DMatrix::zeros(size, size));
        let told = self.told(parameters);
        // Summed up a block of cells at a time: products of matrices are far quicker than of vectors.
        for cells in self.cells.chunks(256) {
            let mut slopes = DMatrix::zeros(size, cells.len());
            for (cell, mut slope) in cells.iter().zip(slopes.column_iter_mut()) {
                let chance = self.slope(cell, parameters, &told, slope.as_mut_slice());
                score.axpy(cell.rows / chance, &slope, 1.0);
                let weight =
                    if self.whole { self.rows * cell.orders / chance } else { cell.rows / (chance * chance) };
                slope *= weight.sqrt();
            }
            information.gemm(1.0, &slopes, &slopes.transpose(), 1.0);
        }
        (score, information)
    }

    /// The chance of a cell and its derivative by the logits.
    pub(super) fn slope(&self, cell: &Votes, at: &Parameters, told: &DMatrix<f64>, slope: &mut [f64]) -> f64 {
        let (groups, strata) = (self.groups, self.strata.len());
        let mut terms = vec![0.0; groups];
        let chance = self.terms(cell, at, told, &mut terms).max(f64::MIN_POSITIVE);
        for a in 0..groups {
            for s in 0..strata {
                let own = if s == cell.stratum { terms[a] } else { 0.0 };
                slope[a * strata + s] = own - at.joint[(a, s)] * chance;
            }
        }
        let errors = groups * strata;
        for (m, response) in self.responses.iter().enumerate() {
            let said = &cell.said[m * self.width..(m + 1) * self.width];
            for (a, term) in terms.iter().enumerate() {
                let place = m * groups + a;
                for x in 0..self.width {
                    let row = at.rows[(place, x)];
                    let said = match response {
                        None => said[x],
                        Some(response) => {
                            let part = |w: usize| response[(x, w)] * said[w] / told[(place, w)];
                            row * (0..groups).map(part).sum::<f64>()
                        }
                    };
                    slope[errors + place * self.width + x] = term * (said - cell.answered[m] * row);
                }
            }
        }
        let silences = errors + self.matrices() * groups * self.width;
        for (c, silent) in cell.silences.iter().enumerate() {
            for a in 0..groups {
                let is = f64::from(u8::from(*silent));
                slope[silences + c * groups + a] = terms[a] * (is - at.silence[(c, a)]);
            }
        }
        chance
    }

    /// The logits that can move: the last of each distribution is free to be fixed.
    pub(super) fn kept(&self, size: usize) -> Vec<usize> {
        let (groups, strata) = (self.groups, self.strata.len());
        let silences = groups * strata + self.matrices() * groups * self.width;
        let fixed = |i: usize| {
            if i < groups * strata {
                return i + 1 == groups * strata;
            }
            let place = (i - groups * strata) / self.width;
            i < silences && (i - groups * strata) % self.width + 1 >= self.columns(place / groups)
        };
        (0..size).filter(|i| !fixed(*i)).collect()
    }

    /// Those of them that the table says anything of. A probability at zero, of which not half a row tells, is held there.
    pub(super) fn told_of(&self, information: &DMatrix<f64>) -> Vec<usize> {
        let mut kept = self.kept(information.nrows());
        kept.retain(|i| information[(*i, *i)] > HALF_A_ROW);
        kept
    }
}
