//! Segments side by side, as text, as JSON and as a page.

mod page;
mod strip;
mod trend;

pub use page::html_segments;

use super::{Document, SCHEMA};
use crate::Subject;
use crate::sentence::{capital, number, thousands};
use crate::text::{Style, head, plain_table, render, wrapped};
use fairveil_core::{Aggregate, Audit, Criterion, SegmentRecord};
use serde::Serialize;

/// Past this many a list is for the page or for machines.
const MOST: usize = 30;

/// What a segment is called: `north`, or `north, 2021` where several columns make it.
pub fn segment_name(values: &[Option<String>]) -> String {
    values.iter().map(|value| value.as_deref().unwrap_or("(missing)")).collect::<Vec<_>>().join(", ")
}

/// Every segment's largest gap, largest first, for each criterion.
pub fn segments_text(whole: &Audit, by: &[String], segments: &[SegmentRecord], style: Style) -> String {
    let mut out = String::new();
    for criterion in &whole.settings.criteria {
        out += &format!("\n{} by {}\n", head(&capital(criterion.words())), by.join(", "));
        out += &one(*criterion, segments);
    }
    out += &wrapped(
        "Each segment is an audit of its own. Among many, some gaps are large by chance alone: read the intervals.",
        "  ",
        100,
    );
    style.finish(&out)
}

fn one(criterion: Criterion, segments: &[SegmentRecord]) -> String {
    let found = |segment: &SegmentRecord| {
        segment.audit.as_ref().and_then(|audit| audit.recommended(criterion, Aggregate::Difference).cloned())
    };
    let mut rows: Vec<_> = segments.iter().map(|segment| (segment, found(segment))).collect();
    let value = |row: &Option<fairveil_core::Measurement>| row.as_ref().and_then(|r| r.value).unwrap_or(-1.0);
    rows.sort_by(|a, b| value(&b.1).total_cmp(&value(&a.1)));
    let mut table = plain_table();
    table.set_header(vec!["segment", "rows", "largest gap", "interval", "with shared error"]);
    let ends = |ends: Option<(f64, f64)>| {
        ends.map_or("–".into(), |(low, high)| format!("{} to {}", number(Some(low)), number(Some(high))))
    };
    for (segment, result) in rows.iter().take(MOST) {
        let result = result.as_ref();
        table.add_row(vec![
            segment_name(&segment.values),
            segment.audit.as_ref().map_or("–".into(), |audit| thousands(audit.input.rows as f64)),
            number(result.and_then(|r| r.value)),
            ends(result.and_then(|r| r.interval.as_ref().map(|i| (i.low, i.high)))),
            ends(result.and_then(|r| r.honest_interval.as_ref().map(|i| (i.low, i.high)))),
        ]);
    }
    let more = match rows.len() > MOST {
        true => format!("  … and {} more segments, in the JSON and on the page\n", rows.len() - MOST),
        false => String::new(),
    };
    render(table) + &more
}

#[derive(Serialize)]
struct SegmentsDocument<'a> {
    #[serde(flatten)]
    whole: Document<'a>,
    by: &'a [String],
    segments: &'a [SegmentRecord],
}

/// The audit of a table and of each of its segments as JSON, ending in a newline.
pub fn json_segments(
    subject: &Subject,
    by: &[String],
    segments: &[SegmentRecord],
) -> Result<String, serde_json::Error> {
    let whole = Document { schema: SCHEMA, version: subject.version, audit: subject.audit };
    Ok(serde_json::to_string_pretty(&SegmentsDocument { whole, by, segments })? + "\n")
}
