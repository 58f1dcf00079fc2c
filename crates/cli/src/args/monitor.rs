//! What is asked of a monitor.

use super::value::{estimator_choice, one_of, within};
use super::{ScoreArgs, TableArgs};
use crate::given;
use crate::places::Forms;
use clap::Args;
use fairveil_core::monitor::{MonitorSettings, Null};
use fairveil_core::vocabulary::Legend;
use fairveil_core::{Criterion, EstimatorChoice, Settings};
use fairveil_ingest::{Columns, Cut, Every};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct MonitorArgs {
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub score: ScoreArgs,
    /// Column of the rows' dates: 2024-03-09, alone or before a time. Without it every file is a period, in the order in which they are named.
    #[arg(long, value_name = "COLUMN", help_heading = "Periods")]
    pub date: Option<String>,
    /// How long a period is.
    #[arg(long, value_name = "PERIOD", default_value = "month", value_parser = one_of::<Every>(Every::ALL.map(Every::name)), help_heading = "Periods")]
    pub every: Every,
    /// Alarm when the gap to the reference group has passed this value, not when there is any.
    #[arg(long, value_name = "GAP", value_parser = gap, conflicts_with = "baseline", help_heading = "Periods")]
    pub limit: Option<f64>,
    /// Alarm when the gap is no longer what it was in the first period.
    #[arg(long, help_heading = "Periods")]
    pub baseline: bool,
    /// The fewest rows of a period that is shown by itself [default: 50].
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u64).range(2..), help_heading = "Periods")]
    pub min_rows: Option<u64>,

    /// What to measure.
    #[arg(long, value_name = "CRITERION", default_value = "demographic_parity", value_parser = one_of::<Criterion>(Criterion::ALL.map(Criterion::name)), help_heading = "Settings")]
    pub criterion: Criterion,
    /// The group that others stand beside [default: the largest].
    #[arg(long, value_name = "GROUP", help_heading = "Settings")]
    pub reference: Option<String>,
    /// How to learn the proxies' error, from the rows of all periods.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = estimator_choice(), help_heading = "Settings")]
    pub estimator: EstimatorChoice,
    /// The proxies' error rates from elsewhere: a JSON file with a `transition` matrix, or what `fairveil audit --json` wrote.
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub given: Option<PathBuf>,
    /// How often an interval should hold what it is about; an alarm is false at most as often as the rest, over all periods.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, help_heading = "Settings")]
    pub confidence: f64,
    /// The share of the proxies' agreement that may be shared error in honest intervals, from 0 to below 1.
    #[arg(long, value_name = "R", default_value_t = 0.5, help_heading = "Settings")]
    pub shared_error: f64,
    /// Seed of the draws: the same seed, the same digits.
    #[arg(long, default_value_t = 0, help_heading = "Settings")]
    pub seed: u64,

    /// Writes the series as JSON; with - only JSON goes to standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Writes the series as one HTML page that needs nothing else.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Writes the series as Markdown.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub markdown: Option<PathBuf>,
    /// Writes the plot of each group as an SVG file into a folder, made if absent.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub svg: Option<PathBuf>,
    /// Prints no text.
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

fn gap(text: &str) -> Result<f64, String> {
    within(text, 0.0, 0.99)
}

impl MonitorArgs {
    /// What was said about the columns.
    pub fn columns(&self) -> Columns {
        Columns {
            by: self.date.iter().cloned().collect(),
            cut: Some(if self.date.is_some() { Cut::Every(self.every) } else { Cut::Files }),
            min_segment: self.min_rows,
            ..self.score.columns(self.table.columns())
        }
    }

    /// What is asked, in the words of the table.
    pub fn settings_of(&self, legend: &Legend) -> anyhow::Result<MonitorSettings> {
        let null = match (self.limit, self.baseline) {
            (Some(_), _) => Null::Limit,
            (None, true) => Null::Baseline,
            (None, false) => Null::NoGap,
        };
        let audit = Settings {
            estimator: self.estimator,
            given: self.given.as_deref().map(|path| given::read(path, legend)).transpose()?,
            reference: self.reference.clone(),
            confidence: self.confidence,
            shared_error: self.shared_error,
            seed: self.seed,
            ..Settings::default()
        };
        Ok(MonitorSettings { criterion: self.criterion, null, limit: self.limit, audit })
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
