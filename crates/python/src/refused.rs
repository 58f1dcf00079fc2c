//! Refusals as Python exceptions, with what was found, what was needed and what to do as attributes.

use crate::keywords::Keywords;
use fairveil_core::AuditError;
use fairveil_core::setting::{Refusal, Refuses};
use pyo3::prelude::*;

/// Which exception: classes of `fairveil.errors`.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// The table.
    Table,
    /// What was asked of it.
    Setting,
    /// No number can be given.
    Estimate,
}

/// An exception that carries the refusal.
pub fn refused(py: Python, kind: Kind, refusal: &Refusal) -> PyErr {
    let class = match kind {
        Kind::Table => "TableError",
        Kind::Setting => "SettingError",
        Kind::Estimate => "EstimateError",
    };
    let words = |text: &fairveil_core::setting::Text| text.spelled(&Keywords);
    let parts =
        (words(&refusal.found), refusal.needed.as_ref().map(words), refusal.to_do.as_ref().map(words));
    let made = || py.import("fairveil.errors")?.getattr(class)?.call1(parts);
    made().map_or_else(|error| error, PyErr::from_value)
}

/// An error of one of our libraries.
pub fn of_table(py: Python, error: &impl Refuses) -> PyErr {
    refused(py, Kind::Table, &error.refusal())
}

/// Why an audit gives no number at all.
pub fn of_audit(py: Python, error: &AuditError) -> PyErr {
    let kind = match error {
        AuditError::Estimator { .. } => Kind::Estimate,
        AuditError::ConstantProxy { .. }
        | AuditError::UnknownNames { .. }
        | AuditError::IdenticalProxies { .. }
        | AuditError::TooManyGroups { .. }
        | AuditError::TooManyProxies { .. } => Kind::Table,
        _ => Kind::Setting,
    };
    refused(py, kind, &error.refusal())
}

/// An error of one of our libraries that is about a setting.
pub fn to_setting<E: Refuses>(py: Python<'_>) -> impl FnOnce(E) -> PyErr + '_ {
    move |error| of_setting(py, &error.refusal())
}

/// A setting that cannot be used.
pub fn of_setting(py: Python, refusal: &Refusal) -> PyErr {
    refused(py, Kind::Setting, refusal)
}
