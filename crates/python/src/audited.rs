//! An audit of a table in memory, and all that it can be written as.

use crate::asked::{Asked, word};
use crate::keywords::Keywords;
use crate::refused::{of_audit, to_setting};
use fairveil::Flags;
use fairveil_core::Audit;
use fairveil_core::gate::{Gate, Verdict};
use fairveil_core::record::SegmentRecord;
use fairveil_core::segments::Segment;
use fairveil_core::setting::{Dialect, Setting};
use fairveil_report::{About, AuditReport, Provenance, Report, Style};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// An audit and those of its segments. Nothing changes it.
#[pyclass(module = "fairveil._native", frozen)]
pub struct Audited {
    audit: Audit,
    by: Vec<String>,
    segments: Vec<SegmentRecord>,
    table: String,
}

/// Audits tables, which are one.
#[pyfunction]
pub fn audit(py: Python, asked: Asked) -> PyResult<Audited> {
    let (read, settings) = asked.table(py)?;
    let done = asked.attend(py, |_| {
        let audit = Audit::run(&read.counts, read.truth.as_ref(), &settings)?;
        Ok((audit, Segment::audits(&read.segments, &settings)))
    })?;
    let (audit, segments) = done.map_err(|error| of_audit(py, &error))?;
    Ok(Audited { audit, by: asked.by(), segments, table: asked.name })
}

/// How settings are spelled: as keywords, or as flags.
pub fn dialect(words: &str) -> PyResult<&'static dyn Dialect> {
    match words {
        "keywords" => Ok(&Keywords),
        "flags" => Ok(&Flags),
        other => Err(PyValueError::new_err(format!("`{other}` is none of keywords, flags"))),
    }
}

/// What every report says of itself.
pub fn about<'a>(table: &'a str, date: Option<&'a str>, words: &'a dyn Dialect) -> About<'a> {
    let provenance = Provenance { date, ..Provenance::default() };
    About { table, version: env!("CARGO_PKG_VERSION"), provenance, dialect: words }
}

/// What was written, unless it could not be.
pub fn written(text: Result<String, serde_json::Error>) -> PyResult<String> {
    text.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

impl Audited {
    /// The record.
    pub fn audit(&self) -> &Audit {
        &self.audit
    }

    /// What is reported, in the words of a front end.
    fn report<T>(&self, words: &dyn Dialect, date: Option<&str>, made: impl FnOnce(&AuditReport) -> T) -> T {
        let audit = self.audit.clone().spelled(words);
        let segments: Vec<SegmentRecord> =
            self.segments.iter().map(|segment| segment.clone().spelled(words)).collect();
        let about = about(&self.table, date, words);
        made(&AuditReport { audit: &audit, by: &self.by, segments: &segments, about })
    }
}

#[pymethods]
impl Audited {
    /// The record as JSON, in the words of Python ("keywords") or of the command line ("flags").
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

    /// The plots of the page, by name.
    fn plots(&self) -> Vec<(String, String)> {
        let plots = self.report(&Keywords, None, |report| report.plots());
        plots.into_iter().map(|plot| (plot.name, plot.svg)).collect()
    }

    /// Whether a criterion's largest gap, shared error included, is at most a value: "held", "crossed" or "undecided", and a sentence.
    fn gate(&self, py: Python, criterion: &str, above: f64) -> PyResult<(&'static str, String)> {
        let gate = Gate { criterion: word(py, Setting::Criterion, criterion)?, above };
        let judged = gate.judge(&self.audit).map_err(to_setting(py))?;
        let verdict = match judged.verdict {
            Verdict::Held => "held",
            Verdict::Crossed => "crossed",
            Verdict::Undecided => "undecided",
        };
        Ok((verdict, judged.to_string()))
    }

    /// What the table is called.
    #[getter]
    fn table(&self) -> &str {
        &self.table
    }

    /// The same audit from its JSON, as it was written by Python or by the command line.
    #[staticmethod]
    fn from_json(text: &str, table: String) -> PyResult<Self> {
        let told = |error: serde_json::Error| PyValueError::new_err(format!("this is no audit: {error}"));
        let mut whole: serde_json::Value = serde_json::from_str(text).map_err(told)?;
        let mut part = |name: &str| whole.get_mut(name).map(serde_json::Value::take);
        let by = part("by").map(serde_json::from_value).transpose().map_err(told)?;
        let segments = part("segments").map(serde_json::from_value).transpose().map_err(told)?;
        let audit = serde_json::from_str(text).map_err(told)?;
        Ok(Audited { audit, by: by.unwrap_or_default(), segments: segments.unwrap_or_default(), table })
    }
}
