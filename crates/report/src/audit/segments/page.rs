//! One page for an audit in segments: an overview sorted by gap, then a section for each.

use super::strip::{common_scale, strip};
use super::together;
use super::trend::trend;
use super::{Segment, audited, called};
use crate::AuditReport;
use crate::audit::page::{answer, evidence};
use crate::audit::plots::{Plots, forest, rates};
use crate::audit::{merged, words};
use crate::measured::reported;
use crate::page::frame::{Head, Section, frame};
use crate::page::parts::{self, figure, name, number, sentence};
use crate::page::reference::{self, Audited};
use crate::plot::{Plot, id};
use crate::sentence::{Figure, Sentence, capital, clean, fixed};
use fairveil_core::{Audit, Criterion};
use maud::{Markup, html};
use std::cmp::Reverse;

/// Segments as small multiples on one scale, largest gap first, and a section for each. Every segment is an audit of its
/// own: looking at many, some gaps are large by chance, and the page says so.
pub(in crate::audit) fn html(report: &AuditReport) -> String {
    let (whole, about, by) = (report.audit, &report.about, report.by.join(", "));
    let segments = audited(report.segments);
    let plots = Plots::of(whole);
    let lead = html! {
        p.lead {
            "Each segment was audited on its own. Among many, some gaps are large by chance alone: read the ranges, and \
             look twice at what stands out."
        }
    };
    let title = html! { (segments.len()) " segments by " (name(&by)) };
    let mut sections = vec![
        Section::new("answer", "Answer", "The answer for all rows", answer(whole, &plots)),
        Section::new("segments", "Segments", title, lead),
    ];
    let without = report.segments.iter().filter(|segment| segment.audit.is_none());
    let without: Vec<_> =
        without.filter_map(|segment| Some((called(segment), segment.unavailable.as_ref()?))).collect();
    if !without.is_empty() {
        let body = html! { @for (label, reason) in &without { p { (name(label)) ": " (clean(&about.spelled(reason))) } } };
        sections.push(Section::unlisted("without", "Segments without an audit", body));
    }
    for criterion in &whole.settings.criteria {
        let title = format!("{} by segment", capital(criterion.words()));
        let body = html! {
            @if let Some(plot) = trend(*criterion, &by, &segments) { (figure(&plot)) }
            (multiples(*criterion, &segments))
        };
        sections.push(Section::unlisted(&format!("by-{}", id(*criterion)), title, body));
    }
    if let Some(record) = report.together {
        let (meaning, tables) = together::told(record);
        let body = html! {
            p.lead { (clean(&meaning)) }
            @for (title, table) in &tables {
                h3 { (sentence(title)) }
                (parts::table(table, &title.plain()))
            }
        };
        sections.push(Section::unlisted("together", "All segments at once", body));
    }
    sections.extend(segments.iter().enumerate().map(|(i, segment)| Section::bare(one(i, segment))));
    sections.extend(evidence(whole, &plots, about));
    sections.extend(reference::sections(&Audited { audits: vec![whole], root: "" }, about, ""));
    frame(&Head::of(whole, about), about, &sections)
}

fn multiples(criterion: Criterion, segments: &[Segment]) -> Markup {
    let value = |i: usize| reported(segments[i].audit, criterion).and_then(|result| result.value);
    let mut order: Vec<usize> = (0..segments.len()).collect();
    // Largest first; what has no number comes last, in the order given.
    order.sort_by(|a, b| {
        Reverse(value(*a)).partial_cmp(&Reverse(value(*b))).unwrap_or(std::cmp::Ordering::Equal)
    });
    let ends = |i: usize| {
        let result = reported(segments[i].audit, criterion)?;
        Some(result.ends().map_or(result.value?, |(_, high)| high))
    };
    let scale = common_scale((0..segments.len()).filter_map(ends));
    html! {
        p {
            "Largest gap between groups, segments sorted by it, all on one scale from 0 to "
            (fixed(scale.domain.1, 2)) ". Dot: estimate; thick: sampling error; thin: honest range."
        }
        ol.multiples { @for i in order {
            @let Segment { name: label, audit } = &segments[i];
            @let result = reported(audit, criterion);
            @let id = format!("strip-{}-{i}", id(criterion));
            li data-segment=(i) {
                a href={ "#segment-" (i) } { (name(label)) }
                span.value { @match &result {
                    Some(result) => {
                        (number(&result.value()))
                        @if result.reach().is_some() { " (" (sentence(&result.honest())) ")" }
                        @else if result.interval.is_some() { " (" (sentence(&result.sampling())) ")" }
                    }
                    None => "no number",
                } }
                (strip(result.as_ref(), &scale).inline(&id, label, &words::answer(audit, criterion).plain()))
            }
        } }
    }
}

fn one(i: usize, Segment { name: label, audit }: &Segment) -> Markup {
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
                @for one in merged(&audit.findings) {
                    p { (sentence(&Sentence::of(format!("{} {}: {}", one.first.code, one.first.title, one.first.message)))) }
                }
            }
            p.note { (sentence(&rows(audit))) " " a href="#segments" { "All segments" } }
            @if let Some(criterion) = criteria.first() { (parts::reasons(&words::reasons(audit, *criterion))) }
        }
    }
}

fn rows(audit: &Audit) -> Sentence {
    Sentence::from(Figure::count(audit.input.rows, "/input/rows")).text(" rows.")
}
