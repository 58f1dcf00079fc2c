//! The comparison as Markdown: the words and tables of its page, without the plots.

use super::plots::{models, pairs};
use super::words;
use crate::About;
use crate::audit::{merged, words as audit_words};
use crate::markdown::{escaped, line_of, paragraph, shown, source, table};
use crate::sentence::{Sentence, capital};
use fairveil_core::Comparison;

/// The comparison as Markdown.
pub(super) fn markdown(comparison: &Comparison, about: &About) -> String {
    let mut out = format!("# {} models compared on {}\n", comparison.models.len(), escaped(about.table));
    out += "\n## Whose gap is smaller\n";
    for criterion in words::criteria(comparison) {
        for (i, pair) in words::in_order(comparison, criterion) {
            let named = Sentence::of(format!("{}: ", capital(criterion.words())));
            out += &paragraph(&named.then(words::sentence(i, pair)));
        }
    }
    out += &format!("\n{}\n", words::MEANING);
    out += "\n## The gap of every model\n";
    for criterion in words::criteria(comparison) {
        out += &shown(&models(comparison, criterion));
        out += &format!("\nPair by pair, {}:\n", criterion.words());
        out += &table(&pairs(comparison, criterion));
    }
    out += "\n## What each model's audit says\n";
    for model in &comparison.models {
        out += &format!("\n### {}\n", escaped(&model.model));
        for criterion in words::criteria(comparison) {
            out += &paragraph(&audit_words::answer(&model.audit, criterion));
        }
        out += &format!("\n{}\n", audit_words::caution(&model.audit));
        merged(&model.audit.findings).iter().for_each(|alike| out += &line_of(alike));
        out += "\n";
    }
    out += "\n## Where it came from\n";
    if let Some(first) = comparison.models.first() {
        out += &source(&first.audit, about);
    }
    out
}
