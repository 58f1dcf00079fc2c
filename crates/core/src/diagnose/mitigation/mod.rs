//! A mitigation, in the order in which its findings of one severity are told.

mod approvals_moved;
mod constraint_missed;
mod errors_in_features;
mod few_rows_to_mitigate;
mod gap_grew;
mod gap_left;
mod gap_unclear;
mod guess_as_feature;
mod guesses_in_features;
mod label_in_features;
mod leaked_score;
mod noise_along_score;
mod not_above_constant;
mod other_gap_widened;
mod rows_left_out;
mod score_scale;
mod stand_ins;

use super::{OfMitigation, kinds};

pub(super) const KINDS: &[OfMitigation] = kinds![
    leaked_score::LeakedScore,
    noise_along_score::NoiseAlongScore,
    not_above_constant::NotAboveConstant,
    few_rows_to_mitigate::FewRowsToMitigate,
    gap_unclear::GapUnclear,
    errors_in_features::ErrorsInFeatures,
    rows_left_out::RowsLeftOut,
    gap_grew::GapGrew,
    other_gap_widened::OtherGapWidened,
    approvals_moved::ApprovalsMoved,
    label_in_features::LabelInFeatures,
    constraint_missed::ConstraintMissed,
    score_scale::ScoreScale,
    guesses_in_features::GuessesInFeatures,
    guess_as_feature::GuessAsFeature,
    stand_ins::StandIns,
    gap_left::GapLeft,
];
