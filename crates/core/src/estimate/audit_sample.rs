//! Audit sample: a few rows whose group is known say how the proxies err, whatever mistakes they share.
//!
//! ```text
//! P(s, g) = Σₐ J[a,s] · P(g | a)          P(g|a) free: any dependence between proxies is allowed
//! ```
//! Rows without a label say which `P(g|a)` can be mixed to what is seen; rows with one say which of them is meant.
//! Labelled rows count once, with their label. A sample of another population informs `P(g|a)` alone.
//!
//! Assumes that the labels are right, that the labelled rows are a random part of the table (or, of another
//! population, that proxies err there as here), and that within a group proxies err in all strata alike.

use super::latent_class::noise_of;
use super::mixture::{Errors, Fitted, Influences, KnownRows, Mixture, PASSES};
use super::{Explained, NoiseEstimator, Offer, Offered};
use crate::counts::{Counts, Frequencies, View};
use crate::labels::{Drawn, DrawnRows};
use crate::noise::{NoiseError, NoiseModel};
use crate::rates::{Joint, Shares};
use crate::uncertainty::{Redraw, agreement, draw_in_order};
use crate::vocabulary::{Basis, Estimator, Group, Guess, ProxyId, Stratum};

/// Where the labelled rows come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Population {
    /// A random part of the audited table.
    Same,
    /// Elsewhere: they tell how proxies err, and nothing about the strata.
    Other,
}

/// Rows whose group is known, tallied.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditLabels {
    population: Population,
    rows: u64,
    of_group: std::collections::BTreeMap<Group, u64>,
    cells: KnownRows,
    /// How they were drawn, of the same population.
    drawn: DrawnRows,
}

impl AuditLabels {
    /// No rows yet.
    pub fn new(population: Population) -> Self {
        AuditLabels {
            population,
            rows: 0,
            of_group: Default::default(),
            cells: KnownRows::new(),
            drawn: DrawnRows::new(),
        }
    }

    /// Adds rows. The stratum is not needed of another population.
    pub fn add(
        &mut self,
        stratum: Option<Stratum>,
        guesses: Box<[Option<Guess>]>,
        group: Group,
        rows: u64,
        weight: f64,
    ) {
        self.add_drawn(stratum, guesses, group, Drawn::alike(rows, weight), weight);
    }

    /// Adds rows whose chance of being labelled is known, and their weight in the table.
    pub fn add_drawn(
        &mut self,
        stratum: Option<Stratum>,
        guesses: Box<[Option<Guess>]>,
        group: Group,
        drawn: Drawn,
        weight: f64,
    ) {
        let (stratum, rows) = (stratum.filter(|_| self.population == Population::Same), drawn.rows);
        if let Some(stratum) = stratum {
            self.drawn.entry((stratum, guesses.clone(), group)).or_default().add(drawn);
        }
        self.rows += rows;
        *self.of_group.entry(group).or_default() += rows;
        *self.cells.entry((stratum, guesses, group)).or_default() += weight;
    }

    /// The same rows as a sample of another population: they tell how the proxies err and nothing about strata.
    pub fn elsewhere(&self) -> Self {
        let mut elsewhere = AuditLabels {
            population: Population::Other,
            cells: KnownRows::new(),
            drawn: DrawnRows::new(),
            ..self.clone()
        };
        for ((_, guesses, group), weight) in &self.cells {
            *elsewhere.cells.entry((None, guesses.clone(), *group)).or_default() += weight;
        }
        elsewhere
    }

    /// Where they come from.
    pub fn population(&self) -> Population {
        self.population
    }

    /// How many rows have a label.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How rows of the table itself were drawn.
    pub(crate) fn drawn(&self) -> &DrawnRows {
        &self.drawn
    }

    /// Labelled rows of one group.
    pub fn of_group(&self, group: Group) -> u64 {
        self.of_group.get(&group).copied().unwrap_or(0)
    }

