//! Joint tables from evidence, and tables drawn around them.
//!
//! ```text
//! evidence     J[a,s] = Σ_c P(s,c) · w[a; s,c]      w the likeliest shares among rows of stratum s and control c
//! weighted     J[a,s] = E[ b_a · 1(s) ]             b the probability of each group
//! linear       P(f=k | a) = α_k + β_k·1ₐ            f regressed on b, among all or among people with one label
//! ```

use super::mixture::{Mixture, Point};
use super::tally::PointTally;
use crate::counts::View;
use crate::rates::{Joint, NOBODY, Shares};
use crate::uncertainty::bootstrap::multinomial;
use crate::uncertainty::draw_in_order;
use crate::vocabulary::{Class, Group, Stratum};
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;

/// What an estimate is made for: which groups the audit compares, and of how many rows drawn at random it tells.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub view: View,
    pub classes: usize,
    /// Of the groups that evidence tells apart, the audited group that each belongs to.
    pub of: Vec<Group>,
    /// Audited groups.
    pub groups: usize,
    /// Effective rows.
    pub rows: f64,
    /// How much more chance moves these rows than rows drawn one by one with their weights.
    pub inflation: f64,
}

impl Frame {
    fn table(&self, shares: impl Iterator<Item = (Stratum, Vec<f64>)>) -> Joint<Group> {
        let strata = shares.map(|(stratum, fine)| {
            let mut shares = vec![0.0; self.groups];
            fine.iter().zip(&self.of).for_each(|(share, group)| shares[group.0] += share);
            (stratum, Some(Shares::new(shares)))
        });
        Joint::new(self.view, self.classes, self.groups, strata)
    }
}

/// The shares of the groups among rows of one stratum and one value of what is controlled for.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub stratum: Stratum,
    pub control: u32,
    /// The share of all rows.
    pub mass: f64,
    pub mixture: Mixture,
}

/// Shares of the groups in every part of the table.
#[derive(Debug, Clone)]
pub(super) struct ByEvidence {
    pub parts: Vec<Part>,
}

/// Why evidence gives no table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unclear {
    /// Among rows of this stratum the groups cannot be told apart.
    Stratum(Stratum),
}

impl ByEvidence {
    /// From likelihoods of each cell; those of a silent row are empty.
    pub fn fit(
        tally: &PointTally,
        likelihood: impl Fn(&[Vec<f64>]) -> Vec<f64>,
        groups: usize,
    ) -> Result<Self, Unclear> {
        let mut parts: BTreeMap<(Stratum, u32), (f64, Vec<Point>)> = BTreeMap::new();
        let mut total = 0.0;
        for (cell, mass) in tally.cells() {
            let (weight, points) = parts.entry((cell.stratum, cell.control)).or_default();
            *weight += mass.weight;
            total += mass.weight;
            let said: Vec<Vec<f64>> = tally.probabilities(cell).collect();
            let likelihood = likelihood(&said);
            if !likelihood.is_empty() {
                points.push(Point { likelihood, weight: mass.weight, squares: mass.squares });
            }
        }
        let part = |((stratum, control), (weight, points)): ((Stratum, u32), (f64, Vec<Point>))| {
            let mixture = Mixture::fit(&points, groups).ok_or(Unclear::Stratum(stratum))?;
            Ok(Part { stratum, control, mass: weight / total, mixture })
        };
        let parts = parts.into_iter().filter(|(_, (weight, _))| *weight > 0.0);
        Ok(ByEvidence { parts: parts.map(part).collect::<Result<_, _>>()? })
    }

    /// The shares of the groups among all rows.
    pub fn shares(&self, groups: usize) -> Vec<f64> {
        let mut shares = vec![0.0; groups];
        for part in &self.parts {
            shares.iter_mut().zip(&part.mixture.shares).for_each(|(sum, share)| *sum += part.mass * share);
        }
        shares
    }

    fn joint(&self, frame: &Frame, masses: &[f64], shares: impl Fn(usize) -> Vec<f64>) -> Joint<Group> {
        let mut strata: BTreeMap<Stratum, Vec<f64>> = BTreeMap::new();
        for (i, (part, mass)) in self.parts.iter().zip(masses).enumerate() {
            let within = shares(i);
            let sums = strata.entry(part.stratum).or_insert_with(|| vec![0.0; within.len()]);
            sums.iter_mut().zip(&within).for_each(|(sum, share)| *sum += mass * share);
        }
        frame.table(strata.into_iter())
    }

    /// The table.
    pub fn table(&self, frame: &Frame) -> Joint<Group> {
        let masses: Vec<f64> = self.parts.iter().map(|part| part.mass).collect();
        self.joint(frame, &masses, |i| self.parts[i].mixture.shares.clone())
    }

    /// Tables drawn around it.
    pub fn draws(&self, frame: &Frame, draws: usize, seed: u64) -> Vec<Option<Joint<Group>>> {
        let masses: Vec<f64> = self.parts.iter().map(|part| part.mass).collect();
        // Every part has a stream of its own.
        let stream = |i: usize| seed ^ (i as u64 + 1).wrapping_mul(0xd134_2543_de82_ef95);
        let shares: Vec<Vec<Vec<f64>>> = draw_in_order(self.parts.len(), |i| {
            self.parts[i as usize].mixture.draws(frame.inflation, draws, stream(i as usize))
        });
        let table = |draw: usize| {
            let masses = multinomial(&masses, frame.rows, seed, draw as u64);
            Some(self.joint(frame, &masses, |i| shares[i][draw].clone()))
        };
        (0..draws).map(table).collect()
    }
}

