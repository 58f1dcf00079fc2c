//! What was typed: one module for each subject, with what the words mean to the libraries.

mod audit;
mod curve;
mod intersect;
mod mitigate;
mod monitor;
mod names;
mod near;
mod numbers;
mod rule;
mod sql;
mod table;
mod text;
mod value;
mod worlds;
mod written;

pub use audit::{AuditArgs, IdentityArgs};
pub use curve::CurveArgs;
pub use intersect::IntersectArgs;
pub use mitigate::{MethodName, MitigateArgs};
pub use monitor::MonitorArgs;
pub use names::{NameArgs, ProxiesArgs, flag};
pub use near::{FeatureArgs, NeighborsArgs};
pub use numbers::{BinArgs, OutcomeArgs, ScoreArgs};
pub use rule::{RuleArgs, Wanted};
pub use sql::{DialectName, SqlArgs, relation};
pub use table::TableArgs;
pub use text::{DecimalArgs, TextArgs};
pub use value::half_of_the_machine;
pub use worlds::{DemoArgs, PlanArgs, SimulateArgs};
pub use written::{ApplyArgs, CountArgs, Outside, PrivatizeArgs};

use clap::{Args, Parser, Subcommand};
use fairveil_ingest::FORMATS;

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
    /// Several models on the same people: gaps side by side, and how likely each is the smaller. Give --y-pred for each.
    Compare(Box<AuditArgs>),
    /// The gap by period, and an alarm that keeps its error rate over all periods looked at.
    #[command(mut_arg("by", |arg| arg.hide(true)), mut_arg("min_segment", |arg| arg.hide(true)))]
    Monitor(Box<MonitorArgs>),
    /// A number by group: the gap along all thresholds of a score, quantiles of a price, and how often labels follow within bands.
    #[command(
        mut_arg("by", |arg| arg.hide(true)), mut_arg("min_segment", |arg| arg.hide(true)), mut_arg("truth", |arg| arg.hide(true)),
        mut_arg("audit_labels", |arg| arg.hide(true)), mut_arg("label_probability", |arg| arg.hide(true))
    )]
    Curve(Box<CurveArgs>),
    /// Two attributes at once, such as race and sex: how often every pair of groups is selected.
    #[command(
        mut_arg("proxy", |arg| arg.hide(true)), mut_arg("proxy_probs", |arg| arg.hide(true)), mut_arg("by", |arg| arg.hide(true)),
        mut_arg("min_segment", |arg| arg.hide(true)), mut_arg("show_single_people", |arg| arg.hide(true)),
        mut_arg("truth", |arg| arg.hide(true)), mut_arg("audit_labels", |arg| arg.hide(true)),
        mut_arg("label_probability", |arg| arg.hide(true)), mut_arg("groups", |arg| arg.hide(true)),
        mut_arg("cluster", |arg| arg.hide(true)), mut_arg("id", |arg| arg.hide(true))
    )]
    Intersect(Box<IntersectArgs>),
    /// From a table to its tally, a small file that names no one and can be audited, added to others or mailed.
    #[command(mut_arg("cluster", |arg| arg.hide(true)), mut_arg("id", |arg| arg.hide(true)))]
    Count(Box<CountArgs>),
    /// Randomises guesses with a stated epsilon (randomised response): writes the table and the mechanism that was applied.
    Privatize(PrivatizeArgs),
    /// Copies a table without its names and places, and adds the group that each suggests, randomised or plain. An audit looks names up by itself and writes no guess.
    Proxies(Box<ProxiesArgs>),
    /// Copies a table and adds what a rule decides on each row; the rule needs neither groups nor proxies.
    Apply(ApplyArgs),
    /// A rule for people to read (show), and where decisions are made: as SQL, as Python without packages, as ONNX.
    Rule(RuleArgs),
    /// How many rows or labels you need for a wanted precision.
    Plan(PlanArgs),
    /// Writes a simulated table whose true groups are known, for learning and testing.
    Simulate(SimulateArgs),
    /// Simulates loans, audits them and shows the answer beside the truth: nothing to prepare.
    Demo(DemoArgs),
    /// Copies a table and adds what each proxy guesses on a row's two nearest neighbours, for tables with one or two
    /// proxies.
    Neighbors(Box<NeighborsArgs>),
    /// Learns decisions with a smaller gap from proxies only, and shows before and after on rows that were held out.
    #[command(
        mut_arg("cluster", |arg| arg.hide(true)),
        mut_arg("id", |arg| arg.hide(true)),
        mut_arg("by", |arg| arg.hide(true)),
        mut_arg("min_segment", |arg| arg.hide(true)),
        mut_arg("show_single_people", |arg| arg.hide(true)),
        mut_arg("audit_labels", |arg| arg.hide(true)),
        mut_arg("label_probability", |arg| arg.hide(true)),
        mut_arg("count", |arg| arg.hide(true)),
        mut_arg("from_table", |arg| arg.hide(true)),
        mut_arg("query", |arg| arg.hide(true)),
        mut_arg("statement_timeout", |arg| arg.hide(true)),
        mut_arg("tables", |arg| arg.help(format!(
            "Files that make up the table, and names with * or ? for many of them; or - for standard input. {FORMATS}"
        )))
    )]
    Mitigate(Box<MitigateArgs>),
    /// Prints the query that makes a tally in a database; its result goes into an audit.
    Sql(SqlArgs),
    /// Says what a finding means, why it matters and what to do.
    Explain(ExplainArgs),
    /// Prints what makes a shell complete commands, flags and files; say which shell.
    Completions(CompletionsArgs),
    /// Prints the manual page, of one command if it is named; man -l - shows it.
    Man(ManArgs),
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The code of a finding, such as P02; all codes if left out.
    pub code: Option<String>,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell that reads them.
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// A command, such as audit; the program itself if left out.
    pub command: Option<String>,
}
