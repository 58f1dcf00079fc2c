//! A criterion as data: which rows it looks at, within which labels, and which rates it compares.

use crate::counts::View;
use crate::rates::{Joint, Unavailable};
use crate::vocabulary::{Axis, Class, Criterion};

/// Labels within which rates are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    /// All people, whatever their label.
    Everyone,
    /// Each label by itself.
    EachLabel,
    /// The positive label alone.
    PositiveLabel,
}

/// One of the usual rates of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// `P(f = positive)`.
    Selection,
    /// The same among people with the positive label.
    TruePositive,
    /// The same among people with another label.
    FalsePositive,
}

/// A criterion as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spec {
    /// The name in running text.
    pub words: &'static str,
    /// The labels within which predictions are compared.
    pub within: Within,
    /// Whether every predicted class is compared, or the positive one alone.
    pub every_class: bool,
    /// The rates whose worst gap, or ratio, is the largest difference.
    pub worst_of: &'static [Rate],
}

impl Criterion {
    /// What the criterion compares (definitions 2.1, A.1 and A.2 of the paper).
    pub const fn spec(self) -> Spec {
        match self {
            Criterion::DemographicParity => Spec {
                words: "demographic parity",
                within: Within::Everyone,
                every_class: true,
                worst_of: &[Rate::Selection],
            },
            Criterion::EqualizedOdds => Spec {
                words: "equalized odds",
                within: Within::EachLabel,
                every_class: true,
                worst_of: &[Rate::TruePositive, Rate::FalsePositive],
            },
            Criterion::EqualOpportunity => Spec {
                words: "equal opportunity",
                within: Within::PositiveLabel,
                every_class: false,
                worst_of: &[Rate::TruePositive],
            },
        }
    }

    /// The name in running text.
    pub fn words(self) -> &'static str {
        self.spec().words
    }

    /// Whether the criterion compares people with the same label.
    pub fn needs_labels(self) -> bool {
        self.spec().within != Within::Everyone
    }

    /// The rows it looks at.
    pub fn view(self) -> View {
        if self.needs_labels() { View::Labelled } else { View::Predictions }
    }

    /// The labels within which its rates are taken.
    pub(crate) fn labels(self, classes: usize, positive: Class) -> Vec<Option<Class>> {
        match self.spec().within {
            Within::Everyone => vec![None],
            Within::PositiveLabel => vec![Some(positive)],
            Within::EachLabel => (0..classes).map(|y| Some(Class(y))).collect(),
        }
    }

    /// The rates it compares: predicted class, and label within which it is taken.
    pub(crate) fn compared(self, classes: usize, positive: Class) -> Vec<(Class, Option<Class>)> {
        let predicted =
            if self.spec().every_class { (0..classes).map(Class).collect() } else { vec![positive] };
        let within = |label| predicted.iter().map(move |class| (*class, label));
        self.labels(classes, positive).into_iter().flat_map(within).collect()
    }
}

impl View {
    /// The criterion that looks at every stratum of this view.
    pub(crate) fn every_stratum(self) -> Criterion {
        let widest = |c: &Criterion| c.view() == self && c.spec().every_class;
        Criterion::ALL.into_iter().find(widest).unwrap_or(Criterion::DemographicParity)
    }
}

impl Rate {
    /// The rate of one group.
    pub(crate) fn of<A: Axis>(self, joint: &Joint<A>, a: A, positive: Class) -> Result<f64, Unavailable> {
        match self {
            Rate::Selection => joint.rate(a, None, positive),
            Rate::TruePositive => joint.rate(a, Some(positive), positive),
            Rate::FalsePositive => joint.group_rates(a, positive).false_positive_rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_view_has_one_criterion_for_all_of_its_strata() {
        assert_eq!(View::Predictions.every_stratum(), Criterion::DemographicParity);
        assert_eq!(View::Labelled.every_stratum(), Criterion::EqualizedOdds);
    }

    #[test]
    fn equalized_odds_compares_every_class_within_every_label_and_equal_opportunity_one() {
        let compared = |c: Criterion| c.compared(3, Class(2)).len();
        assert_eq!(Criterion::ALL.map(compared), [3, 9, 1]);
    }
}
