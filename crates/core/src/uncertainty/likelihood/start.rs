//! Where to climb from: an explanation, a likelihood of nearly the same table, or the votes as they are. Logits end at zero, so
//! that a start stays away from it.

use super::{Likelihood, Parameters};
use crate::calibrate::calibrate;
use crate::counts::{Frequencies, Letters, View};
use crate::estimate::{Explained, Hoc, NoiseEstimator};
use crate::noise::{NoiseModel, ProxyNoise};
use crate::vocabulary::{Group, Guess, Scope, Stratum};
use nalgebra::{DMatrix, DVector};
use std::borrow::Cow;

impl Likelihood {
    /// The parameters of an explanation, as a start.
    pub fn at(&self, explained: &Explained) -> Option<Parameters> {
        let noise = explained.noise.of(*self.strata.first()?)?;
        let share = |a: usize, s: usize| {
            let Stratum { label, prediction } = self.strata[s];
            explained.joint.cell(Group(a), label, prediction).unwrap_or(0.0)
        };
        let joint = DMatrix::from_fn(self.groups, self.strata.len(), share);
        Some(self.interior(&joint, &self.stacked(noise)))
    }

    /// Parameters of a likelihood of the same proxies, as a start.
    pub fn nearest(&self, other: &Likelihood, at: &Parameters) -> Option<Parameters> {
        let strata: Option<Vec<usize>> = (self.strata.iter())
            .map(|stratum| other.strata.iter().position(|known| known == stratum))
            .collect();
        let alike = self.matrices() == other.matrices() && self.silent == other.silent;
        let joint = at.joint.select_columns(&strata.filter(|_| alike)?);
        let inside = self.inside(&joint, &self.aligned(other, &at.rows));
        Some(Parameters { silence: at.silence.clone(), ..inside })
    }

