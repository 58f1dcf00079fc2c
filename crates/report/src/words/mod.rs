//! Words, each list written once: of estimators, criteria, rates and severities.

mod criterion;
mod estimator;
mod rate;
mod voice;

pub(crate) use criterion::{CountedWords, CriterionWords};
pub(crate) use estimator::{BY_SOURCE, DIRECT, EstimatorWords, LENT, Reference};
pub(crate) use rate::Rate;
pub(crate) use voice::Voice;

use fairveil_core::diagnose::Severity;

/// How serious a finding is, in a word.
pub(crate) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "note",
        Severity::Warning => "warning",
        Severity::Serious => "serious",
    }
}
