//! A maximum of a mixture's likelihood: what it says of groups and proxies, and what each row moves.

use super::{Errors, Mixture, Point, Rows};
use crate::counts::Cell;
use crate::noise::Stopped;
use crate::vocabulary::{Group, Guess, Stratum};
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;

/// A maximum of the likelihood.
#[derive(Debug, Clone)]
pub(crate) struct Fitted {
    pub point: Point,
    pub log_likelihood: f64,
    pub stopped: Stopped,
}

/// How much a row of one kind (stratum, guesses, and group where it is known) moves the joint table, by stratum and group, times the
/// number of rows.
pub(crate) type Influences = BTreeMap<(Stratum, Box<[Option<Guess>]>, Option<Group>), DVector<f64>>;

/// Past so many probabilities their information is not inverted.
const MOST_INVERTED: usize = 400;

impl Fitted {
    /// `P(A=a, s)`, by stratum.
    pub fn joint(&self, mixture: &Mixture) -> Vec<Vec<f64>> {
        self.point.0[..mixture.joint_size()].chunks(mixture.groups).map(<[f64]>::to_vec).collect()
    }

    /// How each kind of row moves `J` (free errors only). With `θ` the logarithms of all probabilities, a row's score is that of
    /// the group it may be of, `S = (1[a,s] − J, 1[g] − P(·|a))`, and the information is what is known of complete rows less what is
    /// not known of incomplete ones (Louis 1982):
    /// ```text
    /// θ̂ − θ = H⁻¹·Σ S̄        H = Σ E[S]E[S]ᵀ-free curvature = complete − Σ Cov(S | row)
    /// ```
    /// `None` where it cannot be inverted or is too large.
    pub fn influences(&self, mixture: &Mixture) -> Option<Influences> {
        let (groups, point) = (mixture.groups, &self.point.0);
        let (joint, size) = (mixture.joint_size(), point.len());
        if mixture.errors != Errors::Free || size > MOST_INVERTED {
            return None;
        }
        let total: f64 = mixture.rows.iter().map(|row| row.weight).sum();
        let said = |pattern: usize, a: usize| joint + pattern * groups + a;
        // What a row says if it is of a group.
        let complete = |row: &Rows, a: usize| {
            let mut score = DVector::zeros(size);
            (0..joint).for_each(|i| score[i] = -point[i]);
            if let Some(s) = row.stratum {
                score[s * groups + a] += 1.0;
            }
            (0..mixture.patterns.len()).for_each(|p| score[said(p, a)] = -point[said(p, a)]);
            score[said(row.pattern, a)] += 1.0;
            score
        };
        let chance = |row: &Rows, a: usize| -> f64 {
            let share = row.stratum.map_or(1.0, |s| point[s * groups + a]);
            share * point[said(row.pattern, a)]
        };
        let of_groups = |row: &Rows| -> Vec<f64> {
            match row.group {
                Some(Group(known)) => (0..groups).map(|a| f64::from(u8::from(a == known))).collect(),
                None => {
                    let parts: Vec<f64> = (0..groups).map(|a| chance(row, a)).collect();
                    let sum = parts.iter().sum::<f64>().max(f64::MIN_POSITIVE);
                    parts.into_iter().map(|part| part / sum).collect()
                }
            }
        };
        let mut information = DMatrix::zeros(size, size);
        let mut weight_of = vec![0.0; groups];
        let mut scores = Vec::with_capacity(mixture.rows.len());
        for row in &mixture.rows {
            let (parts, weight) = (of_groups(row), row.weight / total);
            let each: Vec<DVector<f64>> = (0..groups).map(|a| complete(row, a)).collect();
            let mean =
                each.iter().zip(&parts).fold(DVector::zeros(size), |sum, (score, part)| sum + score * *part);
            for (a, (score, part)) in each.iter().zip(&parts).enumerate() {
                information.ger(-weight * part, score, score, 1.0);
                weight_of[a] += weight * part;
            }
            information.ger(weight, &mean, &mean, 1.0);
            scores.push(mean);
        }
        // Complete rows: a distribution has the curvature diag(p) − ppᵀ, times those who follow it. Its sum is fixed: a
        // step along it is none, and one is added there so that the rest can be solved for.
        let mut block = |places: &[usize], weight: f64| {
            for i in places {
                information[(*i, *i)] += weight * point[*i];
                places.iter().for_each(|j| information[(*i, *j)] += 1.0 - weight * point[*i] * point[*j]);
            }
        };
        block(&(0..joint).collect::<Vec<_>>(), 1.0);
        for (a, weight) in weight_of.iter().enumerate() {
            block(&(0..mixture.patterns.len()).map(|p| said(p, a)).collect::<Vec<_>>(), *weight);
        }
        // A probability of zero stays so.
        for i in (0..size).filter(|i| point[*i] < 1e-9) {
            information.row_mut(i).fill(0.0);
            information.column_mut(i).fill(0.0);
            information[(i, i)] = 1.0;
        }
        let solved = information.cholesky()?;
        let of_row = |(row, score): (&Rows, DVector<f64>)| {
            let moved = solved.solve(&score);
            let mean: f64 = (0..joint).map(|i| point[i] * moved[i]).sum();
            let change = DVector::from_fn(joint, |i, _| point[i] * (moved[i] - mean));
            let key = (mixture.strata[row.stratum?], mixture.patterns[row.pattern].clone(), row.group);
            Some((key, change))
        };
        mixture.rows.iter().zip(scores).map(of_row).collect()
    }

