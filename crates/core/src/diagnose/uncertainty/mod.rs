//! The intervals.

mod no_interval;
mod shared_people;

use super::{OfAudit, kinds};

pub(super) const KINDS: &[OfAudit] = kinds![no_interval::NoInterval, shared_people::SharedPeople,];
