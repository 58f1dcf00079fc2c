//! A tally from rows, one after the other.

use super::{Cell, Counts, CountsError, Intake, Tally};
use crate::exact_sum::ExactSum;
use crate::vocabulary::{Class, Guess, Legend, Stratum};
use std::collections::BTreeMap;

/// One row, by name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// The decision.
    pub prediction: &'a str,
    /// What it should have been, where that is known.
    pub label: Option<&'a str>,
    /// One guess for each proxy of the legend; nothing where it abstains.
    pub guesses: &'a [Option<&'a str>],
    /// How much the row counts.
    pub weight: f64,
}

/// The weights of a cell's rows, and their squares.
#[derive(Debug, Clone, Default)]
struct Sums {
    weight: ExactSum,
    squares: ExactSum,
}

/// Counts rows. Their order changes no digit: weights are summed exactly.
///
/// ```
/// # use fairveil_core::counts::CountsError;
/// # use fairveil_core::vocabulary::{Legend, ProxyId};
/// # use fairveil_core::counts::{CountsBuilder, Row};
/// let legend = Legend { groups: vec!["blue".into(), "green".into()], ..Legend::plain(2, 2, 1, false) };
/// let mut builder = CountsBuilder::new(legend);
/// for (prediction, guess) in [("1", Some("blue")), ("0", Some("green")), ("1", None)] {
///     builder.add(&Row { prediction, label: None, guesses: &[guess], weight: 1.0 })?;
/// }
/// assert_eq!(builder.finish()?.abstained(ProxyId(0)), 1.0);
/// # Ok::<(), CountsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct CountsBuilder {
    legend: Legend,
    intake: Intake,
    cells: BTreeMap<Cell, Sums>,
    weighted: bool,
}

impl CountsBuilder {
    /// For rows in the words of a legend.
    pub fn new(legend: Legend) -> Self {
        CountsBuilder { legend, intake: Intake::default(), cells: BTreeMap::new(), weighted: false }
    }

    /// Counts one row. A name that the legend does not have is an error, and the row is not counted.
    pub fn add(&mut self, row: &Row) -> Result<(), CountsError> {
        let place = |names: &[String], name: &str, what| {
            let found = names.iter().position(|known| known == name);
            found.ok_or(CountsError::OutOfRange { what })
        };
        if !(row.weight.is_finite() && row.weight >= 0.0) {
            return Err(CountsError::Weight { weight: row.weight });
        }
        if row.guesses.len() != self.legend.proxies.len() {
            return Err(CountsError::OutOfRange { what: "number of guesses" });
        }
        let class = |name| place(&self.legend.classes, name, "class").map(Class);
        let stratum =
            Stratum { label: row.label.map(class).transpose()?, prediction: class(row.prediction)? };
        let guess = |name| place(&self.legend.groups, name, "guess").map(Guess);
        let guesses = row.guesses.iter().map(|name| name.map(guess).transpose()).collect::<Result<_, _>>()?;
        let sums = self.cells.entry(Cell { stratum, guesses }).or_default();
        sums.weight.add(row.weight);
        sums.squares.add(row.weight * row.weight);
        self.weighted |= row.weight != 1.0;
        self.intake.rows += 1;
        if self.legend.label.is_some() && row.label.is_none() {
            self.intake.without_label += 1;
        }
        Ok(())
    }

    /// The tally.
    pub fn finish(self) -> Result<Counts, CountsError> {
        let weighted = self.weighted;
        let squared = |sums: &Sums| weighted.then(|| sums.squares.value());
        let squared_weights = self.cells.values().map(squared).sum();
        let tally = |sums: Sums| Tally { squares: squared(&sums), ..Tally::of(sums.weight.value()) };
        let cells = self.cells.into_iter().map(|(cell, sums)| (cell, tally(sums)));
        Counts::new(self.legend, Intake { squared_weights, ..self.intake }, cells)
    }
}
