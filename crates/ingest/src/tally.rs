//! From rows to [`Counts`]: the last place that sees a row.
//!
//! Rows are counted by their raw values, so that a row costs a few look-ups; names are made sense of once, at
//! the end. Weights are summed exactly, so neither the order of rows nor the way a file is cut changes a digit.

use crate::columns::{Columns, Layout, ProxyKind};
use crate::error::{IngestError, Place, Problem};
use crate::value::{Dictionary, Refused, is_missing};
use fairveil_core::{Counts, ExactSum, PairedCell, Truth};
use std::collections::{BTreeMap, HashMap};

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

/// One segment of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// The value of each column that makes segments; nothing where it is missing.
    pub values: Vec<String>,
    /// The tally.
    pub counts: Counts,
    /// True groups, only to compare against.
    pub truth: Option<Truth>,
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
const MOST_SEGMENTS: usize = 100_000;
/// Past this many cells the tally no longer fits comfortably in memory.
const MOST_CELLS: usize = 4_000_000;
/// How far the probabilities of a row may be from summing to one: rounding in the export.
const SUM_TOLERANCE: f64 = 0.01;
/// Past this weights lose their units.
const MOST_WEIGHT: f64 = 1e12;
/// The code of "no guess" among raw values of a probability proxy.
pub(crate) const ABSTAINS: u32 = u32::MAX;

/// Raw codes of one row.
pub(crate) type Key = Box<[u32]>;

/// Rows on their way to a tally.
pub(crate) struct RowCounter<'a> {
    pub(crate) file: &'a str,
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
    pub(crate) rows: u64,
    key: Vec<u32>,
}

#[derive(Clone, Default)]
pub(crate) struct RawTally {
    pub rows: u64,
    pub weight: ExactSum,
    pub squares: ExactSum,
    pub scores: Vec<ExactSum>,
    pub scored: ExactSum,
}

impl RawTally {
    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &RawTally) {
        self.rows += other.rows;
        self.weight.merge(&other.weight);
        self.squares.merge(&other.squares);
        self.scores.resize(other.scores.len().max(self.scores.len()), ExactSum::default());
        self.scores.iter_mut().zip(&other.scores).for_each(|(sum, more)| sum.merge(more));
        self.scored.merge(&other.scored);
    }
}

impl<'a> RowCounter<'a> {
    pub fn new(file: &'a str, columns: &'a Columns, layout: Layout) -> Self {
        RowCounter {
            file,
            columns,
            prediction: Dictionary::default(),
            others: layout.others.iter().map(|_| Dictionary::default()).collect(),
            segments: layout.by.iter().map(|_| Dictionary::default()).collect(),
            label: Dictionary::default(),
            guessed: layout.proxies.iter().map(|_| Dictionary::default()).collect(),
            truth: Dictionary::default(),
            cells: HashMap::new(),
            true_cells: BTreeMap::new(),
            audit_labels: Dictionary::default(),
            labelled: BTreeMap::new(),
            rows: 0,
            key: Vec::new(),
            layout,
        }
    }

