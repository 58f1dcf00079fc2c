//! The readers from outside: one module for each subject.
#![allow(clippy::unwrap_used, clippy::panic)] // tests may stop at the first surprise

mod bad_input;
#[cfg(feature = "neighbors")]
mod borrow;
#[cfg(all(feature = "json", feature = "parquet"))]
mod claims;
#[cfg(all(feature = "json", feature = "parquet"))]
mod corpus;
#[cfg(feature = "parquet")]
mod parquet_sizes;
#[cfg(all(feature = "json", feature = "parquet"))]
mod rewrite;
#[cfg(all(feature = "json", feature = "parquet"))]
mod training;
