//! Markdown for tickets and wikis: the words and tables of the page, without its plots.

use crate::comparison;
use crate::plots::{Plot, Plots, models, other_aggregates, pairs, usual_rates};
use crate::sentence::{Piece, Sentence, capital, clean};
use crate::table::Table;
use crate::{Provenance, Subject, words};
use fairveil_core::{Aggregate, Comparison, Finding, Severity};

/// The audit as Markdown.
pub fn markdown(subject: &Subject, provenance: &Provenance) -> String {
    let audit = subject.audit;
    let plots = Plots::of(audit);
    let mut out = format!("# Group disparities in {}\n", escaped(subject.table));
    out += "\n## The answer\n";
    for criterion in &audit.settings.criteria {
        out += &paragraph(&words::answer(audit, *criterion));
    }
    out += &format!("\n{}\n", words::caution(audit));
    out += "\n## The gap on every basis\n";
    for (criterion, plot) in audit.settings.criteria.iter().zip(&plots.forests) {
        out += &shown(plot);
        if audit.recommended(*criterion, Aggregate::Difference).is_some() {
            out += "\n◄ marks the number to report.\n";
        }
        for (origin, reason) in words::reasons(audit, *criterion) {
            out += &paragraph(&Sentence::of("No number, ").then(origin).text(format!(": {reason}.")));
        }
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
    let advised = audit.results.iter().find(|result| result.recommended);
    let report = match advised {
        Some(result) => Sentence::of("Report ").then(words::origin_of(audit, result)),
        None => Sentence::of("Report no calibrated number"),
    };
    out += &paragraph(&report.text(format!(". {}.", capital(&audit.advice.reason))));
    out += "\n";
    for (i, step) in audit.advice.next.iter().enumerate() {
        out += &format!("{}. {}\n", i + 1, escaped(&step.text));
    }
    out += "\n## Where it came from\n";
    out += &source(subject, provenance);
    out
}

/// The comparison as Markdown.
pub fn comparison_markdown(
    comparison: &Comparison,
    table: &str,
    version: &str,
    provenance: &Provenance,
) -> String {
    let mut out = format!("# {} models compared on {}\n", comparison.models.len(), escaped(table));
    out += "\n## Whose gap is smaller\n";
    for criterion in comparison::criteria(comparison) {
        for (i, pair) in comparison::in_order(comparison, criterion) {
            let named = Sentence::of(format!("{}: ", capital(criterion.words())));
            out += &paragraph(&named.then(comparison::sentence(i, pair)));
        }
    }
    out += &format!("\n{}\n", comparison::MEANING);
    out += "\n## The gap of every model\n";
    for criterion in comparison::criteria(comparison) {
        out += &shown(&models(comparison, criterion));
        out += &format!("\nPair by pair, {}:\n", criterion.words());
        out += &self::table(&pairs(comparison, criterion));
    }
    out += "\n## What each model's audit says\n";
    for model in &comparison.models {
        out += &format!("\n### {}\n", escaped(&model.model));
        for criterion in comparison::criteria(comparison) {
            out += &paragraph(&words::answer(&model.audit, criterion));
        }
        out += &format!("\n{}\n", words::caution(&model.audit));
        model.audit.findings.iter().for_each(|finding| out += &line_of(finding));
        out += "\n";
    }
    out += "\n## Where it came from\n";
    if let Some(first) = comparison.models.first() {
        out += &source(&Subject { audit: &first.audit, table, version }, provenance);
    }
    out
}

pub(crate) fn line_of(finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Info => "note",
        Severity::Warning => "warning",
        Severity::Serious => "serious",
    };
    let (message, advice) = (escaped(&finding.message), escaped(&finding.advice));
    format!("\n- **{severity} {}: {}.** {message} {advice}", finding.code, finding.title)
}

fn source(subject: &Subject, provenance: &Provenance) -> String {
    let (input, settings) = (&subject.audit.input, &subject.audit.settings);
    let mut out = format!("\n- fairveil {}\n", subject.version);
    out += &format!("- {} rows, weight {}\n", input.rows, input.weight);
    out += &format!(
        "- confidence {}, shared error {}, draws {}, seed {}, estimator {}, scope {}\n",
        settings.confidence,
        settings.shared_error,
        settings.n_boot,
        settings.seed,
        settings.estimator,
        settings.scope
    );
    let facts = [("SHA-256", provenance.sha256), ("date", provenance.date), ("command", provenance.command)];
    for (name, fact) in facts {
        out += &fact.map_or(String::new(), |fact| format!("- {name}: {}\n", escaped(fact)));
    }
    out
}

pub(crate) fn shown(plot: &Plot) -> String {
    format!("\n### {}\n{}{}", line(&plot.title), paragraph(&plot.reading), table(&plot.table))
}

pub(crate) fn paragraph(sentence: &Sentence) -> String {
    format!("\n{}\n", line(sentence))
}

fn line(sentence: &Sentence) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) | Piece::Name(text) => escaped(text),
        Piece::Number(figure) => figure.shown(),
    };
    sentence.0.iter().map(piece).collect()
}

pub(crate) fn table(table: &Table) -> String {
    let row =
        |cells: &[Sentence]| format!("| {} |\n", cells.iter().map(line).collect::<Vec<_>>().join(" | "));
    let mut out = format!("\n{}|{}\n", row(&table.head), " --- |".repeat(table.head.len()));
    for one in &table.rows {
        let mut cells = one.cells.clone();
        if let (true, Some(first)) = (one.strong, cells.first_mut()) {
            first.0.push(Piece::Text(" ◄".into()));
        }
        out += &row(&cells);
    }
    out
}

/// Text that Markdown shows as it is, on one line.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in clean(text).chars() {
        if "\\`*_[]<>|~&#$!{}@".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}
