//! Markdown for tickets and wikis: the words and tables of the pages, without their plots.

use crate::audit::front::Alike;
use crate::plot::Plot;
use crate::sentence::{Piece, Sentence, clean};
use crate::table::Table;
use crate::words;
use crate::{About, Provenance};
use fairveil_core::Audit;

/// Findings of one kind as one item of a list.
pub(crate) fn line_of(alike: &Alike) -> String {
    let finding = alike.first;
    let severity = words::severity(finding.severity);
    let all = [finding].into_iter().chain(alike.more.iter().copied());
    let messages: Vec<String> = all.map(|one| escaped(&one.message.to_string())).collect();
    let advice = escaped(&finding.advice.to_string());
    format!("\n- **{severity} {}: {}.** {} {advice}", finding.code, finding.title, messages.join(" "))
}

pub(crate) fn source(audit: &Audit, about: &About) -> String {
    let (input, settings) = (&audit.input, &audit.settings);
    let mut out = format!("\n- fairveil {}\n", about.version);
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
    out + &made(about)
}

/// The digest, the date and the command, as far as they were recorded.
pub(crate) fn made(about: &About) -> String {
    let Provenance { sha256, date, command, .. } = about.provenance;
    let fact = |(name, fact): (&str, Option<&str>)| Some(format!("- {name}: {}\n", escaped(fact?)));
    [("SHA-256", sha256), ("date", date), ("command", command)].into_iter().filter_map(fact).collect()
}

/// Why a basis has no number.
pub(crate) fn reasons(reasons: Vec<(Sentence, &str)>) -> String {
    let one = |(origin, why)| paragraph(&Sentence::of("No number, ").then(origin).text(format!(": {why}.")));
    reasons.into_iter().map(one).collect()
}

pub(crate) fn shown(plot: &Plot) -> String {
    format!("\n### {}\n{}{}", line(&plot.title), paragraph(&plot.reading), table(&plot.table))
}

pub(crate) fn paragraph(sentence: &Sentence) -> String {
    format!("\n{}\n", line(sentence))
}

fn line(sentence: &Sentence) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) | Piece::Name(text) | Piece::Small(text) => escaped(text),
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
        cells.resize(table.head.len(), Sentence::default());
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
