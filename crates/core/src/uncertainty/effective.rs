//! How many independent rows tell as much as the rows of a table do.
//!
//! Intervals are made for rows that were drawn one by one and counted as they are. Two things make a table tell less:
//! guesses lent by neighbours, because a person's guess then stands in several rows, and noise added to the tally. Both
//! add to the variance of an estimate `f`, whose change by one more row in cell `c` is its influence `φ(c)`:
//! ```text
//! V = Σ_rows w²·Var φ  +  Σ_pairs w·w′·Cov(φ, φ′)  +  σ²·Σ_cells φ²
//! ```
//! Rows `n ≠ n′` that share people covary only by what these people's guesses add once the group is known. Given group
//! and strata the guesses are independent, so with `h(y) = E[φ | the shared people say y] − E[φ]`
//! ```text
//! Cov = Σₐ P(a | s, s′) · Σ_y P(y | a) · h_s(y) · h_s′(y)
//! ```
//! with `P(a | s, s′) ∝ ρ·1[s=s′]·J[a,s] + (1−ρ)·J[a,s]·J[a,s′]/p[a]`, where `ρ` is how much more often such rows are decided
//! alike than any two of one group. That neighbours are of one group, and often decided alike, is how they were found and
//! no covariance by itself: over the whole table it averages out. The effective number of rows is that of a plain table with the same variance.
//!
//! Assumes the fitted model, and lent guesses that come in threes. Where there is no fit, the covariance of two rows
//! that share `j` of three people is at most `j/3` of the variance (Hoeffding 1948), and that is used.

use super::likelihood::{Influence, Likelihood, Maximum, orders, ways_to_vote};
use crate::counts::{Counts, Frequencies, View};
use crate::vocabulary::{Legend, Stratum};
use nalgebra::DMatrix;
use std::collections::BTreeMap;

/// How many rows a table is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct EffectiveRows {
    /// For what is learned from all guesses.
    pub calibrated: f64,
    /// For what the proxies say by themselves.
    pub direct: f64,
    /// The variance of a calibrated gap over that of as many independent rows, by what neighbours share.
    pub sharing: f64,
    /// The same by noise in the tally.
    pub noise: f64,
    /// Whether the bound was used in place of the fit.
    pub bounded: bool,
}

impl EffectiveRows {
    /// What the rows would be worth if nothing was shared or added.
    pub fn plain(&self) -> f64 {
        self.direct * self.noise
    }
}

/// The effective rows of a view, given how many it would be worth if nothing was shared or added.
pub(crate) fn effective_rows(counts: &Counts, view: View, seen: &Frequencies, rows: f64) -> EffectiveRows {
    let mut effective =
        EffectiveRows { calibrated: rows, direct: rows, sharing: 1.0, noise: 1.0, bounded: false };
    let intake = counts.intake();
    let lent = counts.legend().proxies.iter().any(|proxy| proxy.lent_by.is_some());
    if intake.borrowed.is_none() && intake.noised.is_none() && !lent {
        return effective;
    }
    let shared = shared_people(counts, view);
    let squares = squared_weights(counts, view);
    let variance = intake.noised.as_ref().map_or(0.0, |noised| noised.variance);
    // A cell of the view may be the sum of several of the tally.
    let merged = cells_behind(counts, view) * variance;
    match fitted(seen, view, rows, counts.legend()) {
        Some((likelihood, best, influence)) => {
            let weight = rows;
            for (cells, own) in influence.by_contrast() {
                let added = if intake.borrowed.is_some() {
                    likelihood.shared_covariance(&best, cells, &shared) / (squares * own)
                } else {
                    0.0
                };
                effective.sharing = effective.sharing.max(1.0 + added);
                let noise = merged * likelihood.summed_squares(cells) / (weight * own);
                effective.noise = effective.noise.max(1.0 + noise);
            }
        }
        None => {
            effective.bounded = true;
            let parts = shared.values().map(|[one, two, three]| one / 3.0 + 2.0 * two / 3.0 + three);
            effective.sharing = 1.0 + parts.sum::<f64>() / squares;
            effective.noise = 1.0 + merged * seen.cells().len() as f64 / rows;
        }
    }
    if lent && intake.borrowed.is_none() {
        effective.bounded = true;
        effective.sharing = effective.sharing.max(UNKNOWN_SHARING);
    }
    effective.direct = rows / effective.noise;
    effective.calibrated = rows / (effective.sharing + effective.noise - 1.0);
    effective
}

