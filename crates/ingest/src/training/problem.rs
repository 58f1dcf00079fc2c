//! What is wrong with rows that a rule is to be learned from.

use crate::error::{short, some};

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
    pub(crate) fn found(&self) -> String {
        let value = |what: &str, value: &str| match value.is_empty() {
            true => format!("{what} is missing"),
            false => format!("{what} is `{}`", short(value)),
        };
        match self {
            TrainingProblem::RowsNeeded => "this is a tally, and a rule is learned from rows".into(),
            TrainingProblem::NoFeatures { .. } => {
                "no column is left for a feature, and no score is named".into()
            }
            TrainingProblem::NoName => "a column has no name, and may be the rows' numbers".into(),
            TrainingProblem::NoFeature => "no feature has this name or starts with it".into(),
            TrainingProblem::NoNumber { value: found } => {
                format!("{}, and the first rows hold numbers", value("the feature", found))
            }
            TrainingProblem::Score { value: found } => value("the score", found),
            TrainingProblem::ManyClasses { classes } => {
                format!("there are {} classes: {}", classes.len(), some(classes))
            }
            TrainingProblem::OtherClass { value: found, .. } => value("the class", found),
            TrainingProblem::NoLabels => "no row has a label".into(),
            TrainingProblem::TooMany { rows } => format!("{rows} rows do not fit in memory"),
        }
    }

    pub(crate) fn needed(&self) -> String {
        match self {
            TrainingProblem::RowsNeeded => "the table that the tally was made from, in files".into(),
            TrainingProblem::NoFeatures { .. } => {
                "what a rule can decide by: features, a score, or both".into()
            }
            TrainingProblem::NoName => "a name for every feature: a rule finds its columns by name".into(),
            TrainingProblem::NoFeature => "columns that are features".into(),
            TrainingProblem::NoNumber { .. } => {
                "a finite number of at most 3.4e38 in every row, or nothing".into()
            }
            TrainingProblem::Score { .. } => "a finite number on every row".into(),
            TrainingProblem::ManyClasses { .. } => "two: mitigate learns yes/no decisions".into(),
            TrainingProblem::OtherClass { classes, .. } => {
                format!("one of {}, as on the rows that have a decision", some(classes))
            }
            TrainingProblem::NoLabels => "at least one row with a label".into(),
            TrainingProblem::TooMany { .. } => "4 bytes of memory for each feature of each row".into(),
        }
    }

    pub(crate) fn to_do(&self) -> String {
        match self {
            TrainingProblem::RowsNeeded => "name the table".into(),
            TrainingProblem::NoFeatures { columns } => {
                format!("name features with --features or a score with --score; the columns are {}", some(columns))
            }
            TrainingProblem::NoName => "give it one, or name the features with --features".into(),
            TrainingProblem::NoFeature => "correct --categorical, or name the column with --features too".into(),
            TrainingProblem::NoNumber { .. } => {
                "correct it, name the column with --categorical if its values are names, or name the value with \
                 --missing if it means nothing"
                    .into()
            }
            TrainingProblem::Score { .. } => {
                "correct it; with --lenient a row may have no score, and one that is no number is left out".into()
            }
            TrainingProblem::ManyClasses { .. } => {
                "recode decisions and labels to the class that counts and one for the others".into()
            }
            TrainingProblem::OtherClass { .. } => "correct it, or name it with --missing if it means nothing".into(),
            TrainingProblem::NoLabels => "check that the right column was named for the labels".into(),
            TrainingProblem::TooMany { .. } => "use fewer rows or features".into(),
        }
    }
}
