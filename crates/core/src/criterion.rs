//! A criterion as data: among which people, counted by decision or by label, and which rates are compared.
//!
//! Everything that asks what a criterion compares asks its [`Spec`]; a new one is a variant of [`Criterion`] and a spec.

use crate::counts::View;
use crate::named::named;
use crate::rates::{Joint, Unavailable};
use crate::vocabulary::{Axis, Class, Legend, Stratum};

named! {
    /// Which disparity is asked for: definitions 2.1, A.1 and A.2 of the paper, and what others name.
    pub enum Criterion {
        /// Are predictions distributed alike in every group? `P(f=k | A=a)`.
        DemographicParity = "demographic_parity",
        /// Are they alike among people with the same label? `P(f=k | Y=y, A=a)`.
        EqualizedOdds = "equalized_odds",
        /// Are true positives found alike in every group? `P(f=1 | Y=1, A=a)`.
        EqualOpportunity = "equal_opportunity",
        /// Do the selected have the label alike in every group? `P(Y=1 | f=1, A=a)`.
        PredictiveParity = "predictive_parity",
        /// Are people without the positive label selected alike in every group? `P(f=1 | Y=y, A=a)`, `y` not positive.
        FalsePositiveParity = "false_positive_parity",
        /// Are people with the positive label passed over alike in every group? `P(f≠1 | Y=1, A=a)`.
        FalseNegativeParity = "false_negative_parity",
        /// Is the decision the label alike in every group? `P(f=Y | A=a)`.
        AccuracyParity = "accuracy_parity",
    }
}

/// The people among whom rates are taken. A label holds decisions to be counted, a decision holds labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    /// All people, whatever their label.
    Everyone,
    /// Each label by itself.
    EachLabel,
    /// The positive label alone.
    PositiveLabel,
    /// Each other label by itself.
    OtherLabels,
    /// The positive decision alone.
    PositiveDecision,
    /// The positive label alone, of whom those are counted who are not selected.
    PassedOver,
    /// All people with a label, of whom those are counted whose decision it is.
    Judged,
}

/// What a rate counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// How often a class is decided.
    Decisions,
    /// How often a class is the label.
    Labels,
    /// How often the positive class is not decided.
    Misses,
    /// How often the decision is the label.
    Hits,
}

/// One part of the people, by label or by decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// All of them.
    Everyone,
    /// Those with a label.
    Label(Class),
    /// Those with a decision.
    Decision(Class),
    /// Those with a label; who is not decided so counts for it.
    PassedOver(Class),
    /// All who have a label; whose decision it is counts for this class.
    Judged(Class),
}

/// How often a class is decided among everyone or among people with a label, or is the label among people with a decision:
/// `P(f=class)`, `P(f=class | Y=y)` or `P(Y=class | f=k)`.
///
/// ```
/// # use fairveil_core::criterion::{Among, Proportion};
/// # use fairveil_core::counts::View;
/// # use fairveil_core::rates::{Joint, Shares, Unavailable};
/// # use fairveil_core::vocabulary::{Class, Group, Stratum};
/// let cell = |label, prediction, share: f64| {
///     (Stratum { label: Some(Class(label)), prediction: Class(prediction) }, Some(Shares::new([share])))
/// };
/// let cells = [cell(0, 0, 0.4), cell(0, 1, 0.1), cell(1, 0, 0.2), cell(1, 1, 0.3)];
/// let joint: Joint<Group> = Joint::new(View::Labelled, 2, 1, cells);
/// // Of the half with the label three in five are selected; of the two in five selected three in four have it.
/// let found = |among| joint.proportion(Group(0), Proportion { class: Class(1), among });
/// assert!((found(Among::Label(Class(1)))? - 0.6).abs() < 1e-12);
/// assert!((found(Among::Decision(Class(1)))? - 0.75).abs() < 1e-12);
/// # Ok::<(), Unavailable>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proportion {
    /// The class that is counted.
    pub class: Class,
    /// The people among whom.
    pub among: Among,
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
    /// `P(Y = positive)` among people with the positive decision.
    Precision,
    /// `P(f ≠ positive)` among people with the positive label.
    FalseNegative,
    /// `P(f = Y)`.
    Accuracy,
}

