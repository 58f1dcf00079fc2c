//! Features as they are in a table, and as numbers.
//!
//! ```text
//! a number x      →  (x - mean) / deviation          [ and 1 where it is missing, x then being the mean ]
//! a category l    →  1 in the column of l, 0 in those of the other levels    [ missing: a column of its own ]
//! ```
//! Mean, deviation and levels are learned from the rows that a rule is fitted on, and from no others: they are part of
//! the rule and saved with it. Assumes that new rows speak of the same things under the same names; a level that was
//! never met, a missing value without a place and a number that is not finite are errors, for a rule that was never
//! shown them has nothing to say.

use crate::{Design, Feature, FeatureValues};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

mod error;
#[cfg(test)]
mod tests;

pub use error::EncodeError;

/// A feature with more values is a name or a number of each row unless most rows have one of its common ones.
const MANY_VALUES: usize = 1000;

/// A rule lists its levels; one with more is no rule that anyone reads.
const MOST_LEVELS: usize = 50_000;

/// With more columns than this, and with more than four for each feature, numbers that are 0 are not held.
const WIDE: usize = 250;
const WIDER_THAN_FEATURES: usize = 4;

/// Levels of fewer rows are one: a rule is handed around, and would list what few people have, such as their names. Of a table too
/// small to learn from all are kept.
const LEAST_ROWS: usize = 10;
const SMALL_TABLE: usize = 100;

/// Rows encoded by one thread at a time.
const CHUNK: usize = 4096;

/// One value of one row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// A number.
    Number(f64),
    /// A category.
    Text(&'a str),
    /// Nothing.
    Missing,
}

/// How one feature becomes numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum EncodedFeature {
    /// One column, and one more for the missing.
    Number {
        /// The column of the table.
        name: String,
        /// What becomes 0.
        mean: f64,
        /// What becomes 1, above the mean.
        deviation: f64,
        /// Whether a missing value has a column.
        missing: bool,
        /// The tenth smallest and the tenth largest value of the rows it was learned from; none of few rows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        range: Option<[f64; 2]>,
    },
    /// One column for each level, one more for all others where there are any, and one more for the missing.
    Category {
        /// The column of the table.
        name: String,
        /// The levels, in the order of their names.
        levels: Vec<String>,
        /// Whether other values have a column: those that few rows had, and those that were not met.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        others: bool,
        /// Whether a missing value has a column.
        missing: bool,
        /// The share of each level among the rows it was learned from, then that of all others; none of few rows.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        shares: Vec<f64>,
    },
}

impl EncodedFeature {
    /// The column of the table.
    pub fn name(&self) -> &str {
        match self {
            EncodedFeature::Number { name, .. } | EncodedFeature::Category { name, .. } => name,
        }
    }

    /// How many numbers it becomes.
    pub fn columns(&self) -> usize {
        match self {
            EncodedFeature::Number { missing, .. } => 1 + usize::from(*missing),
            EncodedFeature::Category { levels, others, missing, .. } => {
                levels.len() + usize::from(*others) + usize::from(*missing)
            }
        }
    }

    fn fit(feature: &Feature, rows: &[usize], impute: bool) -> Result<Self, EncodeError> {
        let name = feature.name.clone();
        match &feature.values {
            FeatureValues::Numbers(numbers) => {
                let mut met = Vec::with_capacity(rows.len());
                for &row in rows {
                    match number(&name, numbers, row)? {
                        Some(value) => met.push(f64::from(value)),
                        None if impute => {}
                        None => return Err(EncodeError::Missing { feature: name, row: Some(row) }),
                    }
                }
                let Some(&first) = met.first() else { return Err(EncodeError::Empty { feature: name }) };
                let size = met.len() as f64;
                let mean = met.iter().sum::<f64>() / size;
                let square = met.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / size;
                // Equal values are told by comparing: their mean is rounded, and a deviation made of that rounding would
                // make a feature of it.
                let constant = met.iter().all(|&value| value == first);
                let (mean, deviation) = if constant { (first, 1.0) } else { (mean, square.sqrt()) };
                Ok(EncodedFeature::Number { name, mean, deviation, missing: impute, range: range(met) })
            }
            FeatureValues::Categories { levels, codes } => {
                let mut met: BTreeMap<&str, usize> = BTreeMap::new();
                for &row in rows {
                    match level(&name, levels, codes, row)? {
                        Some((_, level)) => *met.entry(level).or_default() += 1,
                        None if impute => {}
                        None => return Err(EncodeError::Missing { feature: name, row: Some(row) }),
                    }
                }
                if met.is_empty() {
                    return Err(EncodeError::Empty { feature: name });
                }
                let (all, total) = (met.len(), met.values().sum::<usize>());
                met.retain(|_, times| *times >= LEAST_ROWS || rows.len() < SMALL_TABLE);
                let rest = total - met.values().sum::<usize>();
                if all > MANY_VALUES && 2 * rest > total {
                    let (found, rare) = (all, rest as f64 / total as f64);
                    return Err(EncodeError::MostlyRare { feature: name, found, least: LEAST_ROWS, rare });
                }
                if met.len() > MOST_LEVELS {
                    let (found, most) = (met.len(), MOST_LEVELS);
                    return Err(EncodeError::TooManyLevels { feature: name, found, most });
                }
                let others = met.len() < all;
                let told = |times: usize| (1e4 * times as f64 / total as f64).round() / 1e4;
                let shares = met.values().copied().chain([rest]).map(told);
                let shares = if total < SMALL_TABLE { Vec::new() } else { shares.collect() };
                let levels = met.into_keys().map(str::to_owned).collect();
                Ok(EncodedFeature::Category { name, levels, others, missing: impute, shares })
            }
        }
    }