/// What sharing is taken for where guesses were lent and no one wrote down by whom: every person stands in three rows on
/// average, and in as many more or fewer as chance has it, `(E[d²] − 3)/3` with a mean of 3 and a variance of 2.
const UNKNOWN_SHARING: f64 = 1.0 + (9.0 + 2.0 - 3.0) / 3.0;

/// How much less the agreement of pairs of guesses tells where pairs of people stand in several rows: for proxies that
/// know next to nothing, different pairs are independent and the same pair counts again.
pub(crate) fn repeated_pairs(counts: &Counts) -> f64 {
    let shared = shared_people(counts, View::Predictions);
    let again: f64 = shared.values().map(|[_, two, three]| two / 3.0 + three).sum();
    1.0 + again / squared_weights(counts, View::Predictions)
}

fn fitted(
    seen: &Frequencies,
    view: View,
    rows: f64,
    legend: &Legend,
) -> Option<(Likelihood, Maximum, Influence)> {
    if seen.groups() > super::intervals::MOST_GROUPS || seen.proxies() < 3 {
        return None;
    }
    let likelihood = Likelihood::new(seen, rows)?;
    let best = likelihood.maximise(seen, view)?;
    let joint = likelihood.joint(&best.parameters, view, seen.classes());
    let pairs = crate::disparity::pairs(&joint, view.every_stratum(), legend.positive);
    let contrasts: Vec<_> = pairs.iter().map(|pair| likelihood.contrast(pair.a, pair.b, pair.rate)).collect();
    let influence = likelihood.influence(&best.parameters, &contrasts)?;
    Some((likelihood, best, influence))
}

/// What pairs of rows share, by the strata of a view.
fn shared_people(counts: &Counts, view: View) -> BTreeMap<(Stratum, Stratum), [f64; 3]> {
    let mut regrouped: BTreeMap<(Stratum, Stratum), [f64; 3]> = BTreeMap::new();
    for ((first, second), weights) in counts.intake().borrowed.iter().flat_map(|borrowed| &borrowed.shared) {
        if let (Some(first), Some(second)) = (view.regroup(*first), view.regroup(*second)) {
            let sums = regrouped.entry((first, second)).or_default();
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
        }
    }
    regrouped
}

fn squared_weights(counts: &Counts, view: View) -> f64 {
    let mine = counts.cells().filter(|(cell, _)| view.regroup(cell.stratum).is_some());
    let part = mine.map(|(_, tally)| tally.weight).sum::<f64>() / counts.weight();
    let all = counts.intake().squared_weights.unwrap_or(counts.intake().rows as f64);
    (all * part).max(f64::MIN_POSITIVE)
}

/// The largest number of strata of the tally that are one in a view.
fn cells_behind(counts: &Counts, view: View) -> f64 {
    let mut behind: BTreeMap<Stratum, Vec<Stratum>> = BTreeMap::new();
    for (cell, _) in counts.cells() {
        if let Some(stratum) = view.regroup(cell.stratum) {
            let merged = behind.entry(stratum).or_default();
            if merged.last() != Some(&cell.stratum) && !merged.contains(&cell.stratum) {
                merged.push(cell.stratum);
            }
        }
    }
    behind.values().map(Vec::len).max().unwrap_or(1) as f64
}

/// Three people make a row: the row's own and its two neighbours.
const PEOPLE: usize = 3;

