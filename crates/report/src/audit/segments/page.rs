//! One page for an audit in segments: an overview sorted by gap, then a section for each.

use super::strip::{common_scale, strip};
use super::trend::trend;
use crate::audit::plots::{forest, rates};
use crate::audit::words;
use crate::measured::reported;
use crate::page::frame::{Head, frame, section};
use crate::page::parts::{self, figure, name, number, sentence};
use crate::page::reference;
use crate::plot::Plot;
use crate::sentence::{Figure, Sentence, clean};
use crate::{Provenance, Subject};
use fairveil_core::{Audit, Criterion};
use maud::{Markup, html};
use std::cmp::Reverse;

/// Segments as small multiples on one scale, largest gap first, and a section for each. Every segment is an audit of its
/// own: looking at many, some gaps are large by chance, and the page says so.
pub fn html_segments(
    whole: &Subject,
    by: &str,
    segments: &[(String, Subject)],
    without: &[(String, String)],
    provenance: &Provenance,
) -> String {
    let overview = |criterion: &Criterion| {
        let title = format!("{} by segment", crate::sentence::capital(criterion.words()));
        section(
            &format!("by-{}", criterion.name().replace('_', "-")),
            &title,
            &html! {
                @if let Some(plot) = trend(*criterion, by, segments) { (figure(&plot)) }
                (multiples(*criterion, segments))
            },
        )
    };
    let about = reference::About::one(whole);
    let body = html! {
        section id="answer" aria-labelledby="answer-heading" {
            h2 id="answer-heading" { (segments.len()) " segments by " (name(by)) }
            p.lead {
                "Each segment was audited on its own. Among many, some gaps are large by chance alone: read the intervals, and \
                 look twice at what stands out."
            }
            (parts::assumes(whole.audit))
        }
        @if !without.is_empty() {
            section id="without" aria-labelledby="without-heading" {
                h2 id="without-heading" { "Segments without an audit" }
                @for (label, reason) in without { p { (name(label)) ": " (clean(reason)) } }
            }
        }
        @for criterion in &whole.audit.settings.criteria { (overview(criterion)) }
        @for (i, (label, subject)) in segments.iter().enumerate() { (one(i, label, subject)) }
        (section("source", "Where it came from", &reference::source(&about, provenance)))
        (section("method", "How it was done", &reference::method(&about)))
        (section("words", "Words", &reference::glossary(&about)))
    };
    let contents = [("answer", "Segments"), ("source", "Source"), ("method", "Method"), ("words", "Words")];
    frame(&Head::of(whole), provenance, &contents, &body)
}

fn multiples(criterion: Criterion, segments: &[(String, Subject)]) -> Markup {
    let value = |i: usize| reported(segments[i].1.audit, criterion).and_then(|result| result.value);
    let mut order: Vec<usize> = (0..segments.len()).collect();
    // Largest first; what has no number comes last, in the order given.
    order.sort_by(|a, b| {
        Reverse(value(*a)).partial_cmp(&Reverse(value(*b))).unwrap_or(std::cmp::Ordering::Equal)
    });
    let ends = |i: usize| {
        let result = reported(segments[i].1.audit, criterion)?;
        Some(result.ends().map_or(result.value?, |(_, high)| high))
    };
    let scale = common_scale((0..segments.len()).filter_map(ends));
    html! {
        p {
            "Largest gap between groups, segments sorted by it, all on one scale from 0 to "
            (crate::sentence::fixed(scale.domain.1, 2)) ". Dot: estimate; thick: what chance leaves open; thin: with shared error."
        }
        ol.multiples { @for i in order {
            @let (label, subject) = &segments[i];
            @let result = reported(subject.audit, criterion);
            @let id = format!("strip-{}-{i}", criterion.name().replace('_', "-"));
            li data-segment=(i) {
                a href={ "#segment-" (i) } { (name(label)) }
                span.value { @match &result {
                    Some(result) => {
                        (number(&result.value()))
                        @if result.interval.is_some() { " (" (sentence(&result.sampling())) ")" }
                    }
                    None => "no number",
                } }
                (strip(result.as_ref(), &scale).inline(&id, label, &words::answer(subject.audit, criterion).plain()))
            }
        } }
    }
}

fn one(i: usize, label: &str, subject: &Subject) -> Markup {
    let audit = subject.audit;
    let own = |plot: Plot| Plot { id: format!("segment-{i}-{}", plot.id), ..plot };
    let (id, heading) = (format!("segment-{i}"), format!("segment-{i}-heading"));
    let criteria = &audit.settings.criteria;
    html! {
        section.segment id=(id) data-segment=(i) aria-labelledby=(heading) {
            h2 id=(heading) { (name(label)) }
            @for criterion in criteria { p { (parts::answer(audit, *criterion)) } }
            details {
                summary { "Evidence and doubt: " (name(label)) }
                @for criterion in criteria.iter().take(1) { (figure(&own(forest(audit, *criterion)))) }
                @for plot in rates(audit).into_iter().take(1) { (figure(&own(plot))) }
                @for finding in &audit.findings {
                    p { (sentence(&Sentence::of(format!("{} {}: {}", finding.code, finding.title, finding.message)))) }
                }
            }
            p.note { (sentence(&rows(audit))) " " a href="#answer" { "All segments" } }
            (parts::reasons(audit, criteria.first().copied().unwrap_or(Criterion::DemographicParity)))
        }
    }
}

fn rows(audit: &Audit) -> Sentence {
    Sentence::from(Figure::count(audit.input.rows, "/input/rows")).text(" rows.")
}
