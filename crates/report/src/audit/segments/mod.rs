//! Segments side by side, as text and as a page.

mod page;
mod strip;
mod together;
mod trend;

pub(super) use page::html;

use crate::AuditReport;
use crate::measured::{Measured, reported};
use crate::sentence::{capital, number, thousands};
use crate::text::{MOST_ROWS, WIDTH, ends, head, plain_table, render, wrapped};
use fairveil_core::headline::Says;
use fairveil_core::record::SegmentRecord;
use fairveil_core::{Audit, Criterion};

/// A segment that could be audited.
struct Segment<'a> {
    name: String,
    audit: &'a Audit,
}

/// What a segment is called: `north`, or `north, 2021` where several columns make it.
fn called(segment: &SegmentRecord) -> String {
    if let Some(pooled) = segment.pooled {
        return format!("others ({pooled} small {})", if pooled == 1 { "segment" } else { "segments" });
    }
    let values = segment.values.iter().map(|value| value.as_deref().unwrap_or("(missing)"));
    values.collect::<Vec<_>>().join(", ")
}

fn audited<'a>(segments: &'a [SegmentRecord]) -> Vec<Segment<'a>> {
    let one =
        |segment: &'a SegmentRecord| Some(Segment { name: called(segment), audit: segment.audit.as_ref()? });
    segments.iter().filter_map(one).collect()
}

/// Every segment's largest gap, largest first, for each criterion.
pub(super) fn text(report: &AuditReport) -> String {
    let mut out = String::new();
    for criterion in &report.audit.settings.criteria {
        out += &format!("\n{} by {}\n", head(&capital(criterion.words())), report.by.join(", "));
        out += &one(*criterion, report.segments);
    }
    out += &report.together.map(together::text).unwrap_or_default();
    out + &wrapped(
        "Each segment is an audit of its own. Among many, some gaps are large by chance alone: read the ranges.",
        "  ",
        WIDTH,
    )
}

/// What stands in the place of a number.
fn said(segment: &SegmentRecord, criterion: Criterion) -> Option<String> {
    match segment.audit.as_ref().and_then(|audit| audit.answer(criterion))?.says {
        Says::Number => None,
        Says::Range => Some("range only".into()),
        Says::Direction => Some("direction only".into()),
        Says::Nothing => Some("no number".into()),
    }
}

fn range(segment: &SegmentRecord, criterion: Criterion) -> Option<(f64, f64)> {
    let range = segment.audit.as_ref()?.answer(criterion)?.range?;
    Some((range.low, range.high))
}

/// `green below blue`.
fn groups(segment: &SegmentRecord, criterion: Criterion) -> String {
    let answer = segment.audit.as_ref().and_then(|audit| audit.answer(criterion));
    match answer.map(|answer| (&answer.pair, &answer.direction)) {
        Some((Some(pair), _)) => format!("{} below {}", pair.less, pair.more),
        Some((None, Some(direction))) => format!("{} higher", direction.more),
        _ => "–".into(),
    }
}

fn one<'a>(criterion: Criterion, segments: &'a [SegmentRecord]) -> String {
    let found =
        |segment: &'a SegmentRecord| segment.audit.as_ref().and_then(|audit| reported(audit, criterion));
    let mut rows: Vec<_> = segments.iter().map(|segment| (segment, found(segment))).collect();
    let value = |result: &Option<Measured>| result.as_ref().and_then(|r| r.value).unwrap_or(-1.0);
    rows.sort_by(|a, b| value(&b.1).total_cmp(&value(&a.1)));
    let mut table = plain_table();
    table.set_header(vec!["segment", "rows", "gap", "honest range", "interval", "groups"]);
    for (segment, result) in rows.iter().take(MOST_ROWS) {
        let result = result.as_ref();
        table.add_row(vec![
            called(segment),
            segment.audit.as_ref().map_or("–".into(), |audit| thousands(audit.input.rows as f64)),
            said(segment, criterion).unwrap_or_else(|| number(result.and_then(|r| r.value))),
            ends(result.and_then(Measured::reach).or_else(|| range(segment, criterion))),
            ends(result.and_then(Measured::ends)),
            groups(segment, criterion),
        ]);
    }
    let mut out = render(table);
    if rows.len() > MOST_ROWS {
        out += &format!("  … and {} more segments, in the JSON and on the page\n", rows.len() - MOST_ROWS);
    }
    out
}
