//! The mitigation as text: the answer first, then the tables of its page, then what to doubt.

use super::plots::{MitigationPlots, multipliers};
use super::{criteria, words};
use crate::About;
use crate::sentence::{Sentence, thousands};
use crate::table::Table;
use crate::text::{MOST_ROWS, WIDTH, findings_section, head, list, plain_table, render_with_names, wrapped};
use fairveil_core::mitigate::{MeasuredOn, MitigationRecord};

/// The mitigation as text.
pub(super) fn text(record: &MitigationRecord, about: &About) -> String {
    let About { table, version, .. } = about;
    let plots = MitigationPlots::of(record);
    let criterion = record.criterion.words();
    let mut out = head(&format!("fairveil {version} · mitigation of {criterion} in {table}")) + "\n";
    out += &wrapped(&input(record), "", WIDTH);
    out += &format!("\n{}\n", head("The answer"));
    out += &wrapped(&words::answer(record).in_columns(), "  ", WIDTH);
    out += &wrapped(&words::caution(record), "  ", WIDTH);
    out += &part("The largest gap on every basis", &plots.gaps.table);
    for (origin, reason) in words::reasons(record) {
        out += &wrapped(&format!("– {}: {reason}", origin.in_columns()), "  ", WIDTH);
    }
    out += &part("Every criterion before and after", &criteria::table(record));
    out += &wrapped(criteria::READING, "  ", WIDTH);
    out += &part("What is decided", &plots.accuracy.table);
    if let Some(plot) = &plots.rates {
        out += &part("Rates by calibrated group", &plot.table);
    }
    if let Some(plot) = &plots.trade {
        out += &part("Other tolerances", &plot.table);
    }
    if let Some(plot) = &plots.methods {
        out += &part("The methods on the same rows", &plot.table);
    }
    out += &format!("\n{}\n", head("Do the proxies err alike along the score?"));
    out += &wrapped(&words::drift(record).in_columns(), "  ", WIDTH);
    if !record.multipliers.is_empty() {
        out += &part("What each constraint costs", &multipliers(record));
    }
    out += &wrapped(&format!("Training stopped: {}.", record.stopped), "  ", WIDTH);
    out += &format!("\n{}\n", head("What zero means"));
    words::ZERO.iter().for_each(|line| out += &wrapped(&format!("– {line}"), "  ", WIDTH));
    out + &findings_section(&record.findings, about)
}

fn input(record: &MitigationRecord) -> String {
    let input = &record.input;
    let measured = match &record.settings.measured_on {
        MeasuredOn::CrossFitted { folds } => format!("cross-fitted in {folds} folds"),
        _ => format!("{} held out", thousands(input.rows_held_out as f64)),
    };
    format!(
        "{} on {} rows, {measured} · groups {} · selected means {} · {} {}: {}",
        words::rule(record),
        thousands(input.rows_fitted as f64),
        list(&input.groups),
        words::selected(record).in_columns(),
        input.proxies.len(),
        if input.proxies.len() == 1 { "proxy" } else { "proxies" },
        list(&input.proxies),
    )
}

/// A table under its heading. The columns before the first with a number hold names.
fn part(title: &str, table: &Table) -> String {
    let number = |i: usize| table.rows.iter().any(|row| row.cells.get(i).is_some_and(Sentence::is_number));
    let names = (1..table.head.len()).find(|i| number(*i)).unwrap_or(table.head.len());
    let mut columns = plain_table();
    columns.set_header(table.head.iter().map(|cell| cell.in_columns()));
    for row in table.rows.iter().take(MOST_ROWS) {
        let mark = |i: usize| if i == 0 && row.strong { "  ◄" } else { "" };
        columns.add_row(row.cells.iter().enumerate().map(|(i, cell)| cell.in_columns() + mark(i)));
    }
    let mut out = format!("\n{}\n{}", head(title), render_with_names(columns, names));
    if table.rows.len() > MOST_ROWS {
        out += &format!("  … and {} more rows, in the JSON\n", table.rows.len() - MOST_ROWS);
    }
    out
}
