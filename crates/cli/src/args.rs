//! What was typed.

mod mitigate;

pub use mitigate::{MethodName, MitigateArgs};

use crate::given;
use crate::intake::Source;
use crate::places::Forms;
use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use fairveil_core::gate::Gate;
use fairveil_core::vocabulary::Legend;
use fairveil_core::{Criterion, Estimator, EstimatorChoice, Scope, ScopeChoice, Settings};
use fairveil_ingest::{Columns, Count, Delimiter, Dialect, FORMATS, Reading, Relation};
use fairveil_neighbors::{Metric, SearchMethod};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Measures how differently a model treats groups of people when nobody recorded the group, from weak proxies
/// that guess it. It estimates and calibrates; it gives no verdict.
#[derive(Debug, Parser)]
#[command(name = "fairveil", version, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// From a table of decisions and proxies' guesses to calibrated disparities.
    Audit(Box<AuditArgs>),
    /// Several models on the same people: gaps side by side, and how likely one's is smaller. Give --y-pred for each.
    Compare(Box<AuditArgs>),
    /// From a table to its tally, a small file that names no one and can be audited, added to others or mailed.
    Count(CountArgs),
    /// Tells guesses by randomised response, with a stated epsilon: writes the table and the mechanism that was applied.
    Privatize(PrivatizeArgs),
    /// Copies a table and adds what a rule decides on each row; the rule needs neither groups nor proxies.
    Apply(ApplyArgs),
    /// How many rows, or labels, a wanted precision takes.
    Plan(PlanArgs),
    /// Writes a simulated table whose true groups are known, for learning and testing.
    Simulate(SimulateArgs),
    /// Simulates loans, audits them and shows the answer beside the truth: nothing to prepare.
    Demo(DemoArgs),
    /// Copies a table and adds what each proxy guesses on a row's two nearest neighbours, for tables with one or two
    /// proxies.
    Neighbors(NeighborsArgs),
    /// Learns decisions with a smaller gap from proxies only, and shows before and after on rows that were held out.
    Mitigate(Box<MitigateArgs>),
    /// Prints the query that makes a tally in a database; its result goes into an audit.
    Sql(SqlArgs),
    /// Tells what a finding means, why it matters and what to do.
    Explain(ExplainArgs),
}

#[derive(Debug, Args)]
pub struct TableArgs {
    #[arg(required = true, value_name = "TABLE", help = format!(
        "Files that make up the table, and names with * or ? for many of them; or - for standard input; or a database, \
         postgres://user@host/database. {FORMATS}, and tallies that `fairveil count` wrote"
    ))]
    pub tables: Vec<PathBuf>,

    /// The table in the database: people, schema.people or "odd.schema".people. The case of letters counts.
    #[arg(long = "table", value_name = "NAME", conflicts_with = "query", help_heading = "Database")]
    pub from_table: Option<String>,
    /// A SELECT that gives the rows instead.
    #[arg(long, value_name = "SQL", help_heading = "Database")]
    pub query: Option<String>,
    /// How long the database may work on a statement [default: what it allows].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=2_000_000), help_heading = "Database")]
    pub statement_timeout: Option<u64>,

    /// Column of the model's decisions [default: y_pred].
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub y_pred: Vec<String>,
    /// Column of the labels, what the decision should have been [default: y_true where there is one].
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub y_true: Option<String>,
    /// A proxy: a column of guesses, and where its knowledge comes from; repeatable [default: proxy_*].
    #[arg(long, value_name = "COLUMN[:SOURCE]", help_heading = "Columns")]
    pub proxy: Vec<String>,
    /// A proxy that gives probabilities in the columns `PREFIX<group>`; repeatable.
    #[arg(long, value_name = "PREFIX[:SOURCE]", help_heading = "Columns")]
    pub proxy_probs: Vec<String>,
    /// Column of the rows' weights [default: weight where there is one].
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub weight: Option<String>,
    /// Column of what rows have in common that are not independent: a person with several rows, a household, a branch.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub cluster: Option<String>,
    /// Column of the true groups: only compared against, never used.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub truth: Option<String>,
    /// Column whose values cut the rows into segments, each audited on its own; repeatable.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub by: Vec<String>,
    /// Column of the true groups of a few rows, chosen at random: the audit sample, used.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub audit_labels: Option<String>,
    /// Column of the chance with which each labelled row was drawn [default: the same for all].
    #[arg(long, value_name = "COLUMN", requires = "audit_labels", help_heading = "Columns")]
    pub label_probability: Option<String>,

    /// The groups in order, separated by commas [default: all that proxies guess].
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', help_heading = "Values")]
    pub groups: Vec<String>,
    /// The class that counts as selected [default: the larger of two numbers, or true, yes].
    #[arg(long, value_name = "CLASS", allow_hyphen_values = true, help_heading = "Values")]
    pub positive: Option<String>,
    /// A value that means "nothing", beside the empty field, null and NaN; repeatable.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, help_heading = "Values")]
    pub missing: Vec<String>,
    /// What sets fields apart: a character, or tab [default: by name and header].
    #[arg(long, value_name = "CHAR", value_parser = delimiter, help_heading = "Values")]
    pub delimiter: Option<u8>,
    /// A tally's column that says how many rows a row stands for, or none if every row is one [default: count, where no
    /// column would be left over].
    #[arg(long, value_name = "COLUMN", help_heading = "Values")]
    pub count: Option<String>,
    /// Leaves out rows that are broken by themselves, and says how many and which.
    #[arg(long, help_heading = "Values")]
    pub lenient: bool,
    /// Threads [default: all]. The digits do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024), help_heading = "Settings")]
    pub threads: Option<u64>,
}

