//! Features, by which rows are near each other.

use super::TableArgs;
use clap::{Args, ValueEnum};
use fairveil_ingest::Columns;
use fairveil_neighbors::{Metric, SearchMethod};
use std::path::{Path, PathBuf};

/// What is near.
#[derive(Debug, Args)]
pub struct FeatureArgs {
    /// With one or two proxies, each row borrows the guesses of its two nearest neighbours by these features: the start of
    /// the columns' names, columns separated by commas, a column of lists, or a .npy file with a row for each row.
    #[arg(long, value_name = "PREFIX|COLUMNS|FILE.npy", help_heading = "Neighbors")]
    pub features: Option<String>,
    /// How far two rows are from each other [default: cosine].
    #[arg(long, value_name = "NAME", requires = "features", help_heading = "Neighbors")]
    pub metric: Option<MetricName>,
    /// Puts the features on one scale first: each less its mean, divided by its standard deviation [default: as they are, so that a
    /// feature in large units counts more].
    #[arg(long, requires = "features", help_heading = "Neighbors")]
    pub scale: bool,
    /// How to look for neighbours [default: auto, exact up to 200,000 rows]. Above, hnsw misses a few and says how many.
    #[arg(long, value_name = "NAME", requires = "features", help_heading = "Neighbors")]
    pub search: Option<SearchName>,
}

#[derive(Debug, Args)]
pub struct NeighborsArgs {
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub near: FeatureArgs,

    /// Where to write the table: .csv, .tsv or .jsonl, with .gz compressed, or .parquet.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: PathBuf,
    /// Writes an apostrophe before what a spreadsheet would take for a formula, in CSV and TSV; no reader takes it off again.
    #[arg(long, help_heading = "Output")]
    pub safe_csv: bool,
    /// Prints no text.
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MetricName {
    Cosine,
    Euclidean,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SearchName {
    Auto,
    Exact,
    Hnsw,
}

impl FeatureArgs {
    /// The array, where features are in one.
    pub fn array(&self) -> Option<&Path> {
        let file = self.features.as_deref().map(Path::new)?;
        file.extension().is_some_and(|end| end.eq_ignore_ascii_case("npy")).then_some(file)
    }

    /// What was said about the columns, with those of features.
    pub fn columns(&self, columns: Columns) -> Columns {
        let features = match (&self.features, self.array()) {
            (Some(features), None) => features.split(',').map(|name| name.trim().to_owned()).collect(),
            _ => Vec::new(),
        };
        Columns { features, ..columns }
    }

    pub fn metric(&self) -> Metric {
        match self.metric {
            Some(MetricName::Euclidean) => Metric::Euclidean,
            Some(MetricName::Cosine) | None => Metric::Cosine,
        }
    }

    pub fn search(&self) -> SearchMethod {
        match self.search {
            Some(SearchName::Exact) => SearchMethod::Exact,
            Some(SearchName::Hnsw) => SearchMethod::Hnsw,
            Some(SearchName::Auto) | None => SearchMethod::Auto,
        }
    }
}