    /// The one of its columns that is not 0 for a value, and the number there.
    fn place(&self, value: Value<'_>, row: Option<usize>) -> Result<(usize, f64), EncodeError> {
        let feature = || self.name().to_owned();
        match (self, value) {
            (EncodedFeature::Number { mean, deviation, .. }, Value::Number(value)) => {
                let scaled = (value - mean) / deviation;
                if (value as f32).is_finite() && (scaled as f32).is_finite() {
                    Ok((0, scaled))
                } else {
                    Err(EncodeError::NotFinite { feature: feature(), value, row })
                }
            }
            (EncodedFeature::Category { levels, others, .. }, Value::Text(text)) => {
                let place = levels.binary_search_by(|level| level.as_str().cmp(text)).ok();
                let unseen = || EncodeError::Unseen { feature: feature(), value: text.to_owned(), row };
                Ok((place.or(others.then_some(levels.len())).ok_or_else(unseen)?, 1.0))
            }
            (
                EncodedFeature::Number { missing: true, .. } | EncodedFeature::Category { missing: true, .. },
                Value::Missing,
            ) => Ok((self.columns() - 1, 1.0)),
            (_, Value::Missing) => Err(EncodeError::Missing { feature: feature(), row }),
            (EncodedFeature::Number { .. }, Value::Text(_)) => {
                Err(EncodeError::Kind { feature: feature(), needed: "numbers", found: "text" })
            }
            (EncodedFeature::Category { .. }, Value::Number(_)) => {
                Err(EncodeError::Kind { feature: feature(), needed: "text", found: "numbers" })
            }
        }
    }

    /// Writes the numbers of one value over `out`, which holds as many as there are columns.
    fn put(&self, value: Value<'_>, row: Option<usize>, out: &mut [f32]) -> Result<(), EncodeError> {
        let (place, number) = self.place(value, row)?;
        out.fill(0.0);
        out[place] = number as f32;
        Ok(())
    }
}

/// The values that as many rows reach as a level needs: the very ends are one person's.
pub(crate) fn range(mut values: Vec<f64>) -> Option<[f64; 2]> {
    if values.len() < SMALL_TABLE {
        return None;
    }
    let last = values.len() - 1;
    let (_, low, _) = values.select_nth_unstable_by(LEAST_ROWS - 1, f64::total_cmp);
    let low = *low;
    let (_, high, _) = values.select_nth_unstable_by(last - (LEAST_ROWS - 1), f64::total_cmp);
    Some([low, *high])
}

fn put_level(place: usize, out: &mut [f32]) {
    out.fill(0.0);
    out[place] = 1.0;
}

/// How features become numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Encoding {
    /// The features, in the order of their columns.
    features: Vec<EncodedFeature>,
}

/// An encoding as a file has it, not yet checked.
#[derive(Deserialize)]
struct Stored {
    features: Vec<EncodedFeature>,
}

impl TryFrom<Stored> for Encoding {
    type Error = EncodeError;

