//! What fairveil found, for people and machines: text for a screen, one HTML page, Markdown, JSON and plots. No statistics:
//! every number comes from the record that is reported, and stands on the page beside its place in the JSON.
//!
//! ```
//! use fairveil_core::setting::Plain;
//! use fairveil_core::{Audit, Settings, World};
//! use fairveil_report::{About, AuditReport, Provenance, Report, Style};
//!
//! let (counts, _) = World::lending().sample(5_000, 7)?;
//! let audit = Audit::run(&counts, None, &Settings { n_boot: 0, ..Settings::default() })?;
//!
//! // A front end says settings and jobs in its own words; these are their plain names.
//! let provenance = Provenance { date: Some("2026-01-31"), ..Provenance::default() };
//! let about = About { table: "loans.csv", version: "0.1.0", provenance, dialect: &Plain };
//! let report = AuditReport::new(&audit, about);
//!
//! assert!(report.text(Style::Plain).starts_with("fairveil 0.1.0 · audit of loans.csv"));
//! assert!(report.html().contains("data-path=\"/results/"));
//! assert!(report.json()?.contains(AuditReport::SCHEMA));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Report`] is made of an audit and its segments ([`AuditReport`]), of several models ([`ComparisonReport`]) or of a rule with
//! a smaller gap ([`MitigationReport`]). A [`PlanReport`] and a [`PrivacyReport`] have the same methods, as far as they have the
//! form. [`explanation`] is the full text of a finding.

mod audit;
mod compare;
mod curve;
mod intersect;
mod markdown;
mod measured;
mod mitigation;
mod monitor;
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

pub use audit::AuditReport;
pub use compare::ComparisonReport;
pub use curve::CurveReport;
pub use intersect::IntersectionReport;
pub use mitigation::MitigationReport;
pub use monitor::MonitorReport;
pub use plan::PlanReport;
pub use privacy::PrivacyReport;
pub use report::{About, Identity, PlotFile, Provenance, Report};
pub use text::{Style, explanation};
