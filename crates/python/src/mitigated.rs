//! Rules with a smaller gap, the weights behind them, and what a rule decides.

use crate::asked::{Asked, word};
use crate::attend::attend;
use crate::audited::{Made, dialect, written};
use crate::keywords::Keywords;
use crate::refused::{of_setting, of_table, to_setting};
use crate::table::{Table, inputs};
use fairveil::{Decider, Outside};
use fairveil_core::mitigate::{MitigationRecord, OperatingPoint};
use fairveil_core::setting::{Dialect, Refusal, Setting};
use fairveil_core::{Estimator, EstimatorChoice, Settings};
use fairveil_ingest::{
    IngestError, Reading, RewritePlan, TrainingColumns, TrainingRows, each_rows, read_training_rows,
};
use fairveil_report::{MitigationReport, Report, Style};
use fairveil_train::{Measuring, Method, MitigateSettings, calibrated_weights, learn_rule};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// What is asked of a mitigation beside columns and settings.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct TrainingAsked {
    score: Option<String>,
    split: Option<String>,
    drop: Vec<String>,
    categorical: Vec<String>,
    weights_only: bool,
    method: Vec<String>,
    tolerance: f64,
    rate: Option<f64>,
    threshold: Option<f64>,
    costs: Option<(f64, f64)>,
    held_out: Option<f64>,
    cross_fit: bool,
    folds: usize,
    noise_bins: usize,
    local: bool,
    impute: bool,
    recalibrate: bool,
    curve: bool,
}

impl TrainingAsked {
    fn columns(&self) -> TrainingColumns {
        TrainingColumns {
            score: self.score.clone(),
            split: self.split.clone(),
            drop: self.drop.clone(),
            categorical: self.categorical.clone(),
            proxies_optional: false,
            without_features: self.weights_only,
        }
    }

    /// Python has made sure that one is said at most.
    fn operating_point(&self) -> OperatingPoint {
        match (self.rate, self.threshold, self.costs) {
            (Some(share), ..) => OperatingPoint::Rate { share },
            (_, Some(chance), _) => OperatingPoint::Threshold { chance },
            (.., Some((false_positive, false_negative))) => {
                OperatingPoint::Costs { false_positive, false_negative }
            }
            _ => OperatingPoint::Kept,
        }
    }

    fn settings(&self, py: Python, audit: Settings) -> PyResult<MitigateSettings> {
        // Who gives error rates wants them used, or to be told why not.
        let estimator = match (audit.estimator, &audit.given) {
            (EstimatorChoice::Auto, Some(_)) => EstimatorChoice::Fixed(Estimator::Given),
            (asked, _) => asked,
        };
        let methods = self.method.iter().map(|method| word(py, Setting::Method, method));
        let methods = methods.collect::<PyResult<Vec<Method>>>()?;
        Ok(MitigateSettings {
            criterion: audit.criteria.first().copied().unwrap_or(MitigateSettings::default().criterion),
            method: methods.first().copied().unwrap_or(Method::PlugIn),
            beside: methods.into_iter().skip(1).collect(),
            tolerance: self.tolerance,
            operating_point: self.operating_point(),
            measuring: match (self.held_out, self.cross_fit) {
                (Some(share), _) => Measuring::HeldOut(share),
                (None, true) => Measuring::CrossFitted,
                (None, false) => Measuring::Auto,
            },
            folds: self.folds,
            noise_bins: self.noise_bins,
            local: self.local,
            impute: self.impute,
            recalibrate: self.recalibrate,
            curve: self.curve,
            audit: Settings { estimator, criteria: Vec::new(), ..audit },
        })
    }
}

/// The rows, and what is asked of them.
fn read(py: Python, asked: &Asked, training: &TrainingAsked) -> PyResult<(TrainingRows, MitigateSettings)> {
    let also = training.columns();
    let read =
        asked.read(py, |inputs, columns, reading| read_training_rows(inputs, columns, &also, reading))?;
    let audit = asked.settings(py, &read.rows.legend)?;
    Ok((read, training.settings(py, audit)?))
}

/// A rule and what became of the gap. Nothing changes it.
#[pyclass(module = "fairveil._native", frozen)]
pub struct Mitigated {
    record: MitigationRecord,
    #[pyo3(get)]
    rule: Py<Rule>,
    table: String,
}

/// Learns a rule.
#[pyfunction]
pub fn mitigate(py: Python, asked: Asked, training: TrainingAsked) -> PyResult<Mitigated> {
    let (read, settings) = read(py, &asked, &training)?;
    let done = asked.attend(py, |_| fairveil_train::mitigate(&read.rows, &settings, &|_| {}))?;
    let done = done.map_err(to_setting(py))?;
    Ok(Mitigated { record: done.record, rule: Py::new(py, Rule { rule: done.rule })?, table: asked.name })
}

