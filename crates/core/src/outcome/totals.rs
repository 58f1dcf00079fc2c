//! Sums of an outcome by cell, and the means by group that follow from them.

use crate::counts::{Cell, Counts, Frequencies, OutcomeTotals, View};
use crate::rates::NOBODY;
use crate::uncertainty::bootstrap::Bootstrap;
use crate::undo::Undo;
use crate::vocabulary::Group;
use rand_distr::{Distribution, StandardNormal};
use std::collections::BTreeMap;

/// What the rows of each cell have of an outcome.
pub(super) struct Totals {
    cells: BTreeMap<Cell, Share>,
}

/// The outcome of one cell: the share of its rows that have one, its mean there and that of its square.
#[derive(Clone, Copy)]
struct Share {
    /// The weight of the rows that have one, of all rows of the cell.
    told: f64,
    weight: f64,
    mean: f64,
    square: f64,
}

impl Totals {
    /// Of decisions alone: cells that differ by their label are one.
    pub fn of(counts: &Counts) -> Totals {
        let mut sums: BTreeMap<Cell, (f64, OutcomeTotals)> = BTreeMap::new();
        for (cell, tally) in counts.cells() {
            let Some(stratum) = View::Predictions.regroup(cell.stratum) else { continue };
            let (weight, sum) = sums.entry(Cell { stratum, guesses: cell.guesses.clone() }).or_default();
            *weight += tally.weight;
            if let Some(more) = &tally.outcome {
                sum.add(more);
            }
        }
        let share = |(cell, (weight, sum)): (Cell, (f64, OutcomeTotals))| {
            let told = Share {
                told: sum.weight / weight,
                weight: sum.weight,
                mean: sum.sum / sum.weight,
                square: sum.squares / sum.weight,
            };
            (sum.weight > 0.0).then_some((cell, told))
        };
        Totals { cells: sums.into_iter().filter_map(share).collect() }
    }

    /// The weight of all rows that have an outcome.
    pub fn weight(&self) -> f64 {
        self.cells.values().map(|share| share.weight).sum()
    }

    /// The mean and the standard deviation over all rows that have an outcome.
    pub fn overall(&self) -> Option<(f64, f64)> {
        let weight = self.weight();
        let sum = |of: fn(&Share) -> f64| self.cells.values().map(|one| one.weight * of(one)).sum::<f64>();
        let (mean, square) = (sum(|one| one.mean) / weight, sum(|one| one.square) / weight);
        (weight > 0.0).then(|| (mean, (square - mean * mean).max(0.0).sqrt()))
    }

    /// Means by group; nothing where a group is nobody.
    pub fn means(&self, seen: &Frequencies, undo: &Undo) -> Option<Means> {
        let groups = seen.groups();
        let mut sums = vec![[0.0; 3]; groups];
        for (cell, share) in seen.cells() {
            let (Some(told), Some(about)) = (self.cells.get(cell), undo.says(cell)) else { continue };
            let weight = share * told.told;
            for (sum, about) in sums.iter_mut().zip(about) {
                sum[0] += weight * about;
                sum[1] += weight * about * told.mean;
                sum[2] += weight * about * told.square;
            }
        }
        let whole: f64 = sums.iter().map(|sum| sum[0]).sum();
        let there = whole > 0.0 && sums.iter().all(|sum| sum[0] / whole > NOBODY);
        let group = |[share, sum, squares]: [f64; 3]| GroupMean {
            share: share / whole,
            mean: sum / share,
            square: squares / share,
        };
        there.then(|| Means { groups: sums.into_iter().map(group).collect() })
    }

    /// Rows drawn anew, with what their outcomes are then: the mean of a cell moves by a normal of its own spread over its rows.
    pub fn redrawn(&self, seen: &Frequencies, rows: f64, seed: u64, index: u64) -> (Frequencies, Totals) {
        let bootstrap = Bootstrap::new(seen, rows, seed);
        let drawn = bootstrap.draw(index);
        // A stream of its own, beside that of the rows.
        let mut random = crate::uncertainty::bootstrap::generator(!seed, index);
        let mut cells = BTreeMap::new();
        for (cell, share) in drawn.cells() {
            let Some(told) = self.cells.get(cell) else { continue };
            let variance = (told.square - told.mean * told.mean).max(0.0);
            let among = (share * rows * told.told).max(1.0);
            let normal: f64 = StandardNormal.sample(&mut random);
            let mean = told.mean + (variance / among).sqrt() * normal;
            cells.insert(cell.clone(), Share { mean, square: variance + mean * mean, ..*told });
        }
        (drawn, Totals { cells })
    }
}

/// Means by group.
#[derive(Debug, Clone)]
pub(super) struct Means {
    groups: Vec<GroupMean>,
}

#[derive(Debug, Clone, Copy)]
struct GroupMean {
    /// Of all people who have an outcome.
    share: f64,
    mean: f64,
    square: f64,
}

impl Means {
    pub fn share(&self, a: Group) -> f64 {
        self.groups[a.0].share
    }

    pub fn mean(&self, a: Group) -> f64 {
        self.groups[a.0].mean
    }

    fn variance(&self, a: Group) -> f64 {
        let GroupMean { mean, square, .. } = self.groups[a.0];
        square - mean * mean
    }

    /// Nothing where no population has such a spread.
    pub fn spread(&self, a: Group) -> Option<f64> {
        Some(self.variance(a)).filter(|variance| *variance >= 0.0).map(f64::sqrt)
    }

    pub fn ratio(&self, a: Group, b: Group) -> Option<f64> {
        let (own, other) = (self.mean(a), self.mean(b));
        (own > 0.0 && other > 0.0).then(|| own / other)
    }

    /// By the spread within both groups.
    pub fn standardized(&self, a: Group, b: Group) -> Option<f64> {
        let both = self.share(a) + self.share(b);
        let variance = (self.share(a) * self.variance(a) + self.share(b) * self.variance(b)) / both;
        (variance > 0.0).then(|| (self.mean(a) - self.mean(b)) / variance.sqrt())
    }
}
