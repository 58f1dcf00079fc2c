//! Shares of the cells, without names: what an estimator sees, and which rows a question is about.

use super::{Cell, Sources};
#[cfg(test)]
use crate::privacy::RandomizedResponse;
use crate::privacy::Told;
use crate::vocabulary::{Guess, ProxyId, Stratum};
use std::collections::BTreeMap;

/// Which rows and strata a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// All rows; a stratum is one prediction `k`. Demographic parity looks here.
    Predictions,
    /// Rows with a label; a stratum is one `(y, k)`. Equalized odds and equal opportunity look here.
    Labelled,
}

impl View {
    /// The stratum of this view that a row belongs to; `None` where the row is not part of the question.
    pub fn regroup(self, stratum: Stratum) -> Option<Stratum> {
        match self {
            View::Predictions => Some(Stratum { label: None, ..stratum }),
            View::Labelled => stratum.label.map(|_| stratum),
        }
    }
}

/// Shares of the cells: what an estimator sees. They add up to one.
#[derive(Debug, Clone, PartialEq)]
pub struct Frequencies {
    pub(crate) groups: usize,
    pub(crate) classes: usize,
    pub(crate) proxies: usize,
    /// How guesses were randomised before they were counted.
    pub(crate) told: Told,
    /// Which proxies are one view.
    pub(crate) sources: Sources,
    /// Ordered, without repetition, every share positive.
    pub(crate) cells: Vec<(Cell, f64)>,
}

impl Frequencies {
    /// Number of groups `M`.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Number of classes `K`.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Number of proxies `C`.
    pub fn proxies(&self) -> usize {
        self.proxies
    }

    /// The cells with their shares, in order.
    pub fn cells(&self) -> &[(Cell, f64)] {
        &self.cells
    }

    /// The same shares regrouped for a question. `None` where no row qualifies.
    pub fn view(&self, view: View) -> Option<Frequencies> {
        let mut merged: BTreeMap<Cell, f64> = BTreeMap::new();
        for (cell, share) in &self.cells {
            let Some(stratum) = view.regroup(cell.stratum) else { continue };
            *merged.entry(Cell { stratum, guesses: cell.guesses.clone() }).or_default() += share;
        }
        let total: f64 = merged.values().sum();
        let cells = merged.into_iter().map(|(cell, share)| (cell, share / total)).collect();
        (total > 0.0).then(|| self.with_cells(cells))
    }

    /// Other cells of the same groups, classes and proxies; ordered, and adding up to one.
    pub(crate) fn with_cells(&self, cells: Vec<(Cell, f64)>) -> Frequencies {
        Frequencies { cells, told: self.told.clone(), sources: self.sources.clone(), ..*self }
    }

    /// Cells of one proxy alone, as it was told.
    pub(crate) fn of_one_proxy(&self, cells: Vec<(Cell, f64)>) -> Frequencies {
        Frequencies { proxies: 1, cells, told: Told::default(), sources: Sources::apart(1), ..*self }
    }

    /// Cells of some of the proxies, added up where they became the same.
    pub(crate) fn of_proxies(&self, cells: Vec<(Cell, f64)>, proxies: &[ProxyId]) -> Frequencies {
        let mut merged: BTreeMap<Cell, f64> = BTreeMap::new();
        cells.into_iter().for_each(|(cell, share)| *merged.entry(cell).or_default() += share);
        let (told, sources) = (self.told.reordered(proxies), self.sources.reordered(proxies));
        Frequencies { proxies: proxies.len(), cells: merged.into_iter().collect(), told, sources, ..*self }
    }

    /// Some of the cells as a table of their own, given their total share.
    pub(crate) fn only(&self, cells: &[(Cell, f64)], total: f64) -> Frequencies {
        self.with_cells(cells.iter().map(|(cell, share)| (cell.clone(), share / total)).collect())
    }

    /// The shares of what is told where each proxy's guesses are randomised.
    #[cfg(test)]
    pub(crate) fn randomized(&self, responses: Vec<Option<RandomizedResponse>>) -> Frequencies {
        let told = Told::new(responses);
        let mut cells: BTreeMap<Cell, f64> = self.cells.iter().cloned().collect();
        for c in 0..self.proxies {
            let mut after: BTreeMap<Cell, f64> = BTreeMap::new();
            for (cell, share) in cells {
                for w in 0..self.groups {
                    let mut guesses = cell.guesses.clone();
                    let chance = guesses[c].map_or(f64::from(u8::from(w == 0)), |v| told.chance(c, v.0, w));
                    guesses[c] = guesses[c].map(|_| Guess(w));
                    *after.entry(Cell { guesses, ..cell }).or_default() += share * chance;
                }
            }
            cells = after;
        }
        Frequencies { told, ..self.with_cells(cells.into_iter().collect()) }
    }

    /// The shares before guesses were randomised, as far as what was told allows: they sum to one, and chance may
    /// leave some of them below zero. `None` where there are too many patterns of guesses to go through.
    pub(crate) fn undone(&self) -> Option<Frequencies> {
        if self.told.is_nothing() {
            return Some(self.clone());
        }
        const MOST: usize = 20_000;
        let patterns = u32::try_from(self.proxies).ok().and_then(|c| self.groups.checked_pow(c))?;
        if patterns > MOST {
            return None;
        }
        let mut cells: BTreeMap<Cell, f64> = self.cells.iter().cloned().collect();
        for c in 0..self.proxies {
            let mut before: BTreeMap<Cell, f64> = BTreeMap::new();
            for (cell, share) in cells {
                let Some(told) = cell.guesses[c] else {
                    *before.entry(cell).or_default() += share;
                    continue;
                };
                for guess in 0..self.groups {
                    let part = share * self.told.undo(c, told, guess);
                    if part != 0.0 {
                        let mut guesses = cell.guesses.clone();
                        guesses[c] = Some(Guess(guess));
                        *before.entry(Cell { guesses, ..cell }).or_default() += part;
                    }
                }
            }
            cells = before;
        }
        Some(Frequencies { told: Told::default(), ..self.with_cells(cells.into_iter().collect()) })
    }

    /// The strata that occur, in order, each with its cells. Shares stay relative to the whole table.
    pub fn strata(&self) -> impl Iterator<Item = (Stratum, &[(Cell, f64)])> {
        self.cells.chunk_by(|(a, _), (b, _)| a.stratum == b.stratum).map(|cells| (cells[0].0.stratum, cells))
    }
}
