//! Tallies as files: what `count` writes and every reader takes back.
//!
//! A tally has the key columns of the table it was made from, and beside them `count` and the other sums. A number that
//! is rounded can not be added to another without a trace, so what rounding left of a sum of weights is written too, in
//! the column `rest`: tallies of parts add up to the tally of the whole, to the last digit.

use crate::cells::{Cells, Hidden, RawTally, Sums};
use crate::columns::{COUNT, HIDDEN, REST, ROWS, SOFT, SOFT_WEIGHT, SQUARED, of_a_tally};
use crate::error::{IngestError, Place, Problem};
use crate::feed::Gathered;
use crate::worker::skipped;
use fairveil_core::{ExactSum, Skipped};
use std::collections::BTreeMap;
use std::io::Write;

/// A table, counted and not yet made sense of.
#[derive(Clone)]
pub struct TallyTable {
    keys: Vec<String>,
    cells: BTreeMap<Vec<String>, RawTally>,
    weighted: bool,
    score_groups: Vec<String>,
    hidden: Option<Hidden>,
    skipped: Vec<Skipped>,
}

/// How a tally is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TallyFormat {
    /// Values between commas.
    Csv,
    /// Values between tabs.
    Tsv,
    /// One JSON object on each line.
    #[cfg(feature = "json")]
    JsonLines,
    /// Parquet.
    #[cfg(feature = "parquet")]
    Parquet,
}

/// One number of a cell.
pub(crate) enum Number {
    Whole(u64),
    Real(f64),
    Text(String),
    Nothing,
}

impl TallyTable {
    pub(crate) fn new(gathered: Gathered<Cells>) -> Result<Self, IngestError> {
        let Gathered { plan, files, dictionaries, consumer: cells, skipped: left_out, .. } = gathered;
        // A column in two roles is written once.
        let mut kept: Vec<usize> = Vec::new();
        let derived = |place: usize| plan.probabilities.iter().any(|(key, _)| *key == place);
        for (place, key) in plan.keys.iter().enumerate() {
            let name = &key.name;
            let same_name =
                |other: &usize| plan.keys[*other].name == *name && (derived(place) || derived(*other));
            let problem = match () {
                () if of_a_tally(name) => Some(Problem::ReservedName),
                () if kept.iter().any(same_name) => Some(Problem::SameName),
                () => None,
            };
            if let Some(problem) = problem {
                let file = files.first().map(|file| file.name.clone()).unwrap_or_default();
                let place = Place { file, spot: None, column: Some(name.clone()) };
                return Err(IngestError { place, problem });
            }
            if !kept.iter().any(|kept| plan.keys[*kept].name == *name) {
                kept.push(place);
            }
        }
        let text = |place: usize, code: u32| -> String {
            if plan.probabilities.iter().any(|(key, _)| *key == place) {
                return plan.score_groups.get(code as usize).cloned().unwrap_or_default();
            }
            let value = &dictionaries[place].values[code as usize];
            value.canonical.as_ref().map(|_| value.text.clone()).unwrap_or_default()
        };
        let mut named: BTreeMap<Vec<String>, RawTally> = BTreeMap::new();
        for (key, tally) in cells.keys.iter().zip(&cells.tallies).filter(|(_, tally)| tally.rows > 0) {
            let values = kept.iter().map(|place| text(*place, key[*place])).collect();
            named.entry(values).or_default().merge(tally);
        }
        Ok(TallyTable {
            keys: kept.iter().map(|place| plan.keys[*place].name.clone()).collect(),
            cells: named,
            weighted: plan.weighted(),
            score_groups: plan.score_groups.clone(),
            hidden: cells.hidden,
            skipped: skipped(&left_out, &files),
        })
    }

    /// Withholds cells with fewer rows than this, and counts what was withheld.
    pub fn hide_below(&mut self, least: u64) {
        let hidden = self.hidden.get_or_insert_default();
        let weighted = self.weighted;
        self.cells.retain(|_, tally| {
            if tally.rows >= least {
                return true;
            }
            hidden.cells += 1;
            hidden.rows += tally.rows;
            match (&tally.sums, weighted) {
                (Some(sums), true) => hidden.weight.merge(&sums.weight),
                _ => hidden.weight.add(tally.rows as f64),
            }
            false
        });
    }

    /// How many cells it has.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// How many rows it counts.
    pub fn rows(&self) -> u64 {
        self.cells.values().map(|tally| tally.rows).sum()
    }

    /// Cells and rows that were withheld.
    pub fn hidden(&self) -> Option<(u64, u64)> {
        self.hidden.as_ref().map(|hidden| (hidden.cells, hidden.rows))
    }

    /// Rows that could not be read and were left out.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// The names of the numbers.
    fn numbers(&self) -> Vec<String> {
        let mut names = vec![COUNT.to_owned()];
        if self.weighted {
            names.extend([ROWS, SQUARED].map(str::to_owned));
        }
        if !self.score_groups.is_empty() {
            names.extend(self.score_groups.iter().map(|group| format!("{SOFT}{group}")));
            names.push(SOFT_WEIGHT.to_owned());
        }
        if self.weighted || !self.score_groups.is_empty() {
            names.push(REST.to_owned());
        }
        if self.hidden.is_some() {
            names.extend(HIDDEN.map(str::to_owned));
        }
        names
    }