    fn try_from(stored: Stored) -> Result<Self, EncodeError> {
        let mut names = BTreeSet::new();
        for feature in &stored.features {
            let sound = match feature {
                EncodedFeature::Number { mean, deviation, range, .. } => {
                    let ordered = |[low, high]: [f64; 2]| low.is_finite() && high.is_finite() && low <= high;
                    mean.is_finite() && deviation.is_finite() && *deviation > 0.0 && range.is_none_or(ordered)
                }
                EncodedFeature::Category { levels, others, shares, .. } => {
                    let of_all = shares.is_empty() || shares.len() == levels.len() + 1;
                    let real = shares.iter().all(|share| (0.0..=1.0).contains(share));
                    let sorted = levels.windows(2).all(|pair| pair[0] < pair[1]);
                    (!levels.is_empty() || *others) && sorted && of_all && real
                }
            };
            if !sound || !names.insert(feature.name()) {
                return Err(EncodeError::Stored { feature: feature.name().to_owned() });
            }
        }
        Ok(Encoding { features: stored.features })
    }
}

impl Encoding {
    /// Learned from these rows only. With `impute` every feature gets a column for missing values, whether these rows
    /// have one or not: where they have none its coefficient stays 0, and a missing number is read as the mean.
    /// Without it a missing value is an error.
    pub fn fit(features: &[Feature], rows: &[usize], impute: bool) -> Result<Self, EncodeError> {
        let features = features.par_iter().map(|feature| EncodedFeature::fit(feature, rows, impute));
        // The error of the first feature, whichever thread was first.
        let features: Vec<Result<EncodedFeature, EncodeError>> = features.collect();
        Encoding::try_from(Stored { features: features.into_iter().collect::<Result<_, _>>()? })
    }

    /// The features, in the order of their columns.
    pub fn features(&self) -> &[EncodedFeature] {
        &self.features
    }

    /// How many numbers a row becomes.
    pub fn columns(&self) -> usize {
        self.features.iter().map(EncodedFeature::columns).sum()
    }

    /// What the numbers of a row are called.
    pub fn column_names(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.columns());
        for feature in &self.features {
            let (name, missing) = match feature {
                EncodedFeature::Number { name, missing, .. } => {
                    names.push(name.clone());
                    (name, missing)
                }
                EncodedFeature::Category { name, levels, others, missing, .. } => {
                    names.extend(levels.iter().map(|level| format!("{name} = {level}")));
                    names.extend(others.then(|| format!("{name} (others)")));
                    (name, missing)
                }
            };
            if *missing {
                names.push(format!("{name} (missing)"));
            }
        }
        names
    }

    /// These rows as numbers. Features are found by their names, in whatever order they come; others are ignored.
    pub fn encode(&self, features: &[Feature], rows: &[usize]) -> Result<Design, EncodeError> {
        let found = |encoded: &EncodedFeature| {
            let name = encoded.name();
            let feature = features.iter().find(|feature| feature.name == name);
            feature.ok_or_else(|| EncodeError::Absent { feature: name.to_owned() })
        };
        let features = self.features.iter().map(found).collect::<Result<Vec<_>, _>>()?;
        let columns = self.columns();
        if columns == 0 {
            return Ok(Design::new(rows.len(), 0, Vec::new()));
        }
        // Where the levels of the new rows are among ours: looked up once, not once for each row.
        let places: Vec<Vec<Option<usize>>> = self.features.iter().zip(&features).map(places).collect();
        if columns > WIDE && columns > WIDER_THAN_FEATURES * features.len() {
            return self.encode_sparse(&features, &places, rows);
        }
        let mut values = vec![0.0; rows.len() * columns];
        let chunks = values.par_chunks_mut(columns * CHUNK).zip(rows.par_chunks(CHUNK));
        let done: Vec<Result<(), EncodeError>> = chunks
            .map(|(out, rows)| {
                for (out, &row) in out.chunks_exact_mut(columns).zip(rows) {
                    let mut rest = out;
                    for ((encoded, feature), places) in self.features.iter().zip(&features).zip(&places) {
                        let (out, others) = rest.split_at_mut(encoded.columns());
                        rest = others;
                        let (value, code) = value(feature, row)?;
                        match code.and_then(|code| places.get(code).copied().flatten()) {
                            Some(place) => put_level(place, out),
                            None => encoded.put(value, Some(row), out)?,
                        }
                    }
                }
                Ok(())
            })
            .collect();
        // The first error of the table, whichever thread was first.
        done.into_iter().collect::<Result<(), _>>()?;
        Ok(Design::new(rows.len(), columns, values))
    }

    /// These rows as the numbers that are not 0, one for each feature.
    fn encode_sparse(
        &self,
        features: &[&Feature],
        places: &[Vec<Option<usize>>],
        rows: &[usize],
    ) -> Result<Design, EncodeError> {
        let width = features.len();
        let mut starts = vec![0];
        for feature in &self.features {
            starts.push(starts[starts.len() - 1] + feature.columns());
        }
        let (mut columns, mut values) = (vec![0u32; rows.len() * width], vec![0f32; rows.len() * width]);
        let out = columns.par_chunks_mut(width * CHUNK).zip(values.par_chunks_mut(width * CHUNK));
        let done: Vec<Result<(), EncodeError>> = out
            .zip(rows.par_chunks(CHUNK))
            .map(|((columns, values), rows)| {
                for (place, &row) in rows.iter().enumerate() {
                    for (at, (encoded, feature)) in self.features.iter().zip(features).enumerate() {
                        let (value, code) = value(feature, row)?;
                        let (column, number) =
                            match code.and_then(|code| places[at].get(code).copied().flatten()) {
                                Some(level) => (level, 1.0),
                                None => encoded.place(value, Some(row))?,
                            };
                        columns[place * width + at] = (starts[at] + column) as u32;
                        values[place * width + at] = number as f32;
                    }
                }
                Ok(())
            })
            .collect();
        // The first error of the table, whichever thread was first.
        done.into_iter().collect::<Result<(), _>>()?;
        Ok(Design::sparse(self.columns(), width, columns, values))
    }

    /// The numbers of one row that are not 0, by column, in double precision; the values are in the order of
    /// [`features`](Self::features).
    pub fn encode_row(&self, values: &[Value<'_>]) -> Result<Vec<(usize, f64)>, EncodeError> {
        if values.len() != self.features.len() {
            return Err(EncodeError::Values { found: values.len(), needed: self.features.len() });
        }
        let mut first = 0;
        let mut row = Vec::with_capacity(values.len());
        for (feature, value) in self.features.iter().zip(values) {
            let (place, number) = feature.place(*value, None)?;
            row.push((first + place, number));
            first += feature.columns();
        }
        Ok(row)
    }
}