#[derive(Debug, Args)]
pub struct AuditArgs {
    #[command(flatten)]
    pub table: TableArgs,
    /// A table of another population with the same proxies and the column named by --audit-labels: it shows how the
    /// proxies err, and nothing about these decisions.
    #[arg(long, value_name = "FILE", requires = "audit_labels", help_heading = "Columns")]
    pub audit_table: Option<PathBuf>,

    #[command(flatten)]
    pub near: FeatureArgs,
    /// Each row keeps a random three of its own and borrowed guesses, as in the paper, instead of all: the seed.
    #[arg(long, value_name = "SEED", requires = "features", help_heading = "Neighbors")]
    pub triple_seed: Option<u64>,

    /// What to measure; repeatable [default: all that the columns allow].
    #[arg(long, value_name = "CRITERION", value_parser = one_of::<Criterion>(Criterion::ALL.map(Criterion::name)), help_heading = "Settings")]
    pub criterion: Vec<Criterion>,
    /// How to learn the proxies' error. With a name, that it gives no number is an error (exit 2).
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = estimator_choice(), help_heading = "Settings")]
    pub estimator: EstimatorChoice,
    /// The proxies' error rates from elsewhere: a JSON file with a `transition` matrix, or what --json wrote.
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub given: Option<PathBuf>,
    /// How proxies were randomised before: a file that `fairveil privatize` wrote. What it states is undone, not
    /// estimated; repeatable, for other columns.
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub mechanism: Vec<PathBuf>,
    /// Shares of the groups known from elsewhere, such as black=0.51: bounds that need no belief in the proxies.
    #[arg(long, value_name = "GROUP=SHARE,…", value_delimiter = ',', help_heading = "Settings")]
    pub known_shares: Vec<String>,
    /// At most this share of a proxy's guesses is wrong, of one proxy or of all; needs --known-shares; repeatable.
    #[arg(long, value_name = "[PROXY=]SHARE", requires = "known_shares", value_parser = proxy_error, help_heading = "Settings")]
    pub max_proxy_error: Vec<(Option<String>, f64)>,
    /// Which calibrated number to recommend; both are always printed.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = one_of::<ScopeChoice>(or_auto(Scope::ALL.map(Scope::name))), help_heading = "Settings")]
    pub scope: ScopeChoice,

    /// How often an interval should hold what it is about, above 0.5 and below 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, help_heading = "Settings")]
    pub confidence: f64,
    /// The share of the proxies' agreement that may be shared error in honest intervals, from 0 to below 1.
    #[arg(long, value_name = "R", default_value_t = 0.5, help_heading = "Settings")]
    pub shared_error: f64,
    /// How much more often a group may be guessed among the selected of the same true group, in honest intervals: 0 to 0.5.
    #[arg(long, value_name = "DELTA", default_value_t = 0.0, help_heading = "Settings")]
    pub max_shift: f64,
    /// Draws behind intervals, at least 100; 0 for no intervals.
    #[arg(long, value_name = "N", default_value_t = 2000, help_heading = "Settings")]
    pub n_boot: usize,
    /// Seed of the draws: the same seed, the same digits.
    #[arg(long, default_value_t = 0, help_heading = "Settings")]
    pub seed: u64,

    /// Exit 1 if the whole interval of a criterion's largest gap, shared error included, lies above a value, 3 if the
    /// value lies inside it; repeatable.
    #[arg(long, value_name = "CRITERION=VALUE", value_parser = gate, help_heading = "Output")]
    pub fail_above: Vec<Gate>,
    /// Writes the audit as JSON; with - only JSON goes to standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Writes the audit, or the comparison, as one HTML page that needs nothing else.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Writes the audit, or the comparison, as Markdown.
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

