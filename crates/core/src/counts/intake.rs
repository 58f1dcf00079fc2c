//! The way from rows to a tally: what was left out, spelled in several ways, withheld, noised or borrowed.

use crate::vocabulary::Stratum;
use std::collections::BTreeMap;

/// What happened on the way from rows to the tally. Findings are made of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Intake {
    /// Rows that were counted.
    pub rows: u64,
    /// Rows left out because they had no prediction.
    pub without_prediction: u64,
    /// Rows counted that have no label although the table has a label column.
    pub without_label: u64,
    /// The rows' squared weights, summed, where rows have weights.
    pub squared_weights: Option<f64>,
    /// Rows for each person, where a column tells who they are.
    pub rows_per_person: Option<f64>,
    /// Values of one column that were written in several ways and read as one.
    pub spellings: Vec<Spelling>,
    /// Rows that could not be read and were left out because that was asked for.
    pub skipped: Vec<Skipped>,
    /// What was withheld from the tally because it was about few people.
    pub hidden: Option<Hidden>,
    /// How guesses were lent by nearest neighbours, where they were.
    pub borrowed: Option<Borrowed>,
    /// Noise that was added to the tally for privacy.
    pub noised: Option<Noised>,
    /// What became of names and places that were looked up, by source.
    pub names: Vec<NameRows>,
    /// The outcome that was summed, where one was.
    pub outcome: Option<OutcomeColumn>,
}

/// A column of numbers that was summed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeColumn {
    /// Its name.
    pub column: String,
    /// Rows that have no number there, or none that is finite.
    pub missing: u64,
}

/// Rows by what looking up a name or a place gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameRows {
    /// The source.
    pub source: String,
    /// Its table.
    pub table: String,
    /// Whom the table is about.
    pub about: String,
    /// Rows whose name it knows.
    pub known: u64,
    /// Rows without one.
    pub empty: u64,
    /// Rows with something else than a name: digits, an address, initials, another script.
    pub not_a_name: u64,
    /// Rows with a name that it does not know.
    pub unknown: u64,
    /// Rows with a whole name where a part of one is needed.
    pub whole_name: u64,
}

/// Noise added to every cell of a tally, so that it hides whether any one person is in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Noised {
    /// The privacy that the tally's maker states, for adding or removing one person; of several tallies the largest.
    pub epsilon: f64,
    /// The variance of the noise of each cell, summed over tallies that were added up.
    pub variance: f64,
    /// Cells that came out below zero and are counted as empty.
    pub negative_cells: u64,
    /// How many rows that adds.
    pub negative_rows: f64,
}

/// What is known about guesses that rows borrowed from their two nearest neighbours.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Borrowed {
    /// What near means, in words: the feature columns or the file.
    pub features: String,
    /// How many numbers a row's features are.
    pub dimensions: usize,
    /// `cosine` or `euclidean`.
    pub metric: String,
    /// `exact` or `hnsw`.
    pub search: String,
    /// The share of neighbours that a search by hnsw found, measured on a sample.
    pub recall: Option<f64>,
    /// Rows that were searched.
    pub rows: u64,
    /// Rows whose nearest neighbour has exactly their features.
    pub duplicates: u64,
    /// Rows and their two neighbours make three people. For ordered pairs of different rows, by their strata: the
    /// products of their weights, summed over pairs that have one, two and three people in common.
    pub shared: BTreeMap<(Stratum, Stratum), [f64; 3]>,
    /// How the guesses of neighbours differ, for each proxy that lent some, in the order of the table.
    pub proxies: Vec<BorrowedGuesses>,
    /// The share of rows whose two neighbours are of the same true group, where true groups were given to compare.
    pub clusterability: Option<f64>,
}

/// How the guesses of neighbours differ, of one proxy.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BorrowedGuesses {
    /// The proxy.
    pub proxy: String,
    /// A row and its nearest neighbour; a row and its second; the nearest and the second.
    pub pairs: [ComparedPairs; 3],
    /// A row and either neighbour: the closest third of all such pairs, the middle, the farthest.
    pub by_distance: [ComparedPairs; 3],
    /// A row and a neighbour with exactly its features.
    pub duplicates: ComparedPairs,
    /// How unlike a few groups the guesses around rows are: of each group, or of one of two.
    pub shades: Vec<Shades>,
}

/// How far the chance of a guess around rows is from having two values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shades {
    /// The place of the group that is guessed.
    pub group: usize,
    /// `μ₄/μ₂² − μ₃²/μ₂³ − 1` of the chance: 0 for two values, 0.8 if it is uniform, 2 if it is normal.
    pub excess: f64,
    /// Its standard error. Rows that share neighbours were taken to.
    pub error: f64,
}

/// Pairs of rows on which a proxy guesses both times.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ComparedPairs {
    /// How many.
    pub compared: u64,
    /// How many of them differ.
    pub differ: u64,
}

/// Rows left out for one reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Skipped {
    /// What was wrong with them.
    pub reason: String,
    /// How many.
    pub rows: u64,
    /// The first of them: where, and what was found.
    pub first: String,
}

/// Cells about few people, withheld from a tally.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hidden {
    /// How many cells.
    pub cells: u64,
    /// How many rows.
    pub rows: u64,
    /// What they weigh.
    pub weight: f64,
}

/// Several spellings of one value, such as `1` and `1.0`.
#[derive(Debug, Clone, PartialEq)]
pub struct Spelling {
    /// The column.
    pub column: String,
    /// What they were read as.
    pub read_as: String,
    /// How they were written.
    pub written: Vec<String>,
}
