//! One file for each verb.

pub mod apply;
pub mod audit;
pub mod compare;
pub mod completions;
pub mod count;
pub mod curve;
pub mod demo;
pub mod explain;
pub mod intersect;
pub mod man;
pub mod mitigate;
pub mod monitor;
pub mod neighbors;
pub mod plan;
mod privacy_report;
pub mod privatize;
pub mod proxies;
pub mod rule;
pub mod simulate;
pub mod sql;
