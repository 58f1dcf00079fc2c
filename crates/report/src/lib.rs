//! An audit as text, Markdown and one HTML page for people, and as JSON for machines. No statistics: every number comes
//! from the [`Audit`].

mod audit;
mod compare;
mod markdown;
mod measured;
mod mitigation;
mod page;
mod plan;
mod plot;
mod privacy;
mod report;
mod sentence;
mod svg;
mod table;
mod text;
mod words;

pub use audit::segments::{html_segments, json_segments, segment_name, segments_text};
pub use audit::{SCHEMA, html, json, markdown, svg, text};
pub use compare::{
    COMPARISON_SCHEMA, comparison_html, comparison_json, comparison_markdown, comparison_text,
};
pub use mitigation::{
    MITIGATION_SCHEMA, mitigation_html, mitigation_json, mitigation_markdown, mitigation_svg, mitigation_text,
};
pub use plan::{plan_json, plan_svg, plan_text};
pub use privacy::{privacy_html, privacy_json, privacy_svg};
pub use report::{About, AuditReport, ComparisonReport, MitigationReport, Report};
pub use text::{Style, explanation};

use fairveil_core::Audit;
use fairveil_core::setting::{Dialect, Text};

/// An audit and what a report says about where it came from.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The audit.
    pub audit: &'a Audit,
    /// The table's name.
    pub table: &'a str,
    /// The version of fairveil.
    pub version: &'a str,
}

/// What a page says beside the audit, so that a reader can make it again. Not in the JSON, which is the same for the same
/// input and settings, whenever and wherever it is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Provenance<'a> {
    /// The command as typed.
    pub command: Option<&'a str>,
    /// The SHA-256 of the input, in hexadecimal.
    pub sha256: Option<&'a str>,
    /// The date, `YYYY-MM-DD`.
    pub date: Option<&'a str>,
    /// The words of the front end, for settings and jobs that a text names; their plain names where there are none.
    pub dialect: Option<&'a dyn Dialect>,
}

impl Provenance<'_> {
    fn spelled(&self, text: &Text) -> String {
        self.dialect.map_or_else(|| text.to_string(), |dialect| text.spelled(dialect))
    }
}
