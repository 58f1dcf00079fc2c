//! What is wrong with features, and with the search for neighbours by them.

use crate::error::{kind_of, said};
use fairveil_core::setting::Refusal;
use fairveil_core::text;

/// Why features cannot be used, or no neighbours be found by them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FeatureProblem {
    /// A feature that is missing, no number, or not finite.
    Value {
        /// What was found.
        value: String,
    },
    /// Such an element of a list.
    Element {
        /// Which, counted from 1.
        place: usize,
        /// What was found.
        value: String,
    },
    /// A list that is longer or shorter than that of the first row.
    Length {
        /// How many elements it has.
        found: usize,
        /// How many the first has.
        needed: usize,
    },
    /// No features at all: lists without elements, or an array without columns.
    NoDimensions,
    /// A column of lists, and other columns of features.
    ListBesideOthers,
    /// A file that is no array that can be used.
    Array {
        /// What it is.
        found: String,
    },
    /// An array of more or fewer rows than the table.
    ArrayRows {
        /// Rows of the array.
        found: usize,
        /// Rows of the table.
        needed: usize,
    },
    /// An array, and rows of the table that may be left out.
    ArrayLenient,
    /// Nothing that says what near means.
    NotSaid,
    /// A tally, or a database, which hands out a tally.
    RowsNeeded,
    /// Three proxies or more.
    EnoughProxies {
        /// How many.
        found: usize,
    },
    /// More rows, or more numbers, than can be kept.
    TooMany {
        /// Rows.
        rows: usize,
        /// Features of each.
        dimensions: usize,
    },
    /// More features of each row than can be searched.
    TooWide {
        /// How many.
        dimensions: usize,
    },
    /// Too few rows to have two neighbours.
    TooFewRows {
        /// Rows that count.
        found: usize,
    },
    /// A row whose features are all 0, which has no direction.
    Zero,
    /// All rows have the same features.
    AllIdentical,
    /// Known groups of another table, whose rows are no neighbours of these.
    Sample,
    /// Guesses mixed over rows, where a row's own are asked for.
    Triples,
    /// A table that had another number of rows when it was read again.
    Changed {
        /// How many it had at first.
        rows: usize,
    },
}

impl FeatureProblem {
    pub(crate) fn refusal(&self) -> Refusal {
        const NUMBERS: &str = "a finite number of at most 3.4e38 for every feature of every row";
        const CORRECT: &str =
            "correct it, or leave out this row or this feature; nothing is filled in silently";
        const FEWER: &str = "use fewer features, such as principal components, or fewer rows";
        match self {
            FeatureProblem::Value { value: found } => {
                said(format!("the feature is {}", kind_of(found)), NUMBERS, CORRECT)
            }
            FeatureProblem::Element { place, value: found } => {
                said(format!("element {place} of the features is {}", kind_of(found)), NUMBERS, CORRECT)
            }
            FeatureProblem::Length { found, needed } => said(
                format!("the list has {found} elements, that of the first row {needed}"),
                "lists of one length",
                "check what made the features",
            ),
            FeatureProblem::NoDimensions => {
                said("the rows have no features", "at least one feature", "check what made the features")
            }
            FeatureProblem::ListBesideOthers => said(
                "a column of lists is named beside other features",
                "one column of lists, or columns of numbers",
                text!["name the list alone with {features}"],
            ),
            FeatureProblem::Array { found } => said(
                found,
                "a .npy file of a two-dimensional array of float32 or float64, little-endian, in C order",
                "save it with numpy.save('features.npy', numpy.ascontiguousarray(x, dtype='<f4'))",
            ),
            FeatureProblem::ArrayRows { found, needed } => said(
                format!("the array has {found} rows, the table {needed}"),
                "one row of the array for each row of the table, in its order",
                "make the array from the same rows as the table",
            ),
            FeatureProblem::ArrayLenient => said(
                text!["with {lenient} rows may be left out, and the rows of the array would no longer match"],
                "every row of the table",
                text!["correct the table and leave out {lenient}, or put the features in the table"],
            ),
            FeatureProblem::NotSaid => said(
                "no features are named",
                "columns, the start of their names, or a .npy file",
                text!["name them with {features}"],
            ),
            FeatureProblem::RowsNeeded => said(
                "this is a tally, and neighbours are rows",
                "the table that the tally was made from, in files",
                text!["name the table, or leave out {features}"],
            ),
            FeatureProblem::EnoughProxies { found } => said(
                format!("there are {found} proxies, and neighbours are for tables with one or two"),
                "fewer than three: three proxies are estimated from each other and need no neighbours",
                text!["leave out {features}, or name one or two proxies with {proxy}"],
            ),
            FeatureProblem::TooMany { rows, dimensions } => said(
                format!("{rows} rows of {dimensions} features do not fit in memory"),
                format!("at most {} rows, and 4 bytes of memory for each feature of each row", u32::MAX),
                FEWER,
            ),
            FeatureProblem::TooWide { dimensions } => {
                said(format!("each row has {dimensions} features"), "at most 1,048,576", FEWER)
            }
            FeatureProblem::TooFewRows { found } => said(
                format!("{found} rows have a prediction and weight"),
                "at least three, so that each has two neighbours",
                "use a larger table",
            ),
            FeatureProblem::Zero => said(
                "all features of the row are 0, so it has no direction",
                "a feature other than 0 on every row, for the cosine",
                text!["leave the row out, or use {metric=euclidean}, for which 0 is a place like any other"],
            ),
            FeatureProblem::AllIdentical => said(
                "all rows have the same features (for the cosine: the same direction)",
                "features that differ between rows",
                "name other features",
            ),
            FeatureProblem::Sample => said(
                text![
                    "{audit_table} names rows of another table, which borrow no guesses from the neighbours of \
                     this one"
                ],
                "the same proxies in both",
                text!["put the known groups in the audited table, or leave out {features}"],
            ),
            FeatureProblem::Triples => said(
                text![
                    "{triple_seed} mixes the guesses of rows, and estimator confident-joint asks for a row's own"
                ],
                "one of the two",
                text!["leave out {triple_seed}"],
            ),
            FeatureProblem::Changed { rows } => said(
                format!("the table had {rows} rows when it was first read, and now has a different number"),
                "a table that stays as it is while it is read",
                "try again when nobody writes to it",
            ),
        }
    }
}