    /// Labelled rows for each pattern of guesses and group that has to be learned.
    pub fn for_each_pattern(&self, groups: usize) -> f64 {
        let patterns: std::collections::BTreeSet<_> =
            self.cells.keys().map(|(_, guesses, _)| guesses).collect();
        self.rows as f64 / (patterns.len() * groups).max(1) as f64
    }

    /// How often labelled people of a group, and labelled people of others, are guessed to be of it. `None` where one
    /// of the two is not there.
    pub fn guessed(&self, group: Group) -> Option<(f64, f64)> {
        let (mut so, mut all) = ([0.0; 2], [0.0; 2]);
        for ((_, guesses, of), weight) in &self.cells {
            for Guess(guess) in guesses.iter().flatten() {
                let side = usize::from(*of != group);
                all[side] += weight;
                so[side] += if *guess == group.0 { *weight } else { 0.0 };
            }
        }
        (all[0] > 0.0 && all[1] > 0.0).then(|| (so[0] / all[0], so[1] / all[1]))
    }

    /// The same with proxies in another order.
    pub(crate) fn with_proxies(&self, order: &[ProxyId]) -> Self {
        let reorder = |((stratum, guesses, group), weight): (&(_, Box<[Option<Guess>]>, _), &f64)| {
            ((*stratum, order.iter().map(|id| guesses[id.0]).collect(), *group), *weight)
        };
        let drawn = self.drawn.iter().map(|((stratum, guesses, group), drawn)| {
            ((*stratum, order.iter().map(|id| guesses[id.0]).collect(), *group), *drawn)
        });
        AuditLabels {
            cells: self.cells.iter().map(reorder).collect(),
            drawn: drawn.collect(),
            ..self.clone()
        }
    }
}

/// The estimator: rows with a known group as shares of the rows of one view.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditSample {
    population: Population,
    known: KnownRows,
}

const TOLERANCE: f64 = 1e-8;
const QUICK: f64 = 1e-5;

/// A refit takes a millisecond, so fewer of them are drawn.
const FEWER: usize = 4;

impl AuditSample {
    pub(super) fn offers(table: &Offered) -> Vec<Offer> {
        table.by(AuditSample::of(table.counts, table.view))
    }

    /// The labelled rows that belong to a view. `None` where the table has none.
    pub fn of(counts: &Counts, view: View) -> Option<Self> {
        let labels = counts.audit_labels()?;
        let within = |(cell, _): &(&crate::counts::Cell, _)| view.regroup(cell.stratum).is_some();
        let total: f64 = counts.cells().filter(within).map(|(_, tally)| tally.weight).sum();
        let mut known = KnownRows::new();
        for ((stratum, guesses, group), weight) in &labels.cells {
            let stratum = match stratum.map(|stratum| view.regroup(stratum)) {
                Some(None) => continue,
                Some(inside) => inside,
                None => None,
            };
            *known.entry((stratum, guesses.clone(), *group)).or_default() += weight / total;
        }
        Some(AuditSample { population: labels.population, known })
    }

    /// The same rows taken for a sample of another population.
    #[cfg(test)]
    pub(super) fn elsewhere(&self) -> Self {
        let mut known = KnownRows::new();
        for ((_, guesses, group), weight) in &self.known {
            *known.entry((None, guesses.clone(), *group)).or_default() += weight;
        }
        AuditSample { population: Population::Other, known }
    }

    /// Share of the view's rows that have a label; for another population, their number relative to those rows.
    pub fn share(&self) -> f64 {
        self.known.values().sum()
    }

