//! Why features cannot become numbers.

/// Why features cannot become numbers. Rows are counted from 0 in the fields, from 1 in the message.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EncodeError {
    /// A missing value without a place.
    #[error(
        "feature `{feature}` is missing{}, and missing values have no place in this rule; \
         leave such rows or the feature out, or give missing values a column of their own (`impute`) and learn the rule again",
        at(.row)
    )]
    Missing {
        /// The feature.
        feature: String,
        /// The row, where there is more than one.
        row: Option<usize>,
    },
    /// A category that was not among the rows that were learned from.
    #[error(
        "feature `{feature}` is `{value}`{}, which no row had that the rule was learned from; \
         correct the value, or learn the rule again with such rows",
        at(.row)
    )]
    Unseen {
        /// The feature.
        feature: String,
        /// Its value.
        value: String,
        /// The row, where there is more than one.
        row: Option<usize>,
    },
    /// A number that is infinite or too large.
    #[error("feature `{feature}` is {value}{}, and a finite number is needed; correct it or leave the row out", at(.row))]
    NotFinite {
        /// The feature.
        feature: String,
        /// Its value.
        value: f64,
        /// The row, where there is more than one.
        row: Option<usize>,
    },
    /// A name or a number of each row, not a category.
    #[error(
        "feature `{feature}` has {found} different values, and {:.0} % of the rows have one that fewer than {least} rows have: a name or \
         a number of each row, not a category; leave it out, or join its values to fewer",
        100.0 * .rare
    )]
    MostlyRare {
        /// The feature.
        feature: String,
        /// How many values.
        found: usize,
        /// Rows that a level needs.
        least: usize,
        /// The share of rows with a rare value.
        rare: f64,
    },
    /// More levels than a rule can list.
    #[error(
        "feature `{feature}` has {found} values that many rows have, and a rule lists {most} of a category; \
         leave it out, or join its values to fewer"
    )]
    TooManyLevels {
        /// The feature.
        feature: String,
        /// How many values.
        found: usize,
        /// How many are allowed.
        most: usize,
    },
    /// No row has a value.
    #[error("feature `{feature}` has no value in the rows to learn from; leave it out")]
    Empty {
        /// The feature.
        feature: String,
    },
    /// A feature that the rule needs.
    #[error("the rule needs feature `{feature}`, and the table has no such column; add it")]
    Absent {
        /// The feature.
        feature: String,
    },
    /// Numbers where the rule knows categories, or the other way round.
    #[error("feature `{feature}` has {found} and the rule learned it from {needed}; give it as it was")]
    Kind {
        /// The feature.
        feature: String,
        /// What the rule knows.
        needed: &'static str,
        /// What came.
        found: &'static str,
    },
    /// Not one value for each feature.
    #[error("a row has {found} values and the rule has {needed} features; give one value for each")]
    Values {
        /// How many values.
        found: usize,
        /// How many features.
        needed: usize,
    },
    /// A row that is not there.
    #[error("feature `{feature}` has {rows} rows and row {} was asked for; give every feature all rows", row + 1)]
    Row {
        /// The feature.
        feature: String,
        /// The row.
        row: usize,
        /// How many it has.
        rows: usize,
    },
    /// A code without a level.
    #[error("feature `{feature}` has {levels} levels and row {} has the code {code}; codes start at 0", row + 1)]
    Code {
        /// The feature.
        feature: String,
        /// The row.
        row: usize,
        /// Its code.
        code: u32,
        /// How many levels there are.
        levels: usize,
    },
    /// A stored encoding that no fit can have made, or two features of one name.
    #[error(
        "the encoding of feature `{feature}` cannot be used: names differ, a deviation is above 0, levels are \
         different and in the order of their names; learn the rule again"
    )]
    Stored {
        /// The feature.
        feature: String,
    },
}

fn at(row: &Option<usize>) -> String {
    row.map_or_else(String::new, |row| format!(" in row {}", row + 1))
}
