//! The report of one audit, and of one for each segment. The schema of its JSON is published in `docs/schema/`.

mod markdown;
mod page;
pub(crate) mod plots;
pub(crate) mod segments;
mod text;
pub(crate) mod words;

pub use markdown::markdown;
pub(crate) use page::summary;
pub use page::{html, svg};
pub use text::text;

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
