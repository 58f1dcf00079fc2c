//! The comparison as text.

use super::words::{MEANING, criteria, first_proxy, method, sentence};
use crate::About;
use crate::measured::{Measured, ranged, reported};
use crate::sentence::{capital, number};
use crate::text::{WIDTH, ends, head, plain_table, render, wrapped};
use fairveil_core::setting::Job;
use fairveil_core::{Aggregate, Comparison, Criterion, text};

/// The comparison as text.
pub(super) fn text(comparison: &Comparison, about: &About) -> String {
    let About { table, version, .. } = about;
    let names: Vec<&str> = comparison.models.iter().map(|model| model.model.as_str()).collect();
    let mut out = head(&format!("fairveil {version} · {} compared on {table}", names.join(", "))) + "\n";
    for criterion in criteria(comparison) {
        out += &format!("\n{}\n", head(&capital(criterion.words())));
        out += &gaps(comparison, criterion);
        let pairs = comparison.pairs.iter().enumerate().collect::<Vec<_>>();
        for (i, pair) in pairs.iter().filter(|(_, pair)| pair.criterion == criterion) {
            out += &wrapped(&sentence(*i, pair).in_columns(), "  ", WIDTH);
        }
    }
    out += "\n";
    let assumed =
        text![MEANING, " All hold under what the audits assume: see ", Job::Audit, " for each model."];
    out + &wrapped(&about.spelled(&assumed), "", WIDTH)
}

fn gaps(comparison: &Comparison, criterion: Criterion) -> String {
    let mut table = plain_table();
    let truth = comparison.models.iter().any(|model| model.audit.truth.is_some());
    let mut columns = vec!["model", "first proxy", "errors undone", "interval", "honest range", "method"];
    if truth {
        columns.push("truth");
    }
    table.set_header(columns);
    for model in &comparison.models {
        let audit = &model.audit;
        let direct = first_proxy(audit, criterion);
        let found = reported(audit, criterion);
        let mut cells = vec![
            model.model.clone(),
            number(direct.and_then(|r| r.value)),
            number(found.as_ref().and_then(|r| r.value)),
            ends(found.as_ref().and_then(Measured::ends)),
            ends(found.clone().or_else(|| ranged(audit, criterion)).as_ref().and_then(Measured::reach)),
            found.as_ref().map_or("–".into(), method),
        ];
        if truth {
            let known = audit.truth.iter().flatten();
            let mut known =
                known.filter(|t| t.criterion == criterion && t.aggregate == Aggregate::Difference);
            cells.push(number(known.next().and_then(|t| t.value)));
        }
        table.add_row(cells);
    }
    render(table)
}
