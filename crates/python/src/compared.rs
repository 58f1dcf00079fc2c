//! Several models on the same rows.

use crate::asked::Asked;
use crate::audited::{Made, dialect, written};
use crate::keywords::Keywords;
use crate::refused::{of_audit, to_setting};
use fairveil_core::compare::{Candidate, Comparison};
use fairveil_core::setting::Dialect;
use fairveil_ingest::read_compared;
use fairveil_report::{ComparisonReport, Report, Style};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// A comparison. Nothing changes it.
#[pyclass(module = "fairveil._native", frozen)]
pub struct Compared {
    comparison: Comparison,
    table: String,
}

/// Compares models, whose decisions are in the columns `y_pred` and `other_preds`.
#[pyfunction]
pub fn compare(py: Python, asked: Asked) -> PyResult<Compared> {
    let mut read = asked.read(py, read_compared)?;
    let mechanisms = asked.mechanisms(py)?;
    let with = std::mem::take(&mut read.tables).into_iter().map(|table| table.with_mechanisms(&mechanisms));
    read.tables = with.collect::<Result<_, _>>().map_err(to_setting(py))?;
    let first = read.tables.first().ok_or_else(|| PyRuntimeError::new_err("no model was read"))?;
    let settings = asked.settings(py, first.counts.legend())?;
    let done = asked.attend(py, |_| {
        let candidates: Vec<Candidate> = (read.tables.iter())
            .map(|table| Candidate { counts: &table.counts, truth: table.truth.as_ref() })
            .collect();
        Comparison::run(&candidates, &read.rows, &settings)
    })?;
    Ok(Compared { comparison: done.map_err(|error| of_audit(py, &error))?, table: asked.name })
}

impl Compared {
    fn report<T>(&self, words: &dyn Dialect, of: &Made, made: impl FnOnce(&ComparisonReport) -> T) -> T {
        let comparison = self.comparison.clone().spelled(words);
        made(&ComparisonReport { comparison: &comparison, about: of.about(&self.table, words) })
    }
}

#[pymethods]
impl Compared {
    /// The record as JSON, in the words of Python or of the command line.
    fn json(&self, words: &str) -> PyResult<String> {
        written(self.report(dialect(words)?, &Made::default(), |report| report.json()))
    }

    /// One page that needs nothing else.
    fn html(&self, of: Made) -> String {
        self.report(&Keywords, &of, |report| report.html())
    }

    /// The same in Markdown.
    fn markdown(&self, of: Made) -> String {
        self.report(&Keywords, &of, |report| report.markdown())
    }

    /// For a screen.
    fn text(&self) -> String {
        self.report(&Keywords, &Made::default(), |report| report.text(Style::Plain))
    }
}
