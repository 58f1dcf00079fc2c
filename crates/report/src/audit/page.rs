//! The page of an audit, in the order that a sceptic reads.

use super::plots::{Plots, other_aggregates, usual_rates};
use super::words;
use crate::About;
use crate::page::frame::{Head, Section, frame};
use crate::page::parts::{self, figure, sentence, table};
use crate::page::reference::{self, Audited};
use fairveil_core::Audit;
use maud::{Markup, html};

/// The audit as one HTML page.
pub(super) fn html(audit: &Audit, about: &About) -> String {
    let plots = Plots::of(audit);
    let mut sections = vec![
        Section::new("answer", "Answer", "The answer", parts::answers(audit)),
        Section::new("gaps", "Gaps", "The gap on every basis", gaps(audit, &plots)),
        Section::new("rates", "Rates", "Rates by group", rates(audit, &plots)),
        Section::new("errors", "Proxies", "How the proxies err", errors(audit, &plots)),
    ];
    if !plots.shared_error.is_empty() {
        let title = "What if the proxies share mistakes";
        sections.push(Section::new("shared", "Shared error", title, shared_error(&plots)));
    }
    sections.extend([
        Section::new("doubt", "Doubt", "What to doubt", parts::findings(&audit.findings, about)),
        Section::new("next", "Next", "What to do next", parts::next(audit)),
    ]);
    let audited = Audited { audits: vec![audit], root: "" };
    sections.extend(reference::sections(&audited, about, ""));
    frame(&Head::of(audit, about), about, &sections)
}

fn gaps(audit: &Audit, plots: &Plots) -> Markup {
    let part = |i: usize| {
        let criterion = audit.settings.criteria[i];
        html! {
            (figure(&plots.forests[i]))
            (parts::reasons(&words::reasons(audit, criterion)))
            (parts::test(audit, criterion))
            @let bounds = words::bounds(audit, criterion);
            @if !bounds.is_empty() { ul.reasons { @for bound in &bounds { li { (sentence(bound)) } } } }
            @let title = format!("Mean gap and ratio: {}", criterion.words());
            (parts::other_aggregates(&title, audit.truth.is_some(), &other_aggregates(audit, criterion)))
        }
    };
    html! {
        p.lead { (parts::BASES) }
        @for i in 0..plots.forests.len() { (part(i)) }
    }
}

fn rates(audit: &Audit, plots: &Plots) -> Markup {
    html! {
        @for plot in &plots.rates { (figure(plot)) }
        @if plots.rates.is_empty() { p { "No rate by group can be given; the reasons are above." } }
        @if let Some((origin, rates)) = usual_rates(audit) {
            h3 { "The usual rates (" (sentence(&origin)) ")" }
            p.note { (sentence(&parts::meaning(audit))) }
            (table(&rates, "The usual rates of every group"))
        }
    }
}

/// More matrices than this are folded away.
const MOST_MATRICES: usize = 6;

fn errors(audit: &Audit, plots: &Plots) -> Markup {
    let (shown, more) = plots.matrices.split_at(plots.matrices.len().min(MOST_MATRICES));
    html! {
        p.lead { (words::errors_lead(audit)) }
        @for plot in shown { (figure(plot)) }
        @if !more.is_empty() {
            details {
                summary { (more.len()) " more by the same method" }
                @for plot in more { (figure(plot)) }
            }
        }
        (parts::no_matrix(audit))
        @if !plots.other_matrices.is_empty() {
            details {
                summary { "By other methods, in other rows: " (plots.other_matrices.len()) }
                @for plot in &plots.other_matrices { (figure(plot)) }
                @if plots.further_matrices > 0 { p.note { (plots.further_matrices) " more are in the JSON." } }
            }
        }
        @if let Some(plot) = &plots.agreement { (figure(plot)) }
    }
}

fn shared_error(plots: &Plots) -> Markup {
    html! {
        p.lead {
            "Proxies that repeat each other's mistakes look better than they are, and the gap is then larger than calibration \
             says. The table cannot tell how much they share; this is what follows from each share."
        }
        @for plot in &plots.shared_error { (figure(plot)) }
    }
}
