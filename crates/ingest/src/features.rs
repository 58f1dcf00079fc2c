//! What is wrong with features, and with the search for neighbours by them.

use crate::error::short;

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
    /// A table that had another number of rows when it was read again.
    Changed {
        /// How many it had at first.
        rows: usize,
    },
}

impl FeatureProblem {
    pub(crate) fn found(&self) -> String {
        let value = |value: &str| match value.is_empty() {
            true => "missing".to_owned(),
            false => format!("`{}`", short(value)),
        };
        match self {
            FeatureProblem::Value { value: found } => format!("the feature is {}", value(found)),
            FeatureProblem::Element { place, value: found } => {
                format!("element {place} of the features is {}", value(found))
            }
            FeatureProblem::Length { found, needed } => {
                format!("the list has {found} elements, that of the first row {needed}")
            }
            FeatureProblem::NoDimensions => "the rows have no features".into(),
            FeatureProblem::ListBesideOthers => "a column of lists is named beside other features".into(),
            FeatureProblem::Array { found } => found.clone(),
            FeatureProblem::ArrayRows { found, needed } => {
                format!("the array has {found} rows, the table {needed}")
            }
            FeatureProblem::ArrayLenient => {
                "with --lenient rows may be left out, and those of the array would belong to others".into()
            }
            FeatureProblem::NotSaid => "no features are named".into(),
            FeatureProblem::RowsNeeded => "this is a tally, and neighbours are rows".into(),
            FeatureProblem::EnoughProxies { found } => {
                format!("there are {found} proxies, and neighbours are for tables with one or two")
            }
            FeatureProblem::TooMany { rows, dimensions } => {
                format!("{rows} rows of {dimensions} features do not fit in memory")
            }
            FeatureProblem::TooWide { dimensions } => format!("each row has {dimensions} features"),
            FeatureProblem::TooFewRows { found } => format!("{found} rows have a prediction and weight"),
            FeatureProblem::Zero => "all features of the row are 0, so it has no direction".into(),
            FeatureProblem::AllIdentical => {
                "all rows have the same features, or the same direction where that counts".into()
            }
            FeatureProblem::Changed { rows } => {
                format!("the table had {rows} rows when it was read first, and has not now")
            }
        }
    }

    pub(crate) fn needed(&self) -> String {
        match self {
            FeatureProblem::Value { .. } | FeatureProblem::Element { .. } => {
                "a finite number of at most 3.4e38 for every feature of every row".into()
            }
            FeatureProblem::Length { .. } => "lists of one length".into(),
            FeatureProblem::NoDimensions => "at least one feature".into(),
            FeatureProblem::ListBesideOthers => "one column of lists, or columns of numbers".into(),
            FeatureProblem::Array { .. } => {
                "a .npy file of a two-dimensional array of float32 or float64, little-endian, in C order"
                    .into()
            }
            FeatureProblem::ArrayRows { .. } => {
                "one row of the array for each row of the table, in its order".into()
            }
            FeatureProblem::ArrayLenient => "every row of the table".into(),
            FeatureProblem::NotSaid => "columns, the start of their names, or a .npy file".into(),
            FeatureProblem::RowsNeeded => "the table that the tally was made from, in files".into(),
            FeatureProblem::EnoughProxies { .. } => {
                "fewer than three: three proxies are estimated from each other and need no neighbours".into()
            }
            FeatureProblem::TooMany { .. } => {
                format!("at most {} rows, and 4 bytes of memory for each feature of each row", u32::MAX)
            }
            FeatureProblem::TooWide { .. } => "at most 1,048,576".into(),
            FeatureProblem::TooFewRows { .. } => "at least three, so that each has two neighbours".into(),
            FeatureProblem::Zero => "a feature other than 0 on every row, for the cosine".into(),
            FeatureProblem::AllIdentical => "features that tell rows apart".into(),
            FeatureProblem::Changed { .. } => "a table that stays as it is while it is read".into(),
        }
    }

    pub(crate) fn to_do(&self) -> String {
        match self {
            FeatureProblem::Value { .. } | FeatureProblem::Element { .. } => {
                "correct it, or leave out this row or this feature; nothing is filled in silently".into()
            }
            FeatureProblem::Length { .. } | FeatureProblem::NoDimensions => {
                "check what made the features".into()
            }
            FeatureProblem::ListBesideOthers => "name the list alone with --features".into(),
            FeatureProblem::Array { .. } => {
                "save it with numpy.save('features.npy', numpy.ascontiguousarray(x, dtype='<f4'))".into()
            }
            FeatureProblem::ArrayRows { .. } => "make the array from the same rows as the table".into(),
            FeatureProblem::ArrayLenient => {
                "correct the table and leave out --lenient, or put the features in the table".into()
            }
            FeatureProblem::NotSaid => "name them with --features".into(),
            FeatureProblem::RowsNeeded => "name the table, or leave out --features".into(),
            FeatureProblem::EnoughProxies { .. } => {
                "leave out --features, or name one or two proxies with --proxy".into()
            }
            FeatureProblem::TooMany { .. } | FeatureProblem::TooWide { .. } => {
                "use fewer features, such as principal components, or fewer rows".into()
            }
            FeatureProblem::TooFewRows { .. } => "use a larger table".into(),
            FeatureProblem::Zero => {
                "leave the row out, or use --metric euclidean, for which 0 is a place like any other".into()
            }
            FeatureProblem::AllIdentical => "name other features".into(),
            FeatureProblem::Changed { .. } => "try again when nobody writes to it".into(),
        }
    }
}