    /// The share of each group, and how often its people say each pattern.
    pub fn groups_apart(&self, mixture: &Mixture) -> Vec<(f64, Vec<(Cell, f64)>)> {
        let (groups, chances) = (mixture.groups, mixture.chances(&self.point));
        let stratum = mixture.strata[0];
        let of_group = |a: usize| {
            let share = self.joint(mixture).iter().map(|shares| shares[a]).sum();
            let cells =
                mixture.patterns.iter().enumerate().map(|(p, guesses)| {
                    (Cell { stratum, guesses: guesses.clone() }, chances[p * groups + a])
                });
            (share, cells.collect())
        };
        (0..groups).map(of_group).collect()
    }

    /// Each proxy's matrix, where it gives a guess: row for the group, column for the guess.
    pub fn matrices(&self, mixture: &Mixture) -> Vec<Vec<Vec<f64>>> {
        let (groups, chances) = (mixture.groups, mixture.chances(&self.point));
        let matrix = |c: usize| {
            let row = |a: usize| {
                let mut row = vec![0.0; groups];
                for (p, pattern) in mixture.patterns.iter().enumerate() {
                    if let Some(Guess(v)) = pattern[c] {
                        row[v] += chances[p * groups + a];
                    }
                }
                let sum: f64 = row.iter().sum();
                row.iter().map(|n| if sum > 0.0 { n / sum } else { 1.0 / groups as f64 }).collect()
            };
            (0..groups).map(row).collect()
        };
        let matrix_of = |c: usize| match (&mixture.emission, mixture.errors) {
            (Some(emission), _) => emission.matrix(&self.point.0[mixture.joint_size()..], c),
            (None, Errors::Free) => matrix(c),
            _ => {
                let row = |a: usize| {
                    let at = mixture.matrix_at(c, a);
                    self.point.0[at..at + groups].to_vec()
                };
                (0..groups).map(row).collect()
            }
        };
        (0..mixture.proxies).map(matrix_of).collect()
    }

    /// The same with its groups in another order.
    pub fn reordered(&self, mixture: &Mixture, class_of: &[usize]) -> Fitted {
        let groups = mixture.groups;
        let mut point = self.point.0.clone();
        let reorder_columns = |from: &[f64], to: &mut [f64]| {
            for (old, new) in from.chunks(groups).zip(to.chunks_mut(groups)) {
                class_of.iter().enumerate().for_each(|(a, class)| new[a] = old[*class]);
            }
        };
        let (old, size) = (&self.point.0, mixture.joint_size());
        reorder_columns(&old[..size], &mut point[..size]);
        if let Some(emission) = &mixture.emission {
            point[size..].copy_from_slice(&emission.reordered(&old[size..], class_of));
        } else if mixture.errors == Errors::Free {
            reorder_columns(&old[size..], &mut point[size..]);
        } else {
            let silences = size + mixture.matrices() * groups * groups;
            for c in 0..mixture.matrices() {
                for (a, class) in class_of.iter().enumerate() {
                    let (from, to) = (mixture.matrix_at(c, *class), mixture.matrix_at(c, a));
                    point[to..to + groups].copy_from_slice(&old[from..from + groups]);
                }
            }
            reorder_columns(&old[silences..], &mut point[silences..]);
        }
        Fitted { point: Point(point), ..self.clone() }
    }
}
