//! The gap by period of a table in memory.

use crate::asked::{Asked, word};
use crate::audited::{Made, dialect, written};
use crate::keywords::Keywords;
use crate::refused::{of_audit, to_setting};
use fairveil_core::Monitor;
use fairveil_core::monitor::{MonitorSettings, Null};
use fairveil_core::setting::{Dialect, Setting};
use fairveil_ingest::{Every, Periods};
use fairveil_report::{MonitorReport, Report, Style};
use pyo3::prelude::*;

/// What is asked of a monitor beside its table.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Watched {
    every: String,
    min_rows: Option<u64>,
    criterion: String,
    limit: Option<f64>,
    baseline: bool,
}

/// A monitor. Nothing changes it.
#[pyclass(module = "fairveil._native", frozen)]
pub struct Monitored {
    monitor: Monitor,
    every: Every,
    left_out: Option<String>,
    table: String,
}

/// Watches a table whose segments are periods.
#[pyfunction]
pub fn monitor(py: Python, asked: Asked, watched: Watched) -> PyResult<Monitored> {
    let every: Every = word(py, Setting::Every, &watched.every)?;
    let null = match (watched.limit, watched.baseline) {
        (Some(_), _) => Null::Limit,
        (None, true) => Null::Baseline,
        (None, false) => Null::NoGap,
    };
    let criterion = word(py, Setting::Criterion, &watched.criterion)?;
    let (read, audit) = asked.table(py)?;
    let settings = MonitorSettings { criterion, null, limit: watched.limit, audit };
    let Periods { periods, left_out } =
        Periods::of(read.segments, every, watched.min_rows).map_err(to_setting(py))?;
    let done = asked.attend(py, |_| Monitor::run(&read.counts, &periods, &settings))?;
    let monitor = done.map_err(|error| of_audit(py, &error))?;
    Ok(Monitored { monitor, every, left_out, table: asked.name })
}

impl Monitored {
    fn report<T>(&self, words: &dyn Dialect, of: &Made, made: impl FnOnce(&MonitorReport) -> T) -> T {
        let monitor = self.monitor.clone().spelled(words);
        made(&MonitorReport {
            monitor: &monitor,
            every: self.every.name(),
            left_out: self.left_out.as_deref(),
            about: of.about(&self.table, words),
        })
    }
}

#[pymethods]
impl Monitored {
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

    /// The plots of the page, by name.
    fn plots(&self) -> Vec<(String, String)> {
        let plots = self.report(&Keywords, &Made::default(), |report| report.plots());
        plots.into_iter().map(|plot| (plot.name, plot.svg)).collect()
    }
}
