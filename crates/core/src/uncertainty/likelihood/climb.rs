//! The maximum of the likelihood, by damped Fisher scoring, and how far the table is from it.

use super::super::draws::chi_square_tail;
use super::{Contrast, Likelihood, Parameters};
use crate::counts::{Frequencies, View};
use crate::linalg::best_assignment;
use nalgebra::{DMatrix, DVector};

const ITERATIONS: usize = 200;
/// A climb that gains less than this has arrived.
const SOLVED: f64 = 1e-10;

/// How far a table is from what a model expects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fitness {
    /// `G² = 2 Σ n·ln(n/expected)`.
    pub statistic: f64,
    pub freedom: usize,
}

impl Fitness {
    /// The chance of more, if the model holds.
    pub fn p_value(&self) -> f64 {
        chi_square_tail(self.statistic, self.freedom)
    }

    /// That of a wider model, given what it gains; nothing where that model has no freedom left.
    pub fn beyond(self, gain: Fitness) -> Option<Fitness> {
        let freedom = self.freedom.checked_sub(gain.freedom).filter(|freedom| *freedom > 0)?;
        Some(Fitness { statistic: (self.statistic - gain.statistic).max(0.0), freedom })
    }
}

/// A maximum of the likelihood.
#[derive(Debug, Clone)]
pub(crate) struct Maximum {
    pub parameters: Parameters,
    pub log_likelihood: f64,
}

impl Likelihood {
    /// Climbs from a start. With a penalty, the contrast is drawn towards its target.
    pub(super) fn climb(
        &self,
        start: &Parameters,
        penalty: Option<(&Contrast, f64, f64)>,
    ) -> Option<Maximum> {
        let mut at = start.clone();
        let objective = |parameters: &Parameters| {
            let pull = penalty.map_or(0.0, |(contrast, target, kappa)| {
                let miss = contrast.value(parameters) - target;
                kappa / 2.0 * miss * miss
            });
            self.log_likelihood(parameters) - pull
        };
        let mut height = objective(&at);
        if !height.is_finite() {
            return None;
        }
        let mut damping = 1e-3;
        for _ in 0..ITERATIONS {
            crate::watch::pause();
            let (mut score, mut information) = self.score(&at);
            if let Some((contrast, target, kappa)) = penalty {
                let slope = contrast.slope(&at, score.len());
                score.axpy(-kappa * (contrast.value(&at) - target), &slope, 1.0);
                information.ger(kappa, &slope, &slope, 1.0);
            }
            let scale = information.diagonal().max().max(f64::MIN_POSITIVE);
            let mut gained = None;
            while damping < 1e9 {
                let mut damped = information.clone();
                for i in 0..damped.nrows() {
                    damped[(i, i)] += damping * damped[(i, i)].max(1e-9 * scale);
                }
                let step = damped.cholesky().map(|factor| factor.solve(&score));
                if let Some(next) = step.and_then(|step| at.moved(&step)) {
                    let next_height = objective(&next);
                    if next_height > height {
                        gained = Some(next_height - height);
                        (at, height) = (next, next_height);
                        break;
                    }
                }
                damping *= 4.0;
            }
            damping = (damping / 8.0).max(1e-9);
            if gained.is_none_or(|gained| gained < SOLVED * (1.0 + height.abs() * 1e-6)) {
                break;
            }
        }
        Some(Maximum { log_likelihood: self.log_likelihood(&at), parameters: at })
    }

    /// The maximum of the likelihood, its classes named by the largest trace.
    pub fn maximise(&self, seen: &Frequencies, view: View) -> Option<Maximum> {
        let starts = self.starts(seen, view);
        let climbed = starts.iter().filter_map(|start| self.climb(start, None));
        let best = climbed.max_by(|a, b| a.log_likelihood.total_cmp(&b.log_likelihood))?;
        Some(self.named(&best))
    }

    /// The maximum near a start.
    pub fn maximise_from(&self, start: &Parameters) -> Option<Maximum> {
        self.climb(start, None).map(|best| self.named(&best))
    }

    fn named(&self, best: &Maximum) -> Maximum {
        let class_of = self.naming(&best.parameters);
        let Parameters { joint, rows, silence } = &best.parameters;
        let of_matrix = |m: usize| class_of.iter().map(move |a| m * self.groups + a);
        let places: Vec<usize> = (0..self.matrices()).flat_map(of_matrix).collect();
        let parameters = Parameters {
            joint: joint.select_rows(&class_of),
            rows: rows.select_rows(&places),
            silence: silence.select_columns(&class_of),
        };
        Maximum { parameters, ..best.clone() }
    }

    /// The class of each group, by the largest trace of the mean matrix.
    pub(super) fn naming(&self, at: &Parameters) -> Vec<usize> {
        let votes = |m: usize| at.rows.rows(m * self.groups, self.groups) * self.votes_by_column(m);
        let sum = (0..self.matrices()).map(votes);
        best_assignment(&sum.fold(DMatrix::zeros(self.groups, self.groups), |sum, rows| sum + rows))
    }

    /// How far the counted table is from the expected one. Cells that expect less than `LEAST` rows are put together
    /// within their stratum. `None` where nothing is left to contradict the model, or not all cells are gone through.
    pub fn fit(&self, at: &Parameters) -> Option<Fitness> {
        const LEAST: f64 = 1.0;
        let told = self.told(at);
        let mut terms = vec![0.0; self.groups];
        let (mut statistic, mut cells) = (0.0, 0usize);
        let mut part = |rows: f64, expected: f64| {
            statistic += if rows > 0.0 { 2.0 * rows * (rows / expected).ln() } else { 0.0 };
            cells += 1;
        };
        let mut rest = vec![(0.0, 0.0); self.strata.len()];
        for cell in self.cells.iter().filter(|_| self.whole) {
            let expected = self.rows * cell.orders * self.terms(cell, at, &told, &mut terms);
            if expected >= LEAST {
                part(cell.rows, expected);
            } else {
                rest[cell.stratum].0 += cell.rows;
                rest[cell.stratum].1 += expected;
            }
        }
        rest.into_iter()
            .filter(|(_, expected)| *expected > 0.0)
            .for_each(|(rows, expected)| part(rows, expected));
        let (_, information) = self.score(at);
        let freedom =
            cells.checked_sub(1 + self.told_of(&information).len()).filter(|freedom| *freedom > 0)?;
        Some(Fitness { statistic: statistic.max(0.0), freedom })
    }
}

impl Parameters {
    pub(super) fn moved(&self, step: &DVector<f64>) -> Option<Parameters> {
        if !step.iter().all(|s| s.abs() < 30.0) {
            return None;
        }
        let (groups, strata) = self.joint.shape();
        let mut joint =
            DMatrix::from_fn(groups, strata, |a, s| self.joint[(a, s)] * step[a * strata + s].exp());
        joint /= joint.sum();
        let offset = groups * strata;
        let width = self.rows.ncols();
        let mut rows = DMatrix::from_fn(self.rows.nrows(), width, |place, x| {
            self.rows[(place, x)] * step[offset + place * width + x].exp()
        });
        rows.row_iter_mut().for_each(|mut row| row /= row.sum());
        let offset = offset + self.rows.nrows() * width;
        let silence = DMatrix::from_fn(self.silence.nrows(), self.silence.ncols(), |c, a| {
            let odds = self.silence[(c, a)] * step[offset + c * groups + a].exp();
            odds / (odds + 1.0 - self.silence[(c, a)])
        });
        Some(Parameters { joint, rows, silence })
    }
}
