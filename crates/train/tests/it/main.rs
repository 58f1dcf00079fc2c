//! Rules from outside: one module for each subject.
#![allow(clippy::unwrap_used, clippy::panic)] // tests may stop at the first surprise

mod common;
mod encode;
mod logistic;
mod measured_on;
mod mitigate;
mod mlp;
mod people;
mod wide;
