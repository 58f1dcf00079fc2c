//! Populations that are supposed: a plan, a simulated table, the demo.

use super::value::{gap, open_unit, probability};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct PlanArgs {
    /// The wanted half-width of a difference between two groups' rates.
    #[arg(long, value_name = "WIDTH", default_value_t = 0.05, value_parser = open_unit)]
    pub half_width: f64,
    /// How often the interval should hold.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, value_parser = open_unit)]
    pub confidence: f64,
    /// An audit's --json file: plan for its proxies, groups and rows.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["accuracy", "proxies", "share", "rate", "gap"])]
    pub from: Option<PathBuf>,
    /// How many rows you have: says how many labels to add.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub rows: Option<u64>,
    /// How often a proxy is right: one number for all, or one for each separated by commas.
    #[arg(long, value_name = "SHARE", value_delimiter = ',', default_value = "0.75", value_parser = probability)]
    pub accuracy: Vec<f64>,
    /// Proxies.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=7))]
    pub proxies: u64,
    /// Share of the second group.
    #[arg(long, default_value_t = 0.5, value_parser = open_unit)]
    pub share: f64,
    /// Rate of the decision, halfway between the groups.
    #[arg(long, default_value_t = 0.5, value_parser = open_unit)]
    pub rate: f64,
    /// The expected gap.
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true, value_parser = gap)]
    pub gap: f64,
    /// How often all proxies repeat one shared guess; more rows do not help then.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = probability)]
    pub copying: f64,
    /// What each guess may spend, if all are randomised (privatize --epsilon): plans for what is then left to see.
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub epsilon: Option<f64>,
    /// Writes a page (.html, .svg or .json) that shows what each epsilon would cost on --rows rows, or on those of --from. It needs no
    /// table: who has no decisions supposes a --rate, who has no guesses supposes --accuracy.
    #[arg(long, value_name = "FILE")]
    pub cost: Option<PathBuf>,
    /// Writes the plan as JSON; with - only JSON goes to standard output.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Draws the half-width over rows, with and without labels, as an SVG file.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// Where to write the table: .csv or .tsv, with .gz compressed, or - for standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// Writes over a file that is there.
    #[arg(long)]
    pub overwrite: bool,
    /// Rows.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub rows: u64,
    /// Groups.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(2..=50))]
    pub groups: u64,
    /// Classes of the decision.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(2..=50))]
    pub classes: u64,
    /// Proxies.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=50))]
    pub proxies: u64,
    /// How often a proxy is right: one number for all, or one for each separated by commas.
    #[arg(long, value_name = "SHARE", value_delimiter = ',', default_value = "0.75", value_parser = probability)]
    pub accuracy: Vec<f64>,
    /// Gap in selection rates between the first and the last group, from -0.7 to 0.7.
    #[arg(long, default_value_t = 0.25, allow_negative_numbers = true, value_parser = gap)]
    pub gap: f64,
    /// How often all proxies repeat one shared guess.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = probability)]
    pub copying: f64,
    /// How often a proxy gives no guess.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = probability)]
    pub abstain: f64,
    /// The loans of the demo instead: two groups, three proxies from different sources.
    #[arg(long, conflicts_with_all = ["groups", "classes", "proxies", "accuracy", "gap", "copying", "abstain"])]
    pub lending: bool,
    /// Seed of the generator: the same seed, the same table.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Folder for the table, the text and the JSON; made if absent.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
    /// Rows.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(100..=100_000_000))]
    pub rows: u64,
    /// Seed of the generator.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}