/// A parser of one of these names, which help lists.
fn one_of<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr + Clone + Send + Sync + 'static,
    T::Err: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    PossibleValuesParser::new(names).try_map(|name| T::from_str(&name))
}

/// A parser of an estimator, or of whichever is best.
fn estimator_choice() -> impl TypedValueParser<Value = EstimatorChoice> {
    one_of(or_auto(Estimator::ALL.map(Estimator::name)))
}

/// The names that a choice is made from.
fn or_auto(names: impl IntoIterator<Item = &'static str>) -> Vec<&'static str> {
    ["auto"].into_iter().chain(names).collect()
}

#[derive(Debug, Args)]
pub struct CountArgs {
    #[command(flatten)]
    pub table: TableArgs,

    /// Where to write the tally: .csv, .tsv, .jsonl or .parquet, or - for CSV on standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: PathBuf,
    /// Withholds cells with fewer rows than this; the tally says how many rows that were.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Output")]
    pub min_cell: Option<u64>,
    /// Adds noise to every cell, so that the tally hides whether any one row is in it; the tally says how much.
    #[arg(
        long,
        value_name = "E",
        allow_negative_numbers = true,
        conflicts_with = "min_cell",
        help_heading = "Output"
    )]
    pub epsilon: Option<f64>,
    /// Draws noise that can be drawn again; whoever knows the seed can take it off [default: seeded by the operating system].
    #[arg(long, value_name = "N", requires = "epsilon", help_heading = "Output")]
    pub seed: Option<u64>,
    /// Prints no text.
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("mechanism_stated").args(["epsilon", "flip", "matrix"]))]
pub struct PrivatizeArgs {
    #[arg(required = true, value_name = "TABLE", help = format!(
        "Files that make up the table, or - for standard input: {FORMATS}"
    ))]
    pub tables: Vec<PathBuf>,

    /// A column of guesses to tell; repeatable. All other columns are copied as they are.
    #[arg(long, value_name = "COLUMN", required = true, help_heading = "Columns")]
    pub proxy: Vec<String>,
    /// The groups, separated by commas [default: all values met, which takes a first look at the table].
    #[arg(
        long,
        value_name = "A,B,…",
        value_delimiter = ',',
        conflicts_with = "matrix",
        help_heading = "Values"
    )]
    pub groups: Vec<String>,
    /// A value that means "nothing", beside the empty field, null and NaN; repeatable.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, help_heading = "Values")]
    pub missing: Vec<String>,
    /// What sets fields apart: a character, or tab [default: by name and header].
    #[arg(long, value_name = "CHAR", value_parser = delimiter, help_heading = "Values")]
    pub delimiter: Option<u8>,
    /// With none, every row is one person although there is a column `count`.
    #[arg(long, value_name = "none", value_parser = ["none"], help_heading = "Values")]
    pub count: Option<String>,

    /// What each told guess may spend: its odds change by at most a factor of e^E.
    #[arg(long, value_name = "E", allow_negative_numbers = true, help_heading = "Mechanism")]
    pub epsilon: Option<f64>,
    /// How often another group is told than the guess, each of the others as often.
    #[arg(long, value_name = "P", allow_negative_numbers = true, help_heading = "Mechanism")]
    pub flip: Option<f64>,
    /// The whole matrix from a JSON file: {"groups": […], "matrix": [[…]]}, rows for guesses, columns for what is told.
    #[arg(long, value_name = "FILE", help_heading = "Mechanism")]
    pub matrix: Option<PathBuf>,
    /// The mechanism of an earlier release of the same rows, whose epsilon adds up with this one; repeatable.
    #[arg(long, value_name = "FILE", help_heading = "Mechanism")]
    pub earlier: Vec<PathBuf>,
    /// Draws what can be drawn again; whoever knows the seed can undo it [default: seeded by the operating system].
    #[arg(long, value_name = "N", help_heading = "Mechanism")]
    pub seed: Option<u64>,

    /// Where to write the table: .csv, .tsv, .jsonl (with .gz compressed) or .parquet, or - for CSV on standard output.
    #[arg(short, long, value_name = "FILE", required_unless_present = "report", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Writes a page (.html, .svg or .json) that shows what each epsilon would cost: the width of the interval of the gap
    /// in demographic parity, planned for these rows and proxies. Alone, nothing is randomised.
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub report: Option<PathBuf>,
    /// Column of the model's decisions, for the report.
    #[arg(long, value_name = "COLUMN", default_value = "y_pred", help_heading = "Report")]
    pub y_pred: String,
    /// The class that counts as selected, for the report [default: the larger of two numbers, or true, yes].
    #[arg(long, value_name = "CLASS", allow_hyphen_values = true, help_heading = "Report")]
    pub positive: Option<String>,
    /// Where to write the mechanism [default: the name of the table and .mechanism.json].
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub mechanism: Option<PathBuf>,
    /// The date in the mechanism, YYYY-MM-DD [default: today].
    #[arg(long, value_name = "DATE", value_parser = crate::provenance::date, help_heading = "Output")]
    pub date: Option<String>,
    /// Prints warnings only.
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct ApplyArgs {
    /// The rule: a file that `fairveil mitigate` wrote.
    #[arg(value_name = "RULE")]
    pub rule: PathBuf,
    #[arg(required = true, value_name = "TABLE", help = format!(
        "Files that make up the table, or - for standard input: {FORMATS}. The rule finds its columns by name; all columns \
         are copied as they are"
    ))]
    pub tables: Vec<PathBuf>,

    /// The column that is added, with the name of the class decided for.
    #[arg(long, value_name = "NAME", default_value = "decision", help_heading = "Columns")]
    pub column: String,
    /// A value that means "nothing", beside the empty field, null and NaN; repeatable.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, help_heading = "Values")]
    pub missing: Vec<String>,
    /// What sets fields apart: a character, or tab [default: by name and header].
    #[arg(long, value_name = "CHAR", value_parser = delimiter, help_heading = "Values")]
    pub delimiter: Option<u8>,
    /// Leaves the decision empty where the rule cannot decide, and says how many rows and why.
    #[arg(long, help_heading = "Values")]
    pub lenient: bool,

    /// Where to write the table: .csv, .tsv, .jsonl (with .gz compressed) or .parquet, or - for CSV on standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: PathBuf,
    /// Prints warnings only.
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct SqlArgs {
    /// Whose SQL.
    #[arg(long, value_name = "NAME", default_value = "ansi")]
    pub dialect: DialectName,
    /// The table: people, schema.people or "odd.schema".people. Names are quoted: the case of letters counts.
    #[arg(long, value_name = "NAME", required_unless_present = "query", conflicts_with = "query")]
    pub table: Option<String>,
    /// A SELECT that gives the rows instead.
    #[arg(long, value_name = "SQL")]
    pub query: Option<String>,

    /// Column of the model's decisions; repeatable, for a comparison.
    #[arg(long, value_name = "COLUMN", default_value = "y_pred", help_heading = "Columns")]
    pub y_pred: Vec<String>,
    /// Column of the labels, what the decision should have been.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub y_true: Option<String>,
    /// A proxy: a column of guesses; repeatable.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub proxy: Vec<String>,
    /// A proxy that gives probabilities in the columns `PREFIX<group>`, for each of --groups; repeatable.
    #[arg(long, value_name = "PREFIX", requires = "groups", help_heading = "Columns")]
    pub proxy_probs: Vec<String>,
    /// The groups that probabilities are about, separated by commas.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', help_heading = "Columns")]
    pub groups: Vec<String>,
    /// Column of the rows' weights.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub weight: Option<String>,
    /// Column of the true groups: only compared against, never used.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub truth: Option<String>,
    /// Column of the true groups of a few rows, chosen at random: the audit sample.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub audit_labels: Option<String>,
    /// Column whose values cut the rows into segments; repeatable.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub by: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub enum DialectName {
    Ansi,
    Postgres,
    Spark,
    BigQuery,
    Snowflake,
    DuckDb,
    Trino,
}

