//! The program as it is run: one module for each subject.
#![allow(clippy::unwrap_used, clippy::panic)] // tests may stop at the first surprise

mod apply;
mod aware;
mod cli;
mod clusters;
mod curve;
mod digits;
mod documents;
mod evidence_files;
mod exports;
mod formats;
mod golden;
mod intersect;
mod keyed;
mod lies;
mod mitigate;
mod monitor;
mod names;
mod neighbors;
mod outcome;
mod outputs;
mod page_one;
mod people;
mod postgres;
mod privacy;
mod shells;
mod spreadsheets;
mod sql;
mod tables;
mod tallies;
