//! The usual rates of a group: their names, their meaning, and where they stand in a record.

use crate::sentence::{Figure, Sentence};
use fairveil_core::criterion::{self, Criterion};
use fairveil_core::record::{GroupRatesRecord, RateIntervals};
use fairveil_core::{Audit, Interval};

/// One of the usual rates.
pub(crate) struct Rate {
    /// In the JSON.
    field: &'static str,
    pub words: &'static str,
    /// Where there is little room.
    pub short: &'static str,
    /// What it is: `{selected}` stands for `approved = 1`, `{label}` for `repaid = 1` and `{rows}` for what is shared out.
    pub meaning: &'static str,
    value: fn(&GroupRatesRecord) -> Option<f64>,
    ends: fn(&RateIntervals) -> Option<Interval>,
}

macro_rules! rates {
    ($($name:ident $field:ident $words:literal $short:literal $meaning:literal;)*) => {
        impl Rate {
            $(pub const $name: Rate = Rate {
                field: stringify!($field),
                words: $words,
                short: $short,
                meaning: $meaning,
                value: |group| group.$field,
                ends: |intervals| intervals.$field,
            };)*

            /// All there are, the share of the group first.
            const ALL: &[Rate] = &[$(Rate::$name),*];
        }
    };
}

rates! {
    SHARE share "share" "share" "of {rows}";
    SELECTED selection_rate "selected" "selected" "gets {selected}";
    TRUE_POSITIVE true_positive_rate "true positive" "true pos." "of those with {label}, selected";
    FALSE_POSITIVE false_positive_rate "false positive" "false pos." "of the others, selected";
    FALSE_NEGATIVE false_negative_rate "false negative" "false neg." "of those with {label}, not selected";
    PRECISION precision "precision" "precision" "of the selected, those with {label}";
    ACCURACY accuracy "accuracy" "accuracy" "decided as labelled";
    BASE_RATE base_rate "base rate" "base rate" "those with {label}";
}

impl Rate {
    /// Those that a criterion compares.
    pub fn compared(criterion: Criterion) -> Vec<Rate> {
        let of = |rate: &criterion::Rate| match rate {
            criterion::Rate::Selection => Rate::SELECTED,
            criterion::Rate::TruePositive => Rate::TRUE_POSITIVE,
            criterion::Rate::FalsePositive => Rate::FALSE_POSITIVE,
            criterion::Rate::Precision => Rate::PRECISION,
            criterion::Rate::FalseNegative => Rate::FALSE_NEGATIVE,
            criterion::Rate::Accuracy => Rate::ACCURACY,
        };
        criterion.spec().worst_of.iter().map(of).collect()
    }

    /// Those that a list of groups has: without labels only the share and how often each is selected.
    pub fn of(groups: &[GroupRatesRecord]) -> &'static [Rate] {
        let labelled = |group: &GroupRatesRecord| group.base_rate.or(group.true_positive_rate).is_some();
        if groups.iter().any(labelled) { Rate::ALL } else { &Rate::ALL[..2] }
    }

    /// The same without those of labels, where no criterion asks about labels.
    pub fn asked(audit: &Audit, groups: &[GroupRatesRecord]) -> &'static [Rate] {
        let labelled = audit.settings.criteria.iter().any(|criterion| criterion.needs_labels());
        if labelled { Rate::of(groups) } else { &Rate::ALL[..2] }
    }

    pub fn of_group(&self, group: &GroupRatesRecord) -> Option<f64> {
        (self.value)(group)
    }

    /// The rate of a group that stands at `path` in the JSON, and what chance leaves open of it.
    pub fn figure(&self, group: &GroupRatesRecord, path: &str) -> (Figure, Sentence) {
        let ends = group.intervals.as_ref().and_then(self.ends).map(|ends| (ends.low, ends.high));
        let figure = Figure::new(self.of_group(group), format!("{path}/{}", self.field)).within(ends);
        let places = [0, 1].map(|end| format!("{path}/intervals/{}/{end}", self.field));
        (figure, Sentence::between(ends, ends, places))
    }
}
