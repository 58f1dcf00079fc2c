//! What reports say of each criterion. In these words `{selected}` stands for `approved = 1` and `{label}` for `repaid = 1`.

use fairveil_core::Criterion;
use fairveil_core::criterion::Counted;

/// What reports say of a criterion.
pub(crate) struct CriterionWords {
    /// Its line among the words of a page.
    pub meaning: &'static str,
    /// What it asks.
    pub question: &'static str,
    /// A criterion whose plot of rates shows those of this one too.
    pub drawn_with: Option<Criterion>,
    /// What these rates are.
    pub rates: &'static str,
}

const DEMOGRAPHIC_PARITY: CriterionWords = CriterionWords {
    meaning: "Compares how often groups are selected.",
    question: "is {selected} given to the same share of every group?",
    drawn_with: None,
    rates: "Selected: of all in a group, gets {selected}.",
};

const EQUALIZED_ODDS: CriterionWords = CriterionWords {
    meaning: "Compares how often groups are selected among people with the same label. The worse label counts.",
    question: "are people with the same label treated alike in every group?",
    drawn_with: None,
    rates: "True positive: of those with {label} in a group, and false positive: of the others in it, gets {selected}.",
};

const EQUAL_OPPORTUNITY: CriterionWords = CriterionWords {
    meaning: "Compares how often groups are selected among people with the positive label.",
    question: "of those with {label}, does the same share of every group get {selected}?",
    drawn_with: Some(Criterion::EqualizedOdds),
    rates: "True positive: of those with {label} in a group, gets {selected}.",
};

const PREDICTIVE_PARITY: CriterionWords = CriterionWords {
    meaning: "Compares how often the selected of a group have the label: the precision.",
    question: "of those who get {selected}, does the same share of every group have {label}?",
    drawn_with: None,
    rates: "Precision: of those who get {selected} in a group, has {label}.",
};

const FALSE_POSITIVE_PARITY: CriterionWords = CriterionWords {
    meaning: "Compares how often people without the positive label are selected.",
    question: "of those without {label}, does the same share of every group get {selected}?",
    drawn_with: Some(Criterion::EqualizedOdds),
    rates: "False positive: of those without {label} in a group, gets {selected}.",
};

const FALSE_NEGATIVE_PARITY: CriterionWords = CriterionWords {
    meaning: "Compares how often people with the positive label are not selected.",
    question: "of those with {label}, does the same share of every group miss {selected}?",
    drawn_with: None,
    rates: "False negative: of those with {label} in a group, does not get {selected}.",
};

const ACCURACY_PARITY: CriterionWords = CriterionWords {
    meaning: "Compares how often the decision matches the label.",
    question: "does the decision match the label for the same share of every group?",
    drawn_with: None,
    rates: "Accuracy: of all in a group, gets the decision that matches the label.",
};

/// What a plot of rates says of what they count.
pub(crate) struct CountedWords {
    /// The head of the column of rates.
    pub rate: &'static str,
    /// What the people of a row have in common.
    pub part: &'static str,
    /// The title.
    pub title: &'static str,
    /// What is shared out in a row.
    pub share: &'static str,
    /// The axis.
    pub axis: &'static str,
}

impl CountedWords {
    pub fn of(criterion: Criterion) -> &'static Self {
        match criterion.spec().within.counted() {
            Counted::Decisions => &CountedWords {
                rate: "selected",
                part: "label",
                title: "How often groups get {selected}",
                share: "the share that gets {selected}",
                axis: "share of people selected, from 0 to 1",
            },
            Counted::Labels => &CountedWords {
                rate: "with the label",
                part: "decision",
                title: "How often groups have {label}",
                share: "the share that has {label}",
                axis: "share of people with the label, from 0 to 1",
            },
            Counted::Misses => &CountedWords {
                rate: "not selected",
                part: "label",
                title: "How often groups miss {selected}",
                share: "the share that does not get {selected}",
                axis: "share of people not selected, from 0 to 1",
            },
            Counted::Hits => &CountedWords {
                rate: "decided as labelled",
                part: "label",
                title: "How often the decision matches the label",
                share: "the share whose decision matches the label",
                axis: "share of people whose decision matches the label, from 0 to 1",
            },
        }
    }
}

impl CriterionWords {
    pub fn of(criterion: Criterion) -> &'static Self {
        match criterion {
            Criterion::DemographicParity => &DEMOGRAPHIC_PARITY,
            Criterion::EqualizedOdds => &EQUALIZED_ODDS,
            Criterion::EqualOpportunity => &EQUAL_OPPORTUNITY,
            Criterion::PredictiveParity => &PREDICTIVE_PARITY,
            Criterion::FalsePositiveParity => &FALSE_POSITIVE_PARITY,
            Criterion::FalseNegativeParity => &FALSE_NEGATIVE_PARITY,
            Criterion::AccuracyParity => &ACCURACY_PARITY,
        }
    }
}
