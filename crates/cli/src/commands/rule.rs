//! `fairveil rule`: a learned rule for people to read, and taken where decisions are made.

use crate::args::{DialectName, RuleArgs, Wanted, relation};
use crate::intake::read_stated;
use crate::output::{Outputs, Shown, print, print_data};
use anyhow::Context;
use clap::ValueEnum;
use fairveil_ingest::{Dialect, Relation, SqlProblem};
use fairveil_train::{Rule, SqlWords};
use std::path::Path;

pub fn run(args: &RuleArgs) -> anyhow::Result<()> {
    match &args.wanted {
        Wanted::Show { rule } => print(&read(rule)?.show()),
        Wanted::Sql { rule, dialect, table, query, output } => {
            let relation = relation(table.as_deref(), query.as_deref())?;
            let query = sql(&read(rule)?, Dialect::from(*dialect), &relation)?;
            write(output.as_deref(), rule, query.as_bytes())
        }
        Wanted::Python { rule, output } => {
            let module = read(rule)?.python()?;
            write(output.as_deref(), rule, module.as_bytes())
        }
        Wanted::Onnx { rule, output } => {
            let model = read(rule)?.onnx();
            write(Some(output.as_path()), rule, &model)
        }
    }
}

/// One query that decides on each row of a table, in the dialect of this name.
pub fn rule_sql(rule: &Rule, dialect: &str, table: &str) -> anyhow::Result<String> {
    let name = DialectName::from_str(dialect, true).map_err(|_| {
        let known: Vec<String> = DialectName::value_variants()
            .iter()
            .filter_map(|d| Some(d.to_possible_value()?.get_name().to_owned()))
            .collect();
        anyhow::anyhow!("{dialect:?} is no dialect\n  needed: one of {}", known.join(", "))
    })?;
    sql(rule, Dialect::from(name), &Relation::Table(table.to_owned()))
}

fn sql(rule: &Rule, dialect: Dialect, relation: &Relation) -> anyhow::Result<String> {
    let from = relation.after_from(dialect, ALIAS).map_err(|problem| unquoted(&problem))?;
    let from = match relation {
        Relation::Table(_) => format!("{from} AS {ALIAS}"),
        Relation::Query(_) => from,
    };
    Ok(rule.sql(&from, &Words(dialect))?)
}

/// What a query calls its rows.
const ALIAS: &str = "fairveil_table";

fn read(path: &Path) -> anyhow::Result<Rule> {
    let text = read_stated(path)?;
    Rule::from_json(&text).with_context(|| path.shown().to_string())
}

fn write(output: Option<&Path>, rule: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let Some(output) = output else { return print_data(bytes) };
    let mut outputs = Outputs::beside([rule]);
    let slot = outputs.reserve(output)?;
    outputs.write(slot, bytes)?;
    outputs.commit()
}

fn unquoted(problem: &SqlProblem) -> anyhow::Error {
    anyhow::anyhow!("{}", problem.refusal().text().spelled(&crate::dialect::Flags))
}

/// A dialect as a rule needs it.
struct Words(Dialect);

impl SqlWords for Words {
    fn name(&self, name: &str) -> Result<String, String> {
        self.0.identifier(name).map_err(|problem| problem.refusal().found.to_string())
    }

    fn text(&self, text: &str) -> Result<String, String> {
        self.0.text(text).map_err(|problem| problem.refusal().found.to_string())
    }

    fn number(&self, column: &str) -> String {
        self.0.measured(column)
    }

    fn as_text(&self, column: &str) -> String {
        self.0.as_text(column)
    }

    fn double(&self) -> &'static str {
        self.0.double()
    }

    fn kept(&self) -> &'static str {
        if self.0 == Dialect::Postgres { "MATERIALIZED " } else { "" }
    }
}