    /// Counts one row.
    pub fn add(&mut self, line: u64, record: &csv::ByteRecord) -> Result<(), IngestError> {
        let field = |position: usize| &record[position];
        let missing = &self.columns.missing;
        let layout = &self.layout;
        let place =
            |column: &str| Place { file: self.file.into(), line: Some(line), column: Some(column.into()) };
        let code = |dictionary: &mut Dictionary, column: &crate::columns::Column, what, limit| {
            dictionary.code(field(column.position), line, missing, limit).map_err(|refused| IngestError {
                place: place(&column.name),
                problem: match refused {
                    Refused::NotUtf8 => Problem::NotUtf8,
                    Refused::Full => Problem::TooManyValues { what, limit },
                },
            })
        };
        let text = |column: &crate::columns::Column| {
            std::str::from_utf8(field(column.position))
                .map_err(|_| IngestError { place: place(&column.name), problem: Problem::NotUtf8 })
        };
        self.rows += 1;
        self.key.clear();
        self.key.push(code(&mut self.prediction, &layout.prediction, "class", MOST_CLASSES)?);
        self.key.push(match &layout.label {
            Some(column) => code(&mut self.label, column, "class", MOST_CLASSES)?,
            None => 0,
        });
        let weight = match &layout.weight {
            None => 1.0,
            Some(column) => {
                let text = text(column)?;
                let parsed = text.trim().parse().ok().filter(|weight| (0.0..=MOST_WEIGHT).contains(weight));
                parsed.ok_or_else(|| IngestError {
                    place: place(&column.name),
                    problem: Problem::Weight { value: text.to_owned() },
                })?
            }
        };
        let mut scores: Vec<f64> = Vec::new();
        let mut scored = 0.0;
        for (proxy, dictionary) in layout.proxies.iter().zip(&mut self.guessed) {
            match &proxy.kind {
                ProxyKind::Guess(column) => self.key.push(code(dictionary, column, "group", MOST_GROUPS)?),
                ProxyKind::Probabilities(columns) => {
                    let given = probabilities(&proxy.name, columns, missing, &place, record)?;
                    self.key.push(match given.len() {
                        0 => ABSTAINS,
                        _ => {
                            scores.resize(given.len(), 0.0);
                            scores.iter_mut().zip(&given).for_each(|(total, p)| *total += p);
                            scored += 1.0;
                            most_likely(&given)
                        }
                    });
                }
            }
        }
        for (column, dictionary) in layout.others.iter().zip(&mut self.others) {
            self.key.push(code(dictionary, column, "class", MOST_CLASSES)?);
        }
        for (column, dictionary) in layout.by.iter().zip(&mut self.segments) {
            self.key.push(code(dictionary, column, "segment", MOST_SEGMENTS)?);
        }
        if !self.cells.contains_key(self.key.as_slice()) {
            if self.cells.len() >= MOST_CELLS {
                let place = Place { file: self.file.into(), line: Some(line), column: None };
                return Err(IngestError { place, problem: Problem::TooManyCells { limit: MOST_CELLS } });
            }
            self.cells.insert(self.key.as_slice().into(), RawTally::default());
        }
        if let Some(cell) = self.cells.get_mut(self.key.as_slice()) {
            cell.rows += 1;
            if layout.weight.is_some() {
                cell.weight.add(weight);
                cell.squares.add(weight * weight);
            }
            if scored > 0.0 {
                cell.scores.resize(scores.len(), ExactSum::default());
                cell.scores.iter_mut().zip(&scores).for_each(|(sum, score)| sum.add(weight * score / scored));
                cell.scored.add(weight);
            }
        }
        if let Some(column) = &layout.audit_labels {
            let group = code(&mut self.audit_labels, column, "group", MOST_GROUPS)?;
            if self.audit_labels.values[group as usize].canonical.is_some() {
                let place = (self.key.as_slice().into(), group);
                let (rows, sum) = self.labelled.entry(place).or_default();
                *rows += 1;
                sum.add(weight);
            }
        }
        if let Some(column) = &layout.truth {
            let group = code(&mut self.truth, column, "group", MOST_GROUPS)?;
            if self.truth.values[group as usize].canonical.is_none() {
                return Err(IngestError { place: place(&column.name), problem: Problem::TruthMissing });
            }
            self.true_cells.entry((self.key.as_slice().into(), group)).or_default().add(weight);
        }
        Ok(())
    }
}

/// Where each name stands.
pub(crate) fn positions(names: &[String]) -> HashMap<String, usize> {
    names.iter().enumerate().map(|(position, name)| (name.clone(), position)).collect()
}

/// What a proxy gives to each group on a row; nothing where it abstains.
pub(crate) fn probabilities(
    proxy: &str,
    columns: &[(String, crate::columns::Column)],
    missing: &[String],
    place: &dyn Fn(&str) -> Place,
    record: &csv::ByteRecord,
) -> Result<Vec<f64>, IngestError> {
    let mut given = Vec::with_capacity(columns.len());
    for (_, column) in columns {
        let text = std::str::from_utf8(&record[column.position])
            .map_err(|_| IngestError { place: place(&column.name), problem: Problem::NotUtf8 })?;
        if is_missing(text, missing) {
            continue;
        }
        let parsed = text.trim().parse().ok().filter(|p| (0.0..=1.0).contains(p));
        given.push(parsed.ok_or_else(|| IngestError {
            place: place(&column.name),
            problem: Problem::Probability { value: text.to_owned() },
        })?);
    }
    let sum: f64 = given.iter().sum();
    let problem = match given.len() {
        0 => return Ok(given),
        n if n < columns.len() => Problem::ProbabilityMissing,
        _ if (sum - 1.0).abs() > SUM_TOLERANCE => Problem::ProbabilitySum { sum },
        _ => return Ok(given),
    };
    Err(IngestError { place: place(proxy), problem })
}

/// The position of the largest probability; a tie abstains.
pub(crate) fn most_likely(probabilities: &[f64]) -> u32 {
    let largest = probabilities.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut holders = probabilities.iter().enumerate().filter(|(_, p)| **p == largest);
    match (holders.next(), holders.next()) {
        (Some((position, _)), None) => position as u32,
        _ => ABSTAINS,
    }
}
