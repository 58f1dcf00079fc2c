//! The audit as Markdown: the words and tables of the page, without its plots.

use super::front;
use super::measures::Told;
use super::plots::{Plots, against_truth, bases, truth_missing, usual_rates};
use super::{known, measures, outcome, words};
use crate::About;
use crate::markdown::{escaped, line_of, paragraph, reasons, shown, source, table};
use crate::measured::reported;
use crate::page::frame::file_name;
use crate::sentence::{Sentence, capital};
use fairveil_core::Audit;

/// The audit as Markdown.
pub(super) fn markdown(audit: &Audit, about: &About) -> String {
    let plots = Plots::of(audit);
    let identity = &about.provenance.identity;
    let mut out = match identity.title {
        Some(title) => format!("# {}\n", escaped(title)),
        None => format!("# Group disparities in {}\n", escaped(file_name(about.table))),
    };
    for (name, said) in identity.said() {
        out += &format!("\n**{name}:** {}\n", escaped(said));
    }
    out += "\n## The answer\n";
    if let Some(lead) = front::lead(audit) {
        let range = match lead.honest() {
            none if none.0.is_empty() => none,
            range => Sentence::of("Honest range ").then(range).text(lead.allows() + "."),
        };
        let sampling = lead.sampling();
        let sampling = if sampling.0.is_empty() { sampling } else { sampling.text(".") };
        let parts =
            [lead.headline(), range, sampling, lead.people(), lead.ratio(), lead.left_out(), lead.reasons()];
        parts.iter().filter(|part| !part.0.is_empty()).for_each(|part| out += &paragraph(part));
    }
    out += &paragraph(&front::meaning(audit));
    out += &table(&front::criteria(audit));
    for criterion in audit.settings.criteria.iter().skip(1) {
        let reasons = front::answered(audit, *criterion).map(|one| one.reasons()).unwrap_or_default();
        if !reasons.0.is_empty() {
            let named = Sentence::of(format!("{}. ", capital(criterion.words())));
            out += &paragraph(&named.then(reasons));
        }
    }
    out += &format!("\n**{}.**\n", front::doubts(audit));
    out += &paragraph(&Sentence::of("What it rests on: ").then(front::rests_on(audit)));
    out += &paragraph(&Sentence::of(format!("What would settle it: {}", front::settles(audit))));
    out += "\n## The gap on every basis\n";
    out += &table(&bases(audit));
    if audit.settings.criteria.iter().any(|criterion| reported(audit, *criterion).is_some()) {
        out += "\n◄ marks the number to report.\n";
    }
    for criterion in &audit.settings.criteria {
        out += &reasons(words::reasons(audit, *criterion));
        let test = words::test(audit, *criterion);
        for note in test.into_iter().chain(words::bounds(audit, *criterion)) {
            out += &paragraph(&Sentence::of(format!("{}: ", capital(criterion.words()))).then(note));
        }
    }
    truth_missing(audit).iter().for_each(|reason| out += &paragraph(&Sentence::of(reason)));
    if let Some(truth) = against_truth(audit) {
        out += &format!("\nThe paper's mean gap beside the truth. {}\n", words::ERRORS);
        out += &table(&truth);
    }
    out += "\n## Rates by group\n";
    if let Some((origin, rates)) = usual_rates(audit) {
        out += &paragraph(&Sentence::of("The usual rates: ").then(origin).text("."));
        out += &table(&rates);
    }
    plots.rates.iter().chain(&plots.outcome).for_each(|plot| out += &shown(plot));
    measures::told(audit).into_iter().chain(outcome::told(audit)).for_each(|told| out += &beside(told));
    out += "\n## How the proxies err\n";
    out += &format!("\n{}\n", words::errors_lead(audit));
    plots
        .matrices
        .iter()
        .chain(&plots.other_matrices)
        .chain(&plots.agreement)
        .for_each(|plot| out += &shown(plot));
    known::told(audit).into_iter().for_each(|told| out += &beside(told));
    if !plots.shared_error.is_empty() {
        out += "\n## What if the proxies share mistakes\n";
        plots.shared_error.iter().for_each(|plot| out += &shown(plot));
    }
    out += "\n## What to doubt\n";
    front::merged(&audit.findings).iter().for_each(|alike| out += &line_of(alike));
    out += "\n\n## What to do next\n";
    let report = match words::advised(audit) {
        Some(origin) => Sentence::of("Report the gap from ").then(origin),
        None => Sentence::of("Report no single number"),
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

/// A table with its heading above and what it means below.
fn beside(told: Told) -> String {
    let mut out = paragraph(&told.heading.text("."));
    if !told.table.rows.is_empty() {
        out += &table(&told.table);
    }
    told.reasons.iter().for_each(|reason| out += &paragraph(reason));
    out + &paragraph(&Sentence::of(told.meaning))
}