impl From<DialectName> for Dialect {
    fn from(name: DialectName) -> Self {
        match name {
            DialectName::Ansi => Dialect::Ansi,
            DialectName::Postgres => Dialect::Postgres,
            DialectName::Spark => Dialect::Spark,
            DialectName::BigQuery => Dialect::BigQuery,
            DialectName::Snowflake => Dialect::Snowflake,
            DialectName::DuckDb => Dialect::DuckDb,
            DialectName::Trino => Dialect::Trino,
        }
    }
}

impl SqlArgs {
    /// What was said about the columns.
    pub fn columns(&self) -> Columns {
        Columns {
            y_pred: self.y_pred.first().cloned(),
            other_preds: self.y_pred.iter().skip(1).cloned().collect(),
            by: self.by.clone(),
            y_true: self.y_true.clone(),
            proxies: self.proxy.clone(),
            proxy_probs: self.proxy_probs.clone(),
            weight: self.weight.clone(),
            truth: self.truth.clone(),
            audit_labels: self.audit_labels.clone(),
            groups: (!self.groups.is_empty()).then(|| self.groups.clone()),
            ..Columns::default()
        }
    }

    /// Where the rows are.
    pub fn relation(&self) -> anyhow::Result<Relation> {
        relation(self.table.as_deref(), self.query.as_deref())
    }
}

