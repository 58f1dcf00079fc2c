//! What is wrong with a table: what was found and where, what was needed, what to do.

pub use crate::problem::Problem;

use fairveil_core::setting::{Refusal, Refuses, Text, visible};
use fairveil_core::{shows_refusal, text};
use std::fmt;

/// Where in the input something was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file, or `standard input`.
    pub file: String,
    /// The line, or the row.
    pub spot: Option<Spot>,
    /// The column.
    pub column: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", visible(&self.file))?;
        match self.spot {
            Some(Spot::Line(line)) => write!(f, ", line {line}")?,
            Some(Spot::Row(row)) => write!(f, ", row {row}")?,
            None => {}
        }
        match &self.column {
            Some(column) => write!(f, ", column `{}`", short(&visible(column))),
            None => Ok(()),
        }
    }
}

/// A line of a text, or a row of a table that has no lines, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// A line of the file.
    Line(u64),
    /// A row of the table, the header not counted.
    Row(u64),
}

/// A table that cannot be read or makes no sense. Nothing was written.
#[derive(Debug)]
pub struct IngestError {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: Problem,
}

impl Refuses for IngestError {
    fn refusal(&self) -> Refusal {
        let refusal = self.problem.refusal();
        if self.place == Place::default() {
            return refusal;
        }
        Refusal { found: text![format!("{}: ", self.place), refusal.found], ..refusal }
    }
}

shows_refusal!(IngestError);

/// Found, needed, to do.
pub(crate) fn said(found: impl Into<Text>, needed: impl Into<Text>, to_do: impl Into<Text>) -> Refusal {
    Refusal::new(found).needed(needed).to_do(to_do)
}

/// Names in a sentence, the first few of many.
pub(crate) fn some(names: &[String]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{}`", short(name))).collect();
    match names.len() {
        0 => "none".into(),
        n if n > MOST => format!("{} and {} more", shown.join(", "), n - MOST),
        _ => shown.join(", "),
    }
}

/// What a value of a feature is where a finite number is needed. The value itself may be about one person, and is not said.
pub(crate) fn kind_of(value: &str) -> &'static str {
    match value.trim().parse::<f64>() {
        _ if value.trim().is_empty() => "missing",
        Err(_) => "a text",
        Ok(number) if number.is_nan() => "NaN",
        Ok(number) if number.is_infinite() => "infinite",
        Ok(number) if number.abs() > f64::from(f32::MAX) => "a number that is too large",
        // Named as missing.
        Ok(_) => "a value that means nothing",
    }
}

/// A long value without its middle: names that differ mostly do so where they begin or end.
pub(crate) fn short(value: &str) -> String {
    const MOST: usize = 60;
    const END: usize = 20;
    let length = value.chars().count();
    if length <= MOST {
        return value.to_owned();
    }
    let letters = value.chars();
    letters.clone().take(MOST - END - 1).chain(['…']).chain(letters.skip(length - END)).collect()
}
