//! Numbers of every person: a score to decide by, an outcome to compare.

use clap::Args;
use fairveil_ingest::Columns;

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

fn finite(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| "a number is needed".to_owned())
}
