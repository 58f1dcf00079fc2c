//! `fairveil apply`: a table with the decisions of a rule beside it.

use crate::args::ApplyArgs;
use crate::intake::{Source, read_stated};
use crate::output::{Outputs, Shown, is_standard, lost, safe_format, table_format, tell, tell_of_formulas};
use anyhow::Context;
use fairveil_ingest::{
    Decimal, Edit, IngestError, Problem, RewriteError, RewritePlan, Rows, RuleProblem, canonical, rewrite,
};
use fairveil_train::{EncodeError, Need, NeedKind, Rule, RuleError, Value};
use std::collections::BTreeMap;
use std::io::{Seek, Write};

pub fn run(args: &ApplyArgs) -> anyhow::Result<()> {
    let format = safe_format(table_format(&args.output)?, args.safe_csv, &args.output)?;
    let source = Source::of_rows(&args.tables)?;
    let name = args.rule.shown();
    let text = read_stated(&args.rule)?;
    let rule = Rule::from_json(&text).with_context(|| name.to_string())?;
    let mut outputs = Outputs::beside(source.files().iter().chain([&args.rule]));
    let slot = if is_standard(&args.output) { None } else { Some(outputs.reserve(&args.output)?) };
    let mut decider = Decider::new(&rule, args.lenient, args.decimal.decimal == Some(Decimal::Comma));
    let plan = RewritePlan {
        shown: decider.needs.iter().map(|need| need.column.clone()).collect(),
        added: vec![args.column.clone()],
        missing: args.missing.clone(),
        // A decision is about what a row says, whoever it stands for.
        rows_are_single: true,
        ..RewritePlan::default()
    };
    let reading = args.decimal.reading(args.text.reading());
    let unwritten = || format!("{}: cannot be written", args.output.shown());
    let mut write = |out: &mut (dyn Write + Send)| -> anyhow::Result<u64> {
        let (copied, _) = source.read(&reading, false, |inputs, reading| {
            let copied = rewrite(inputs, &plan, reading, format, out, |rows| decider.decide(rows));
            copied.map_err(|error| match error {
                RewriteError::Input(error) => anyhow::Error::from(error),
                RewriteError::Output(error) => anyhow::Error::from(error).context(unwritten()),
            })
        })?;
        Ok(copied.formulas)
    };
    let formulas = match slot {
        Some(slot) => {
            let formulas = write(outputs.writer(slot))?;
            outputs.commit()?;
            formulas
        }
        None => {
            // What is refused half-way is not to be half-written.
            let mut whole = tempfile::tempfile().context("no temporary file can be made")?;
            let formulas = write(&mut whole)?;
            whole.rewind().with_context(unwritten)?;
            let copied = std::io::copy(&mut whole, &mut std::io::stdout());
            copied.and_then(|_| std::io::stdout().flush()).map_err(|error| lost(error.into()))?;
            formulas
        }
    };
    decider.say(args.quiet);
    tell_of_formulas(formulas, args.safe_csv);
    Ok(())
}

/// Decides about rows, and counts.
pub struct Decider<'r> {
    rule: &'r Rule,
    needs: Vec<Need>,
    lenient: bool,
    /// Commas stand before decimals.
    commas: bool,
    positive: u64,
    negative: u64,
    /// Rows without a decision, by reason: how many, and what was wrong with the first.
    undecided: BTreeMap<&'static str, (u64, String)>,
}

impl<'r> Decider<'r> {
    /// Of a rule; where `lenient`, rows on which it cannot decide get no decision; `commas` may stand before decimals.
    pub fn new(rule: &'r Rule, lenient: bool, commas: bool) -> Self {
        let needs = rule.needs();
        Decider { rule, needs, lenient, commas, positive: 0, negative: 0, undecided: BTreeMap::new() }
    }

