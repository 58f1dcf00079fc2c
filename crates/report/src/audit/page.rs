//! The page of an audit, in the order that a sceptic reads.

use super::plots::{Plots, other_aggregates, usual_rates};
use super::words;
use crate::page::frame::{Head, frame, section};
use crate::page::parts::{self, figure, sentence, table};
use crate::page::reference::{self, About};
use crate::plot::Plot;
use crate::sentence::Sentence;
use crate::{Provenance, Subject};
use maud::{Markup, html};

/// The audit as one HTML page.
pub fn html(subject: &Subject, provenance: &Provenance) -> String {
    let plots = Plots::of(subject.audit);
    let about = About::one(subject);
    let body = html! {
        (parts::answers(subject))
        (gaps(subject, &plots))
        (rates(subject, &plots))
        (errors(subject, &plots))
        (shared_error(&plots))
        (section("doubt", "What to doubt", &parts::findings(&subject.audit.findings, provenance)))
        (section("next", "What to do next", &parts::next(subject.audit)))
        (section("source", "Where it came from", &reference::source(&about, provenance)))
        (section("method", "How it was done", &reference::method(&about)))
        (section("words", "Words", &reference::glossary(&about)))
    };
    frame(&Head::of(subject), provenance, &contents(&plots), &body)
}

/// The plots as files: a name and an SVG each.
pub fn svg(subject: &Subject) -> Vec<(String, String)> {
    Plots::of(subject.audit).all().map(Plot::file).collect()
}

/// The sections that a page has.
fn contents(plots: &Plots) -> Vec<(&'static str, &'static str)> {
    let mut contents =
        vec![("answer", "Answer"), ("gaps", "Gaps"), ("rates", "Rates"), ("errors", "Proxies")];
    if !plots.shared_error.is_empty() {
        contents.push(("shared", "Shared error"));
    }
    contents.extend([
        ("doubt", "Doubt"),
        ("next", "Next"),
        ("source", "Source"),
        ("method", "Method"),
        ("words", "Words"),
    ]);
    contents
}

fn gaps(subject: &Subject, plots: &Plots) -> Markup {
    let audit = subject.audit;
    let part = |i: usize| {
        let criterion = audit.settings.criteria[i];
        html! {
            (figure(&plots.forests[i]))
            (parts::reasons(audit, criterion))
            (parts::test(audit, criterion))
            @let bounds = words::bounds(audit, criterion);
            @if !bounds.is_empty() { ul.reasons { @for bound in &bounds { li { (sentence(bound)) } } } }
            details {
                summary { "Mean gap and ratio: " (criterion.words()) }
                p.note {
                    "Mean gap: over all pairs of groups and classes, as in the paper. Ratio: smallest over largest rate, 1 is \
                     no gap."
                    @if audit.truth.is_some() {
                        " Errors are of the mean gap: raw is the distance to the truth, normalised is that over the truth, \
                         improvement is how much of the first proxy's error is gone."
                    }
                }
                (table(&other_aggregates(audit, criterion), &format!("Mean gap and ratio: {}", criterion.words())))
            }
        }
    };
    let lead = html! {
        p.lead {
            "Every way of computing the gap, side by side. Proxies and soft are read directly: their guesses are taken for the \
             group. Calibrated undoes the proxies' estimated error."
        }
        @for i in 0..plots.forests.len() { (part(i)) }
    };
    section("gaps", "The gap on every basis", &lead)
}

fn rates(subject: &Subject, plots: &Plots) -> Markup {
    let audit = subject.audit;
    let body = html! {
        @for plot in &plots.rates { (figure(plot)) }
        @if plots.rates.is_empty() { p { "No rate by group can be given; the reasons are above." } }
        @if let Some((origin, rates)) = usual_rates(audit) {
            h3 { "The usual rates (" (sentence(&origin)) ")" }
            p.note { (sentence(&parts::meaning(audit))) }
            (table(&rates, "The usual rates of every group"))
        }
    };
    section("rates", "Rates by group", &body)
}

/// More matrices than this are folded away.
const MOST_MATRICES: usize = 6;

fn errors(subject: &Subject, plots: &Plots) -> Markup {
    let audit = subject.audit;
    let (shown, more) = plots.matrices.split_at(plots.matrices.len().min(MOST_MATRICES));
    let body = html! {
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
            }
        }
        @if let Some(plot) = &plots.agreement { (figure(plot)) }
    };
    section("errors", "How the proxies err", &body)
}

fn shared_error(plots: &Plots) -> Markup {
    if plots.shared_error.is_empty() {
        return html! {};
    }
    let body = html! {
        p.lead {
            (sentence(&Sentence::of(
                "Proxies that repeat each other's mistakes look better than they are, and the gap is then larger than \
                 calibration says. The table cannot tell how much they share; this is what follows from each share.",
            )))
        }
        @for plot in &plots.shared_error { (figure(plot)) }
    };
    section("shared", "What if the proxies share mistakes", &body)
}

/// The answers in words, for the description of a page.
pub(crate) fn summary(subject: &Subject) -> String {
    let audit = subject.audit;
    let answers = audit.settings.criteria.iter().map(|criterion| words::answer(audit, *criterion).plain());
    answers.collect::<Vec<_>>().join(" ")
}
