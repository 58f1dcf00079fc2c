//! What was asked: columns and settings, as dictionaries that the package fills in.

use crate::refused::of_setting;
use crate::table::Table;
use fairveil::half_of_the_machine;
use fairveil_core::bounds::MaxProxyError;
use fairveil_core::counts::Randomized;
use fairveil_core::estimate::StatedNoise;
use fairveil_core::setting::{Refusal, Refuses, Setting};
use fairveil_core::vocabulary::Legend;
use fairveil_core::{Estimator, EstimatorChoice, Settings, text};
use fairveil_ingest::{Columns, Count, Mechanism, Progress, Reading};
use pyo3::prelude::*;
use std::str::FromStr;
use std::sync::Arc;

/// Which columns mean what.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ColumnsAsked {
    y_pred: Option<String>,
    y_true: Option<String>,
    other_preds: Vec<String>,
    proxies: Vec<String>,
    proxy_probs: Vec<String>,
    sample_weight: Option<String>,
    cluster: Option<String>,
    id: Option<String>,
    truth: Option<String>,
    audit_labels: Option<String>,
    label_probability: Option<String>,
    control_features: Vec<String>,
    min_segment: Option<u64>,
    groups: Option<Vec<String>>,
    positive: Option<String>,
    missing: Vec<String>,
    count: Option<String>,
    features: Vec<String>,
    lenient: bool,
    show_values: bool,
}

impl ColumnsAsked {
    /// The columns that make segments.
    pub fn by(&self) -> &[String] {
        &self.control_features
    }

    /// As the readers take it. Rows of a table in memory are counted one by one, unless a column is said to count them.
    pub fn columns(&self) -> Columns {
        Columns {
            y_pred: self.y_pred.clone(),
            y_true: self.y_true.clone(),
            other_preds: self.other_preds.clone(),
            proxies: self.proxies.clone(),
            proxy_probs: self.proxy_probs.clone(),
            weight: self.sample_weight.clone(),
            cluster: self.cluster.clone(),
            id: self.id.clone(),
            truth: self.truth.clone(),
            audit_labels: self.audit_labels.clone(),
            label_probability: self.label_probability.clone(),
            by: self.control_features.clone(),
            min_segment: self.min_segment,
            groups: self.groups.clone(),
            positive: self.positive.clone(),
            missing: self.missing.clone(),
            count: self.count.clone().map_or(Count::Detect, Count::Column),
            show_values: self.show_values,
            features: self.features.clone(),
            ..Columns::default()
        }
    }

    /// How to read.
    pub fn reading(&self, progress: &Arc<Progress>) -> Reading {
        Reading {
            lenient: self.lenient,
            progress: Some(Arc::clone(progress)),
            max_memory: half_of_the_machine(),
            ..Reading::default()
        }
    }
}

/// What is asked of an audit.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SettingsAsked {
    criteria: Vec<String>,
    estimator: String,
    scope: String,
    given: Option<String>,
    mechanism: Vec<String>,
    known_shares: Vec<(String, f64)>,
    max_proxy_error: Vec<(Option<String>, f64)>,
    confidence: f64,
    shared_error: f64,
    max_shift: f64,
    n_boot: usize,
    random_state: u64,
    /// Rows of another population, whose groups are known.
    audit_table: Option<Py<Table>>,
}

/// A word that is one of a few.
pub fn word<T: FromStr>(py: Python, setting: Setting, word: &str) -> PyResult<T>
where
    T::Err: std::fmt::Display,
{
    word.parse().map_err(|error: T::Err| {
        of_setting(py, &Refusal::new(text![setting, " is not known: ", error.to_string()]))
    })
}

impl SettingsAsked {
    /// The estimator, or whichever is best.
    fn estimator(&self, py: Python) -> PyResult<EstimatorChoice> {
        word(py, Setting::Estimator, &self.estimator)
    }

    /// Whether the table is read a second time for it.
    pub fn reads_twice(&self, py: Python) -> PyResult<bool> {
        Ok(self.estimator(py)?.fixed() == Some(Estimator::ConfidentJoint))
    }

    /// A table of another population.
    pub fn audit_table(&self) -> Option<&Py<Table>> {
        self.audit_table.as_ref()
    }

    /// How guesses were randomised before they were counted.
    pub fn mechanisms(&self, py: Python) -> PyResult<Vec<Randomized>> {
        let read =
            |text: &String| Mechanism::from_json(text).map_err(|error| of_setting(py, &error.refusal()));
        let read = self.mechanism.iter().map(read).collect::<PyResult<Vec<_>>>()?;
        Ok(read.into_iter().flat_map(|mechanism| mechanism.columns).collect())
    }

    /// As the audit takes it, in the words of its table.
    pub fn settings(&self, py: Python, legend: &Legend) -> PyResult<Settings> {
        let criterion = |name: &String| word(py, Setting::Criterion, name);
        let given = self.given.as_ref().map(|text| {
            let stated: StatedNoise = serde_json::from_str(text).map_err(|error| {
                let found = text![Setting::Given, " states no error rates: ", error.to_string()];
                let needed = "a `transition` matrix, a list of them, or an audit";
                of_setting(py, &Refusal::new(found).needed(needed))
            })?;
            stated.given(legend).map_err(|error| of_setting(py, &error.refusal()))
        });
        let shares = (!self.known_shares.is_empty())
            .then(|| Settings::shares_by_name(Setting::KnownShares, &self.known_shares, &legend.groups))
            .transpose();
        let bound = |(proxy, share): &(Option<String>, f64)| match proxy {
            Some(proxy) => MaxProxyError::of(proxy, *share),
            None => MaxProxyError::of_all(*share),
        };
        Ok(Settings {
            criteria: self.criteria.iter().map(criterion).collect::<PyResult<_>>()?,
            estimator: self.estimator(py)?,
            given: given.transpose()?,
            known_shares: shares.map_err(|error| of_setting(py, &error.refusal()))?,
            max_proxy_error: self.max_proxy_error.iter().map(bound).collect(),
            scope: word(py, Setting::Scope, &self.scope)?,
            confidence: self.confidence,
            shared_error: self.shared_error,
            max_shift: self.max_shift,
            n_boot: self.n_boot,
            seed: self.random_state,
        })
    }
}
