//! A rule where decisions are made: SQL, Python without packages, ONNX.
//!
//! All of them compute what [`Rule::margin`](crate::Rule::margin) computes, in double precision and in the same order, and give no
//! decision where it gives none. Exponentials and logarithms are those of the engine, so that margins may differ in their last digits.

mod onnx;
mod protobuf;
mod python;
mod show;
mod sql;

pub use sql::{SqlError, SqlWords};
