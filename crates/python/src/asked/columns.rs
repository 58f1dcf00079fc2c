//! Which columns mean what.

use super::word;
use crate::refused::{of_setting, to_setting};
use fairveil::half_of_the_machine;
use fairveil_core::setting::{Refusal, Setting};
use fairveil_core::text;
use fairveil_ingest::{Columns, Count, Cut, NamesAsked, Near, Notes, Progress, Reading, tables_in};
use fairveil_neighbors::{Metric, SearchMethod};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// What was said of columns and of their values. Names are those of the package's keywords.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ColumnsAsked {
    y_pred: Option<String>,
    /// Decisions are scores of at least this.
    threshold: Option<f64>,
    outcome: Option<String>,
    y_true: Option<String>,
    other_preds: Vec<String>,
    proxies: Vec<String>,
    proxy_probs: Vec<String>,
    first_name: Option<String>,
    surname: Option<String>,
    zip: Option<String>,
    attribute: Option<String>,
    tables: Option<PathBuf>,
    control: Vec<String>,
    guesses_alone: bool,
    sample_weight: Option<String>,
    cluster: Option<String>,
    id: Option<String>,
    truth: Option<String>,
    audit_labels: Option<String>,
    label_probability: Option<String>,
    control_features: Vec<String>,
    /// They hold dates, and segments are periods.
    every: Option<String>,
    /// They hold numbers, and segments are bins.
    bins: Option<String>,
    min_segment: Option<u64>,
    groups: Option<Vec<String>>,
    positive: Option<String>,
    positive_label: Option<String>,
    map: Vec<String>,
    missing: Vec<String>,
    count: Option<String>,
    features: Vec<String>,
    /// Rows borrow the guesses of their neighbours by these features.
    borrows: bool,
    metric: Option<String>,
    search: Option<String>,
    triple_seed: Option<u64>,
    scale: bool,
    lenient: bool,
    show_values: bool,
}

impl ColumnsAsked {
    /// The columns that make segments.
    pub fn by(&self) -> &[String] {
        &self.control_features
    }

    /// As the readers take it, with the tables that names are looked up in. Rows of a table in memory are counted one by one, unless
    /// a column is said to count them.
    pub fn columns(&self, py: Python) -> PyResult<Columns> {
        let asked = NamesAsked {
            first_name: self.first_name.clone(),
            surname: self.surname.clone(),
            zip: self.zip.clone(),
            attribute: self.attribute.as_ref().map(|said| word(py, Setting::For, said)).transpose()?,
            tables: self
                .tables
                .as_deref()
                .map(tables_in)
                .transpose()
                .map_err(to_setting(py))?
                .unwrap_or_default(),
        };
        let groups = self.groups.as_deref();
        let names = py.detach(|| asked.sources(groups)).map_err(to_setting(py))?;
        Ok(Columns {
            y_pred: self.y_pred.clone(),
            threshold: self.threshold,
            outcome: self.outcome.clone(),
            y_true: self.y_true.clone(),
            other_preds: self.other_preds.clone(),
            proxies: self.proxies.clone(),
            proxy_probs: self.proxy_probs.clone(),
            names,
            control: self.control.clone(),
            guesses_alone: self.guesses_alone,
            weight: self.sample_weight.clone(),
            cluster: self.cluster.clone(),
            id: self.id.clone(),
            truth: self.truth.clone(),
            audit_labels: self.audit_labels.clone(),
            label_probability: self.label_probability.clone(),
            by: self.control_features.clone(),
            cut: self.cut(py)?,
            min_segment: self.min_segment,
            groups: self.groups.clone(),
            positive: self.positive.clone(),
            positive_label: self.positive_label.clone(),
            map: self.map.clone(),
            missing: self.missing.clone(),
            count: self.count.clone().map_or(Count::Detect, Count::Column),
            show_values: self.show_values,
            features: self.features.clone(),
        })
    }

    /// What becomes of the values that make segments.
    fn cut(&self, py: Python) -> PyResult<Option<Cut>> {
        Ok(match (&self.every, &self.bins) {
            (Some(said), _) => Some(Cut::Every(word(py, Setting::Every, said)?)),
            (None, Some(said)) => Some(Cut::Bins(word(py, Setting::Bins, said)?)),
            (None, None) => None,
        })
    }

    /// How to read.
    pub fn reading(&self, progress: &Arc<Progress>, notes: &Arc<Notes>) -> Reading {
        Reading {
            lenient: self.lenient,
            progress: Some(Arc::clone(progress)),
            notes: Some(Arc::clone(notes)),
            max_memory: half_of_the_machine(),
            ..Reading::default()
        }
    }

    /// How neighbours are looked for, where rows borrow from them.
    pub fn near(&self, py: Python) -> PyResult<Option<Near<'static>>> {
        let unknown = |setting: Setting, found: &str, needed: &str| {
            let refusal = Refusal::new(text![setting, format!(" is not known: `{found}`")]);
            Err(of_setting(py, &refusal.needed(format!("one of {needed}"))))
        };
        let metric = match self.metric.as_deref() {
            None | Some("cosine") => Metric::Cosine,
            Some("euclidean") => Metric::Euclidean,
            Some(other) => return unknown(Setting::Metric, other, "cosine, euclidean"),
        };
        let search = match self.search.as_deref() {
            None | Some("auto") => SearchMethod::Auto,
            Some("exact") => SearchMethod::Exact,
            Some("hnsw") => SearchMethod::Hnsw,
            Some(other) => return unknown(Setting::Search, other, "auto, exact, hnsw"),
        };
        let (scale, triple_seed) = (self.scale, self.triple_seed);
        let near = Near { array: None, metric, scale, search, triple_seed, progress: &|_, _| {} };
        Ok(self.borrows.then_some(near))
    }
}
