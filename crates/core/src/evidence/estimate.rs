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
use crate::uncertainty::bootstrap::{multinomial, normal_draws};
use crate::uncertainty::draw_in_order;
use crate::vocabulary::{Axis, Class, Group, Stratum};
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
    /// The weight of all rows.
    pub weight: f64,
    /// How much more chance moves these rows than rows drawn one by one with their weights.
    pub inflation: f64,
}

impl Frame {
    fn table<A: Axis>(&self, shares: impl Iterator<Item = (Stratum, Vec<f64>)>) -> Joint<A> {
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
    /// Parts of too few rows, which were put together with others of their stratum.
    pub pooled: usize,
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
        let mut parts = Parts::new();
        let mut total = 0.0;
        for (cell, mass) in tally.cells() {
            let said: Vec<Vec<f64>> = tally.probabilities(cell).collect();
            let likelihood = likelihood(&said);
            // Rows that say nothing are left out: rates are then those among rows that speak, which are right where silence depends on
            // the group alone.
            if !likelihood.is_empty() {
                let (weight, points) = parts.entry((cell.stratum, cell.control)).or_default();
                *weight += mass.weight;
                total += mass.weight;
                points.push(Point { likelihood, weight: mass.weight, squares: mass.squares });
            }
        }
        let pooled = pool_small(&mut parts, groups);
        let part = |((stratum, control), (weight, points)): ((Stratum, u32), (f64, Vec<Point>))| {
            let mixture = Mixture::fit(&points, groups).ok_or(Unclear::Stratum(stratum))?;
            Ok(Part { stratum, control, mass: weight / total, mixture })
        };
        let parts = parts.into_iter().filter(|(_, (weight, _))| *weight > 0.0);
        Ok(ByEvidence { parts: parts.map(part).collect::<Result<_, _>>()?, pooled })
    }

    /// The shares of the groups among people with one label, or all.
    pub fn shares_among(&self, label: Option<Class>, groups: usize) -> Vec<f64> {
        let mut shares = vec![0.0; groups];
        for part in self.parts.iter().filter(|part| part.stratum.label == label) {
            shares.iter_mut().zip(&part.mixture.shares).for_each(|(sum, share)| *sum += part.mass * share);
        }
        let total: f64 = shares.iter().sum();
        shares.into_iter().map(|share| share / total.max(f64::MIN_POSITIVE)).collect()
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
            crate::watch::pause();
            let masses = multinomial(&masses, frame.rows, seed, draw as u64);
            Some(self.joint(frame, &masses, |i| shares[i][draw].clone()))
        };
        (0..draws).map(table).collect()
    }
}

/// For each group, the rows that a part needs to be asked by itself.
const LEAST_ROWS: f64 = 25.0;

/// Rows of a part, their weight and their points.
type Parts = BTreeMap<(Stratum, u32), (f64, Vec<Point>)>;