impl Likelihood {
    /// `Σ_pairs w·w′·Cov(φ, φ′)` of the rows' influence `φ`, given for each cell.
    fn shared_covariance(
        &self,
        best: &Maximum,
        influence: &[f64],
        shared: &BTreeMap<(Stratum, Stratum), [f64; 3]>,
    ) -> f64 {
        let (groups, joint, told) =
            (self.groups(), &best.parameters.joint, self.told(&best.parameters).into_owned());
        let each = self.guesses() / PEOPLE;
        let places: BTreeMap<(usize, Vec<usize>), f64> =
            self.votes().zip(influence).map(|(place, phi)| (place, *phi)).collect();
        let chance = |a: usize, said: &[usize]| -> f64 {
            orders(said) * said.iter().enumerate().map(|(v, n)| told[(a, v)].powi(*n as i32)).product::<f64>()
        };
        // How far what `people` say moves the mean influence of a row, by stratum and group.
        let moved = |people: usize, s: usize, a: usize| -> Vec<f64> {
            let rest = ways_to_vote(each * (PEOPLE - people), groups);
            let mean = |said: &Vec<usize>| -> f64 {
                let of = |more: &Vec<usize>| {
                    let all: Vec<usize> = said.iter().zip(more).map(|(x, y)| x + y).collect();
                    chance(a, more) * places.get(&(s, all)).copied().unwrap_or(0.0)
                };
                rest.iter().map(of).sum()
            };
            let said = ways_to_vote(each * people, groups);
            let means: Vec<f64> = said.iter().map(mean).collect();
            let centre: f64 = said.iter().zip(&means).map(|(said, mean)| chance(a, said) * mean).sum();
            means.into_iter().map(|mean| mean - centre).collect()
        };
        let likeness = self.likeness(joint, shared);
        let mut sum = 0.0;
        for people in 1..=PEOPLE {
            let said = ways_to_vote(each * people, groups);
            let strata = self.strata();
            let moved: Vec<Vec<Vec<f64>>> =
                (0..strata.len()).map(|s| (0..groups).map(|a| moved(people, s, a)).collect()).collect();
            for ((first, second), weights) in shared {
                let place = |stratum| strata.iter().position(|other| other == stratum);
                let (Some(s), Some(t)) = (place(first), place(second)) else { continue };
                let both = |a: usize| {
                    let alike = if s == t { likeness * joint[(a, s)] } else { 0.0 };
                    alike + (1.0 - likeness) * joint[(a, s)] * joint[(a, t)] / joint.row(a).sum()
                };
                let total: f64 = (0..groups).map(both).sum();
                for (a, (mine, other)) in moved[s].iter().zip(&moved[t]).enumerate() {
                    let products = said.iter().zip(mine.iter().zip(other));
                    let covariance: f64 = products.map(|(said, (x, y))| chance(a, said) * x * y).sum();
                    sum += weights[people - 1] * both(a) / total * covariance;
                }
            }
        }
        sum.max(0.0)
    }

    /// How much more often rows that share people are decided alike than any two rows of one group, from 0 for no more to
    /// 1 for always.
    fn likeness(&self, joint: &DMatrix<f64>, shared: &BTreeMap<(Stratum, Stratum), [f64; 3]>) -> f64 {
        let weight = |weights: &[f64; 3]| weights.iter().sum::<f64>();
        let all: f64 = shared.values().map(weight).sum();
        let same: f64 = shared.iter().filter(|((s, t), _)| s == t).map(|(_, weights)| weight(weights)).sum();
        let squares = |row: nalgebra::RowDVector<f64>| row.norm_squared() / row.sum();
        let by_chance: f64 = (0..joint.nrows()).map(|a| squares(joint.row(a).into_owned())).sum();
        if all > 0.0 && by_chance < 1.0 {
            ((same / all - by_chance) / (1.0 - by_chance)).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    /// `Σ φ²` over all patterns of guesses, each order of the same guesses a pattern of its own.
    fn summed_squares(&self, influence: &[f64]) -> f64 {
        self.votes().zip(influence).map(|((_, said), phi)| orders(&said) * phi * phi).sum()
    }
}
