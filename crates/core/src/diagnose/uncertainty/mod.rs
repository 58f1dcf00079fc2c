//! The intervals.

mod clustered_rows;
mod group_left_out;
mod no_interval;
mod opposite_signs;
mod outcome_assumed;
mod repeated_people;
mod shared_people;

use super::{OfAudit, kinds};

pub(super) const KINDS: &[OfAudit] = kinds![
    clustered_rows::ClusteredRows,
    group_left_out::GroupLeftOut,
    no_interval::NoInterval,
    opposite_signs::OppositeSigns,
    outcome_assumed::OutcomeAssumed,
    repeated_people::RepeatedPeople,
    shared_people::SharedPeople,
];
