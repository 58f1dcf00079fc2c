//! A table, counted: what comes out of the readers, and the raw cells it is made of.

use crate::cells::{Cells, Design, Hidden, Key, NoiseTold, RawTally};
use crate::columns::{Columns, Layout};
use crate::evidence::RawEvidence;
use crate::fault::{FileName, skipped};
use crate::feed::Gathered;
use crate::plan::Roles;
use crate::value::Dictionary;
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
/// Clusters are put into so many parts, by a hash, and the parts are compared: memory stays as it is, however many there
/// are.
pub(crate) const CLUSTERS: usize = 100;

/// Past this many distinct values a column makes no segments.
pub(crate) const MOST_SEGMENTS: usize = 100_000;
/// Past this many distinct values a column is nothing to control for: each needs rows of its own.
pub(crate) const MOST_CONTROLS: usize = 100;
/// Past this many distinct values, as they are written, a column is no category.
pub(crate) const MOST_LEVELS: usize = 100_000;
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
    pub(crate) roles: Roles,
    /// The values of each key.
    pub(crate) values: Vec<Dictionary>,
    /// Raw codes of all keys but known and true groups.
    pub(crate) cells: HashMap<Key, RawTally>,
    /// Raw codes of a cell, and of the true group.
    pub(crate) true_cells: BTreeMap<(Key, u32), ExactSum>,
    /// Raw codes of a cell, and of the known group.
    pub(crate) labelled: BTreeMap<(Key, u32), RawLabels>,
    pub(crate) weighted: bool,
    /// What the outcome is called, where rows have one.
    pub(crate) outcome: Option<String>,
    pub(crate) score_groups: Vec<String>,
    pub(crate) rows: u64,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) rows_per_person: Option<f64>,
    pub(crate) hidden: Option<Hidden>,
    /// Whom rows borrow guesses from, where they do.
    pub(crate) lent: Option<crate::borrow::Lent>,
    pub(crate) noise: Option<NoiseTold>,
    /// Cells below zero, counted as empty: raw codes, and how far below.
    pub(crate) negative: Vec<(Key, u64)>,
    /// The variance of the noise in one cell of an audit, and of a segment's.
    pub(crate) noisy_cells: [f64; 2],
    /// Evidence about the groups of the rows, where there is any.
    pub(crate) evidence: Option<RawEvidence>,
}

/// Rows of one cell with one known group.
#[derive(Default)]
pub(crate) struct RawLabels {
    pub rows: u64,
    pub weight: ExactSum,
    /// Their squared weights, where rows have weights.
    pub squares: ExactSum,
    /// Those whose chance of being labelled is told.
    pub drawn: Design,
}

impl RawLabels {
    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &RawLabels) {
        self.rows += other.rows;
        self.weight.merge(&other.weight);
        self.squares.merge(&other.squares);
        self.drawn.merge(&other.drawn);
    }
}

impl<'a> RawTable<'a> {
    /// What the readers gathered.
    pub fn new(columns: &'a Columns, layout: Layout, gathered: Gathered<Cells>) -> Self {
        let Gathered { plan, files, dictionaries, consumer: mut cells, skipped: left_out, people } = gathered;
        let evidence = std::mem::take(&mut cells.evidence).finish(&plan);
        let mut table = RawTable {
            evidence,
            columns,
            layout,
            weighted: plan.weighted(),
            outcome: plan.has_outcome().then(|| columns.outcome.clone().unwrap_or_else(|| "outcome".into())),
            noisy_cells: noisy_cells(&cells, &plan.roles, dictionaries.len()),
            roles: plan.roles,
            values: dictionaries,
            cells: HashMap::new(),
            true_cells: BTreeMap::new(),
            labelled: BTreeMap::new(),
            score_groups: plan.score_groups,
            rows: cells.rows,
            skipped: skipped(&left_out, &files),
            rows_per_person: people.rows_per_person(),
            hidden: cells.hidden,
            lent: None,
            noise: cells.noise,
            negative: Vec::new(),
            files,
        };
        for (key, tally) in cells.keys.iter().zip(&cells.tallies).filter(|(_, tally)| tally.is_counted()) {
            let mut tally = tally.clone();
            // All tallies are added up here: what is still below zero is counted as empty.
            let below = tally.owed.saturating_sub(tally.rows);
            tally.rows = tally.rows.saturating_sub(tally.owed);
            tally.owed = 0;
            let short = table.roles.without_groups(key);
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
            if let Some(place) = table.roles.known
                && table.named(place, key[place]).is_some()
            {
                let labels = table.labelled.entry((short.clone(), key[place])).or_default();
                labels.rows += tally.rows;
                labels.weight.merge(&weight);
                if let Some(sums) = &tally.sums {
                    labels.squares.merge(&sums.squares);
                    sums.drawn.iter().for_each(|drawn| labels.drawn.merge(drawn));
                }
            }
            if let Some(place) = table.roles.truth {
                table.true_cells.entry((short.clone(), key[place])).or_default().merge(&weight);
            }
            table.cells.entry(short).or_default().merge(&tally);
        }
        table
    }

    /// What a code of a key means; nothing where the value is missing.
    pub fn named(&self, place: usize, code: u32) -> Option<&str> {
        self.values[place].values.get(code as usize)?.canonical.as_deref()
    }
}

/// The variance of the noise in one cell of an audit, and of a segment's. Lines that are summed over have their noise summed
/// too, whether their columns are named here or not.
fn noisy_cells(cells: &Cells, roles: &Roles, keys: usize) -> [f64; 2] {
    let Some(noise) = &cells.noise else { return [0.0; 2] };
    let own: Vec<usize> = roles.audited().collect();
    let of_segment: Vec<usize> = roles.audited().chain(roles.segments.iter().copied()).collect();
    [own, of_segment].map(|own| {
        let mut lines: HashMap<Vec<u32>, u64> = HashMap::new();
        for (key, tally) in cells.keys.iter().zip(&cells.tallies) {
            *lines.entry(own.iter().map(|place| key[*place]).collect()).or_default() += tally.lines;
        }
        // A line that came out as 0 is not written: there are at least as many as the columns have combinations.
        let values = |place: usize| {
            let counted = cells.keys.iter().zip(&cells.tallies).filter(|(_, tally)| tally.is_counted());
            counted.map(|(key, _)| key[place]).collect::<BTreeSet<_>>().len().max(1) as u64
        };
        let combinations: u64 = (0..keys).filter(|place| !own.contains(place)).map(values).product();
        let lines = lines.into_values().max().unwrap_or(1);
        noise.of_lines(lines.max(combinations * noise.tallies))
    })
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
