//! An audit as text for people and as JSON for machines. No statistics: every number comes from the [`Audit`].

mod json;
mod text;

pub use json::{SCHEMA, json};
pub use text::{Style, explanation, text};

use fairveil_core::Audit;

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
