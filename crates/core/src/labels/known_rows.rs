//! Labelled rows beside all rows of one view.

use super::{Kind, LEAST_LABELS, Lacking};
use crate::counts::{Counts, View};
use crate::estimate::AuditLabels;
use crate::vocabulary::{Group, Guess, Stratum};
use std::collections::BTreeMap;

/// Labelled rows of one cell, and how they were drawn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Drawn {
    /// How many.
    pub rows: u64,
    /// One over the chance of being labelled times the row's weight, summed; only relative to other rows.
    pub design: f64,
    /// The same squared, summed.
    pub squares: f64,
}

impl Drawn {
    /// Rows that all had the same chance.
    pub fn alike(rows: u64, weight: f64) -> Self {
        Drawn { rows, design: weight, squares: if rows > 0 { weight * weight / rows as f64 } else { 0.0 } }
    }

    pub(crate) fn add(&mut self, other: Drawn) {
        self.rows += other.rows;
        self.design += other.design;
        self.squares += other.squares;
    }
}

/// Labelled rows by stratum, guesses and group.
pub(crate) type DrawnRows = BTreeMap<(Stratum, Box<[Option<Guess>]>, Group), Drawn>;

/// Labelled rows with the same stratum, guesses and group.
#[derive(Debug, Clone)]
pub(crate) struct Labelled {
    pub stratum: usize,
    pub guesses: Box<[Option<Guess>]>,
    pub group: Group,
    pub drawn: Drawn,
}

/// Rows with the same stratum and guesses, labelled or not.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    pub stratum: usize,
    pub guesses: Box<[Option<Guess>]>,
    /// Share of the view's rows.
    pub share: f64,
}

/// All rows of a view and those of them that are labelled.
#[derive(Debug, Clone)]
pub(crate) struct Sampled {
    pub groups: usize,
    pub proxies: usize,
    pub strata: Vec<Stratum>,
    /// The effective number of rows of the view.
    pub rows: f64,
    pub cells: Vec<Cell>,
    pub labelled: Vec<Labelled>,
}

impl Sampled {
    pub fn of(counts: &Counts, labels: &AuditLabels, view: View, rows: f64) -> Option<Self> {
        let seen = counts.frequencies().view(view)?;
        let cells = seen.cells().iter().map(|(cell, share)| ((cell.stratum, cell.guesses.clone()), *share));
        let mut known = DrawnRows::new();
        for ((stratum, guesses, group), drawn) in labels.drawn() {
            let Some(stratum) = view.regroup(*stratum) else { continue };
            known.entry((stratum, guesses.clone(), *group)).or_default().add(*drawn);
        }
        let legend = counts.legend();
        Some(Self::new(legend.groups.len(), legend.proxies.len(), rows, cells, known))
    }

    /// From cells, which sum to one, and labelled rows; both in order.
    pub fn new(
        groups: usize,
        proxies: usize,
        rows: f64,
        cells: impl Iterator<Item = ((Stratum, Box<[Option<Guess>]>), f64)>,
        known: DrawnRows,
    ) -> Self {
        let cells: Vec<_> = cells.collect();
        let mut strata: Vec<Stratum> = cells.iter().map(|((stratum, _), _)| *stratum).collect();
        strata.extend(known.keys().map(|(stratum, ..)| *stratum));
        strata.sort();
        strata.dedup();
        // infallible: every stratum was put there above
        let at = |stratum: &Stratum| strata.binary_search(stratum).unwrap_or_default();
        let cell = |((stratum, guesses), share): (_, f64)| Cell { stratum: at(&stratum), guesses, share };
        let labelled = |((stratum, guesses, group), drawn): (_, Drawn)| Labelled {
            stratum: at(&stratum),
            guesses,
            group,
            drawn,
        };
        let cells = cells.into_iter().map(cell).collect();
        let labelled = known.into_iter().filter(|(_, drawn)| drawn.rows > 0).map(labelled).collect();
        Sampled { groups, proxies, rows, cells, labelled, strata }
    }

    /// The share of each stratum among all rows.
    pub fn stratum_shares(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.strata.len()];
        self.cells.iter().for_each(|cell| shares[cell.stratum] += cell.share);
        shares
    }

    /// Labelled rows in all.
    pub fn labels(&self) -> u64 {
        self.labelled.iter().map(|one| one.drawn.rows).sum()
    }

    /// Labelled rows of each kind that a number needs, in order.
    pub fn kinds(&self) -> BTreeMap<Kind, u64> {
        let mut kinds = BTreeMap::new();
        for stratum in &self.strata {
            kinds.entry(Kind::Stratum(*stratum)).or_insert(0);
            for a in 0..self.groups {
                kinds.entry(Kind::Group(Group(a), stratum.label)).or_insert(0);
            }
        }
        for one in &self.labelled {
            let stratum = self.strata[one.stratum];
            *kinds.entry(Kind::Stratum(stratum)).or_default() += one.drawn.rows;
            *kinds.entry(Kind::Group(one.group, stratum.label)).or_default() += one.drawn.rows;
        }
        kinds
    }

    /// The kinds of which there are too few.
    pub fn lacking(&self) -> Vec<Lacking> {
        let few = |(kind, rows): (Kind, u64)| (rows < LEAST_LABELS).then_some(Lacking { kind, rows });
        self.kinds().into_iter().filter_map(few).collect()
    }

    /// Degrees of freedom: the labelled rows of the rarest group, within a label where the view has labels, less one.
    pub fn freedom(&self) -> f64 {
        let of_group = |(kind, rows): (Kind, u64)| matches!(kind, Kind::Group(..)).then_some(rows);
        let least = self.kinds().into_iter().filter_map(of_group).min().unwrap_or(0);
        (least as f64 - 1.0).max(1.0)
    }
}
