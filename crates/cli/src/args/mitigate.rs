//! What was typed after `mitigate`.

use super::TableArgs;
use super::value::{estimator_of_guesses, one_of};
use crate::given;
use crate::places::Forms;
use clap::{Args, ValueEnum};
use fairveil_core::mitigate::OperatingPoint;
use fairveil_core::vocabulary::Legend;
use fairveil_core::{Criterion, Estimator, EstimatorChoice, Settings};
use fairveil_ingest::{Columns, TrainingColumns};
use fairveil_train::{Measuring, Method, MitigateSettings};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct MitigateArgs {
    #[command(flatten)]
    pub table: TableArgs,
    /// Column of the model's score, the chance of a positive label: the rule moves it. Without one the chance is learned from
    /// the features.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub score: Option<String>,
    /// Column that says which rows are learned from and which are measured on: train or test, 0 or 1. Rows that say neither are left
    /// out.
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["held_out", "cross_fit"], help_heading = "Columns")]
    pub split: Option<String>,
    /// Columns that the rule may use, separated by commas, or the start of their names; * for all that have no other role. Check first that no group, proxy, row number or copy of the label is among them.
    #[arg(long, value_name = "PREFIX|COLUMNS", value_delimiter = ',', help_heading = "Columns")]
    pub features: Vec<String>,
    /// Columns that the rule must not look at, separated by commas.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Columns")]
    pub drop: Vec<String>,
    /// Features that are categories although they look like numbers, separated by commas.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Columns")]
    pub categorical: Vec<String>,

    /// The gap to reduce.
    #[arg(long, value_name = "CRITERION", default_value = "demographic_parity", value_parser = one_of::<Criterion>(Criterion::USUAL.map(Criterion::name)), help_heading = "Settings")]
    pub criterion: Criterion,
    /// How: the plug-in rule moves the decisions of any model; the others train a model of their own. Several, separated by commas, are
    /// tried on the same rows; the rule that is written is by the first.
    #[arg(
        long,
        value_name = "NAMES",
        default_value = "plug-in",
        value_delimiter = ',',
        num_args = 1,
        help_heading = "Settings"
    )]
    pub method: Vec<MethodName>,
    /// The gap that may stay, from 0 to below 1.
    #[arg(
        long,
        value_name = "GAP",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        help_heading = "Settings"
    )]
    pub tolerance: f64,
    /// Cuts where this share of the rows is decided positive, between 0 and 1. Without it, --threshold or --costs the share of the
    /// decisions before is kept; where there are none, that of the rule without a constraint.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, conflicts_with_all = ["threshold", "costs"], help_heading = "Settings")]
    pub rate: Option<f64>,
    /// Cuts at this chance of a positive label, between 0 and 1.
    #[arg(
        long,
        value_name = "CHANCE",
        allow_negative_numbers = true,
        conflicts_with = "costs",
        help_heading = "Settings"
    )]
    pub threshold: Option<f64>,
    /// Cuts where mistakes cost least: what a false positive and a false negative cost, as in fp=1,fn=5.
    #[arg(long, value_name = "fp=COST,fn=COST", value_parser = costs, help_heading = "Settings")]
    pub costs: Option<Costs>,
    /// The share of the rows to measure on, which the rule does not learn from [default: 0.3, and --cross-fit below 5,000 rows].
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, help_heading = "Settings")]
    pub held_out: Option<f64>,
    /// Learns from all rows and measures on all: each is decided about by a rule that learned from other folds. Takes as many times as
    /// long as there are folds.
    #[arg(long, conflicts_with = "held_out", help_heading = "Settings")]
    pub cross_fit: bool,
    /// Folds of the cross-fit, and of the models inside a rule that must not have seen the rows they speak about.
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "Settings")]
    pub folds: usize,
    /// Accepts missing features: a missing number counts as the mean plus a mark, a missing category as a category of its own.
    #[arg(long, help_heading = "Settings")]
    pub impute: bool,
    /// Puts the score on the scale of the labels first, where it is no probability.
    #[arg(long, requires = "score", help_heading = "Settings")]
    pub recalibrate: bool,
    /// Cuts the rows into so many bins of the score, each with error rates of its own. Only where finding M01 says that they
    /// differ: it costs precision.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Settings")]
    pub noise_bins: usize,
    /// Gives each decision of --y-pred error rates of its own, learned once before training: local calibration. Where proxies err
    /// alike whatever the decision it only costs precision.
    #[arg(long, conflicts_with_all = ["noise_bins", "given", "weights_only"], help_heading = "Settings")]
    pub local: bool,
    /// Tries no other tolerances: no trade-off curve, and less time.
    #[arg(long, help_heading = "Settings")]
    pub no_curve: bool,
    /// How to learn the proxies' error.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = estimator_of_guesses(), help_heading = "Settings")]
    pub estimator: EstimatorChoice,
    /// The proxies' error rates from elsewhere: a JSON file with a `transition` matrix, or what audit --json wrote.
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub given: Option<PathBuf>,
    /// How often an interval should hold the truth, above 0.5 and below 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, help_heading = "Settings")]
    pub confidence: f64,
    /// The share of the proxies' agreement that may be shared error in honest intervals, from 0 to below 1.
    #[arg(long, value_name = "R", default_value_t = 0.5, help_heading = "Settings")]
    pub shared_error: f64,
    /// Draws behind intervals, at least 100; 0 for no intervals.
    #[arg(long, value_name = "N", default_value_t = 2000, help_heading = "Settings")]
    pub n_boot: usize,
    /// Seed of the split, of training and of the draws: the same seed, the same rule.
    #[arg(long, default_value_t = 0, help_heading = "Settings")]
    pub seed: u64,

    /// Where to write the rule (.json), which `fairveil apply` runs; with --weights-only the weights (.csv, .tsv, .jsonl, with
    /// .gz compressed, or .parquet).
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: PathBuf,
    /// Learns no rule: writes for every row its weight in the gap of each pair of groups, for your own trainer.
    #[arg(long, conflicts_with_all = ["json", "html", "markdown", "svg"], help_heading = "Output")]
    pub weights_only: bool,
    /// Writes before and after as JSON; with - only JSON goes to standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Writes before and after as one HTML page that needs nothing else.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Writes before and after as Markdown.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub markdown: Option<PathBuf>,
    /// Writes each plot of the page as an SVG file into a folder, made if absent.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub svg: Option<PathBuf>,
    /// The date on the page and in Markdown, YYYY-MM-DD [default: today].
    #[arg(long, value_name = "DATE", value_parser = crate::provenance::date, help_heading = "Output")]
    pub date: Option<String>,
    /// Prints no text.
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    PlugIn,
    Logistic,
    Mlp,
}

