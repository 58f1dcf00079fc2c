//! JSON for machines. The schema is published in `docs/schema/`.

use crate::Subject;
use fairveil_core::{Audit, SegmentRecord};
use serde::Serialize;

/// The name of the contract that [`json`] keeps.
pub const SCHEMA: &str = "fairveil.audit/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: &'a str,
    #[serde(flatten)]
    audit: &'a Audit,
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

/// The audit as JSON, ending in a newline.
pub fn json(subject: &Subject) -> Result<String, serde_json::Error> {
    let document = Document { schema: SCHEMA, version: subject.version, audit: subject.audit };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}
