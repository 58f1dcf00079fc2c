//! What was typed after `rule`: a rule, and what it is wanted as.

use super::sql::DialectName;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct RuleArgs {
    #[command(subcommand)]
    pub wanted: Wanted,
}

#[derive(Debug, Subcommand)]
pub enum Wanted {
    /// Shows what a rule reads, where it cuts, and what each feature does.
    Show {
        /// The rule: a file that `fairveil mitigate` wrote.
        #[arg(value_name = "RULE")]
        rule: PathBuf,
    },
    /// Writes a rule as one query over a table of a database.
    Sql {
        /// The rule: a file that `fairveil mitigate` wrote.
        #[arg(value_name = "RULE")]
        rule: PathBuf,
        /// Whose SQL.
        #[arg(long, value_name = "NAME", default_value = "ansi")]
        dialect: DialectName,
        /// The table: people, schema.people or "odd.schema".people. Names are quoted: the case of letters counts.
        #[arg(long, value_name = "NAME", required_unless_present = "query", conflicts_with = "query")]
        table: Option<String>,
        /// A SELECT that gives the rows instead.
        #[arg(long, value_name = "SQL")]
        query: Option<String>,
        /// Where to write it [default: standard output].
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Writes a rule as a Python file that needs no package.
    Python {
        /// The rule: a file that `fairveil mitigate` wrote.
        #[arg(value_name = "RULE")]
        rule: PathBuf,
        /// Where to write it [default: standard output].
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Writes a rule as an ONNX model.
    Onnx {
        /// The rule: a file that `fairveil mitigate` wrote.
        #[arg(value_name = "RULE")]
        rule: PathBuf,
        /// Where to write it.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
}
