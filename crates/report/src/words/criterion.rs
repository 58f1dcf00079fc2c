//! What reports say of each criterion. In these words `{selected}` stands for `approved = 1`, `{label}` for `repaid = 1` and
//! `{gap}` for the number.

use super::Rate;
use fairveil_core::Criterion;

/// What reports say of a criterion.
pub(crate) struct CriterionWords {
    /// Its line among the words of a page.
    pub meaning: &'static str,
    /// What it asks.
    pub question: &'static str,
    /// The answer: how large the gap is, and in what.
    pub answer: &'static str,
    /// Whether the answer names the rates of the groups that are furthest apart: there is one rate for each.
    pub names_rates: bool,
    /// A criterion whose plot of rates shows those of this one too.
    pub drawn_with: Option<Criterion>,
    /// The rates it compares.
    pub compares: &'static [Rate],
    /// What these rates are.
    pub rates: &'static str,
}

const DEMOGRAPHIC_PARITY: CriterionWords = CriterionWords {
    meaning: "Compares how often groups are selected.",
    question: "is {selected} given to the same share of every group?",
    answer: "a gap of about {gap} in how often groups get {selected}",
    names_rates: true,
    drawn_with: None,
    compares: &[Rate::SELECTED],
    rates: "Selected: of all in a group, gets {selected}.",
};

const EQUALIZED_ODDS: CriterionWords = CriterionWords {
    meaning: "Compares the same among people with the same label; the worse label counts.",
    question: "are people with the same label treated alike in every group?",
    answer: "a gap of about {gap} in how often groups get {selected}, among people with the same label (the worse of those \
        with {label} and those without)",
    names_rates: false,
    drawn_with: None,
    compares: &[Rate::TRUE_POSITIVE, Rate::FALSE_POSITIVE],
    rates: "True positive: of those with {label} in a group, and false positive: of the others in it, gets {selected}.",
};

const EQUAL_OPPORTUNITY: CriterionWords = CriterionWords {
    meaning: "Compares the same among people with the positive label only.",
    question: "of those with {label}, does the same share of every group get {selected}?",
    answer: "among people with {label}, a gap of about {gap} in how often groups get {selected}",
    names_rates: true,
    drawn_with: Some(Criterion::EqualizedOdds),
    compares: &[Rate::TRUE_POSITIVE],
    rates: "True positive: of those with {label} in a group, gets {selected}.",
};

impl CriterionWords {
    pub fn of(criterion: Criterion) -> &'static Self {
        match criterion {
            Criterion::DemographicParity => &DEMOGRAPHIC_PARITY,
            Criterion::EqualizedOdds => &EQUALIZED_ODDS,
            Criterion::EqualOpportunity => &EQUAL_OPPORTUNITY,
        }
    }
}