/// A table or a query, whichever was named.
pub fn relation(table: Option<&str>, query: Option<&str>) -> anyhow::Result<Relation> {
    match (table, query) {
        (Some(table), None) => Ok(Relation::Table(table.into())),
        (None, Some(query)) => Ok(Relation::Query(query.into())),
        _ => anyhow::bail!(
            "the rows are not named\n  needed: a table or a query\n  to do:  give --table or --query"
        ),
    }
}

#[derive(Debug, Args)]
pub struct PlanArgs {
    /// The wanted half-width of a difference between two groups' rates.
    #[arg(long, value_name = "WIDTH", default_value_t = 0.05, value_parser = open_unit)]
    pub half_width: f64,
    /// How often the interval should hold.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, value_parser = open_unit)]
    pub confidence: f64,
    /// What an audit wrote with --json: its proxies, groups and rows.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["accuracy", "proxies", "share", "rate", "gap"])]
    pub from: Option<PathBuf>,
    /// Rows that are there: how many labels beside them?
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
    /// How often all proxies repeat one shared guess; it does not help to have more rows then.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = probability)]
    pub copying: f64,
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

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The code of a finding, such as P02; all codes if left out.
    pub code: Option<String>,
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        _ => match text.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
            _ => Err("one ASCII character is needed, or tab".into()),
        },
    }
}

fn within(text: &str, low: f64, high: f64) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (low..=high).contains(number));
    number.ok_or_else(|| format!("a number from {low} to {high} is needed"))
}

fn probability(text: &str) -> Result<f64, String> {
    within(text, 0.0, 1.0)
}

fn open_unit(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| *number > 0.0 && *number < 1.0);
    number.ok_or_else(|| "a number above 0 and below 1 is needed".to_string())
}

fn proxy_error(text: &str) -> Result<(Option<String>, f64), String> {
    match text.rsplit_once('=') {
        Some((proxy, share)) => Ok((Some(proxy.to_owned()), within(share, 0.0, 1.0)?)),
        None => Ok((None, within(text, 0.0, 1.0)?)),
    }
}

fn gate(text: &str) -> Result<Gate, String> {
    let (name, value) =
        text.split_once('=').ok_or("CRITERION=VALUE is needed, such as demographic_parity=0.1")?;
    let criterion = Criterion::ALL.into_iter().find(|criterion| criterion.name() == name);
    let names = Criterion::ALL.map(Criterion::name).join(", ");
    let criterion = criterion.ok_or_else(|| format!("`{name}` is not one of {names}"))?;
    Ok(Gate { criterion, above: within(value, 0.0, 1.0)? })
}

fn gap(text: &str) -> Result<f64, String> {
    within(text, -0.7, 0.7)
}

