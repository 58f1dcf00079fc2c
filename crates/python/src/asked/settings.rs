//! What is asked of an audit.

use super::word;
use crate::refused::{of_setting, of_table, to_setting};
use crate::table::Table;
use fairveil_core::bounds::MaxProxyError;
use fairveil_core::counts::Randomized;
use fairveil_core::estimate::StatedNoise;
use fairveil_core::setting::{Refusal, Setting};
use fairveil_core::vocabulary::Legend;
use fairveil_core::{Estimator, EstimatorChoice, Settings, text};
use fairveil_ingest::{EvidenceFile, Input, Mechanism};
use pyo3::prelude::*;

/// Settings, under the names of the package's keywords.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SettingsAsked {
    criteria: Vec<String>,
    estimator: String,
    scope: String,
    given: Option<String>,
    mechanism: Vec<String>,
    population: Vec<(String, f64)>,
    known_shares: Vec<(String, f64)>,
    max_proxy_error: Vec<(Option<String>, f64)>,
    reference: Option<String>,
    confidence: f64,
    shared_error: f64,
    max_shift: f64,
    n_boot: usize,
    random_state: u64,
    selected_is: Option<String>,
    /// Rows of another population, whose groups are known.
    audit_table: Option<Py<Table>>,
    /// What was written beside tallies.
    evidence: Vec<Vec<u8>>,
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
    pub fn sample(&self) -> PyResult<Option<Vec<Input<'static>>>> {
        let sample = self.audit_table.as_ref().map(|sample| sample.get().input()).transpose()?;
        Ok(sample.map(|sample| vec![sample]))
    }

    /// What names and places say of the rows of a tally, all parts together.
    pub fn evidence(&self, py: Python) -> PyResult<Option<EvidenceFile>> {
        let mut all: Option<EvidenceFile> = None;
        for bytes in &self.evidence {
            let more = py.detach(|| EvidenceFile::read(Setting::Evidence.name(), &bytes[..]));
            let more = more.map_err(|error| of_table(py, &error))?;
            match &mut all {
                Some(all) => all.merge(more).map_err(|error| of_table(py, &error))?,
                None => all = Some(more),
            }
        }
        Ok(all)
    }

    /// The shares among the people for whom probabilities were made.
    pub fn population(&self) -> &[(String, f64)] {
        &self.population
    }

    /// How guesses were randomised before they were counted.
    pub fn mechanisms(&self, py: Python) -> PyResult<Vec<Randomized>> {
        let read = |text: &String| Mechanism::from_json(text).map_err(to_setting(py));
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
            stated.given(legend).map_err(to_setting(py))
        });
        let shares = (!self.known_shares.is_empty())
            .then(|| Settings::shares_by_name(Setting::KnownShares, &self.known_shares, &legend.groups))
            .transpose();
        let bound = |(proxy, share): &(Option<String>, f64)| match proxy {
            Some(proxy) => MaxProxyError::of(proxy, *share),
            None => MaxProxyError::of_all(*share),
        };
        let selected_is =
            self.selected_is.as_ref().map(|said| word(py, Setting::SelectedIs, said)).transpose()?;
        Ok(Settings {
            criteria: self.criteria.iter().map(criterion).collect::<PyResult<_>>()?,
            estimator: self.estimator(py)?,
            given: given.transpose()?,
            known_shares: shares.map_err(to_setting(py))?,
            max_proxy_error: self.max_proxy_error.iter().map(bound).collect(),
            reference: self.reference.clone(),
            scope: word(py, Setting::Scope, &self.scope)?,
            confidence: self.confidence,
            shared_error: self.shared_error,
            max_shift: self.max_shift,
            n_boot: self.n_boot,
            seed: self.random_state,
            selected_is,
        })
    }
}
