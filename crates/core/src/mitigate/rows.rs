//! What a rule is learned from.

use crate::vocabulary::{Class, Group, Guess, Legend};
use std::borrow::Cow;

/// The rows of a table, column by column, in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The names of groups, classes and proxies. There are two classes. Where the table has no decisions, their column is
    /// called `decision`.
    pub legend: Legend,
    /// How many rows.
    pub rows: usize,
    /// The decisions of the model so far, where the table has them; `None` where one is missing.
    pub predictions: Option<Vec<Option<Class>>>,
    /// The labels, where the table has them; `None` where one is missing.
    pub labels: Option<Vec<Option<Class>>>,
    /// For each proxy its guesses, of probabilities the most likely group; `None` where it abstains.
    pub guesses: Vec<Vec<Option<Guess>>>,
    /// The weights, where the table has them.
    pub weights: Option<Vec<f64>>,
    /// The model's score, where the table has one; NaN where it is missing.
    pub scores: Option<Vec<f64>>,
    /// The column of the score.
    pub score: Option<String>,
    /// The true groups, where they are known: only compared against.
    pub truth: Option<Vec<Option<Group>>>,
    /// The features, in the order of their names.
    pub features: Vec<Feature>,
    /// A number for the whole content of each row, whichever columns are used: rows that are held out follow from it. Where there is
    /// none they follow from the columns that are used.
    pub marks: Option<Vec<u64>>,
    /// The column that says which rows are held out, where there is one.
    pub split: Option<String>,
    /// Whether it holds out each row; `None` where it says nothing.
    pub held_out: Option<Vec<Option<bool>>>,
}

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
        /// The different values, in the order in which groups are named.
        levels: Vec<String>,
        /// The place of each row's value among them; `u32::MAX` where it is missing.
        codes: Vec<u32>,
    },
}

impl Rows {
    /// The same rows, the proxies in the order of their names: sums over them are then taken in one order, to the last bit.
    pub fn in_name_order(&self) -> Cow<'_, Rows> {
        let name = |proxy: &usize| &self.legend.proxies[*proxy].name;
        let mut order: Vec<usize> = (0..self.legend.proxies.len()).collect();
        order.sort_by(|a, b| name(a).cmp(name(b)));
        if order.is_sorted() {
            return Cow::Borrowed(self);
        }
        let mut rows = self.clone();
        rows.legend.proxies = order.iter().map(|proxy| self.legend.proxies[*proxy].clone()).collect();
        rows.guesses = order.iter().map(|proxy| self.guesses[*proxy].clone()).collect();
        Cow::Owned(rows)
    }
}