    /// The rows of another likelihood's matrices by the letters of this one: tables that differ little may differ in the
    /// rarest.
    fn aligned<'r>(&self, other: &Likelihood, rows: &'r DMatrix<f64>) -> Cow<'r, DMatrix<f64>> {
        let (Some(mine), Some(known)) = (&self.letters, &other.letters) else {
            return Cow::Borrowed(rows);
        };
        let entry = |place: usize, column: usize| {
            let view = place / self.groups;
            let letter = mine.view(view).get(column);
            let known = letter.and_then(|letter| known.view(view).binary_search(letter).ok());
            known.map_or(0.0, |column| rows[(place, column)])
        };
        Cow::Owned(DMatrix::from_fn(rows.nrows(), self.width, entry))
    }

    pub(super) fn starts(&self, seen: &Frequencies, view: View) -> Vec<Parameters> {
        let mut starts = Vec::new();
        if let Ok(NoiseModel::Global(fit)) = (Hoc { scope: Scope::Global }).fit(seen) {
            let joint = calibrate(seen, view, &NoiseModel::Global(fit.clone()));
            let cell = |a: usize, s: usize| {
                let Stratum { label, prediction } = self.strata[s];
                joint.cell(Group(a), label, prediction).unwrap_or(0.0)
            };
            let joint = DMatrix::from_fn(self.groups, self.strata.len(), cell);
            starts.push(self.interior(&joint, &self.stacked(&fit.value)));
        }
        let mut seen_joint = DMatrix::zeros(self.groups, self.strata.len());
        let votes: Vec<DMatrix<f64>> = (0..self.matrices()).map(|m| self.votes_by_column(m)).collect();
        let mut by_column = DMatrix::<f64>::zeros(self.matrices(), self.width);
        for cell in &self.cells {
            for (place, said) in cell.said.iter().enumerate().filter(|(_, said)| **said > 0.0) {
                let (m, x) = (place / self.width, place % self.width);
                by_column[(m, x)] += cell.rows * said;
                for g in 0..self.groups {
                    seen_joint[(g, cell.stratum)] += cell.rows * said * votes[m][(x, g)];
                }
            }
        }
        let first: DVector<f64> = seen_joint.column_sum() / seen_joint.sum();
        for diagonal in [0.3, 0.6, 0.85] {
            let rows = DMatrix::from_fn(self.matrices() * self.groups, self.width, |place, x| {
                let (m, a) = (place / self.groups, place % self.groups);
                match &self.letters {
                    None => (1.0 - diagonal) * first[x] + if a == x { diagonal } else { 0.0 },
                    // A group says what names it more often than all do.
                    Some(_) => {
                        by_column[(m, x)]
                            * (1.0 - diagonal + diagonal * votes[m][(x, a)] / first[a].max(1e-3))
                    }
                }
            });
            let rows = if self.letters.is_some() { normalised(rows) } else { rows };
            starts.push(self.interior(&seen_joint, &rows));
        }
        starts
    }

    /// What a column of a matrix says for each group: a guess for its own, a letter for those of its proxies' guesses.
    pub(super) fn votes_by_column(&self, matrix: usize) -> DMatrix<f64> {
        let Some(letters) = &self.letters else { return DMatrix::identity(self.groups, self.groups) };
        let mut votes = DMatrix::zeros(self.width, self.groups);
        for letter in 0..letters.view(matrix).len() {
            let row = letters.votes(matrix, letter, self.groups);
            row.iter().enumerate().for_each(|(g, vote)| votes[(letter, g)] = *vote);
        }
        votes
    }

    /// The matrices of a noise model one below the other, before any mechanism.
    fn stacked(&self, noise: &ProxyNoise) -> DMatrix<f64> {
        if let Some(letters) = &self.letters {
            return self.shared_out(letters, noise);
        }
        let entry = |place: usize, g: usize| {
            let (m, a) = (place / self.groups, place % self.groups);
            match noise.unrandomized.get(m).or(noise.unrandomized.first()) {
                Some(before) => before[a][g],
                None => noise.by_proxy.get(m).unwrap_or(&noise.transition)[(Group(a), Guess(g))],
            }
        };
        DMatrix::from_fn(self.matrices() * self.groups, self.groups, entry)
    }

    /// Each letter shared out among the groups as proxies that err independently would have it.
    fn shared_out(&self, letters: &Letters, noise: &ProxyNoise) -> DMatrix<f64> {
        let mut rows = DMatrix::zeros(self.matrices() * self.groups, self.width);
        let mut seen = DMatrix::<f64>::zeros(self.matrices(), self.width);
        for cell in &self.cells {
            for (place, said) in cell.said.iter().enumerate() {
                seen[(place / self.width, place % self.width)] += cell.rows * said;
            }
        }
        for m in 0..self.matrices() {
            for (place, letter) in letters.view(m).iter().enumerate() {
                let chance = |a: usize| -> f64 {
                    let answer = |(c, guess): (&usize, &Option<Guess>)| {
                        let matrix = noise.by_proxy.get(*c).unwrap_or(&noise.transition);
                        guess.map_or(1.0, |guess| matrix[(Group(a), guess)])
                    };
                    let said = letters.members(m).iter().zip(letter).map(answer);
                    noise.group_shares[Group(a)] * said.product::<f64>()
                };
                let parts: Vec<f64> = (0..self.groups).map(chance).collect();
                let sum = parts.iter().sum::<f64>().max(f64::MIN_POSITIVE);
                for (a, part) in parts.iter().enumerate() {
                    rows[(m * self.groups + a, place)] = seen[(m, place)] * part / sum;
                }
            }
        }
        normalised(rows)
    }

    /// Distributions from numbers, kept away from zero, where logits end.
    pub(super) fn inside(&self, joint: &DMatrix<f64>, rows: &DMatrix<f64>) -> Parameters {
        let mut joint = (joint / joint.sum()).map(|p| p.max(1e-4));
        joint /= joint.sum();
        let mut rows = DMatrix::from_fn(rows.nrows(), self.width, |place, x| {
            if x < self.columns(place / self.groups) { rows[(place, x)].max(1e-4) } else { 0.0 }
        });
        rows.row_iter_mut().for_each(|mut row| row /= row.sum());
        Parameters { joint, rows, silence: DMatrix::zeros(0, 0) }
    }

    /// Parameters away from zero, where logits end; every group as silent as all are.
    fn interior(&self, joint: &DMatrix<f64>, rows: &DMatrix<f64>) -> Parameters {
        let total: f64 = self.cells.iter().map(|cell| cell.rows).sum();
        let silence = |c: usize| {
            let silent = self.cells.iter().filter(|cell| cell.silences[c]).map(|cell| cell.rows);
            (silent.sum::<f64>() / total).clamp(1e-4, 1.0 - 1e-4)
        };
        let silence = DMatrix::from_fn(self.silent.len(), self.groups, |c, _| silence(c));
        Parameters { silence, ..self.inside(joint, rows) }
    }
}

fn normalised(mut rows: DMatrix<f64>) -> DMatrix<f64> {
    rows.row_iter_mut().for_each(|mut row| row /= row.sum().max(f64::MIN_POSITIVE));
    rows
}
