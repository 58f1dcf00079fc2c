//! The report of several models, side by side.

mod markdown;
mod page;
mod plots;
mod text;
mod words;

pub use markdown::comparison_markdown;
pub use page::comparison_html;
pub use text::comparison_text;

use fairveil_core::Comparison;
use serde::Serialize;

/// The name of the contract that [`comparison_json`] keeps.
pub const COMPARISON_SCHEMA: &str = "fairveil.compare/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

/// The comparison as JSON, ending in a newline.
pub fn comparison_json(comparison: &Comparison, version: &str) -> Result<String, serde_json::Error> {
    let document = Document { schema: COMPARISON_SCHEMA, version, comparison };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}
