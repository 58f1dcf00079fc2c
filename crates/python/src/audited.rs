//! An audit of a table in memory, and all that it can be written as.

use crate::asked::{Asked, word};
use crate::keywords::Keywords;
use crate::refused::{of_audit, to_setting};
use fairveil::Flags;
use fairveil_core::Audit;
use fairveil_core::gate::{Gate, Verdict};
use fairveil_core::record::SegmentRecord;
use fairveil_core::segments::{Segment, TogetherRecord};
use fairveil_core::setting::{Dialect, Setting};
use fairveil_report::{About, AuditReport, Identity, Provenance, Report, Style};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// An audit and those of its segments. Nothing changes it.
#[pyclass(module = "fairveil._native", frozen)]
pub struct Audited {
    audit: Audit,
    by: Vec<String>,
    segments: Vec<SegmentRecord>,
    together: Option<TogetherRecord>,
    table: String,
}

/// Audits tables, which are one.
#[pyfunction]
pub fn audit(py: Python, asked: Asked) -> PyResult<Audited> {
    let (read, settings) = asked.table(py)?;
    let done = asked.attend(py, |_| {
        let audit = Audit::run(&read.counts, read.truth.as_ref(), &settings)?;
        let settings = settings.beside(&audit);
        let together = TogetherRecord::of(&read.counts, &read.segments, &audit.settings.criteria, &settings);
        let segments = Segment::audits(&read.segments, &settings);
        Ok((audit, segments, together))
    })?;
    let (audit, segments, together) = done.map_err(|error| of_audit(py, &error))?;
    Ok(Audited { audit, by: asked.by(), segments, together, table: asked.name })
}

/// How settings are spelled: as keywords, or as flags.
pub fn dialect(words: &str) -> PyResult<&'static dyn Dialect> {
    match words {
        "keywords" => Ok(&Keywords),
        "flags" => Ok(&Flags),
        other => Err(PyValueError::new_err(format!("`{other}` is none of keywords, flags"))),
    }
}

/// What a report says of itself: the date, and what it is and whose, in the words of who made it.
#[derive(FromPyObject, Default)]
#[pyo3(from_item_all)]
pub struct Made {
    date: Option<String>,
    title: Option<String>,
    model: Option<String>,
    author: Option<String>,
    purpose: Option<String>,
    note: Option<String>,
}

impl Made {
    /// As reports take it.
    pub fn about<'a>(&'a self, table: &'a str, words: &'a dyn Dialect) -> About<'a> {
        let identity = Identity {
            title: self.title.as_deref(),
            model: self.model.as_deref(),
            author: self.author.as_deref(),
            purpose: self.purpose.as_deref(),
            note: self.note.as_deref(),
        };
        let provenance = Provenance { date: self.date.as_deref(), identity, ..Provenance::default() };
        About { table, version: env!("CARGO_PKG_VERSION"), provenance, dialect: words }
    }
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
    fn report<T>(&self, words: &dyn Dialect, of: &Made, made: impl FnOnce(&AuditReport) -> T) -> T {
        let audit = self.audit.clone().spelled(words);
        let segments: Vec<SegmentRecord> =
            self.segments.iter().map(|segment| segment.clone().spelled(words)).collect();
        let about = of.about(&self.table, words);
        let together = self.together.as_ref();
        made(&AuditReport { audit: &audit, by: &self.by, segments: &segments, together, about })
    }

    /// The state of a gate, and a sentence.
    fn judged(&self, py: Python, gate: Gate) -> PyResult<(&'static str, String)> {
        let judged = gate.judge(&self.audit).map_err(to_setting(py))?;
        let verdict = match judged.verdict {
            Verdict::Held => "held",
            Verdict::Crossed => "crossed",
            Verdict::Undecided => "undecided",
        };
        Ok((verdict, judged.to_string()))
    }
}

#[pymethods]
impl Audited {
    /// The record as JSON, in the words of Python ("keywords") or of the command line ("flags").
    fn json(&self, words: &str) -> PyResult<String> {
        written(self.report(dialect(words)?, &Made::default(), |report| report.json()))
    }

    /// One page that needs nothing else.
    fn html(&self, of: Made) -> String {
        self.report(&Keywords, &of, |report| report.html())
    }

    /// Its first sheet alone.
    fn brief(&self, of: Made) -> String {
        self.report(&Keywords, &of, |report| report.brief()).unwrap_or_default()
    }

    /// The same in Markdown.
    fn markdown(&self, of: Made) -> String {
        self.report(&Keywords, &of, |report| report.markdown())
    }

    /// For a screen.
    fn text(&self) -> String {
        self.report(&Keywords, &Made::default(), |report| report.text(Style::Plain))
    }

    /// The plots of the page, by name.
    fn plots(&self) -> Vec<(String, String)> {
        let plots = self.report(&Keywords, &Made::default(), |report| report.plots());
        plots.into_iter().map(|plot| (plot.name, plot.svg)).collect()
    }

    /// Whether a criterion's largest gap, shared error included, is at most a value: "held", "crossed" or "undecided", and a sentence.
    fn gate_above(&self, py: Python, criterion: &str, value: f64) -> PyResult<(&'static str, String)> {
        self.judged(py, Gate::Above { criterion: word(py, Setting::FailAbove, criterion)?, value })
    }

    /// Whether a ratio of every group is at least a value, in the same words.
    fn gate_below(&self, py: Python, ratio: &str, value: f64) -> PyResult<(&'static str, String)> {
        self.judged(py, Gate::Below { ratio: word(py, Setting::FailBelow, ratio)?, value })
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
        let together = part("together").map(serde_json::from_value).transpose().map_err(told)?;
        let audit = serde_json::from_str(text).map_err(told)?;
        let (by, segments) = (by.unwrap_or_default(), segments.unwrap_or_default());
        Ok(Audited { audit, by, segments, together, table })
    }
}
