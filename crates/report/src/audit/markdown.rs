//! The audit as Markdown: the words and tables of the page, without its plots.

use super::plots::{Plots, other_aggregates, usual_rates};
use super::words;
use crate::About;
use crate::markdown::{escaped, line_of, paragraph, reasons, shown, source, table};
use crate::measured::reported;
use crate::sentence::{Sentence, capital};
use fairveil_core::Audit;

/// The audit as Markdown.
pub(super) fn markdown(audit: &Audit, about: &About) -> String {
    let plots = Plots::of(audit);
    let mut out = format!("# Group disparities in {}\n", escaped(about.table));
    out += "\n## The answer\n";
    for criterion in &audit.settings.criteria {
        out += &paragraph(&words::answer(audit, *criterion));
    }
    out += &format!("\n{}\n", words::caution(audit));
    out += "\n## The gap on every basis\n";
    for (criterion, plot) in audit.settings.criteria.iter().zip(&plots.forests) {
        out += &shown(plot);
        if reported(audit, *criterion).is_some() {
            out += "\n◄ marks the number to report.\n";
        }
        out += &reasons(words::reasons(audit, *criterion));
        words::bounds(audit, *criterion).iter().for_each(|bound| out += &paragraph(bound));
        out += &format!("\nMean gap and ratio, {}:\n", criterion.words());
        out += &table(&other_aggregates(audit, *criterion));
    }
    out += "\n## Rates by group\n";
    plots.rates.iter().for_each(|plot| out += &shown(plot));
    if let Some((origin, rates)) = usual_rates(audit) {
        out += &paragraph(&Sentence::of("The usual rates (").then(origin).text("):"));
        out += &table(&rates);
    }
    out += "\n## How the proxies err\n";
    out += &format!("\n{}\n", words::errors_lead(audit));
    plots
        .matrices
        .iter()
        .chain(&plots.other_matrices)
        .chain(&plots.agreement)
        .for_each(|plot| out += &shown(plot));
    if !plots.shared_error.is_empty() {
        out += "\n## What if the proxies share mistakes\n";
        plots.shared_error.iter().for_each(|plot| out += &shown(plot));
    }
    out += "\n## What to doubt\n";
    audit.findings.iter().for_each(|finding| out += &line_of(finding));
    out += "\n\n## What to do next\n";
    let report = match words::advised(audit) {
        Some(origin) => Sentence::of("Report ").then(origin),
        None => Sentence::of("Report no calibrated number"),
    };
    out += &paragraph(&report.text(format!(". {}.", capital(&audit.advice.reason))));
    out += "\n";
    for (i, step) in audit.advice.next.iter().enumerate() {
        out += &format!("{}. {}\n", i + 1, escaped(&step.text.to_string()));
    }
    out += "\n## Where it came from\n";
    out += &source(audit, about);
    out
}
