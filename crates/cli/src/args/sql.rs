//! A query that makes a tally, and in whose SQL.

use clap::{Args, ValueEnum};
use fairveil_ingest::{Bins, Columns, Dialect, Relation};

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
    /// A proxy: a column of guesses; several between commas; repeatable.
    #[arg(long, value_name = "COLUMN,…", help_heading = "Columns")]
    pub proxy: Vec<String>,
    /// A proxy that gives a probability for each group: how its columns' names begin (p_) or a pattern with a star for the group
    /// (*_prob), with --groups; or a list (bisg=white:p_w,black:p_b). Of two groups, one may have no column: bisg=black:p_b,white.
    /// Repeatable.
    #[arg(long, value_name = "[NAME=]COLUMNS", help_heading = "Columns")]
    pub proxy_probs: Vec<String>,
    /// The groups that the names of probability columns hold, separated by commas.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', help_heading = "Columns")]
    pub groups: Vec<String>,
    /// Column of the rows' weights.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub weight: Option<String>,
    /// Column of a number to compare between groups: a price, a rate, an amount, a score.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub outcome: Option<String>,
    /// The score from which a person is selected, where the column of decisions holds scores.
    #[arg(long, value_name = "SCORE", allow_hyphen_values = true, help_heading = "Columns")]
    pub threshold: Option<f64>,
    /// Where scores (or, without --threshold, the outcome) are cut into bins, for fairveil curve: 20 for so many from 0 to 1, 3:8:0.25 for
    /// from, to and step, or the cuts themselves between commas.
    #[arg(
        long,
        value_name = "BINS",
        allow_hyphen_values = true,
        conflicts_with = "by",
        help_heading = "Columns"
    )]
    pub bins: Option<Bins>,
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
        let columns = Columns {
            y_pred: self.y_pred.first().cloned(),
            threshold: self.threshold,
            outcome: self.outcome.clone(),
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
        };
        let number = self.y_pred.first().filter(|_| self.threshold.is_some()).or(self.outcome.as_ref());
        match self.bins.as_ref().zip(number) {
            Some((bins, number)) => super::numbers::binned(number, bins, columns),
            None => columns,
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
