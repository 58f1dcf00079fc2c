//! A table, counted: what comes out of the readers, and the raw cells it is made of.

use crate::cells::{Cells, Hidden, Key, NoiseTold, RawTally};
use crate::columns::{Columns, Layout};
use crate::feed::Gathered;
use crate::value::Dictionary;
use crate::worker::{FileName, skipped};
use fairveil_core::Counts;
use fairveil_core::compare::PairedCell;
use fairveil_core::counts::{ExactSum, Skipped};
use fairveil_core::segments::Segment;
use fairveil_core::world::Truth;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A table, read: the tally, and the true groups where a column of them was named.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The tally.
    pub counts: Counts,
    /// True groups, only to compare against.
    pub truth: Option<Truth>,
    /// Its segments, where columns that make them were named.
    pub segments: Vec<Segment>,
}

/// Several models on the same rows, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// One table for each model.
    pub tables: Vec<Table>,
    /// Their rows with all decisions, and what they weigh.
    pub rows: Vec<(PairedCell, f64)>,
}

/// Past this many distinct values a column holds something else than groups.
pub const MOST_GROUPS: usize = 10_000;
/// Past this many distinct values a column holds something else than decisions.
pub const MOST_CLASSES: usize = 50;
/// Past this many distinct values a column makes no segments.
pub(crate) const MOST_SEGMENTS: usize = 100_000;
/// Past this many cells the tally no longer fits comfortably in memory.
pub(crate) const MOST_CELLS: usize = 4_000_000;
/// How far the probabilities of a row may be from summing to one: rounding in the export.
pub(crate) const SUM_TOLERANCE: f64 = 0.01;
/// Past this weights lose their units.
pub(crate) const MOST_WEIGHT: f64 = 1e12;

/// A table in raw values, whatever it was read from.
pub(crate) struct RawTable<'a> {
    pub(crate) files: Vec<FileName>,
    pub(crate) columns: &'a Columns,
    pub(crate) layout: Layout,
    pub(crate) prediction: Dictionary,
    /// Decisions of further models.
    pub(crate) others: Vec<Dictionary>,
    /// Values of the columns that make segments.
    pub(crate) segments: Vec<Dictionary>,
    pub(crate) label: Dictionary,
    pub(crate) guessed: Vec<Dictionary>,
    pub(crate) truth: Dictionary,
    /// Raw codes of prediction, label, guesses, further predictions and segments.
    pub(crate) cells: HashMap<Key, RawTally>,
    /// Raw codes of a cell, and of the true group.
    pub(crate) true_cells: BTreeMap<(Key, u32), ExactSum>,
    pub(crate) audit_labels: Dictionary,
    /// Raw codes of a cell, and of the known group.
    pub(crate) labelled: BTreeMap<(Key, u32), (u64, ExactSum)>,
    pub(crate) weighted: bool,
    pub(crate) score_groups: Vec<String>,
    pub(crate) rows: u64,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) hidden: Option<Hidden>,
    /// Whom rows borrow guesses from, where they do.
    #[cfg(feature = "neighbors")]
    pub(crate) lent: Option<crate::borrow::Lent>,
    pub(crate) noise: Option<NoiseTold>,
    /// Cells below zero, counted as empty: raw codes, and how far below.
    pub(crate) negative: Vec<(Key, u64)>,
    /// The variance of the noise in one cell of an audit, and of a segment's.
    pub(crate) noisy_cells: [f64; 2],
}

