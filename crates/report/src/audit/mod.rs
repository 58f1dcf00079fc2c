//! The report of one audit, and of one for each segment. The schema of its JSON is published in `docs/schema/`.

pub(crate) mod front;
mod known;
mod markdown;
mod measures;
mod outcome;
mod page;
pub(crate) mod plots;
mod segments;
mod text;
pub(crate) mod words;

use crate::plot::Plot;
use crate::report::json;
use crate::{About, PlotFile, Report, Style};
use fairveil_core::Audit;
use fairveil_core::record::SegmentRecord;
use fairveil_core::segments::TogetherRecord;
pub(crate) use front::merged;
pub(crate) use measures::decimals;
pub(crate) use outcome::{figures, places};
use plots::Plots;
use serde::Serialize;

/// An audit, and those of its segments.
#[derive(Debug, Clone, Copy)]
pub struct AuditReport<'a> {
    /// The audit of all rows.
    pub audit: &'a Audit,
    /// The columns that make segments; empty where there are none.
    pub by: &'a [String],
    /// The segments.
    pub segments: &'a [SegmentRecord],
    /// The segments side by side.
    pub together: Option<&'a TogetherRecord>,
    /// Where it comes from.
    pub about: About<'a>,
}

impl<'a> AuditReport<'a> {
    /// The contract that the JSON keeps.
    pub const SCHEMA: &'static str = "fairveil.audit/2";
    /// What a line about one segment is: one of the `segments` of [`SCHEMA`](Self::SCHEMA), with the columns that make them.
    pub const SEGMENT_SCHEMA: &'static str = "fairveil.segment/2";

    /// An audit without segments.
    pub fn new(audit: &'a Audit, about: About<'a>) -> Self {
        AuditReport { audit, by: &[], segments: &[], together: None, about }
    }

    fn finished(&self, mut text: String, style: Style) -> String {
        if !self.by.is_empty() {
            text += &segments::text(self);
        }
        style.finish(&text)
    }
}

impl Report for AuditReport<'_> {
    fn text(&self, style: Style) -> String {
        self.finished(text::short(self.audit, &self.about), style)
    }

    fn full_text(&self, style: Style) -> String {
        self.finished(text::full(self.audit, &self.about), style)
    }

    fn brief(&self) -> Option<String> {
        Some(page::brief(self.audit, &self.about))
    }

    fn json(&self) -> Result<String, serde_json::Error> {
        #[derive(Serialize)]
        struct Segmented<'a> {
            #[serde(flatten)]
            audit: &'a Audit,
            by: &'a [String],
            segments: &'a [SegmentRecord],
            #[serde(skip_serializing_if = "Option::is_none")]
            together: Option<&'a TogetherRecord>,
        }
        let AuditReport { audit, by, segments, together, about } = *self;
        if by.is_empty() {
            return json(Self::SCHEMA, about.version, audit);
        }
        json(Self::SCHEMA, about.version, Segmented { audit, by, segments, together })
    }

    fn json_lines(&self) -> Result<String, serde_json::Error> {
        #[derive(Serialize)]
        struct All<'a> {
            schema: &'a str,
            version: &'a str,
            by: &'a [String],
            #[serde(flatten)]
            audit: &'a Audit,
        }
        #[derive(Serialize)]
        struct One<'a> {
            schema: &'a str,
            version: &'a str,
            by: &'a [String],
            #[serde(flatten)]
            segment: &'a SegmentRecord,
        }
        let AuditReport { audit, by, segments, about, .. } = *self;
        let (schema, version) = (Self::SCHEMA, about.version);
        let mut lines = serde_json::to_string(&All { schema, version, by, audit })? + "\n";
        for segment in segments {
            lines +=
                &(serde_json::to_string(&One { schema: Self::SEGMENT_SCHEMA, version, by, segment })? + "\n");
        }
        Ok(lines)
    }

    fn html(&self) -> String {
        if self.by.is_empty() { page::html(self.audit, &self.about) } else { segments::html(self) }
    }

    fn markdown(&self) -> String {
        markdown::markdown(self.audit, &self.about)
    }

    fn plots(&self) -> Vec<PlotFile> {
        Plots::of(self.audit).all().map(Plot::file).collect()
    }
}