/// A cell of rows and the probability of each group in it.
#[derive(Debug, Clone)]
pub(super) struct Weighted {
    pub stratum: Stratum,
    /// Empty where nobody knows.
    pub probabilities: Vec<f64>,
    pub share: f64,
}

/// Rows with probabilities of the audited groups.
#[derive(Debug, Clone)]
pub(super) struct ByProbability {
    pub cells: Vec<Weighted>,
}

/// How probabilities become a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// As weights.
    Weighted,
    /// By regression on them.
    Linear,
}

impl ByProbability {
    /// Rows that say nothing count among all and tell of no group: they are left out.
    pub fn of(
        tally: &PointTally,
        frame: &Frame,
        probabilities: impl Fn(&[Vec<f64>]) -> Vec<f64>,
    ) -> Option<Self> {
        let mut cells = Vec::new();
        for (cell, mass) in tally.cells() {
            let said: Vec<Vec<f64>> = tally.probabilities(cell).collect();
            let fine = probabilities(&said);
            if fine.is_empty() || mass.weight <= 0.0 {
                continue;
            }
            let mut coarse = vec![0.0; frame.groups];
            fine.iter().zip(&frame.of).for_each(|(p, group)| coarse[group.0] += p);
            cells.push(Weighted { stratum: cell.stratum, probabilities: coarse, share: mass.weight });
        }
        let total: f64 = cells.iter().map(|cell| cell.share).sum();
        cells.iter_mut().for_each(|cell| cell.share /= total);
        (total > 0.0).then_some(ByProbability { cells })
    }

    /// The table, with these shares of the cells in place of their own.
    fn joint(&self, frame: &Frame, how: How, shares: &[f64]) -> Option<Joint<Group>> {
        let cells = || self.cells.iter().zip(shares);
        let mut strata: BTreeMap<Stratum, Vec<f64>> = BTreeMap::new();
        for (cell, share) in cells() {
            let sums = strata.entry(cell.stratum).or_insert_with(|| vec![0.0; frame.groups]);
            sums.iter_mut().zip(&cell.probabilities).for_each(|(sum, p)| *sum += share * p);
        }
        if how == How::Linear {
            let mut labels: Vec<Option<Class>> = strata.keys().map(|stratum| stratum.label).collect();
            labels.dedup();
            for label in labels {
                let decisions: Vec<Stratum> =
                    strata.keys().copied().filter(|stratum| stratum.label == label).collect();
                let mine: Vec<(&Weighted, f64)> = cells()
                    .filter(|(cell, _)| cell.stratum.label == label)
                    .map(|(cell, share)| (cell, *share))
                    .collect();
                let rates = regress(&mine, &decisions, frame.groups)?;
                let people: Vec<f64> = (0..frame.groups)
                    .map(|a| decisions.iter().map(|stratum| strata[stratum][a]).sum())
                    .collect();
                for (k, stratum) in decisions.iter().enumerate() {
                    let row = (0..frame.groups).map(|a| people[a] * rates[(a, k)]).collect();
                    strata.insert(*stratum, row);
                }
            }
        }
        let groups: Vec<Group> = (0..frame.groups).map(Group).collect();
        let audited = Frame { of: groups, ..frame.clone() };
        Some(audited.table(strata.into_iter()))
    }

    fn shares(&self) -> Vec<f64> {
        self.cells.iter().map(|cell| cell.share).collect()
    }

    /// The table.
    pub fn table(&self, frame: &Frame, how: How) -> Option<Joint<Group>> {
        self.joint(frame, how, &self.shares())
    }

    /// Tables of rows drawn anew.
    pub fn draws(&self, frame: &Frame, how: How, draws: usize, seed: u64) -> Vec<Option<Joint<Group>>> {
        let shares = self.shares();
        draw_in_order(draws, |index| self.joint(frame, how, &multinomial(&shares, frame.rows, seed, index)))
    }
}

/// For each group and decision, the rate at a row that is surely of the group: decisions regressed on probabilities. Nothing
/// where these do not vary enough.
fn regress(cells: &[(&Weighted, f64)], decisions: &[Stratum], groups: usize) -> Option<DMatrix<f64>> {
    // Probabilities sum to one, so that no constant is needed: the coefficient of a group is its rate.
    let mut moments = DMatrix::<f64>::zeros(groups, groups);
    let mut products = DMatrix::<f64>::zeros(groups, decisions.len());
    for (cell, share) in cells {
        let b = DVector::from_column_slice(&cell.probabilities);
        moments += *share * &b * b.transpose();
        if let Some(k) = decisions.iter().position(|stratum| *stratum == cell.stratum) {
            products.column_mut(k).axpy(*share, &b, 1.0);
        }
    }
    let total: f64 = cells.iter().map(|(_, share)| share).sum();
    let least = moments.clone().symmetric_eigenvalues().iter().copied().fold(f64::INFINITY, f64::min);
    if least <= NOBODY * total {
        return None;
    }
    moments.lu().solve(&products)
}
