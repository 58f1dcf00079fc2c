//! Numbers of every person: a score to decide by, an outcome to compare.

use clap::Args;
use fairveil_ingest::{Bins, Columns, Cut};

#[derive(Debug, Args)]
pub struct ScoreArgs {
    /// Column of the model's scores, in place of decisions: whoever has at least --threshold is selected.
    #[arg(
        long,
        value_name = "COLUMN",
        requires = "threshold",
        conflicts_with = "y_pred",
        help_heading = "Columns"
    )]
    pub score: Option<String>,
    /// The score from which a person is selected.
    #[arg(long, value_name = "SCORE", requires = "score", allow_hyphen_values = true, value_parser = finite, help_heading = "Columns")]
    pub threshold: Option<f64>,
}

#[derive(Debug, Args)]
pub struct OutcomeArgs {
    /// Column of a number to compare between groups: a price, a rate, an amount, a score. Rows may have none.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub outcome: Option<String>,
}

#[derive(Debug, Args)]
pub struct BinArgs {
    /// Where a number is cut into bins: 20 for so many of equal width from 0 to 1, 3:8:0.25 for from, to and step, or the cuts
    /// themselves between commas.
    #[arg(
        long,
        value_name = "BINS",
        allow_hyphen_values = true,
        conflicts_with = "by",
        help_heading = "Columns"
    )]
    pub bins: Option<Bins>,
}

impl BinArgs {
    /// The same columns, with the bins of a score, or of an outcome, where they are asked for.
    pub fn columns(
        &self,
        score: &ScoreArgs,
        outcome: &OutcomeArgs,
        columns: Columns,
    ) -> anyhow::Result<Columns> {
        match (&self.bins, score.score.as_ref().or(outcome.outcome.as_ref())) {
            (None, _) => Ok(columns),
            (Some(bins), Some(number)) => Ok(binned(number, bins, columns)),
            (Some(_), None) => anyhow::bail!(
                "--bins without a number to cut\n  needed: a column of scores, prices or amounts\n  to do:  give --score or --outcome"
            ),
        }
    }
}

/// The same columns, with rows cut by the bins of a number. Few people in a bin are as few as in any cell of a tally.
pub fn binned(number: &str, bins: &Bins, columns: Columns) -> Columns {
    Columns {
        by: vec![number.to_owned()],
        cut: Some(Cut::Bins(bins.clone())),
        min_segment: Some(0),
        ..columns
    }
}

impl ScoreArgs {
    /// The same columns, with decisions by score where one is named.
    pub fn columns(&self, columns: Columns) -> Columns {
        match &self.score {
            Some(score) => Columns { y_pred: Some(score.clone()), threshold: self.threshold, ..columns },
            None => columns,
        }
    }
}

impl OutcomeArgs {
    /// The same columns with the outcome.
    pub fn columns(&self, columns: Columns) -> Columns {
        Columns { outcome: self.outcome.clone(), ..columns }
    }
}

pub(super) fn finite(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| "a number is needed".to_owned())
}
