//! The reports from outside: one module for each subject.
#![allow(clippy::unwrap_used, clippy::panic)] // tests may stop at the first surprise

mod mitigations;
mod page;
mod records;
mod worlds;