    /// A decision for each row; none where the rule cannot decide and that is allowed.
    pub fn decide(&mut self, rows: &Rows) -> Result<Edit, IngestError> {
        let mut decisions = Vec::with_capacity(rows.rows());
        for row in 0..rows.rows() {
            let fields: Vec<Option<&str>> =
                rows.columns.iter().map(|values| values[row].as_deref()).collect();
            let decision = match self.of_row(&fields) {
                Ok(true) => {
                    self.positive += 1;
                    Some(self.rule.positive().to_owned())
                }
                Ok(false) => {
                    self.negative += 1;
                    Some(self.rule.negative().to_owned())
                }
                Err((column, problem)) => {
                    let kind = problem.kind();
                    let error = rows.error(row, column, Problem::Rule(problem));
                    if !self.lenient {
                        return Err(error);
                    }
                    let first = || (0, format!("{}: {}", error.place, error.problem.refusal().found));
                    self.undecided.entry(kind).or_insert_with(first).0 += 1;
                    None
                }
            };
            decisions.push(decision);
        }
        Ok(Edit { added: vec![decisions], ..Edit::default() })
    }

    /// The decision about one row, or which of its values stands against one.
    fn of_row(&self, fields: &[Option<&str>]) -> Result<bool, (usize, RuleProblem)> {
        let text = |field: &'_ str| -> std::borrow::Cow<'_, str> {
            let number = field.replacen(',', ".", 1);
            if self.commas && !field.contains('.') && number.trim().parse::<f64>().is_ok() {
                canonical(&number).into_owned().into()
            } else {
                canonical(field).into_owned().into()
            }
        };
        let texts: Vec<Option<std::borrow::Cow<str>>> = fields.iter().map(|field| field.map(text)).collect();
        let mut values = Vec::with_capacity(texts.len());
        for (place, (need, text)) in self.needs.iter().zip(&texts).enumerate() {
            values.push(match (&need.kind, text) {
                (_, None) => Value::Missing,
                (NeedKind::Category { .. }, Some(text)) => Value::Text(text),
                (NeedKind::Number | NeedKind::Score, Some(text)) => match text.parse() {
                    Ok(number) => Value::Number(number),
                    Err(_) => return Err((place, RuleProblem::NoNumber { value: text.to_string() })),
                },
            });
        }
        self.rule.decide(&values).map_err(|error| self.reason(&error, &texts))
    }

    /// What the rule has against a row, and in which of its values.
    fn reason(&self, error: &RuleError, texts: &[Option<std::borrow::Cow<str>>]) -> (usize, RuleProblem) {
        let named = match error {
            RuleError::Score { column, .. } => Some(column),
            RuleError::Feature(
                EncodeError::Missing { feature, .. }
                | EncodeError::Unseen { feature, .. }
                | EncodeError::NotFinite { feature, .. },
            ) => Some(feature),
            _ => None,
        };
        let place = named.and_then(|name| self.needs.iter().position(|need| need.column == *name));
        // The place of no column is past the last.
        let Some(place) = place else {
            return (self.needs.len(), RuleProblem::Other { said: error.to_string() });
        };
        let problem = match (&texts[place], &self.needs[place].kind) {
            (None, NeedKind::Score) => {
                RuleProblem::Other { said: "the score is missing, and has no place".into() }
            }
            (None, _) => RuleProblem::Missing,
            (Some(text), NeedKind::Score) if text.parse::<f64>().is_ok() => RuleProblem::Other {
                said: format!("the score is {text}, and a chance from 0 to 1 is needed"),
            },
            (Some(text), NeedKind::Category { levels }) => {
                // Of many rows only what was found is told.
                let known = if self.lenient { Vec::new() } else { levels.clone() };
                RuleProblem::Unseen { value: text.to_string(), known }
            }
            (Some(text), _) => RuleProblem::NoNumber { value: text.to_string() },
        };
        (place, problem)
    }

    /// Says what was done. Rows without a decision are told whatever was asked for.
    fn say(&self, quiet: bool) {
        let undecided: u64 = self.undecided.values().map(|(rows, _)| rows).sum();
        if !quiet {
            let (yes, no) = (self.rule.positive(), self.rule.negative());
            let rows = self.positive + self.negative + undecided;
            let decided = format!("{} decided {yes}, {} decided {no}", self.positive, self.negative);
            tell(&format!("{rows} rows written: {decided}"));
        }
        if undecided > 0 {
            tell(&format!("warning: {undecided} rows have no decision"));
        }
        for (kind, (rows, first)) in &self.undecided {
            tell(&format!("  {kind}: {rows} rows, first {first}"));
        }
    }
}
