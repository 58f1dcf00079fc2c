//! What is wrong with rows that a rule is to be learned from.

use crate::error::{kind_of, said, short, some};
use fairveil_core::setting::{Refusal, Setting};
use fairveil_core::text;

/// Why no rule can be learned from rows.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TrainingProblem {
    /// A tally, or a database, which hands out a tally.
    RowsNeeded,
    /// No column is left for a feature, and there is no score.
    NoFeatures {
        /// All columns.
        columns: Vec<String>,
    },
    /// A column that would be a feature has no name.
    NoName,
    /// A column that is said to be a category is no feature.
    NoFeature,
    /// A value in a column whose first rows are numbers.
    NoNumber {
        /// What was found.
        value: String,
    },
    /// A score that is none.
    Score {
        /// What was found.
        value: String,
    },
    /// A word that is no side of a split.
    Side {
        /// What was found.
        value: String,
    },
    /// More than two classes.
    ManyClasses {
        /// The classes.
        classes: Vec<String>,
    },
    /// A class that only rows without a decision have.
    OtherClass {
        /// The class.
        value: String,
        /// The classes of the others.
        classes: Vec<String>,
    },
    /// No row has a label, and there are no decisions.
    NoLabels,
    /// More rows, or more numbers, than can be kept.
    TooMany {
        /// Rows.
        rows: usize,
    },
}

impl TrainingProblem {
    pub(crate) fn refusal(&self) -> Refusal {
        let value = |what: &str, value: &str| {
            if value.is_empty() {
                format!("{what} is missing")
            } else {
                format!("{what} is `{}`", short(value))
            }
        };
        match self {
            TrainingProblem::RowsNeeded => said(
                "this is a tally, and a rule is learned from rows",
                "the table that the tally was made from, in files",
                "name the table",
            ),
            TrainingProblem::NoFeatures { columns } => said(
                "no column is left for a feature, and no score is named",
                "what a rule can decide by: features, a score, or both",
                text![
                    "name features with ",
                    Setting::Features,
                    " or a score with ",
                    Setting::Score,
                    "; the columns are ",
                    some(columns)
                ],
            ),
            TrainingProblem::NoName => said(
                "a column has no name; it may hold row numbers",
                "a name for every feature: a rule finds its columns by name",
                text!["give it one, or name the features with {features}"],
            ),
            TrainingProblem::NoFeature => said(
                "no feature has this name or starts with it",
                "columns that are features",
                text!["correct {categorical}, or name the column with {features} too"],
            ),
            TrainingProblem::NoNumber { value: found } => said(
                format!("the feature is {}, and the first rows hold numbers", kind_of(found)),
                "a finite number of at most 3.4e38 in every row, or nothing",
                text![
                    "correct it, name the column with {categorical} if its values are names, or name the value \
                     with {missing} if it means nothing"
                ],
            ),
            TrainingProblem::Score { value: found } => said(
                value("the score", found),
                "a finite number on every row",
                text![
                    "correct it; with {lenient} a row may have no score, and one that is no number is left out"
                ],
            ),
            TrainingProblem::Side { value: found } => said(
                value("the side of the split", found),
                "train or test (also 0 or 1), or nothing for a row that is left out",
                text!["recode the column that {split} names"],
            ),
            TrainingProblem::ManyClasses { classes } => said(
                format!("there are {} classes: {}", classes.len(), some(classes)),
                "two: mitigate learns yes/no decisions",
                text![
                    "recode decisions and labels to the class that counts and one for the others; or take {weights_only} to a trainer \
                     of your own, which may have as many classes as it likes"
                ],
            ),
            TrainingProblem::OtherClass { value: found, classes } => said(
                value("the class", found),
                format!("one of {}, as on the rows that have a decision", some(classes)),
                text!["correct it, or name it with {missing} if it means nothing"],
            ),
            TrainingProblem::NoLabels => said(
                "no row has a label",
                "at least one row with a label",
                "check that the right column was named for the labels",
            ),
            TrainingProblem::TooMany { rows } => said(
                format!("{rows} rows do not fit in memory"),
                "4 bytes of memory for each feature of each row",
                "use fewer rows or features",
            ),
        }
    }
}
