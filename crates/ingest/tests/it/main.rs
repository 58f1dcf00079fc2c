//! The readers from outside: one module for each subject.
#![allow(clippy::unwrap_used, clippy::panic)] // tests may stop at the first surprise

mod bad_input;
mod borrow;
mod claims;
mod corpus;
mod labels;
mod membership;
mod memory;
mod names;
mod parquet_sizes;
#[cfg(all(feature = "files", feature = "zstd"))]
mod rewrite;
#[cfg(all(feature = "files", feature = "zstd"))]
mod training;
