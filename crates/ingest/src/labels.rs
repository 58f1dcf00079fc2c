//! Rows of another population whose groups are known: what the proxies guessed, and what was true.

use crate::cells::Cells;
use crate::columns::{LabelColumns, ProxyKind};
use crate::error::{IngestError, Problem};
use crate::fault::Fault;
use crate::feed::Gathered;
use crate::value::{At, Dictionary};
use fairveil_core::estimate::{AuditLabels, Population};
use fairveil_core::setting::visible;
use fairveil_core::vocabulary::{Group, Guess, Legend};

/// The sample in the words of the audited table.
pub(crate) fn finish(
    gathered: Gathered<Cells>,
    columns: &LabelColumns,
    legend: &Legend,
) -> Result<AuditLabels, IngestError> {
    let LabelColumns { proxies, labels, .. } = columns;
    let Gathered { plan, files, dictionaries, consumer: cells, .. } = gathered;
    let error = |at: Option<At>, column: &str, problem| {
        let at = at.unwrap_or(At { file: 0, number: 0 });
        Fault { at, column: Some(column.into()), problem }.named(&files)
    };
    let group_at = |name: &str| legend.groups.iter().position(|group| **group == *visible(name));
    let named = |dictionary: &Dictionary, column: &str, code: u32| {
        let Some(value) = dictionary.values.get(code as usize) else { return Ok(None) };
        let Some(name) = value.canonical.as_deref() else { return Ok(None) };
        group_at(name).map(Some).ok_or_else(|| {
            let problem = Problem::UnknownGroup { value: None, groups: legend.groups.clone() };
            error(Some(value.first), column, problem)
        })
    };
    // The proxies of the audited table, by name; others are not asked.
    let mut places = Vec::with_capacity(legend.proxies.len());
    for wanted in &legend.proxies {
        let place = proxies.iter().position(|proxy| *visible(&proxy.name) == *wanted.name);
        places.push(place.ok_or_else(|| {
            let found = proxies.iter().map(|proxy| proxy.name.clone()).collect();
            error(None, &wanted.name, Problem::ProxyMissing { found })
        })?);
    }
    let Some(known) = plan.roles.known else { return Err(error(None, &labels.name, Problem::NoAuditLabels)) };
    let mut sample = AuditLabels::new(Population::Other);
    for (key, tally) in cells.keys.iter().zip(&cells.tallies).filter(|(_, tally)| tally.rows > 0) {
        let Some(group) = named(&dictionaries[known], &labels.name, key[known])? else { continue };
        let mut guesses = Vec::with_capacity(places.len());
        for place in &places {
            let (key_place, proxy) = (plan.roles.guesses[*place], &proxies[*place]);
            let code = key[key_place];
            guesses.push(match &proxy.kind {
                ProxyKind::Guess(column) | ProxyKind::MostLikely(column, _) => {
                    named(&dictionaries[key_place], &column.name, code)?
                }
                kind @ (ProxyKind::Probabilities(_) | ProxyKind::Names(..)) => {
                    kind.groups().and_then(|groups| group_at(groups.get(code as usize)?))
                }
            });
        }
        let guesses = guesses.into_iter().map(|guess| guess.map(Guess)).collect();
        sample.add(None, guesses, Group(group), tally.rows, tally.rows as f64);
    }
    match sample.rows() {
        0 => Err(error(None, &labels.name, Problem::NoAuditLabels)),
        _ => Ok(sample),
    }
}
