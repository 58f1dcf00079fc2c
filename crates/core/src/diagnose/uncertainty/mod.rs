//! The intervals.

mod no_interval;
mod shared_people;

use super::{Kind, Looked, kinds};

pub(super) const KINDS: &[Kind<fn(&Looked) -> Vec<super::Finding>>] =
    kinds![no_interval::NoInterval, shared_people::SharedPeople,];
