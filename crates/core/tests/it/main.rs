//! The statistics from outside: one module for each subject.
#![allow(clippy::unwrap_used, clippy::panic)] // tests may stop at the first surprise

mod advice;
mod borrowed;
mod compare;
mod curve;
mod evidence;
mod exact;
mod headline;
mod intersect;
mod labels;
mod measures;
mod mechanism;
mod mitigation;
mod monitor;
mod outcome;
mod properties;
mod read_back;
mod sources;
mod together;
