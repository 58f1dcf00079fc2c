//! The noise model: errors that were learned and do not explain the table.

mod below_floor;
mod boundary;
mod given_shares;
mod infeasible;
mod infeasible_stratum;
mod labels_contradict;
mod labels_disagree;
mod near_singular;
mod negative_shares;
mod noise_by_stratum;
mod not_converged;
mod strata_against_labels;

use super::{OfAudit, kinds};

pub(super) const KINDS: &[OfAudit] = kinds![
    infeasible::Infeasible,
    infeasible_stratum::InfeasibleStratum,
    negative_shares::NegativeShares,
    near_singular::NearSingular,
    boundary::Boundary,
    not_converged::NotConverged,
    noise_by_stratum::NoiseByStratum,
    below_floor::BelowFloor,
    labels_contradict::LabelsContradict,
    given_shares::GivenShares,
    strata_against_labels::StrataAgainstLabels,
    labels_disagree::LabelsDisagree,
];