/// What a false positive and a false negative cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    false_positive: f64,
    false_negative: f64,
}

/// `fp=1,fn=5`, in either order.
fn costs(text: &str) -> Result<Costs, String> {
    let needed = || "needs both costs, as in fp=1,fn=5".to_owned();
    let (mut false_positive, mut false_negative) = (None, None);
    for part in text.split(',') {
        let (name, cost) = part.split_once('=').ok_or_else(needed)?;
        let cost = cost.trim().parse::<f64>().map_err(|_| format!("{:?} is no number", cost.trim()))?;
        let place = match name.trim() {
            "fp" => &mut false_positive,
            "fn" => &mut false_negative,
            _ => return Err(needed()),
        };
        if place.replace(cost).is_some() {
            return Err(needed());
        }
    }
    match (false_positive, false_negative) {
        (Some(false_positive), Some(false_negative)) => Ok(Costs { false_positive, false_negative }),
        _ => Err(needed()),
    }
}

impl MitigateArgs {
    fn operating_point(&self) -> OperatingPoint {
        match (self.rate, self.threshold, self.costs) {
            (Some(share), ..) => OperatingPoint::Rate { share },
            (_, Some(chance), _) => OperatingPoint::Threshold { chance },
            (.., Some(Costs { false_positive, false_negative })) => {
                OperatingPoint::Costs { false_positive, false_negative }
            }
            _ => OperatingPoint::Kept,
        }
    }

    /// The methods, each once.
    fn methods(&self) -> impl Iterator<Item = Method> {
        self.method.iter().map(|name| match name {
            MethodName::PlugIn => Method::PlugIn,
            MethodName::Logistic => Method::Logistic,
            MethodName::Mlp => Method::Mlp,
        })
    }

    /// What was said about the columns.
    pub fn columns(&self) -> Columns {
        let features = self.features.iter().map(|name| name.trim().to_owned());
        // No names at all mean all columns to the reader.
        Columns { features: features.filter(|name| name != "*").collect(), ..self.table.columns() }
    }

    /// What was said about those that only a rule looks at.
    pub fn training(&self) -> TrainingColumns {
        let names = |list: &[String]| list.iter().map(|name| name.trim().to_owned()).collect();
        TrainingColumns {
            score: self.score.clone(),
            split: self.split.clone(),
            drop: names(&self.drop),
            categorical: names(&self.categorical),
            proxies_optional: false,
            without_features: self.weights_only,
        }
    }

    /// What is to be written.
    pub fn forms(&self) -> Forms<'_> {
        Forms {
            json: self.json.as_deref(),
            html: self.html.as_deref(),
            markdown: self.markdown.as_deref(),
            svg: self.svg.as_deref(),
            quiet: self.quiet,
            beside: Some(&self.output),
            ..Forms::default()
        }
    }

    /// What is asked of the mitigation, in the words of its table.
    pub fn settings_of(&self, legend: &Legend) -> anyhow::Result<MitigateSettings> {
        let given = self.given.as_deref().map(|path| given::read(path, legend)).transpose()?;
        Ok(MitigateSettings {
            criterion: self.criterion,
            method: self.methods().next().unwrap_or(Method::PlugIn),
            beside: self.methods().skip(1).collect(),
            tolerance: self.tolerance,
            operating_point: self.operating_point(),
            measuring: match (self.held_out, self.cross_fit) {
                (Some(share), _) => Measuring::HeldOut(share),
                (None, true) => Measuring::CrossFitted,
                (None, false) => Measuring::Auto,
            },
            folds: self.folds,
            noise_bins: self.noise_bins,
            local: self.local,
            impute: self.impute,
            recalibrate: self.recalibrate,
            curve: !self.no_curve,
            audit: Settings {
                // Who gives error rates wants them used, or to be told why not.
                estimator: match (self.estimator, &given) {
                    (EstimatorChoice::Auto, Some(_)) => EstimatorChoice::Fixed(Estimator::Given),
                    (asked, _) => asked,
                },
                given,
                confidence: self.confidence,
                shared_error: self.shared_error,
                n_boot: self.n_boot,
                seed: self.seed,
                ..Settings::default()
            },
        })
    }
}
