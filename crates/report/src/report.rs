//! One face for everything that is reported, so that a front end writes an audit, a comparison and a mitigation alike.

use crate::audit::segments;
use crate::{Provenance, Style, Subject, audit, compare, mitigation};
use fairveil_core::mitigate::MitigationRecord;
use fairveil_core::record::SegmentRecord;
use fairveil_core::{Audit, Comparison};

/// Something to report, in every form there is.
pub trait Report {
    /// For a screen.
    fn text(&self, style: Style) -> String;
    /// For machines, ending in a newline.
    fn json(&self) -> Result<String, serde_json::Error>;
    /// One page that needs nothing else.
    fn html(&self) -> String;
    /// The same in Markdown.
    fn markdown(&self) -> String;
    /// Every plot of the page: the name of a file, and its SVG.
    fn plots(&self) -> Vec<(String, String)>;
}

/// Where a report comes from.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// The table's name.
    pub table: &'a str,
    /// The version of fairveil.
    pub version: &'a str,
    /// How it can be made again.
    pub provenance: Provenance<'a>,
}

/// An audit, and those of its segments.
#[derive(Debug, Clone, Copy)]
pub struct AuditReport<'a> {
    /// The audit of all rows.
    pub audit: &'a Audit,
    /// The columns that make segments; empty where there are none.
    pub by: &'a [String],
    /// The segments.
    pub segments: &'a [SegmentRecord],
    /// Where it comes from.
    pub about: About<'a>,
}

impl<'a> AuditReport<'a> {
    fn subject(&self) -> Subject<'a> {
        Subject { audit: self.audit, table: self.about.table, version: self.about.version }
    }
}

impl Report for AuditReport<'_> {
    fn text(&self, style: Style) -> String {
        let whole = audit::text(&self.subject(), style);
        if self.by.is_empty() {
            return whole;
        }
        whole + &segments::segments_text(self.audit, self.by, self.segments, style)
    }

    fn json(&self) -> Result<String, serde_json::Error> {
        if self.by.is_empty() {
            return audit::json(&self.subject());
        }
        segments::json_segments(&self.subject(), self.by, self.segments)
    }

    fn html(&self) -> String {
        let (subject, provenance) = (self.subject(), &self.about.provenance);
        if self.by.is_empty() {
            return audit::html(&subject, provenance);
        }
        let name = |segment: &SegmentRecord| segments::segment_name(&segment.values);
        let known = |segment: &'_ SegmentRecord| segment.audit.is_some();
        let audited: Vec<_> = (self.segments.iter())
            .filter_map(|segment| {
                Some((name(segment), Subject { audit: segment.audit.as_ref()?, ..subject }))
            })
            .collect();
        let without: Vec<_> = (self.segments.iter().filter(|segment| !known(segment)))
            .filter_map(|segment| Some((name(segment), segment.unavailable.as_ref()?.to_string())))
            .collect();
        segments::html_segments(&subject, &self.by.join(", "), &audited, &without, provenance)
    }

    fn markdown(&self) -> String {
        audit::markdown(&self.subject(), &self.about.provenance)
    }

    fn plots(&self) -> Vec<(String, String)> {
        audit::svg(&self.subject())
    }
}

/// Several models side by side.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonReport<'a> {
    /// The comparison.
    pub comparison: &'a Comparison,
    /// Where it comes from.
    pub about: About<'a>,
}

impl Report for ComparisonReport<'_> {
    fn text(&self, style: Style) -> String {
        compare::comparison_text(self.comparison, self.about.table, self.about.version, style)
    }

    fn json(&self) -> Result<String, serde_json::Error> {
        compare::comparison_json(self.comparison, self.about.version)
    }

    fn html(&self) -> String {
        let About { table, version, provenance } = &self.about;
        compare::comparison_html(self.comparison, table, version, provenance)
    }

    fn markdown(&self) -> String {
        let About { table, version, provenance } = &self.about;
        compare::comparison_markdown(self.comparison, table, version, provenance)
    }

    fn plots(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// A rule with a smaller gap, before and after.
#[derive(Debug, Clone, Copy)]
pub struct MitigationReport<'a> {
    /// The mitigation.
    pub record: &'a MitigationRecord,
    /// Where it comes from.
    pub about: About<'a>,
}

impl Report for MitigationReport<'_> {
    fn text(&self, style: Style) -> String {
        mitigation::mitigation_text(self.record, self.about.table, self.about.version, style)
    }

    fn json(&self) -> Result<String, serde_json::Error> {
        mitigation::mitigation_json(self.record, self.about.table, self.about.version)
    }

    fn html(&self) -> String {
        let About { table, version, provenance } = &self.about;
        mitigation::mitigation_html(self.record, table, version, provenance)
    }

    fn markdown(&self) -> String {
        let About { table, version, provenance } = &self.about;
        mitigation::mitigation_markdown(self.record, table, version, provenance)
    }

    fn plots(&self) -> Vec<(String, String)> {
        mitigation::mitigation_svg(self.record)
    }
}
