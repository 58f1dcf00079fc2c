//! One file for each verb.

pub mod audit;
pub mod demo;
pub mod explain;
pub mod simulate;
