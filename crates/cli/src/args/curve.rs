//! What is asked of a number by group.

use super::value::estimator_choice;
use super::{BinArgs, OutcomeArgs, TableArgs};
use crate::given;
use crate::places::Forms;
use anyhow::bail;
use clap::Args;
use fairveil_core::vocabulary::Legend;
use fairveil_core::{EstimatorChoice, Settings};
use fairveil_ingest::{Bins, Columns};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct CurveArgs {
    #[command(flatten)]
    pub table: TableArgs,
    /// Column of the model's scores.
    #[arg(long, value_name = "COLUMN", conflicts_with = "outcome", help_heading = "Columns")]
    pub score: Option<String>,
    #[command(flatten)]
    pub outcome: OutcomeArgs,
    #[command(flatten)]
    pub bins: BinArgs,
    /// The number from which a person counts as selected while errors are learned [default: 0.5 of a score, else the cut in the
    /// middle; the decisions of --y-pred where it is given].
    #[arg(long, value_name = "NUMBER", conflicts_with = "y_pred", allow_hyphen_values = true, value_parser = super::numbers::finite, help_heading = "Columns")]
    pub threshold: Option<f64>,

    /// The group that others stand beside [default: the largest].
    #[arg(long, value_name = "GROUP", help_heading = "Settings")]
    pub reference: Option<String>,
    /// How to learn the proxies' error.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = estimator_choice(), help_heading = "Settings")]
    pub estimator: EstimatorChoice,
    /// The proxies' error rates from elsewhere: a JSON file with a `transition` matrix, or what `fairveil audit --json` wrote.
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub given: Option<PathBuf>,
    /// How often an interval should hold what it is about.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, help_heading = "Settings")]
    pub confidence: f64,
    /// The share of the proxies' agreement that may be shared error in honest intervals, from 0 to below 1.
    #[arg(long, value_name = "R", default_value_t = 0.5, help_heading = "Settings")]
    pub shared_error: f64,
    /// Seed of the draws: the same seed, the same digits.
    #[arg(long, default_value_t = 0, help_heading = "Settings")]
    pub seed: u64,

    /// Writes the curve as JSON; with - only JSON goes to standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Writes the curve as one HTML page that needs nothing else.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Writes the curve as Markdown.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub markdown: Option<PathBuf>,
    /// Writes each plot as an SVG file into a folder, made if absent.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub svg: Option<PathBuf>,
    /// Prints no text.
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

/// A number and where it is cut.
pub struct Number<'a> {
    pub column: &'a str,
    pub bins: Bins,
    /// From where on people count as selected while errors are learned, where nothing else decides.
    threshold: f64,
}

impl CurveArgs {
    /// The number that is asked about.
    pub fn number(&self) -> anyhow::Result<Number<'_>> {
        match (&self.score, &self.outcome.outcome, &self.bins.bins) {
            (Some(score), _, bins) => {
                // Twenty bins of a score from 0 to 1.
                let bins = match bins {
                    Some(bins) => bins.clone(),
                    None => Bins::new((0..=20).map(|cut| f64::from(cut) / 20.0).collect())
                        .map_err(anyhow::Error::msg)?,
                };
                Ok(Number { column: score, threshold: self.threshold.unwrap_or(0.5), bins })
            }
            (None, Some(outcome), Some(bins)) => {
                let threshold = self.threshold.unwrap_or_else(|| bins.middle());
                Ok(Number { column: outcome, bins: bins.clone(), threshold })
            }
            (None, Some(outcome), None) => bail!(
                "--outcome {outcome} is not said where to cut\n  needed: where bins begin\n  to do:  give --bins, such as 3:8:0.25 (from, to \
                 and step) or 1000,5000,20000"
            ),
            (None, None, _) => bail!(
                "no number is named\n  needed: a column of scores, prices or amounts\n  to do:  give --score or --outcome"
            ),
        }
    }

    /// What was said about the columns. The number decides where no decisions are named.
    pub fn columns(&self, number: &Number) -> Columns {
        let columns = self.table.columns();
        let decided = !self.table.y_pred.is_empty();
        let y_pred = if decided { columns.y_pred.clone() } else { Some(number.column.to_owned()) };
        let threshold = Some(number.threshold).filter(|_| !decided);
        super::numbers::binned(number.column, &number.bins, Columns { y_pred, threshold, ..columns })
    }

    /// What is asked, in the words of the table.
    pub fn settings_of(&self, legend: &Legend) -> anyhow::Result<Settings> {
        Ok(Settings {
            estimator: self.estimator,
            given: self.given.as_deref().map(|path| given::read(path, legend)).transpose()?,
            reference: self.reference.clone(),
            confidence: self.confidence,
            shared_error: self.shared_error,
            seed: self.seed,
            ..Settings::default()
        })
    }

    /// What is to be written.
    pub fn forms(&self) -> Forms<'_> {
        Forms {
            json: self.json.as_deref(),
            html: self.html.as_deref(),
            markdown: self.markdown.as_deref(),
            svg: self.svg.as_deref(),
            quiet: self.quiet,
            ..Forms::default()
        }
    }
}