/// A criterion as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spec {
    /// The name in running text.
    pub words: &'static str,
    /// The people among whom groups are compared.
    pub within: Within,
    /// Whether every class is compared, or the positive one alone.
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
            Criterion::PredictiveParity => Spec {
                words: "predictive parity",
                within: Within::PositiveDecision,
                every_class: false,
                worst_of: &[Rate::Precision],
            },
            Criterion::FalsePositiveParity => Spec {
                words: "false positive parity",
                within: Within::OtherLabels,
                every_class: false,
                worst_of: &[Rate::FalsePositive],
            },
            Criterion::FalseNegativeParity => Spec {
                words: "false negative parity",
                within: Within::PassedOver,
                every_class: false,
                worst_of: &[Rate::FalseNegative],
            },
            Criterion::AccuracyParity => Spec {
                words: "accuracy parity",
                within: Within::Judged,
                every_class: false,
                worst_of: &[Rate::Accuracy],
            },
        }
    }

    /// Those that are measured where none is asked for: the paper's.
    pub const USUAL: [Criterion; 3] =
        [Criterion::DemographicParity, Criterion::EqualizedOdds, Criterion::EqualOpportunity];

    /// The name in running text.
    pub fn words(self) -> &'static str {
        self.spec().words
    }

    /// Whether the criterion asks for labels.
    pub fn needs_labels(self) -> bool {
        self.spec().within != Within::Everyone
    }

    /// Whether its rates are of decisions, so that a rule can change them one by one.
    pub fn is_about_decisions(self) -> bool {
        self.spec().within.counted() == Counted::Decisions
    }

    /// The rows it looks at.
    pub fn view(self) -> View {
        if self.needs_labels() { View::Labelled } else { View::Predictions }
    }
}

impl Spec {
    /// The parts of the people within which its rates are taken.
    pub(crate) fn parts(&self, classes: usize, positive: Class) -> Vec<Among> {
        match self.within {
            Within::Everyone => vec![Among::Everyone],
            Within::PositiveLabel => vec![Among::Label(positive)],
            Within::EachLabel => (0..classes).map(|y| Among::Label(Class(y))).collect(),
            Within::OtherLabels => {
                (0..classes).map(Class).filter(|y| *y != positive).map(Among::Label).collect()
            }
            Within::PositiveDecision => vec![Among::Decision(positive)],
            Within::PassedOver => vec![Among::PassedOver(positive)],
            Within::Judged => vec![Among::Judged(positive)],
        }
    }

    /// Whether people of several strata are counted together, so that its rates follow from whole tables alone.
    pub(crate) fn is_of_several_strata(&self) -> bool {
        matches!(self.within, Within::PassedOver | Within::Judged)
    }

    /// The rates that are told of each group: how often the positive class is met in each part.
    pub(crate) fn told(&self, classes: usize, positive: Class) -> Vec<Proportion> {
        self.parts(classes, positive).into_iter().map(|among| Proportion { class: positive, among }).collect()
    }

    /// The rates it compares.
    pub(crate) fn compared(&self, classes: usize, positive: Class) -> Vec<Proportion> {
        let counted: Vec<Class> =
            if self.every_class { (0..classes).map(Class).collect() } else { vec![positive] };
        let of_part = |among| counted.iter().map(move |class| Proportion { class: *class, among });
        self.parts(classes, positive).into_iter().flat_map(of_part).collect()
    }
}

impl Within {
    /// What rates within these parts count.
    pub const fn counted(self) -> Counted {
        match self {
            Within::Everyone | Within::EachLabel | Within::PositiveLabel | Within::OtherLabels => {
                Counted::Decisions
            }
            Within::PositiveDecision => Counted::Labels,
            Within::PassedOver => Counted::Misses,
            Within::Judged => Counted::Hits,
        }
    }

    /// What a criterion does that looks at such parts of the people, in words.
    pub const fn compares(self) -> &'static str {
        match self {
            Within::Everyone => "compares decisions about all people",
            Within::EachLabel | Within::PositiveLabel | Within::OtherLabels | Within::PassedOver => {
                "compares people with the same label"
            }
            Within::PositiveDecision => "compares the labels of people with the same decision",
            Within::Judged => "compares decisions with labels",
        }
    }
}

impl Among {
    /// People with a label, or everyone.
    pub(crate) fn label(label: Option<Class>) -> Self {
        label.map_or(Among::Everyone, Among::Label)
    }

