//! What is made of a table and written: its tally, a copy with randomised guesses, a copy with decisions.

use super::{BinArgs, DecimalArgs, NameArgs, OutcomeArgs, ScoreArgs, TableArgs, TextArgs};
use clap::{Args, ValueEnum};
use fairveil_ingest::FORMATS;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct CountArgs {
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub score: ScoreArgs,
    #[command(flatten)]
    pub outcome: OutcomeArgs,
    #[command(flatten)]
    pub bins: BinArgs,
    #[command(flatten)]
    pub names: NameArgs,

    /// Where to write the tally: .csv, .tsv, .jsonl or .parquet, or - for CSV on standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: PathBuf,
    /// Writes what names and places say, or the probabilities of one proxy, beside the tally, for audit --evidence: lines of JSON. A
    /// cell of it may be one person with a rare name.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["min_cell", "epsilon", "safe_csv"], help_heading = "Output")]
    pub evidence: Option<PathBuf>,
    /// With --evidence: a column within whose values evidence is to be used, such as age in bands; repeatable.
    #[arg(long, value_name = "COLUMN", requires = "evidence", help_heading = "Names")]
    pub control: Vec<String>,
    /// Withholds cells with fewer rows than this; the tally says how many rows were withheld.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Output")]
    pub min_cell: Option<u64>,
    /// Adds noise to every possible cell, so that the tally hides whether any one row is in it; the tally says how much. Needs --groups and --classes, and --segments with --by.
    #[arg(
        long,
        value_name = "E",
        allow_negative_numbers = true,
        conflicts_with_all = ["min_cell", "bins"],
        help_heading = "Output"
    )]
    pub epsilon: Option<f64>,
    /// With --epsilon: all decisions and labels there may be, separated by commas.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', requires = "epsilon", help_heading = "Output")]
    pub classes: Vec<String>,
    /// With --epsilon: a CSV file with all values that the columns of --by may hold.
    #[arg(long, value_name = "FILE", requires_all = ["epsilon", "by"], help_heading = "Output")]
    pub segments: Option<PathBuf>,
    /// With --epsilon: a column in which a row may have nothing; repeatable.
    #[arg(long, value_name = "COLUMN", requires = "epsilon", help_heading = "Output")]
    pub may_be_missing: Vec<String>,
    /// Makes the noise repeatable; anyone who knows the seed can remove it [default: seeded by the operating system].
    #[arg(long, value_name = "N", requires = "epsilon", help_heading = "Output")]
    pub seed: Option<u64>,
    /// Writes an apostrophe before what a spreadsheet would take for a formula, in CSV and TSV; no reader takes it off again.
    #[arg(long, help_heading = "Output")]
    pub safe_csv: bool,
    /// Prints no text.
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

/// What becomes of rows far outside of what a rule was learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Outside {
    /// They are decided about, and counted.
    Tell,
    /// They get no decision.
    Empty,
    /// Nothing is decided.
    Refuse,
}

impl Outside {
    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        <Self as ValueEnum>::from_str(name, false).ok()
    }
}

#[derive(Debug, Clone, Args)]
#[command(group = clap::ArgGroup::new("mechanism_stated").args(["epsilon", "flip", "matrix"]))]
pub struct PrivatizeArgs {
    #[arg(required = true, value_name = "TABLE", help = format!(
        "Files that make up the table, or - for standard input: {FORMATS}"
    ))]
    pub tables: Vec<PathBuf>,

    /// A column of guesses to tell; several between commas; repeatable. All other columns are copied as they are.
    #[arg(long, value_name = "COLUMN,…", required = true, help_heading = "Columns")]
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
    /// What the values of a column to tell mean: race:1=White,2=Black. 9= makes a value mean nothing, *=Other names all others.
    /// The copy has the names. Repeatable.
    #[arg(long, value_name = "COLUMN:VALUE=NAME,…", help_heading = "Values")]
    pub map: Vec<String>,
    /// A value that means "nothing", beside the empty field, null and NaN; repeatable.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, help_heading = "Values")]
    pub missing: Vec<String>,
    #[command(flatten)]
    pub text: TextArgs,
    /// With none, every row is one person although there is a column `count`.
    #[arg(long, value_name = "none", value_parser = ["none"], help_heading = "Values")]
    pub count: Option<String>,

    /// The privacy loss of each guess: seeing it changes the odds by at most a factor of e^E.
    #[arg(long, value_name = "E", allow_negative_numbers = true, help_heading = "Mechanism")]
    pub epsilon: Option<f64>,
    /// How often a guess is replaced by another group, each of the others equally often.
    #[arg(long, value_name = "P", allow_negative_numbers = true, help_heading = "Mechanism")]
    pub flip: Option<f64>,
    /// The whole matrix from a JSON file: {"groups": […], "matrix": [[…]]}, rows for guesses, columns for what is written.
    #[arg(long, value_name = "FILE", help_heading = "Mechanism")]
    pub matrix: Option<PathBuf>,
    /// The mechanism of an earlier release of the same rows: its epsilon adds to this one; repeatable.
    #[arg(long, value_name = "FILE", help_heading = "Mechanism")]
    pub earlier: Vec<PathBuf>,
    /// Makes the draw repeatable; anyone who knows the seed can undo it [default: seeded by the operating system].
    #[arg(long, value_name = "N", help_heading = "Mechanism")]
    pub seed: Option<u64>,

    /// A file with a secret of at least 16 bytes: a person (--id) whose guess stays the same gets the same answer in every release, so
    /// that releases do not add up. Keep it as you keep the guesses: anyone who has it can undo them.
    #[arg(long, value_name = "FILE", requires = "id", conflicts_with = "seed", help_heading = "Mechanism")]
    pub key_file: Option<PathBuf>,
    /// Column that says who a row is about, for --key-file.
    #[arg(long, value_name = "COLUMN", requires = "key_file", help_heading = "Columns")]
    pub id: Option<String>,

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
    /// Writes an apostrophe before what a spreadsheet would take for a formula, in CSV and TSV; no reader takes it off again.
    #[arg(long, help_heading = "Output")]
    pub safe_csv: bool,
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
    /// Adds a column with the margin: how far a row is from the cut, above 0 where it is decided positive.
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    pub margin: Option<String>,
    /// Adds a column `review`: 1 where the margin is within this of 0, for a person to look at, else 0.
    #[arg(long, value_name = "WIDTH", help_heading = "Columns")]
    pub review: Option<f64>,
    /// A value that means "nothing", beside the empty field, null and NaN; repeatable.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, help_heading = "Values")]
    pub missing: Vec<String>,
    #[command(flatten)]
    pub text: TextArgs,
    #[command(flatten)]
    pub decimal: DecimalArgs,
    /// What becomes of rows far outside of what the rule was learned from, such as an age of 99999: decided and told, left empty, or
    /// refused.
    #[arg(long, value_name = "WHAT", default_value = "tell", help_heading = "Values")]
    pub outside: Outside,
    /// Leaves the decision empty where the rule cannot decide, and says how many rows and why.
    #[arg(long, help_heading = "Values")]
    pub lenient: bool,

    /// Where to write the table: .csv, .tsv, .jsonl (with .gz compressed) or .parquet, or - for CSV on standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: PathBuf,
    /// Writes an apostrophe before what a spreadsheet would take for a formula, in CSV and TSV; no reader takes it off again.
    #[arg(long, help_heading = "Output")]
    pub safe_csv: bool,
    /// Prints warnings only.
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}
