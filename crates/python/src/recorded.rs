//! What is asked of a table beside an audit: the gap by period, a number by group, two attributes at once. Each is a record, written in
//! every form by its report.

use crate::asked::{Asked, word};
use crate::audited::{Made, dialect, written};
use crate::keywords::Keywords;
use crate::refused::{of_audit, of_setting, to_setting};
use fairveil_core::curve::CurveSettings;
use fairveil_core::intersect::{Attributes, Intersection, Pattern};
use fairveil_core::monitor::{MonitorSettings, Null};
use fairveil_core::setting::{Dialect, Refuses, Setting};
use fairveil_core::{Curve, Monitor};
use fairveil_ingest::{Bins, Every, Periods};
use fairveil_report::{CurveReport, IntersectionReport, MonitorReport, Report, Style};
use pyo3::prelude::*;

/// What a record is about.
enum Subject {
    Monitor { monitor: Box<Monitor>, every: Every, left_out: Option<String> },
    Curve(Box<Curve>),
    Intersection(Box<Intersection>),
}

/// A record. Nothing changes it.
#[pyclass(module = "fairveil._native", frozen)]
pub struct Recorded {
    subject: Subject,
    table: String,
}

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

/// Watches a table whose segments are periods.
#[pyfunction]
pub fn monitor(py: Python, asked: Asked, watched: Watched) -> PyResult<Recorded> {
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
    let monitor = Box::new(done.map_err(|error| of_audit(py, &error))?);
    Ok(Recorded { subject: Subject::Monitor { monitor, every, left_out }, table: asked.name })
}

/// Gives a number by group of a table whose segments are bins of it.
#[pyfunction]
pub fn curve(py: Python, asked: Asked, column: String, bins: &str, decides: bool) -> PyResult<Recorded> {
    let bins: Bins = word(py, Setting::Bins, bins)?;
    let (read, audit) = asked.table(py)?;
    let (parts, in_none) = bins.of(read.segments);
    let left_out = if decides { read.counts.intake().without_prediction } else { 0 };
    let settings = CurveSettings { column, rows_without: in_none + left_out, audit };
    let done = asked.attend(py, |_| Curve::run(&read.counts, &parts, &settings))?;
    let curve = Box::new(done.map_err(|error| of_audit(py, &error))?);
    Ok(Recorded { subject: Subject::Curve(curve), table: asked.name })
}

/// Where a number is cut that decides and that nobody named: in the middle of its bins.
#[pyfunction]
pub fn middle(py: Python, bins: &str) -> PyResult<f64> {
    word::<Bins>(py, Setting::Bins, bins).map(|bins| bins.middle())
}

/// Puts two attributes of a table together: it is cut by the proxies of the second where those of the first are asked about.
#[pyfunction]
pub fn intersect(
    py: Python,
    first: Asked,
    second: Asked,
    names: [String; 2],
    reference: Option<[String; 2]>,
) -> PyResult<Recorded> {
    first.keep()?;
    let (by_first, settings) = first.table(py)?;
    let (by_second, _) = second.table(py)?;
    let patterns: Vec<Pattern> = by_first.segments.into_iter().map(Pattern::from).collect();
    let asked = Attributes {
        names: [&names[0], &names[1]],
        counts: [&by_first.counts, &by_second.counts],
        proxies: &first.by(),
        patterns: &patterns,
        reference: reference.as_ref().map(|[one, other]| [one.as_str(), other.as_str()]),
    };
    let done = first.attend(py, |_| Intersection::run(&asked, &settings))?;
    let intersection = Box::new(done.map_err(|error| of_setting(py, &error.refusal()))?);
    Ok(Recorded { subject: Subject::Intersection(intersection), table: first.name })
}

impl Recorded {
    fn report<T>(&self, words: &dyn Dialect, of: &Made, made: impl FnOnce(&dyn Report) -> T) -> T {
        let about = of.about(&self.table, words);
        match &self.subject {
            Subject::Monitor { monitor, every, left_out } => {
                let monitor = Monitor::clone(monitor).spelled(words);
                let left_out = left_out.as_deref();
                made(&MonitorReport { monitor: &monitor, every: every.name(), left_out, about })
            }
            Subject::Curve(curve) => made(&CurveReport { curve: &Curve::clone(curve).spelled(words), about }),
            Subject::Intersection(intersection) => {
                let intersection = Intersection::clone(intersection).spelled(words);
                made(&IntersectionReport { intersection: &intersection, about })
            }
        }
    }
}

#[pymethods]
impl Recorded {
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