/// For each level of new rows its place among those that were learned.
fn places((encoded, feature): (&EncodedFeature, &&Feature)) -> Vec<Option<usize>> {
    match (encoded, &feature.values) {
        (EncodedFeature::Category { levels: ours, others, .. }, FeatureValues::Categories { levels, .. }) => {
            let other = others.then_some(ours.len());
            levels.iter().map(|level| ours.binary_search(level).ok().or(other)).collect()
        }
        _ => Vec::new(),
    }
}

/// The value of a row, and the code of its level if it has one.
fn value(feature: &Feature, row: usize) -> Result<(Value<'_>, Option<usize>), EncodeError> {
    Ok(match &feature.values {
        FeatureValues::Numbers(numbers) => match number(&feature.name, numbers, row)? {
            Some(value) => (Value::Number(f64::from(value)), None),
            None => (Value::Missing, None),
        },
        FeatureValues::Categories { levels, codes } => match level(&feature.name, levels, codes, row)? {
            Some((code, level)) => (Value::Text(level), Some(code)),
            None => (Value::Missing, None),
        },
    })
}

fn number(feature: &str, numbers: &[f32], row: usize) -> Result<Option<f32>, EncodeError> {
    match numbers.get(row) {
        None => Err(EncodeError::Row { feature: feature.to_owned(), row, rows: numbers.len() }),
        Some(value) if value.is_nan() => Ok(None),
        Some(value) if value.is_infinite() => Err(EncodeError::NotFinite {
            feature: feature.to_owned(),
            value: f64::from(*value),
            row: Some(row),
        }),
        Some(value) => Ok(Some(*value)),
    }
}

fn level<'a>(
    feature: &str,
    levels: &'a [String],
    codes: &[u32],
    row: usize,
) -> Result<Option<(usize, &'a str)>, EncodeError> {
    match codes.get(row) {
        None => Err(EncodeError::Row { feature: feature.to_owned(), row, rows: codes.len() }),
        Some(&u32::MAX) => Ok(None),
        Some(&code) => match levels.get(code as usize) {
            Some(level) => Ok(Some((code as usize, level))),
            None => Err(EncodeError::Code { feature: feature.to_owned(), row, code, levels: levels.len() }),
        },
    }
}
