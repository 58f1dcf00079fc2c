//! Rows of another population whose groups are known: what the proxies guessed, and what was true.

use crate::columns::{Column, Columns, ProxyColumn, ProxyKind};
use crate::error::{IngestError, Place, Problem};
use crate::tally::{ABSTAINS, MOST_GROUPS, most_likely, probabilities};
use crate::value::{Dictionary, Refused};
use fairveil_core::{AuditLabels, Group, Guess, Legend, Population};
use std::collections::BTreeMap;

/// Rows on their way to an audit sample.
pub(crate) struct LabelCounter<'a> {
    file: &'a str,
    columns: &'a Columns,
    proxies: Vec<ProxyColumn>,
    labels: Column,
    guesses: Vec<Dictionary>,
    known: Dictionary,
    /// Raw codes of the guesses, and of the known group.
    cells: BTreeMap<(Vec<u32>, u32), u64>,
}

impl<'a> LabelCounter<'a> {
    pub fn new(
        file: &'a str,
        columns: &'a Columns,
        labels: &str,
        header: &[String],
    ) -> Result<Self, IngestError> {
        let (proxies, labels) = columns.resolve_labels(file, header, labels)?;
        let guesses = proxies.iter().map(|_| Dictionary::default()).collect();
        let known = Dictionary::default();
        Ok(LabelCounter { file, columns, proxies, labels, guesses, known, cells: BTreeMap::new() })
    }

    /// Counts one row, if its group is known.
    pub fn add(&mut self, line: u64, record: &csv::ByteRecord) -> Result<(), IngestError> {
        let (file, missing) = (self.file, &self.columns.missing);
        let place = |column: &str| Place { file: file.into(), line: Some(line), column: Some(column.into()) };
        let code = |dictionary: &mut Dictionary, column: &Column| {
            let refused = |refused| IngestError {
                place: place(&column.name),
                problem: match refused {
                    Refused::NotUtf8 => Problem::NotUtf8,
                    Refused::Full => Problem::TooManyValues { what: "group", limit: MOST_GROUPS },
                },
            };
            dictionary.code(&record[column.position], line, missing, MOST_GROUPS).map_err(refused)
        };
        let group = code(&mut self.known, &self.labels)?;
        let mut key = Vec::with_capacity(self.proxies.len());
        for (proxy, dictionary) in self.proxies.iter().zip(&mut self.guesses) {
            key.push(match &proxy.kind {
                ProxyKind::Guess(column) => code(dictionary, column)?,
                ProxyKind::Probabilities(columns) => {
                    let given = probabilities(&proxy.name, columns, missing, &place, record)?;
                    if given.is_empty() { ABSTAINS } else { most_likely(&given) }
                }
            });
        }
        if self.known.values[group as usize].canonical.is_some() {
            *self.cells.entry((key, group)).or_default() += 1;
        }
        Ok(())
    }

    /// The sample in the words of the audited table.
    pub fn finish(self, legend: &Legend) -> Result<AuditLabels, IngestError> {
        let error = |line, column: &str, problem| IngestError {
            place: Place { file: self.file.into(), line, column: Some(column.into()) },
            problem,
        };
        let group_at = |name: &str| legend.groups.iter().position(|group| group == name);
        let named = |dictionary: &Dictionary, column: &str, code: u32| {
            let Some(value) = dictionary.values.get(code as usize) else { return Ok(None) };
            let Some(name) = value.canonical.as_deref() else { return Ok(None) };
            group_at(name).map(Some).ok_or_else(|| {
                let problem = Problem::UnknownGroup { value: name.into(), groups: legend.groups.clone() };
                error(Some(value.first_line), column, problem)
            })
        };
        // The proxies of the audited table, by name; others are not asked.
        let mut places = Vec::with_capacity(legend.proxies.len());
        for wanted in &legend.proxies {
            let place = self.proxies.iter().position(|proxy| proxy.name == wanted.name);
            places.push(place.ok_or_else(|| {
                let found = self.proxies.iter().map(|proxy| proxy.name.clone()).collect();
                error(None, &wanted.name, Problem::ProxyMissing { found })
            })?);
        }
        let mut labels = AuditLabels::new(Population::Other);
        for ((key, group), rows) in &self.cells {
            let Some(group) = named(&self.known, &self.labels.name, *group)? else { continue };
            let mut guesses = Vec::with_capacity(key.len());
            for place in &places {
                let (code, proxy, dictionary) = (&key[*place], &self.proxies[*place], &self.guesses[*place]);
                guesses.push(match &proxy.kind {
                    ProxyKind::Guess(column) => named(dictionary, &column.name, *code)?,
                    ProxyKind::Probabilities(columns) => {
                        columns.get(*code as usize).and_then(|(group, _)| group_at(group))
                    }
                });
            }
            let guesses = guesses.into_iter().map(|guess| guess.map(Guess)).collect();
            labels.add(None, guesses, Group(group), *rows, *rows as f64);
        }
        match labels.rows() {
            0 => Err(error(None, &self.labels.name, Problem::NoAuditLabels)),
            _ => Ok(labels),
        }
    }
}