    /// The numbers of a cell, in the order of their names.
    fn numbers_of(&self, tally: &RawTally) -> Vec<Number> {
        let none = Sums::default();
        let sums = tally.sums.as_deref().unwrap_or(&none);
        let mut numbers = match self.weighted {
            true => vec![
                Number::Real(sums.weight.value()),
                Number::Whole(tally.rows),
                Number::Real(sums.squares.value()),
            ],
            false => vec![Number::Whole(tally.rows)],
        };
        if !self.score_groups.is_empty() {
            let zero = ExactSum::default();
            let soft = (0..self.score_groups.len()).map(|g| sums.scores.get(g).unwrap_or(&zero).value());
            numbers.extend(soft.map(Number::Real));
            numbers.push(Number::Real(sums.scored.value()));
        }
        if self.weighted || !self.score_groups.is_empty() {
            numbers.push(Number::Text(rest(sums)));
        }
        if self.hidden.is_some() {
            numbers.extend([Number::Nothing, Number::Nothing, Number::Nothing]);
        }
        numbers
    }

    /// The rows of the file: values of the keys, then the numbers.
    fn lines(&self) -> impl Iterator<Item = (Vec<&str>, Vec<Number>)> {
        let cells = self.cells.iter();
        let cells = cells.map(|(values, tally)| {
            (values.iter().map(String::as_str).collect::<Vec<_>>(), self.numbers_of(tally))
        });
        let withheld = self.hidden.iter().map(|hidden| {
            let mut numbers = self.numbers_of(&RawTally::default());
            numbers.truncate(numbers.len() - HIDDEN.len());
            numbers.extend([
                Number::Whole(hidden.cells),
                Number::Whole(hidden.rows),
                Number::Real(hidden.weight.value()),
            ]);
            (vec![""; self.keys.len()], numbers)
        });
        cells.chain(withheld)
    }

    fn names(&self) -> Vec<String> {
        self.keys.iter().cloned().chain(self.numbers()).collect()
    }

    /// Writes the tally.
    pub fn write(&self, format: TallyFormat, out: impl Write + Send) -> std::io::Result<()> {
        match format {
            TallyFormat::Csv => self.write_text(b',', out),
            TallyFormat::Tsv => self.write_text(b'\t', out),
            #[cfg(feature = "json")]
            TallyFormat::JsonLines => self.write_json(out),
            #[cfg(feature = "parquet")]
            TallyFormat::Parquet => {
                let lines: Vec<_> = self.lines().collect();
                crate::formats::write_parquet(&self.keys, &self.numbers(), &lines, out)
            }
        }
    }

    fn write_text(&self, delimiter: u8, out: impl Write) -> std::io::Result<()> {
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
        writer.write_record(self.names())?;
        for (values, numbers) in self.lines() {
            let numbers = numbers.iter().map(|number| match number {
                Number::Whole(whole) => whole.to_string(),
                Number::Real(real) => real.to_string(),
                Number::Text(text) => text.clone(),
                Number::Nothing => String::new(),
            });
            writer.write_record(values.into_iter().map(str::to_owned).chain(numbers))?;
        }
        writer.flush()
    }

    #[cfg(feature = "json")]
    fn write_json(&self, mut out: impl Write) -> std::io::Result<()> {
        use serde_json::Value;
        let names: Vec<String> = self.names().into_iter().map(|name| Value::from(name).to_string()).collect();
        for (values, numbers) in self.lines() {
            let text = |text: &str| match text {
                "" => Value::Null,
                text => Value::from(text),
            };
            let values = values.into_iter().map(text);
            let numbers = numbers.iter().map(|number| match number {
                Number::Whole(whole) => Value::from(*whole),
                Number::Real(real) => Value::from(*real),
                Number::Text(rest) => text(rest),
                Number::Nothing => Value::Null,
            });
            // In the order of the columns, which a map would not keep.
            let pairs =
                names.iter().zip(values.chain(numbers)).map(|(name, value)| format!("{name}:{value}"));
            writeln!(out, "{{{}}}", pairs.collect::<Vec<_>>().join(","))?;
        }
        out.flush()
    }
}

/// What rounding leaves of the sums, such as `count=1e-17;soft0=3e-18 2e-35`.
fn rest(sums: &Sums) -> String {
    let named = [(COUNT.to_owned(), &sums.weight), (SQUARED.to_owned(), &sums.squares)];
    let named = named.into_iter().chain([(SOFT_WEIGHT.to_owned(), &sums.scored)]);
    let soft = sums.scores.iter().enumerate().map(|(g, sum)| (format!("soft{g}"), sum));
    let parts = named.chain(soft).filter_map(|(name, sum)| {
        let left: Vec<String> = sum.rest().iter().map(|part| format!("{part:e}")).collect();
        (!left.is_empty()).then(|| format!("{name}={}", left.join(" ")))
    });
    parts.collect::<Vec<_>>().join(";")
}

/// Adds what rounding left of the sums of a cell; nothing where it can not be read.
pub(crate) fn add_rest(tally: &mut RawTally, rest: &str) -> Option<()> {
    let sums = tally.sums.as_mut()?;
    for part in rest.split(';') {
        let (name, left) = part.split_once('=')?;
        let sum = match name {
            COUNT => &mut sums.weight,
            SQUARED => &mut sums.squares,
            SOFT_WEIGHT => &mut sums.scored,
            _ => sums.scores.get_mut(name.strip_prefix("soft")?.parse::<usize>().ok()?)?,
        };
        let rounded = sum.value();
        for term in left.split(' ') {
            sum.add(term.parse().ok().filter(|term: &f64| term.is_finite())?);
        }
        // What rounding left changes no digit.
        (sum.value() == rounded).then_some(())?;
    }
    Some(())
}
