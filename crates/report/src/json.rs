//! JSON for machines. The schema is published in `docs/schema/`.

use crate::Subject;
use fairveil_core::Audit;
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

/// The audit as JSON, ending in a newline.
pub fn json(subject: &Subject) -> Result<String, serde_json::Error> {
    let document = Document { schema: SCHEMA, version: subject.version, audit: subject.audit };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}
