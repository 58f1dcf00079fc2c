//! Features as they are in a table, and as numbers.

/// One feature of all rows, as it is in the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Feature {
    /// The column.
    pub name: String,
    /// Its values.
    pub values: FeatureValues,
}

/// The values of a feature, one for each row.
#[derive(Debug, Clone, PartialEq)]
pub enum FeatureValues {
    /// Numbers; NaN where one is missing.
    Numbers(Vec<f32>),
    /// Categories.
    Categories {
        /// The different values.
        levels: Vec<String>,
        /// The place of each row's value among them; `u32::MAX` where it is missing.
        codes: Vec<u32>,
    },
}
