//! What is wrong with a row, and rows that are left out for it.

use crate::error::{IngestError, Place, Problem, Spot};
use crate::features::FeatureProblem;
use crate::training::TrainingProblem;
use crate::value::At;
use fairveil_core::counts::Skipped;
use std::collections::BTreeMap;

/// What is wrong, before the names of files are at hand.
#[derive(Debug)]
pub(crate) struct Fault {
    pub at: At,
    pub column: Option<String>,
    pub problem: Problem,
}

impl Fault {
    /// In a file as a whole.
    pub fn of_file(file: u32, problem: Problem) -> Self {
        Fault { at: At { file, number: 0 }, column: None, problem }
    }

    /// What the columns of a file got wrong.
    pub fn of_header(file: u32, error: IngestError) -> Self {
        Fault { at: At { file, number: 0 }, column: error.place.column, problem: error.problem }
    }

    pub fn named(self, files: &[FileName]) -> IngestError {
        let name = files.get(self.at.file as usize);
        let spot = match (self.at.number, name) {
            (0, _) | (_, None) => None,
            (number, Some(name)) => Some(name.spot(number)),
        };
        let file = match (&self.problem, name) {
            // What is wrong with a query is nowhere else.
            (Problem::Sql(_), _) => "query".to_owned(),
            (_, name) => name.map(|name| name.name.clone()).unwrap_or_default(),
        };
        IngestError { place: Place { file, spot, column: self.column }, problem: self.problem }
    }
}

/// What an input is called, and whether its rows are found by line.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileName {
    pub name: String,
    pub has_lines: bool,
}

impl FileName {
    pub fn spot(&self, number: u64) -> Spot {
        if self.has_lines { Spot::Line(number) } else { Spot::Row(number) }
    }
}

/// Rows left out, by reason: how many, and the first.
pub(crate) type SkippedRows = BTreeMap<&'static str, (u64, At, String)>;

/// Counts one more row left out.
pub(crate) fn skip(skipped: &mut SkippedRows, reason: &'static str, fault: &Fault, rows: u64) {
    let found = || match &fault.column {
        Some(column) => format!("column `{column}`: {}", fault.problem.refusal().found),
        None => fault.problem.refusal().found.to_string(),
    };
    let entry = skipped.entry(reason).or_insert_with(|| (0, fault.at, found()));
    entry.0 += rows;
    if fault.at < entry.1 {
        (entry.1, entry.2) = (fault.at, found());
    }
}

/// What a row is left out for, where that is safe: the row is broken by itself and says nothing about others.
pub(crate) fn safe_to_skip(problem: &Problem) -> Option<&'static str> {
    match problem {
        Problem::FieldCount { .. } => Some("the number of fields"),
        Problem::NotUtf8 => Some("text that is not UTF-8"),
        Problem::Weight { .. } => Some("the weight"),
        Problem::LabelProbability { .. } => Some("the chance of being labelled"),
        Problem::Probability { .. } | Problem::ProbabilitySum { .. } | Problem::ProbabilityMissing => {
            Some("the probabilities")
        }
        Problem::TruthMissing => Some("no true group"),
        Problem::Json(_) => Some("no JSON object"),
        Problem::Nested => Some("a list or object in place of a value"),
        Problem::Features(FeatureProblem::Value { .. } | FeatureProblem::Element { .. }) => {
            Some("the features")
        }
        Problem::Training(TrainingProblem::NoNumber { .. }) => Some("the features"),
        Problem::Training(TrainingProblem::Score { .. }) => Some("the score"),
        _ => None,
    }
}

/// The findings' words for rows left out.
pub(crate) fn skipped(rows: &SkippedRows, files: &[FileName]) -> Vec<Skipped> {
    let one = |(reason, (rows, at, found)): (&&'static str, &(u64, At, String))| {
        let name = &files[at.file as usize];
        let place = Place { file: name.name.clone(), spot: Some(name.spot(at.number)), column: None };
        Skipped { reason: (*reason).to_owned(), rows: *rows, first: format!("{place}: {found}") }
    };
    rows.iter().map(one).collect()
}
