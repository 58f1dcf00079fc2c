//! Reasons why no rule is learned.

use crate::{EncodeError, ProblemError};
use fairveil_core::counts::CountsError;
use fairveil_core::mitigate::WeightsError;
use fairveil_core::setting::{Refusal, Refuses, Text};
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
    /// A chance of the label is to be cut, and nothing tells one.
    NoChance,
    /// Error rates by the decision before are asked for, and there is none.
    NoDecisions,
    /// A hidden layer over more columns than it can be learned with.
    Columns {
        /// Columns that the features become.
        found: usize,
        /// The most that it takes.
        most: usize,
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
    /// Everyone is decided alike before, so that this share cannot be kept.
    Alike {
        /// The share decided positive.
        share: f64,
        /// Of which decisions.
        of: &'static str,
    },
    /// A feature is a proxy again.
    ProxyAsFeature {
        /// The feature.
        feature: String,
        /// The proxy.
        proxy: String,
    },
    /// One side of the split has too few rows.
    Sides {
        /// Rows to fit on.
        fitted: usize,
        /// Rows to measure on.
        held_out: usize,
        /// How many of each are needed.
        fewest: [usize; 2],
    },
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
        /// The same without a constraint.
        without: f64,
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

/// Past this a number of rows is no advice.
const MOST_ROWS: f64 = 1e8;

/// Two digits: a plan knows no more.
fn rounded(rows: f64) -> String {
    let step = 10f64.powf(rows.max(1.0).log10().floor() - 1.0).max(1.0);
    format!("{:.0}", (rows / step).ceil() * step)
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
                .to_do(text![
                    "merge classes, or take {weights_only} to a trainer of your own: the gap of each class, and of a number, is a \
                     weighted mean there"
                ]),
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
            MitigateError::NoChance => {
                Refusal::new("a threshold or costs weigh the chance of a label, and the table has no labels")
                    .needed("labels, or a share to decide positive")
                    .to_do(text!["name the labels with {y_true}, or give {rate} in its place"])
            }
            MitigateError::NoDecisions => {
                Refusal::new("local calibration has error rates for each decision before, and the table has no decisions")
                    .needed("the decisions before")
                    .to_do(text!["name them with {y_pred}, or leave out {local}"])
            }
            MitigateError::Columns { found, most } => {
                Refusal::new(format!("the features become {found} columns, and a hidden layer is learned over {most} at most"))
                    .needed("fewer values of categories")
                    .to_do(text!["choose the {method} plug-in or logistic, or leave features out with {drop}"])
            }
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
                // What an audit would do about it comes after; some of it is not for a rule.
                "the proxies' errors cannot be undone, so no gap can be reduced: {}",
                reason.split("; ").next().unwrap_or_default()
            ))
            .needed("error rates: from three proxies or more that err independently, or from elsewhere")
            .to_do(other_errors()),
            MitigateError::Alike { share, of } => Refusal::new(format!(
                "the {of} decide {share:.0} of the fitted rows positive: keeping that share would decide alike for everyone"
            ))
            .needed("a share above 0 and below 1")
            .to_do(text!["give {rate}, {threshold} or {costs}"]),
            MitigateError::ProxyAsFeature { feature, proxy } => Refusal::new(format!(
                "feature `{feature}` says what proxy `{proxy}` guesses: the rule would close the gap between guesses, and leave the true one"
            ))
            .needed("features that no proxy is made from")
            .to_do(text!["leave it out with {drop}, or take the column as a feature and out of {proxy}"]),
            MitigateError::Sides { fitted, held_out, fewest: [most, least] } => Refusal::new(format!(
                "{fitted} rows are to be fitted on and {held_out} held out"
            ))
            .needed(format!("at least {most} and {least}"))
            .to_do(text!["say {cross_fit}, which fits and measures on all, or hold out another share with {held_out} (either without {split}), or bring more rows"]),
            MitigateError::TooFewRows { rows, gap, error, needed } => {
                let needed = match needed {
                    Some(rows) if *rows < MOST_ROWS => {
                        format!("about {} fitted rows like these for a gap of this size", rounded(*rows))
                    }
                    Some(_) => "better proxies: with these no table is long enough for a gap of this size".to_owned(),
                    None => "a gap that stands out".to_owned(),
                };
                Refusal::new(format!(
                    "the gap on the {rows} fitted rows is {gap:.4}, with a standard error of {error:.4}: with these proxies the \
                     rule would remove chance and make a true gap of that size"
                ))
                .needed(needed)
                .to_do("bring more rows or better proxies, or reduce nothing")
            }
            MitigateError::Collapsed { share, without } => Refusal::new(format!(
                "the rule collapsed: it decides {share:.4} of the rows positive, where {without:.4} are without a constraint. Deciding \
                 alike for everyone closes every gap and is of no use"
            ))
            .needed("a rule that still decides")
            .to_do(text!["allow a larger {tolerance}, say another {rate}, {threshold} or {costs}, bring features that say more about the label, or try another {method}"]),
            MitigateError::HeldOut { rows, reason } => {
                let reason = reason.lines().next().unwrap_or_default().split("; ").next().unwrap_or_default();
                Refusal::new(format!("the {rows} rows to measure on give no number: {reason}"))
                    .needed("rows enough, and proxies whose errors show on them")
                    .to_do(text![text!["bring more rows, say {cross_fit} to measure on all of them, or "], other_errors()])
            }
            MitigateError::Weights(error) => Refusal::new(error.to_string()),
            MitigateError::Encode(error) => Refusal::new(error.to_string()),
            MitigateError::Problem(error) => Refusal::new(error.to_string()),
            MitigateError::Counts(error) => Refusal::new(error.to_string()),
            MitigateError::Audit(error) => error.refusal(),
        }
    }
}

/// Where error rates come from if the table's agreement does not show them.
fn other_errors() -> Text {
    text![
        "add a proxy from another source; or label a few rows, run {!audit} with {audit_labels}, write its {json} and give that with {given}"
    ]
}

shows_refusal!(MitigateError);