impl<'a> RawTable<'a> {
    /// What the readers gathered, each column in its role.
    pub fn new(columns: &'a Columns, layout: Layout, gathered: Gathered<Cells>) -> Self {
        let Gathered { plan, files, dictionaries, consumer: cells, skipped: left_out, .. } = gathered;
        let mut dictionaries = dictionaries.into_iter();
        let mut next = || dictionaries.next().unwrap_or_default();
        // In the order of the plan's keys.
        let mut table = RawTable {
            columns,
            prediction: next(),
            label: layout.label.as_ref().map(|_| next()).unwrap_or_default(),
            guessed: layout.proxies.iter().map(|_| next()).collect(),
            others: layout.others.iter().map(|_| next()).collect(),
            segments: layout.by.iter().map(|_| next()).collect(),
            audit_labels: layout.audit_labels.as_ref().map(|_| next()).unwrap_or_default(),
            truth: layout.truth.as_ref().map(|_| next()).unwrap_or_default(),
            layout,
            cells: HashMap::new(),
            true_cells: BTreeMap::new(),
            labelled: BTreeMap::new(),
            weighted: plan.weighted(),
            score_groups: plan.score_groups,
            rows: cells.rows,
            skipped: skipped(&left_out, &files),
            hidden: cells.hidden,
            #[cfg(feature = "neighbors")]
            lent: None,
            noise: cells.noise,
            negative: Vec::new(),
            noisy_cells: [0.0; 2],
            files,
        };
        let known = usize::from(table.layout.audit_labels.is_some());
        let truth = usize::from(table.layout.truth.is_some());
        let counted = |tally: &RawTally| tally.rows > 0 || tally.owed > 0;
        if let Some(noise) = &table.noise {
            // Lines that are summed over have their noise summed too, whether their columns are named here or not.
            let own = 1 + usize::from(table.layout.label.is_some()) + table.layout.proxies.len();
            let segments = own + table.layout.others.len();
            let mut lines: [HashMap<Vec<u32>, u64>; 2] = Default::default();
            for (key, tally) in cells.keys.iter().zip(&cells.tallies) {
                let core = key[..own].to_vec();
                let segment = [&core[..], &key[segments..segments + table.layout.by.len()]].concat();
                *lines[0].entry(core).or_default() += tally.lines;
                *lines[1].entry(segment).or_default() += tally.lines;
            }
            // A line that came out as 0 is not written: there are at least as many as the columns have combinations.
            let width = cells.keys.first().map_or(own, |key| key.len());
            let is_segment = |place: &usize| (segments..segments + table.layout.by.len()).contains(place);
            let values = |place: usize| {
                let counted = cells.keys.iter().zip(&cells.tallies).filter(|(_, tally)| counted(tally));
                counted.map(|(key, _)| key[place]).collect::<BTreeSet<_>>().len().max(1) as u64
            };
            let combinations = [
                (own..width).map(values).product::<u64>(),
                (own..width).filter(|place| !is_segment(place)).map(values).product::<u64>(),
            ];
            let most = |which: usize| {
                let lines = lines[which].values().copied().max().unwrap_or(1);
                noise.of_lines(lines.max(combinations[which] * noise.tallies))
            };
            table.noisy_cells = [most(0), most(1)];
        }
        for (key, tally) in cells.keys.iter().zip(&cells.tallies).filter(|(_, tally)| counted(tally)) {
            let mut tally = tally.clone();
            // All tallies are added up here: what is still below zero is counted as empty.
            let below = tally.owed.saturating_sub(tally.rows);
            tally.rows = tally.rows.saturating_sub(tally.owed);
            tally.owed = 0;
            let more = &key[key.len() - known - truth..];
            let short = table.layout.short(key);
            if below > 0 {
                table.negative.push((short, below));
                continue;
            }
            if tally.rows == 0 {
                continue;
            }
            let mut weight = ExactSum::default();
            match (&tally.sums, table.weighted) {
                (Some(sums), true) => weight.merge(&sums.weight),
                _ => weight.add(tally.rows as f64),
            }
            if known == 1 && table.audit_labels.values[more[0] as usize].canonical.is_some() {
                let (rows, sum) = table.labelled.entry((short.clone(), more[0])).or_default();
                *rows += tally.rows;
                sum.merge(&weight);
            }
            if truth == 1 {
                table.true_cells.entry((short.clone(), more[known])).or_default().merge(&weight);
            }
            table.cells.entry(short).or_default().merge(&tally);
        }
        table
    }
}

impl Layout {
    /// Of a key of the plan, what is neither a known nor a true group; with a label, whether there is one or not.
    pub(crate) fn short(&self, key: &[u32]) -> Key {
        let more = usize::from(self.audit_labels.is_some()) + usize::from(self.truth.is_some());
        let mut short = key[..key.len() - more].to_vec();
        if self.label.is_none() {
            short.insert(1, 0);
        }
        short.into()
    }
}

/// Where each name stands.
pub(crate) fn positions(names: &[String]) -> HashMap<String, usize> {
    names.iter().enumerate().map(|(position, name)| (name.clone(), position)).collect()
}

/// The position of the largest probability; a tie abstains.
pub(crate) fn most_likely(probabilities: &[f64]) -> Option<usize> {
    let largest = probabilities.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut holders = probabilities.iter().enumerate().filter(|(_, p)| **p == largest);
    match (holders.next(), holders.next()) {
        (Some((position, _)), None) => Some(position),
        _ => None,
    }
}