    /// The rows without a label, and those with one.
    fn mixture(&self, seen: &Frequencies) -> Result<Mixture, NoiseError> {
        for group in 0..seen.groups() {
            if !self.known.iter().any(|((.., of), weight)| of.0 == group && *weight > 0.0) {
                return Err(NoiseError::NoLabels { group });
            }
        }
        let mut rest = seen.clone();
        if self.population == Population::Same {
            for ((stratum, guesses, _), weight) in &self.known {
                let cell = rest
                    .cells
                    .iter_mut()
                    .find(|(cell, _)| Some(cell.stratum) == *stratum && cell.guesses == *guesses);
                if let Some((_, share)) = cell {
                    *share -= weight;
                }
            }
            // What is left of a fully labelled cell is rounding.
            rest.cells.retain(|(_, share)| *share > 1e-15);
        }
        Ok(Mixture::new(&rest, &self.known, Errors::Free))
    }

    fn solve(&self, seen: &Frequencies) -> Result<(Mixture, Fitted), NoiseError> {
        let mixture = self.mixture(seen)?;
        let starts = [mixture.start_from_known(0.1), mixture.start_from_known(0.6)];
        let fitted = starts.iter().map(|start| mixture.climb(start, TOLERANCE, PASSES));
        match fitted.max_by(|a, b| a.log_likelihood.total_cmp(&b.log_likelihood)) {
            Some(fitted) => Ok((mixture, fitted)),
            None => Err(NoiseError::NoLabels { group: 0 }),
        }
    }
}

impl AuditSample {
    /// The table, and how much one more row of each kind would move it; `None` where that cannot be told.
    pub(crate) fn influence(&self, seen: &Frequencies, view: View) -> Option<(Joint<Group>, Influences)> {
        let (mixture, fitted) = self.solve(seen).ok()?;
        Some((table(&mixture, &fitted, seen, view), fitted.influences(&mixture)?))
    }
}

fn table(mixture: &Mixture, fitted: &Fitted, seen: &Frequencies, view: View) -> Joint<Group> {
    let shares = fitted.joint(mixture).into_iter().map(|shares| Some(Shares::new(shares)));
    Joint::new(view, seen.classes(), seen.groups(), mixture.strata().iter().copied().zip(shares))
}

impl NoiseEstimator for AuditSample {
    fn kind(&self) -> Estimator {
        Estimator::Audit
    }

    fn needs_independence(&self) -> bool {
        false
    }

    fn fit(&self, seen: &Frequencies) -> Result<NoiseModel, NoiseError> {
        self.explain(seen, View::Labelled).map(|explained| explained.noise)
    }

    fn explain(&self, seen: &Frequencies, view: View) -> Result<Explained, NoiseError> {
        let (mixture, fitted) = self.solve(seen)?;
        let noise = NoiseModel::Global(noise_of(&mixture, &fitted, seen)?);
        Ok(Explained { noise, joint: table(&mixture, &fitted, seen, view) })
    }

    fn basis(&self) -> Basis {
        Basis::AuditSample
    }

    fn learns_from_guesses_alone(&self) -> bool {
        false
    }

    /// Agreement beyond chance inside the groups over agreement beyond chance among all.
    fn shared_error(&self, seen: &Frequencies) -> Option<f64> {
        let (mixture, fitted) = self.solve(seen).ok()?;
        let all = agreement(seen).filter(|all| *all > 0.0)?;
        let mut within = 0.0;
        for (share, cells) in fitted.groups_apart(&mixture) {
            within += share * agreement(&seen.with_cells(cells)).unwrap_or(0.0);
        }
        Some((within / all).clamp(0.0, 1.0))
    }

    /// From draws of the labelled and of the other rows, each as many as there are. `None` for a draw without a label of
    /// some group.
    fn draws(&self, Redraw { seen, view, rows, draws, seed }: Redraw) -> Vec<Option<Joint<Group>>> {
        let draws = (draws / FEWER).max(100);
        let Ok((mixture, fitted)) = self.solve(seen) else { return vec![None; draws] };
        let labels = rows * self.share();
        let others = if self.population == Population::Same { rows - labels } else { rows };
        draw_in_order(draws, |index| {
            let drawn = mixture.drawn(others, labels, seed, index)?;
            let refitted = drawn.climb(&fitted.point, QUICK, PASSES);
            Some(table(&drawn, &refitted, seen, view))
        })
    }
}