/// Learns a rule from all rows, for who measures it elsewhere.
#[pyfunction]
pub fn learn(py: Python, asked: Asked, training: TrainingAsked) -> PyResult<Rule> {
    let (read, settings) = read(py, &asked, &training)?;
    let done = asked.attend(py, |_| learn_rule(&read.rows, &settings, &|_| {}))?;
    Ok(Rule { rule: done.map_err(to_setting(py))? })
}

/// The weight of every row in the gap of each pair of groups: names, values by name, and the estimator behind them. The gap of
/// decisions `f` is the mean of weight · f.
#[pyfunction]
pub fn weights(
    py: Python,
    asked: Asked,
    training: TrainingAsked,
) -> PyResult<(Vec<String>, Vec<Vec<f64>>, String)> {
    let (read, settings) = read(py, &asked, &training)?;
    let done = asked.attend(py, |_| calibrated_weights(&read.rows, &settings))?;
    let done = done.map_err(to_setting(py))?;
    Ok((done.names, done.values, done.estimator.name().to_owned()))
}

impl Mitigated {
    fn report<T>(&self, words: &dyn Dialect, of: &Made, made: impl FnOnce(&MitigationReport) -> T) -> T {
        let record = self.record.clone().spelled(words);
        made(&MitigationReport { record: &record, about: of.about(&self.table, words) })
    }
}

#[pymethods]
impl Mitigated {
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

/// A rule that was learned: it looks at features, never at a group or a proxy.
#[pyclass(module = "fairveil._native", frozen)]
pub struct Rule {
    rule: fairveil_train::Rule,
}

#[pymethods]
impl Rule {
    /// Reads a rule that Python or the command line wrote.
    #[staticmethod]
    fn from_json(py: Python, text: &str) -> PyResult<Self> {
        let rule = fairveil_train::Rule::from_json(text);
        Ok(Rule { rule: rule.map_err(to_setting(py))? })
    }

    /// The rule as JSON.
    fn json(&self, py: Python) -> PyResult<String> {
        self.rule.to_json().map_err(to_setting(py))
    }

    /// The rule in words and numbers.
    fn show(&self) -> String {
        self.rule.show()
    }

    /// One query that decides, in a dialect, over a table.
    fn sql(&self, py: Python, table: &str, dialect: &str) -> PyResult<String> {
        let written = fairveil::rule_sql(&self.rule, dialect, table);
        written.map_err(|error| of_setting(py, &Refusal::new(error.to_string())))
    }

    /// A module that needs no package.
    fn python(&self, py: Python) -> PyResult<String> {
        self.rule.python().map_err(|error| of_setting(py, &Refusal::new(error.to_string())))
    }

    /// The rule as an ONNX model.
    fn onnx<'p>(&self, py: Python<'p>) -> Bound<'p, PyBytes> {
        PyBytes::new(py, &self.rule.onnx())
    }

    /// The columns that it looks at.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.rule.needs().into_iter().map(|need| need.column).collect()
    }

    /// The decision that counts as selected, and the other.
    #[getter]
    fn decisions(&self) -> (String, String) {
        (self.rule.positive().to_owned(), self.rule.negative().to_owned())
    }

    /// What it decides on each row, by how much, and what speaks against relying on it. Where `lenient`, rows on which it cannot decide
    /// get nothing.
    fn apply(&self, py: Python, tables: Vec<Py<Table>>, outside: &str, lenient: bool) -> PyResult<Applied> {
        let inputs = inputs(&tables)?;
        let outside = Outside::named(outside).ok_or_else(|| {
            let found = Refusal::new(format!("outside is {outside}"));
            of_setting(py, &Refusal { needed: Some("tell, empty or refuse".into()), ..found })
        })?;
        let plan = RewritePlan { shown: self.columns(), rows_are_single: true, ..RewritePlan::default() };
        let decided = attend(py, None, |_| {
            let mut decider = Decider::new(&self.rule, lenient, false);
            (decider.margin, decider.outside) = (true, outside);
            let (mut decisions, mut margins) = (Vec::new(), Vec::new());
            let look = |rows: &fairveil_ingest::Rows| {
                let decided = decider.decide(rows)?;
                decisions.extend(decided.added.into_iter().flatten());
                margins.extend(decided.numbers.into_iter().flatten());
                Ok(())
            };
            each_rows(inputs, &plan, &Reading::default(), look)?;
            Ok((decisions, margins, decider.doubts("outside=")))
        })?;
        decided.map_err(|error: IngestError| of_table(py, &error))
    }
}

/// Decisions, margins, and doubts.
type Applied = (Vec<Option<String>>, Vec<Option<f64>>, Vec<String>);
