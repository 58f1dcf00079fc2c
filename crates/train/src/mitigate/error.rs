//! Why no rule is learned.

use crate::{EncodeError, ProblemError};
use fairveil_core::{AuditError, CountsError, Criterion, WeightsError};

/// Why no rule is learned. Each says what was found, what was needed, and what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MitigateError {
    /// A setting out of its range.
    #[error("{name} is {value}\n  needed: {needed}\n  to do:  correct it")]
    Setting {
        /// Which.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        needed: &'static str,
    },
    /// More classes than yes and no, or fewer.
    #[error(
        "the decisions have {found} classes\n  needed: two, yes and no\n  to do:  merge classes, or learn a rule for each against \
         the others"
    )]
    Classes {
        /// How many.
        found: usize,
    },
    /// Nothing says what the right decision is.
    #[error(
        "no column says what a decision should have been\n  needed: labels, or the decisions of the model to imitate\n  to do:  \
         name them with --y-true or --y-pred"
    )]
    NoTarget,
    /// The criterion needs labels.
    #[error(
        "{} compares people with the same label, and the table has no labels\n  needed: a column of labels\n  to do:  name it with \
         --y-true, or choose demographic_parity", .criterion.words()
    )]
    NoLabels {
        /// The criterion.
        criterion: Criterion,
    },
    /// There is nothing to learn from.
    #[error(
        "no features are named, and no score\n  needed: what the rule may look at\n  to do:  name columns with --features"
    )]
    NoFeatures,
    /// A score that is no chance.
    #[error(
        "the score is {found}\n  needed: the chance of a positive label, from 0 to 1\n  to do:  give --recalibrate, which \
         turns any score into a chance, or correct the column"
    )]
    Score {
        /// The row, from 0.
        row: usize,
        /// The column.
        column: String,
        /// The score.
        found: f64,
    },
    /// Too few rows to split.
    #[error(
        "{found} rows take part\n  needed: at least {needed}, to fit on some and measure on the others\n  to do:  bring more rows"
    )]
    FewRows {
        /// How many.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// One of the classes never occurs.
    #[error(
        "every row to learn from is {class}\n  needed: both classes\n  to do:  bring rows of the other, or check the column"
    )]
    OneClass {
        /// The class.
        class: String,
    },
    /// There is no noise model to rely on.
    #[error(
        "the proxies' errors can not be undone, so no gap can be reduced: {reason}\n  needed: a noise model that explains how the \
         proxies agree\n  to do:  run fairveil audit on the table and follow its advice, or give error rates with --given"
    )]
    Noise {
        /// Why.
        reason: String,
    },
    /// Weights can not be computed.
    #[error("{0}")]
    Weights(#[from] WeightsError),
    /// The gap drowns in chance.
    #[error(
        "the gap on the {rows} fitted rows is {gap:.4}, with a standard error of {error:.4}: with these proxies the rule would remove \
         chance and make a true gap of that size\n  needed: {}\n  to do:  bring more rows or better proxies, or reduce nothing",
        .needed.map_or("a gap that stands out".to_owned(), |rows| format!("about {rows:.0} fitted rows like these for a gap of this size"))
    )]
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
    #[error(
        "the rule collapsed: it decides {share:.4} of the rows positive, where {before:.4} were before. Deciding alike for \
         everyone closes every gap and is of no use\n  needed: a rule that still decides\n  to do:  allow a larger --tolerance, \
         bring features that tell more, or try another --method"
    )]
    Collapsed {
        /// The share decided positive.
        share: f64,
        /// The same before.
        before: f64,
    },
    /// The held-out rows give no number.
    #[error(
        "the {rows} held-out rows give no number: {}\n  needed: enough rows to measure before and after\n  to do:  hold out a \
         larger share with --held-out, or bring more rows", .reason.lines().next().unwrap_or_default()
    )]
    HeldOut {
        /// How many.
        rows: usize,
        /// Why.
        reason: String,
    },
    /// A feature can not be used.
    #[error("{0}")]
    Encode(#[from] EncodeError),
    /// Numbers that training can not take.
    #[error("{0}")]
    Problem(#[from] ProblemError),
    /// The tally makes no sense.
    #[error("{0}")]
    Counts(#[from] CountsError),
    /// The table can not be audited.
    #[error("{0}")]
    Audit(#[from] AuditError),
}
