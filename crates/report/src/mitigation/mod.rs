//! A mitigation for people and machines: what a rule with a smaller gap gains and costs on rows it was not fitted on.
//! No number is made here: every one is of the [`MitigationRecord`].

mod markdown;
mod page;
mod plots;
mod text;
mod words;

pub use markdown::mitigation_markdown;
pub use page::{mitigation_html, mitigation_svg};
pub use text::mitigation_text;

use fairveil_core::mitigate::MitigationRecord;
use serde::Serialize;

/// The name of the contract that [`mitigation_json`] keeps.
pub const MITIGATION_SCHEMA: &str = "fairveil.mitigation/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: &'a str,
    table: &'a str,
    #[serde(flatten)]
    record: &'a MitigationRecord,
}

/// The mitigation as JSON, ending in a newline.
pub fn mitigation_json(
    record: &MitigationRecord,
    table: &str,
    version: &str,
) -> Result<String, serde_json::Error> {
    let document = Document { schema: MITIGATION_SCHEMA, version, table, record };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}
