//! Several models on the same rows.

use crate::asked::{ColumnsAsked, SettingsAsked};
use crate::attend::attend;
use crate::audited::{dialect, written};
use crate::keywords::Keywords;
use crate::refused::{of_audit, of_setting, of_table};
use crate::table::{Table, inputs};
use fairveil::with_threads;
use fairveil_core::compare::{Candidate, Comparison};
use fairveil_core::setting::{Dialect, Refuses};
use fairveil_ingest::read_compared;
use fairveil_report::{About, ComparisonReport, Provenance, Report, Style};
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
#[pyo3(signature = (name, tables, columns, settings, told=None))]
pub fn compare(
    py: Python,
    name: String,
    tables: Vec<Py<Table>>,
    columns: ColumnsAsked,
    settings: SettingsAsked,
    told: Option<&Bound<PyAny>>,
) -> PyResult<Compared> {
    let inputs = inputs(&tables)?;
    let asked = columns.columns();
    let read = attend(py, told, |progress| read_compared(inputs, &asked, &columns.reading(progress)))?;
    let mut read = read.map_err(|error| of_table(py, &error))?;
    let mechanisms = settings.mechanisms(py)?;
    let with = std::mem::take(&mut read.tables).into_iter().map(|table| table.with_mechanisms(&mechanisms));
    read.tables = with.collect::<Result<_, _>>().map_err(|error| of_setting(py, &error.refusal()))?;
    let first = read.tables.first().ok_or_else(|| PyRuntimeError::new_err("no model was read"))?;
    let settings = settings.settings(py, first.counts.legend())?;
    let done = attend(py, told, |_| {
        with_threads(None, || {
            let candidates: Vec<Candidate> = (read.tables.iter())
                .map(|table| Candidate { counts: &table.counts, truth: table.truth.as_ref() })
                .collect();
            Comparison::run(&candidates, &read.rows, &settings)
        })
    })?;
    Ok(Compared { comparison: done.map_err(|error| of_audit(py, &error))?, table: name })
}

impl Compared {
    fn report<T>(
        &self,
        words: &dyn Dialect,
        date: Option<&str>,
        made: impl FnOnce(&ComparisonReport) -> T,
    ) -> T {
        let comparison = self.comparison.clone().spelled(words);
        let provenance = Provenance { date, ..Provenance::default() };
        let version = env!("CARGO_PKG_VERSION");
        let about = About { table: &self.table, version, provenance, dialect: words };
        made(&ComparisonReport { comparison: &comparison, about })
    }
}

#[pymethods]
impl Compared {
    /// The record as JSON, in the words of Python or of the command line.
    fn json(&self, words: &str) -> PyResult<String> {
        written(self.report(dialect(words)?, None, |report| report.json()))
    }

    /// One page that needs nothing else.
    fn html(&self, date: Option<&str>) -> String {
        self.report(&Keywords, date, |report| report.html())
    }

    /// The same in Markdown.
    fn markdown(&self, date: Option<&str>) -> String {
        self.report(&Keywords, date, |report| report.markdown())
    }

    /// For a screen.
    fn text(&self) -> String {
        self.report(&Keywords, None, |report| report.text(Style::Plain))
    }
}
