//! The table and its columns.

use super::value::{bytes, half_of_the_machine};
use super::{DecimalArgs, TextArgs};
use clap::Args;
use fairveil_ingest::{Columns, Count, FORMATS, Reading};
use std::path::PathBuf;

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
    /// How long the database may work on a statement [default: what it allows, and at most 15 minutes without a word].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=2_000_000), help_heading = "Database")]
    pub statement_timeout: Option<u64>,

    /// Column of the model's decisions [default: y_pred].
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub y_pred: Vec<String>,
    /// Column of the labels, what the decision should have been [default: y_true where there is one].
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub y_true: Option<String>,
    /// A proxy: a column of guesses, and where its knowledge comes from; several between commas; repeatable [default: proxy_*].
    #[arg(long, value_name = "COLUMN[:SOURCE],…", help_heading = "Columns")]
    pub proxy: Vec<String>,
    /// A proxy that gives a probability for each group: how its columns' names begin (p_), a pattern with a star for the group
    /// (*_prob), or a list (bisg=white:p_w,black:p_b). Of two groups, one may have no column: bisg=black:p_b,white. Repeatable.
    #[arg(long, value_name = "[NAME=]COLUMNS[:SOURCE]", help_heading = "Columns")]
    pub proxy_probs: Vec<String>,
    /// Column of the rows' weights [default: weight where there is one].
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub weight: Option<String>,
    /// Column that says which rows belong together and are not independent: a person, a household, a branch.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub cluster: Option<String>,
    /// Column of ids, used only to find out whether people appear in several rows; no id is kept.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub id: Option<String>,
    /// Column of the true groups: only compared against, never used.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub truth: Option<String>,
    /// Column whose values cut the rows into segments, each audited on its own; repeatable.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub by: Vec<String>,
    /// The fewest rows of a segment that is shown by itself; smaller ones are merged [default: 50].
    #[arg(long, value_name = "ROWS", requires = "by", value_parser = clap::value_parser!(u64).range(2..), help_heading = "Columns")]
    pub min_segment: Option<u64>,
    /// Shows segments of any size, even one person, whose guessed group the report then reveals.
    #[arg(long, requires = "by", conflicts_with = "min_segment", help_heading = "Columns")]
    pub show_single_people: bool,
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
    /// The label that goes with being selected, where labels have other names than decisions: repaid beside approved.
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true, help_heading = "Values")]
    pub positive_label: Option<String>,
    /// A value that means "nothing", beside the empty field, null and NaN; repeatable.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, help_heading = "Values")]
    pub missing: Vec<String>,
    /// What the values of a column mean: race:1=White,2=Black. 9= makes a value mean nothing, *=Other names all others; a value that
    /// is not named is refused. Repeatable.
    #[arg(long, value_name = "COLUMN:VALUE=NAME,…", help_heading = "Values")]
    pub map: Vec<String>,
    #[command(flatten)]
    pub text: TextArgs,
    #[command(flatten)]
    pub decimal: DecimalArgs,
    /// A tally's column that says how many rows a row stands for, or none if every row is one [default: count, where no
    /// column would be left over].
    #[arg(long, value_name = "COLUMN", help_heading = "Values")]
    pub count: Option<String>,
    /// Repeats values of proxies and groups in error messages, however few rows have them.
    #[arg(long, help_heading = "Values")]
    pub show_values: bool,
    /// Leaves out rows that are broken by themselves, and says how many and which.
    #[arg(long, help_heading = "Values")]
    pub lenient: bool,
    /// The most memory that may grow with the table, such as 500M or 4G [default: half of the machine's].
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Settings")]
    pub max_memory: Option<u64>,
    /// Threads [default: all]. The digits do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024), help_heading = "Settings")]
    pub threads: Option<u64>,
}

impl TableArgs {
    /// What was said about the columns.
    pub fn columns(&self) -> Columns {
        Columns {
            y_pred: self.y_pred.first().cloned(),
            threshold: None,
            outcome: None,
            by: self.by.clone(),
            cut: None,
            min_segment: if self.show_single_people { Some(0) } else { self.min_segment },
            other_preds: self.y_pred.iter().skip(1).cloned().collect(),
            show_values: self.show_values,
            y_true: self.y_true.clone(),
            proxies: self.proxy.clone(),
            proxy_probs: self.proxy_probs.clone(),
            names: Vec::new(),
            control: Vec::new(),
            guesses_alone: false,
            weight: self.weight.clone(),
            cluster: self.cluster.clone(),
            id: self.id.clone(),
            truth: self.truth.clone(),
            audit_labels: self.audit_labels.clone(),
            label_probability: self.label_probability.clone(),
            groups: (!self.groups.is_empty()).then(|| self.groups.clone()),
            positive: self.positive.clone(),
            map: self.map.clone(),
            positive_label: self.positive_label.clone(),
            missing: self.missing.clone(),
            count: match self.count.as_deref() {
                None => Count::Detect,
                Some("none") => Count::Never,
                Some(column) => Count::Column(column.to_owned()),
            },
            features: Vec::new(),
        }
    }

    /// The flag that says whom rows are about, where one does: a tally does not tell.
    pub fn about_people(&self) -> Option<&'static str> {
        let flags = [(self.cluster.is_some(), "--cluster"), (self.id.is_some(), "--id")];
        flags.into_iter().find_map(|(is, flag)| is.then_some(flag))
    }

    /// How to read.
    pub fn reading(&self) -> Reading {
        Reading {
            threads: self.threads.map(|threads| threads as usize),
            lenient: self.lenient,
            max_memory: self.max_memory.or_else(half_of_the_machine),
            ..self.decimal.reading(self.text.reading())
        }
    }
}
