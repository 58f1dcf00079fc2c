//! Every finding there is, with the text that `fairveil explain CODE` prints.

use super::*;

/// One kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Stable code.
    pub code: &'static str,
    /// The finding in a few words.
    pub title: &'static str,
    /// The full text, in Markdown.
    pub text: &'static str,
}

macro_rules! entries {
    ($($finding:ty: $file:literal),* $(,)?) => {
        &[$(Entry { code: <$finding>::CODE, title: <$finding>::TITLE, text: include_str!($file) }),*]
    };
}

/// All findings, by code.
pub fn catalogue() -> &'static [Entry] {
    entries![
        rows_without_prediction::RowsWithoutPrediction: "texts/D01.md",
        rows_without_label::RowsWithoutLabel: "texts/D02.md",
        abstentions::Abstentions: "texts/D03.md",
        spellings::Spellings: "texts/D04.md",
        suspicious_name::SuspiciousName: "texts/D05.md",
        small_group::SmallGroup: "texts/D06.md",
        small_stratum::SmallStratum: "texts/D07.md",
        few_labels::FewLabels: "texts/D08.md",
        sparse_labels::SparseLabels: "texts/D09.md",
        skipped_rows::SkippedRows: "texts/D10.md",
        hidden_cells::HiddenCells: "texts/D11.md",
        noised_tally::NoisedTally: "texts/D12.md",
        noise_along_score::NoiseAlongScore: "texts/M01.md",
        not_above_constant::NotAboveConstant: "texts/M02.md",
        few_rows_to_mitigate::FewRowsToMitigate: "texts/M03.md",
        constraint_missed::ConstraintMissed: "texts/M04.md",
        score_scale::ScoreScale: "texts/M05.md",
        gap_unclear::GapUnclear: "texts/M06.md",
        stand_ins::StandIns: "texts/M07.md",
        gap_left::GapLeft: "texts/M08.md",
        guesses_in_features::GuessesInFeatures: "texts/M09.md",
        label_in_features::LabelInFeatures: "texts/M10.md",
        errors_in_features::ErrorsInFeatures: "texts/M11.md",
        rows_left_out::RowsLeftOut: "texts/M12.md",
        gap_grew::GapGrew: "texts/M13.md",
        infeasible::Infeasible: "texts/N01.md",
        infeasible_stratum::InfeasibleStratum: "texts/N02.md",
        negative_shares::NegativeShares: "texts/N03.md",
        near_singular::NearSingular: "texts/N04.md",
        boundary::Boundary: "texts/N05.md",
        not_converged::NotConverged: "texts/N06.md",
        noise_by_stratum::NoiseByStratum: "texts/N07.md",
        below_floor::BelowFloor: "texts/N08.md",
        labels_contradict::LabelsContradict: "texts/N09.md",
        given_shares::GivenShares: "texts/N10.md",
        strata_against_labels::StrataAgainstLabels: "texts/N11.md",
        uninformative::Uninformative: "texts/P01.md",
        independence_assumed::IndependenceAssumed: "texts/P02.md",
        too_few_proxies::TooFewProxies: "texts/P03.md",
        same_source::SameSource: "texts/P04.md",
        identical_pair::IdenticalPair: "texts/P05.md",
        weak_agreement::WeakAgreement: "texts/P06.md",
        unequal_proxies::UnequalProxies: "texts/P07.md",
        not_testable::NotTestable: "texts/P08.md",
        labels_show_sharing::LabelsShowSharing: "texts/P09.md",
        two_proxies::TwoProxies: "texts/P10.md",
        randomized_guesses::RandomizedGuesses: "texts/P11.md",
        borrowed_guesses::BorrowedGuesses: "texts/P12.md",
        ReadsFeatures: "texts/P13.md",
        no_interval::NoInterval: "texts/U01.md",
        shared_people::SharedPeople: "texts/U02.md",
    ]
}

/// The entry of a code, in any case of letters.
///
/// ```
/// assert_eq!(fairveil_core::explain("p02").unwrap().code, "P02");
/// assert!(fairveil_core::explain("P99").is_none());
/// ```
pub fn explain(code: &str) -> Option<&'static Entry> {
    catalogue().iter().find(|entry| entry.code.eq_ignore_ascii_case(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_sorted_and_every_text_has_its_three_parts() {
        assert!(catalogue().is_sorted_by(|a, b| a.code < b.code));
        for entry in catalogue() {
            let heads: Vec<&str> = entry.text.lines().filter(|line| line.starts_with('#')).collect();
            assert_eq!(heads, ["# What it means", "# Why it matters", "# What to do"], "{}", entry.code);
        }
    }
}
