//! Evidence joins the tally beside which it was written: the very rows, place by place.

use super::checks::by_place;
use super::file::EvidenceFile;
use super::problem::EvidenceProblem;
use super::told::RawEvidence;
use crate::cells::Key;
use crate::error::{IngestError, Problem};
use crate::tally::RawTable;
use crate::value::{canonical, is_missing};
use fairveil_core::counts::ExactSum;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

impl RawTable<'_> {
    /// The same tally with the evidence that was written beside it.
    pub(crate) fn with_file(mut self, file: EvidenceFile) -> Result<Self, IngestError> {
        let refuse = |table: &Self, column: Option<&str>, problem| {
            Err(table.error(None, column, Problem::Evidence(problem)))
        };
        if self.layout.tallied.is_none() || self.evidence.is_some() {
            return refuse(&self, None, EvidenceProblem::Rows);
        }
        if self.hidden.is_some() || self.noise.is_some() {
            return refuse(&self, None, EvidenceProblem::Changed);
        }
        if self.weighted != file.weighted {
            return refuse(&self, None, EvidenceProblem::OtherWeights);
        }
        // Where each key that says where rows count stands among the columns of the file.
        let mut keys: Vec<(usize, usize)> = Vec::new();
        let layout = &self.layout;
        let named =
            [&layout.prediction].into_iter().chain(&layout.label).chain(&layout.by).chain(&layout.control);
        for (column, place) in named.zip(self.roles.placing()) {
            match file.columns.iter().position(|known| *known == column.name) {
                Some(at) => keys.push((place, at)),
                None => {
                    let problem = EvidenceProblem::Column { known: file.columns.clone() };
                    return refuse(&self, Some(&column.name), problem);
                }
            }
        }
        let codes: Vec<HashMap<&str, u32>> = (self.values.iter())
            .map(|values| {
                (0..)
                    .zip(&values.values)
                    .map(|(code, value)| (value.canonical.as_deref().unwrap_or_default(), code))
                    .collect()
            })
            .collect();
        let missing = &self.columns.missing;
        let code = |place: usize, text: &str| {
            let text = if is_missing(text, missing) { Cow::default() } else { canonical(text) };
            codes[place].get(text.as_ref()).copied()
        };
        let mut rows: BTreeMap<Key, u64> = BTreeMap::new();
        // A place that the tally does not know has rows that it does not have.
        let mut unknown = 0;
        let told = file.counted.by_point.alone.first().map(by_place).unwrap_or_default();
        let mut found = Vec::with_capacity(file.places.len());
        for (at, values) in (0..).zip(&file.places) {
            let mut key: Option<Key> = Some(vec![0; self.values.len()].into());
            for (place, column) in &keys {
                let code = code(*place, &values[*column]);
                key = key.zip(code).map(|(mut key, code)| {
                    key[*place] = code;
                    key
                });
            }
            let mine = told.get(&at).copied().unwrap_or(0);
            match &key {
                Some(key) => *rows.entry(self.spelled_once(key, &keys)).or_default() += mine,
                None => unknown += mine,
            }
            found.push(key.unwrap_or_else(|| vec![0; self.values.len()].into()));
        }
        let mut counted: BTreeMap<Key, u64> = BTreeMap::new();
        let mut weights: BTreeMap<Key, [ExactSum; 2]> = BTreeMap::new();
        for (key, tally) in &self.cells {
            let place = self.spelled_once(&self.roles.place_of(key), &keys);
            *counted.entry(place.clone()).or_default() += tally.rows;
            tally
                .sums
                .iter()
                .for_each(|sums| weights.entry(place.clone()).or_default()[0].merge(&sums.weight));
        }
        let cells = file.counted.by_point.alone.first().into_iter().flat_map(|alone| &alone.cells);
        for (at, rows) in cells {
            let place = self.spelled_once(&found[at.place as usize], &keys);
            rows.sums.iter().for_each(|sums| weights.entry(place.clone()).or_default()[1].merge(&sums[0]));
        }
        rows.retain(|_, rows| *rows > 0);
        let apart = counted.iter().find(|(key, needed)| rows.get(*key) != Some(needed));
        let all = |rows: &BTreeMap<Key, u64>| rows.values().sum::<u64>();
        if let Some((key, needed)) = apart {
            let found = rows.get(key).copied().unwrap_or(0);
            let problem = EvidenceProblem::OtherRows { found, needed: *needed };
            return refuse(&self, None, problem);
        }
        if unknown > 0 || rows.len() != counted.len() {
            let problem = EvidenceProblem::OtherRows { found: all(&rows) + unknown, needed: all(&counted) };
            return refuse(&self, None, problem);
        }
        // The digits of both are exact; those of a tally that another program wrote may be rounded.
        let weights = weights.values().map(|sums| [sums[0].value(), sums[1].value()]);
        if self.weighted && weights.into_iter().any(|[a, b]| (a - b).abs() > 1e-9 * a.max(b)) {
            return refuse(&self, None, EvidenceProblem::OtherWeights);
        }
        self.evidence = Some(RawEvidence { keys: found, counted: file.counted });
        Ok(self)
    }

    /// A key with the same code for all spellings of a value.
    fn spelled_once(&self, key: &[u32], keys: &[(usize, usize)]) -> Key {
        let mut same: Key = vec![0; key.len()].into();
        for (place, _) in keys {
            let values = &self.values[*place].values;
            let mine = values.get(key[*place] as usize).and_then(|value| value.canonical.as_deref());
            let first = values.iter().position(|value| value.canonical.as_deref() == mine);
            same[*place] = first.unwrap_or(0) as u32;
        }
        same
    }
}
