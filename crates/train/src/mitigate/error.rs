//! Reasons why no rule is learned.

use crate::{EncodeError, ProblemError};
use fairveil_core::counts::CountsError;
use fairveil_core::mitigate::WeightsError;
use fairveil_core::setting::{Refusal, Refuses};
use fairveil_core::{AuditError, Criterion, shows_refusal, text};

/// A reason why no rule is learned.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MitigateError {
    /// A setting out of its range.
    Setting {
        /// Which.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        needed: &'static str,
    },
    /// More classes than yes and no, or fewer.
    Classes {
        /// How many.
        found: usize,
    },
    /// Nothing says what the right decision is.
    NoTarget,
    /// The criterion needs labels.
    NoLabels {
        /// The criterion.
        criterion: Criterion,
    },
    /// There is nothing to learn from.
    NoFeatures,
    /// A score that is no chance.
    Score {
        /// The row, from 0.
        row: usize,
        /// The column.
        column: String,
        /// The score.
        found: f64,
    },
    /// Too few rows to split.
    FewRows {
        /// How many.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// One of the classes never occurs.
    OneClass {
        /// The class.
        class: String,
    },
    /// There is no noise model to rely on.
    Noise {
        /// Why.
        reason: String,
    },
    /// Weights cannot be computed.
    Weights(WeightsError),
    /// The gap drowns in chance.
    TooFewRows {
        /// The fitted rows.
        rows: usize,
        /// The gap.
        gap: f64,
        /// Its standard error.
        error: f64,
        /// Rows that would tell it to half of its size.
        needed: Option<f64>,
    },
    /// The rule decides alike for nearly everyone.
    Collapsed {
        /// The share decided positive.
        share: f64,
        /// The same before.
        before: f64,
    },
    /// The held-out rows give no number.
    HeldOut {
        /// How many.
        rows: usize,
        /// Why.
        reason: String,
    },
    /// A feature cannot be used.
    Encode(EncodeError),
    /// Numbers that training cannot take.
    Problem(ProblemError),
    /// The tally makes no sense.
    Counts(CountsError),
    /// The table cannot be audited.
    Audit(AuditError),
}

macro_rules! from {
    ($($variant:ident($error:ty)),*) => {$(
        impl From<$error> for MitigateError {
            fn from(error: $error) -> Self {
                MitigateError::$variant(error)
            }
        }
    )*};
}
from![
    Weights(WeightsError),
    Encode(EncodeError),
    Problem(ProblemError),
    Counts(CountsError),
    Audit(AuditError)
];

impl Refuses for MitigateError {
    fn refusal(&self) -> Refusal {
        match self {
            MitigateError::Setting { name, value, needed } => {
                Refusal::new(format!("{name} is {value}")).needed(*needed).to_do("correct it")
            }
            MitigateError::Classes { found } => Refusal::new(format!("the decisions have {found} classes"))
                .needed("two, yes and no")
                .to_do("merge classes, or learn a rule for each against the others"),
            MitigateError::NoTarget => Refusal::new("no column says what a decision should have been")
                .needed("labels, or the decisions of the model to imitate")
                .to_do(text!["name them with {y_true} or {y_pred}"]),
            MitigateError::NoLabels { criterion } => Refusal::new(format!(
                "{} {}, and the table has no labels",
                criterion.words(),
                criterion.spec().within.compares()
            ))
            .needed("a column of labels")
            .to_do(text!["name it with {y_true}, or choose demographic_parity"]),
            MitigateError::NoFeatures => Refusal::new("no features are named, and no score")
                .needed("what the rule may look at")
                .to_do(text!["name columns with {features}"]),
            MitigateError::Score { found, .. } => Refusal::new(format!("the score is {found}"))
                .needed("the chance of a positive label, from 0 to 1")
                .to_do(text!["give {recalibrate}, which turns any score into a chance, or correct the column"]),
            MitigateError::FewRows { found, needed } => Refusal::new(format!("{found} rows take part"))
                .needed(format!("at least {needed}, to fit on some and measure on the others"))
                .to_do("bring more rows"),
            MitigateError::OneClass { class } => Refusal::new(format!("every row to learn from is {class}"))
                .needed("both classes")
                .to_do("bring rows of the other, or check the column"),
            MitigateError::Noise { reason } => Refusal::new(format!(
                "the proxies' errors cannot be undone, so no gap can be reduced: {reason}"
            ))
            .needed("a noise model that explains how the proxies agree")
            .to_do(text!["run {!audit} on the table and follow its advice, or give error rates with {given}"]),
            MitigateError::TooFewRows { rows, gap, error, needed } => {
                let needed = match needed {
                    Some(rows) => format!("about {rows:.0} fitted rows like these for a gap of this size"),
                    None => "a gap that stands out".to_owned(),
                };
                Refusal::new(format!(
                    "the gap on the {rows} fitted rows is {gap:.4}, with a standard error of {error:.4}: with these proxies the \
                     rule would remove chance and make a true gap of that size"
                ))
                .needed(needed)
                .to_do("bring more rows or better proxies, or reduce nothing")
            }
            MitigateError::Collapsed { share, before } => Refusal::new(format!(
                "the rule collapsed: it decides {share:.4} of the rows positive, where {before:.4} were before. Deciding alike \
                 for everyone closes every gap and is of no use"
            ))
            .needed("a rule that still decides")
            .to_do(text!["allow a larger {tolerance}, bring features that say more about the label, or try another {method}"]),
            MitigateError::HeldOut { rows, reason } => {
                let reason = reason.lines().next().unwrap_or_default();
                Refusal::new(format!("the {rows} held-out rows give no number: {reason}"))
                    .needed("enough rows to measure before and after")
                    .to_do(text!["hold out a larger share with {held_out}, or bring more rows"])
            }
            MitigateError::Weights(error) => Refusal::new(error.to_string()),
            MitigateError::Encode(error) => Refusal::new(error.to_string()),
            MitigateError::Problem(error) => Refusal::new(error.to_string()),
            MitigateError::Counts(error) => Refusal::new(error.to_string()),
            MitigateError::Audit(error) => error.refusal(),
        }
    }
}

shows_refusal!(MitigateError);
