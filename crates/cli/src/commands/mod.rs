//! One file for each verb.

pub mod audit;
pub mod compare;
pub mod count;
pub mod demo;
pub mod explain;
pub mod neighbors;
pub mod plan;
pub mod privatize;
pub mod simulate;
pub mod sql;