/// Puts parts of too few rows together with the largest of their stratum, and tells how many they were.
fn pool_small(parts: &mut Parts, groups: usize) -> usize {
    let rows = |points: &[Point]| {
        let (weight, squares) = points.iter().fold((0.0, 0.0), |(w, s), p| (w + p.weight, s + p.squares));
        if squares > 0.0 { weight * weight / squares } else { 0.0 }
    };
    let largest: BTreeMap<Stratum, (u32, f64)> =
        parts.iter().fold(BTreeMap::new(), |mut largest, (place, part)| {
            let entry = largest.entry(place.0).or_insert((place.1, part.0));
            if part.0 > entry.1 {
                *entry = (place.1, part.0);
            }
            largest
        });
    let small: Vec<(Stratum, u32)> = (parts.iter())
        .filter(|(place, (_, points))| {
            largest[&place.0].0 != place.1 && rows(points) < LEAST_ROWS * groups as f64
        })
        .map(|(place, _)| *place)
        .collect();
    for place in &small {
        if let Some((weight, points)) = parts.remove(place)
            && let Some(into) = parts.get_mut(&(place.0, largest[&place.0].0))
        {
            into.0 += weight;
            into.1.extend(points);
        }
    }
    small.len()
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
        probabilities: impl Fn(Stratum, &[Vec<f64>]) -> Vec<f64>,
    ) -> Option<Self> {
        let mut cells = Vec::new();
        for (cell, mass) in tally.cells() {
            let said: Vec<Vec<f64>> = tally.probabilities(cell).collect();
            let fine = probabilities(cell.stratum, &said);
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

    /// Sums over all rows of the probabilities, and of their products, in every stratum: all that a table is made of. With their
    /// covariance, of one row.
    fn moments(&self, groups: usize) -> (Vec<Stratum>, DVector<f64>, DMatrix<f64>) {
        let mut strata: Vec<Stratum> = self.cells.iter().map(|cell| cell.stratum).collect();
        strata.sort();
        strata.dedup();
        let each = groups + groups * groups;
        let size = strata.len() * each;
        let (mut mean, mut squares) = (DVector::zeros(size), DMatrix::zeros(size, size));
        for cell in &self.cells {
            let Ok(place) = strata.binary_search(&cell.stratum) else { continue };
            let b = &cell.probabilities;
            let products = b.iter().flat_map(|x| b.iter().map(move |y| x * y));
            let values = DVector::from_iterator(each, b.iter().copied().chain(products));
            let mut mine = mean.rows_mut(place * each, each);
            mine.axpy(cell.share, &values, 1.0);
            let mut mine = squares.view_mut((place * each, place * each), (each, each));
            mine.ger(cell.share, &values, &values, 1.0);
        }
        squares -= &mean * mean.transpose();
        (strata, mean, squares)
    }

    /// The table of these sums.
    fn joint<A: Axis>(frame: &Frame, how: How, strata: &[Stratum], moments: &[f64]) -> Option<Joint<A>> {
        let (groups, each) = (frame.groups, frame.groups + frame.groups * frame.groups);
        let people = |place: usize| &moments[place * each..place * each + groups];
        let mut rows: Vec<(Stratum, Vec<f64>)> =
            strata.iter().enumerate().map(|(place, stratum)| (*stratum, people(place).to_vec())).collect();
        if how == How::Linear {
            let mut labels: Vec<Option<Class>> = strata.iter().map(|stratum| stratum.label).collect();
            labels.dedup();
            for label in labels {
                let mine: Vec<usize> =
                    (0..strata.len()).filter(|place| strata[*place].label == label).collect();
                let total = |a: usize| mine.iter().map(|place| people(*place)[a]).sum::<f64>();
                let products = |i: usize, j: usize| {
                    mine.iter().map(|place| moments[place * each + groups + i * groups + j]).sum()
                };
                let decided = DMatrix::from_fn(groups, mine.len(), |a, k| people(mine[k])[a]);
                let rates = regress(DMatrix::from_fn(groups, groups, products), &decided)?;
                for (k, place) in mine.iter().enumerate() {
                    rows[*place].1 = (0..groups).map(|a| total(a) * rates[(a, k)]).collect();
                }
            }
        }
        let audited = Frame { of: (0..groups).map(Group).collect(), ..frame.clone() };
        Some(audited.table(rows.into_iter()))
    }

    /// The table.
    pub fn table(&self, frame: &Frame, how: How) -> Option<Joint<Group>> {
        let (strata, mean, _) = self.moments(frame.groups);
        Self::joint(frame, how, &strata, mean.as_slice())
    }

    /// Tables of rows drawn anew: sums over many rows are normal.
    pub fn draws<A: Axis>(&self, frame: &Frame, how: How, draws: usize, seed: u64) -> Vec<Option<Joint<A>>> {
        let (strata, mean, covariance) = self.moments(frame.groups);
        let drawn = normal_draws(mean.as_slice(), &(covariance / frame.rows.max(1.0)), draws, seed);
        drawn.iter().map(|moments| Self::joint(frame, how, &strata, moments)).collect()
    }
}

/// For each group and decision, the rate at a row that is surely of the group: decisions regressed on probabilities. These sum
/// to one, so that no constant is needed. Nothing where they do not vary enough.
fn regress(products: DMatrix<f64>, decided: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let least = products.symmetric_eigenvalues().iter().copied().fold(f64::INFINITY, f64::min);
    if least <= NOBODY * products.trace() {
        return None;
    }
    products.lu().solve(decided)
}
