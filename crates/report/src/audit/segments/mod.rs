//! Segments side by side, as text, as JSON and as a page.

mod page;
mod strip;
mod trend;

pub use page::html_segments;

use super::{Document, SCHEMA};
use crate::Subject;
use crate::measured::{Measured, reported};
use crate::sentence::{capital, number, thousands};
use crate::text::{Style, ends, head, plain_table, render, wrapped};
use fairveil_core::record::SegmentRecord;
use fairveil_core::{Audit, Criterion};
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

fn one<'a>(criterion: Criterion, segments: &'a [SegmentRecord]) -> String {
    let found =
        |segment: &'a SegmentRecord| segment.audit.as_ref().and_then(|audit| reported(audit, criterion));
    let mut rows: Vec<_> = segments.iter().map(|segment| (segment, found(segment))).collect();
    let value = |result: &Option<Measured>| result.as_ref().and_then(|r| r.value).unwrap_or(-1.0);
    rows.sort_by(|a, b| value(&b.1).total_cmp(&value(&a.1)));
    let mut table = plain_table();
    table.set_header(vec!["segment", "rows", "largest gap", "interval", "with shared error"]);
    for (segment, result) in rows.iter().take(MOST) {
        let result = result.as_ref();
        table.add_row(vec![
            segment_name(&segment.values),
            segment.audit.as_ref().map_or("–".into(), |audit| thousands(audit.input.rows as f64)),
            number(result.and_then(|r| r.value)),
            ends(result.and_then(Measured::ends)),
            ends(result.and_then(Measured::reach)),
        ]);
    }
    let mut out = render(table);
    if rows.len() > MOST {
        out += &format!("  … and {} more segments, in the JSON and on the page\n", rows.len() - MOST);
    }
    out
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
