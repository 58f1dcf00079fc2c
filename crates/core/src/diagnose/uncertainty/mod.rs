//! The intervals.

mod clustered_rows;
mod no_interval;
mod shared_people;

use super::{OfAudit, kinds};

pub(super) const KINDS: &[OfAudit] =
    kinds![clustered_rows::ClusteredRows, no_interval::NoInterval, shared_people::SharedPeople,];
