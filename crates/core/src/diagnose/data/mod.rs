//! The rows themselves: missing, few, withheld or noised.

mod abstentions;
mod few_labels;
mod hidden_cells;
mod inverted_labels;
mod labels_not_random;
mod labels_too_few;
mod names_looked_up;
mod names_not_found;
mod noised_tally;
mod rows_without_label;
mod rows_without_outcome;
mod rows_without_prediction;
mod skipped_rows;
mod small_controls;
mod small_group;
mod small_stratum;
mod sparse_labels;
mod spellings;
mod suspicious_name;

use super::{OfAudit, kinds};
pub(super) use sparse_labels::SparseLabels;

pub(super) const KINDS: &[OfAudit] = kinds![
    rows_without_prediction::RowsWithoutPrediction,
    rows_without_label::RowsWithoutLabel,
    rows_without_outcome::RowsWithoutOutcome,
    abstentions::Abstentions,
    spellings::Spellings,
    suspicious_name::SuspiciousName,
    small_group::SmallGroup,
    small_stratum::SmallStratum,
    few_labels::FewLabels,
    SparseLabels,
    skipped_rows::SkippedRows,
    hidden_cells::HiddenCells,
    noised_tally::NoisedTally,
    labels_not_random::LabelsNotRandom,
    labels_too_few::LabelsTooFew,
    names_not_found::NamesNotFound,
    small_controls::SmallControls,
    names_looked_up::NamesLookedUp,
    inverted_labels::InvertedLabels,
];