    /// The label or decision that its people share.
    pub fn class(self) -> Option<Class> {
        match self {
            Among::Everyone | Among::Judged(_) => None,
            Among::Label(class) | Among::Decision(class) | Among::PassedOver(class) => Some(class),
        }
    }

    /// The same by name.
    pub(crate) fn name(self, legend: &Legend) -> Option<String> {
        match self {
            Among::Everyone | Among::Judged(_) => None,
            Among::Label(class) | Among::PassedOver(class) => Some(legend.label_class(class).to_owned()),
            Among::Decision(class) => Some(legend.class(class).to_owned()),
        }
    }

    /// Whether people of a stratum are among them.
    pub(crate) fn holds(self, stratum: Stratum) -> bool {
        match self {
            Among::Everyone => true,
            Among::Judged(_) => stratum.label.is_some(),
            Among::Label(class) | Among::PassedOver(class) => stratum.label == Some(class),
            Among::Decision(class) => stratum.prediction == class,
        }
    }

    /// The class that people of a stratum count for, if any: where the decision is held, their label.
    pub(crate) fn counted(self, stratum: Stratum) -> Option<Class> {
        match self {
            Among::Everyone | Among::Label(_) => Some(stratum.prediction),
            Among::Decision(_) => stratum.label,
            Among::PassedOver(class) => Some(class).filter(|class| stratum.prediction != *class),
            Among::Judged(class) => Some(class).filter(|_| stratum.label == Some(stratum.prediction)),
        }
    }
}

impl Proportion {
    /// Whether people of a stratum are counted.
    pub(crate) fn counts(self, stratum: Stratum) -> bool {
        self.among.holds(stratum) && self.among.counted(stratum) == Some(self.class)
    }

    /// The stratum in which counted people are, where it is one.
    pub(crate) fn stratum(self) -> Option<Stratum> {
        match self.among {
            Among::Everyone => Some(Stratum { label: None, prediction: self.class }),
            Among::Label(label) => Some(Stratum { label: Some(label), prediction: self.class }),
            Among::Decision(prediction) => Some(Stratum { label: Some(self.class), prediction }),
            Among::PassedOver(_) | Among::Judged(_) => None,
        }
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
        let among = |among| joint.proportion(a, Proportion { class: positive, among });
        match self {
            Rate::Selection => among(Among::Everyone),
            Rate::TruePositive => among(Among::Label(positive)),
            Rate::FalsePositive => joint.group_rates(a, positive).false_positive_rate,
            Rate::Precision => among(Among::Decision(positive)),
            Rate::FalseNegative => among(Among::PassedOver(positive)),
            Rate::Accuracy => among(Among::Judged(positive)),
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
        let compared = |c: Criterion| c.spec().compared(3, Class(2)).len();
        assert_eq!(Criterion::ALL.map(compared), [3, 9, 1, 1, 2, 1, 1]);
    }

    #[test]
    fn misses_are_of_one_label_and_hits_of_all() {
        let stratum =
            |label, prediction| Stratum { label: Some(Class(label)), prediction: Class(prediction) };
        let only = |criterion: Criterion| criterion.spec().told(3, Class(2))[0];
        let missed = only(Criterion::FalseNegativeParity);
        assert!(missed.counts(stratum(2, 0)) && missed.counts(stratum(2, 1)));
        assert!(!missed.counts(stratum(2, 2)) && !missed.counts(stratum(0, 1)));
        let right = only(Criterion::AccuracyParity);
        assert!(right.counts(stratum(0, 0)) && right.counts(stratum(2, 2)) && !right.counts(stratum(2, 0)));
        assert!(right.among.holds(stratum(0, 2)));
    }

    #[test]
    fn a_spec_within_a_decision_counts_labels() {
        let spec = Spec {
            words: "precision",
            within: Within::PositiveDecision,
            every_class: false,
            worst_of: &[Rate::Precision],
        };
        let [only] = spec.compared(3, Class(2))[..] else { panic!("one rate") };
        assert_eq!(only.stratum(), Some(Stratum { label: Some(Class(2)), prediction: Class(2) }));
        let stratum =
            |label, prediction| Stratum { label: Some(Class(label)), prediction: Class(prediction) };
        assert!(only.among.holds(stratum(0, 2)) && !only.among.holds(stratum(2, 0)));
        assert!(only.counts(stratum(2, 2)) && !only.counts(stratum(0, 2)));
    }
}