impl TableArgs {
    /// What was said about the columns.
    pub fn columns(&self) -> Columns {
        Columns {
            y_pred: self.y_pred.first().cloned(),
            by: self.by.clone(),
            other_preds: self.y_pred.iter().skip(1).cloned().collect(),
            y_true: self.y_true.clone(),
            proxies: self.proxy.clone(),
            proxy_probs: self.proxy_probs.clone(),
            weight: self.weight.clone(),
            cluster: self.cluster.clone(),
            truth: self.truth.clone(),
            audit_labels: self.audit_labels.clone(),
            label_probability: self.label_probability.clone(),
            groups: (!self.groups.is_empty()).then(|| self.groups.clone()),
            positive: self.positive.clone(),
            missing: self.missing.clone(),
            count: match self.count.as_deref() {
                None => Count::Detect,
                Some("none") => Count::Never,
                Some(column) => Count::Column(column.to_owned()),
            },
            features: Vec::new(),
        }
    }

    /// How to read.
    pub fn reading(&self) -> Reading {
        Reading {
            delimiter: self.delimiter.map_or(Delimiter::Detect, Delimiter::Byte),
            threads: self.threads.map(|threads| threads as usize),
            lenient: self.lenient,
            progress: None,
        }
    }
}

impl AuditArgs {
    /// What was said about the columns. With a table of another population, the known groups are there.
    pub fn columns(&self) -> Columns {
        let audit_labels = self.table.audit_labels.clone().filter(|_| self.audit_table.is_none());
        Columns { audit_labels, ..self.table.columns() }
    }

    /// The known shares in the order of the groups. One may be left out: it is the rest.
    fn shares(&self, groups: &[String]) -> anyhow::Result<Option<Vec<f64>>> {
        if self.known_shares.is_empty() {
            return Ok(None);
        }
        let needed = || format!("needed: GROUP=SHARE for the groups {}", groups.join(", "));
        let mut shares: Vec<Option<f64>> = vec![None; groups.len()];
        for said in &self.known_shares {
            let (name, share) = said
                .rsplit_once('=')
                .with_context(|| format!("--known-shares holds `{said}`\n  {}", needed()))?;
            let place = groups.iter().position(|group| group == name.trim()).with_context(|| {
                format!("--known-shares names the group `{name}`, which no proxy guesses\n  {}", needed())
            })?;
            let share: f64 =
                share.trim().parse().ok().filter(|share| (0.0..=1.0).contains(share)).with_context(|| {
                    format!("--known-shares gives {name} the share `{share}`\n  needed: a number from 0 to 1")
                })?;
            if shares[place].replace(share).is_some() {
                anyhow::bail!("--known-shares names {name} twice\n  {}", needed());
            }
        }
        let said: f64 = shares.iter().flatten().sum();
        if shares.iter().filter(|share| share.is_none()).count() > 1 {
            anyhow::bail!("--known-shares leaves out several groups\n  {}", needed());
        }
        Ok(Some(shares.into_iter().map(|share| share.unwrap_or(1.0 - said)).collect()))
    }

    /// What is asked of the audit, in the words of its table.
    pub fn settings_of(&self, legend: &Legend) -> anyhow::Result<Settings> {
        Ok(Settings {
            criteria: self.criterion.clone(),
            estimator: self.estimator,
            given: self.given.as_deref().map(|path| given::read(path, legend)).transpose()?,
            known_shares: self.shares(&legend.groups)?,
            max_proxy_error: self.max_proxy_error.clone(),
            scope: self.scope,
            confidence: self.confidence,
            shared_error: self.shared_error,
            max_shift: self.max_shift,
            n_boot: self.n_boot,
            seed: self.seed,
        })
    }

    /// Whether the table is read a second time for it.
    pub fn confident_joint(&self) -> bool {
        self.estimator.fixed() == Some(Estimator::ConfidentJoint)
    }

    /// What is to be written.
    pub fn forms(&self) -> Forms<'_> {
        Forms {
            json: self.json.as_deref(),
            html: self.html.as_deref(),
            markdown: self.markdown.as_deref(),
            svg: self.svg.as_deref(),
            quiet: self.quiet,
            beside: None,
        }
    }

    /// Files that are read, and must not be written over.
    pub fn inputs(&self, source: &Source) -> Vec<PathBuf> {
        let others = [self.audit_table.as_deref(), self.given.as_deref(), self.near.array()];
        let others = others.into_iter().flatten().map(Path::to_owned);
        source.files().iter().cloned().chain(others).chain(self.mechanism.iter().cloned()).collect()
    }
}
