//! `fairveil apply`: a table with the decisions of a rule beside it.

use crate::args::{ApplyArgs, Outside};
use crate::intake::{Source, read_stated};
use crate::output::{Outputs, Shown, is_standard, lost, safe_format, table_format, tell, tell_of_formulas};
use anyhow::{Context, bail};
use fairveil_core::setting::visible;
use fairveil_ingest::{
    Decimal, Edit, IngestError, Problem, RewriteError, RewritePlan, Rows, RuleProblem, canonical, rewrite,
};
use fairveil_train::{EncodeError, Need, NeedKind, Onlooker, Rule, RuleError, Value};
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
    if let Some(width) = args.review.filter(|width| !(width.is_finite() && *width > 0.0)) {
        bail!("--review is {width}\n  needed: a number above 0\n  to do:  correct it");
    }
    if args.column.trim().is_empty() || args.margin.as_ref().is_some_and(|name| name.trim().is_empty()) {
        bail!(
            "a column that is to be added has no name\n  needed: a name that the table does not have\n  to do:  name it in --column or --margin"
        );
    }
    let mut decider = Decider::new(&rule, args.lenient, args.decimal.decimal == Some(Decimal::Comma));
    (decider.margin, decider.review, decider.outside) = (args.margin.is_some(), args.review, args.outside);
    let whole = |name: &str| name.parse::<i64>().is_ok_and(|number| number.to_string() == name);
    let plan = RewritePlan {
        shown: decider.needs.iter().map(|need| need.column.clone()).collect(),
        added: vec![args.column.clone()],
        // Labels of 0 and 1 stay numbers, where a format has them.
        added_whole: whole(rule.positive()) && whole(rule.negative()),
        numbers: args.margin.clone().into_iter().chain(args.review.map(|_| "review".to_owned())).collect(),
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

/// Differences that are told.
const MOST_TOLD: usize = 5;

/// Decides about rows, and counts.
pub struct Decider<'r> {
    rule: &'r Rule,
    needs: Vec<Need>,
    lenient: bool,
    /// Commas stand before decimals.
    commas: bool,
    /// Whether margins are told beside decisions.
    pub margin: bool,
    /// How near to the cut a row is one for a person to look at.
    pub review: Option<f64>,
    /// What becomes of rows far outside.
    pub outside: Outside,
    /// Rows far outside that were decided about all the same: how many, and the first.
    far: Option<(u64, String)>,
    onlooker: Onlooker<'r>,
    near: u64,
    positive: u64,
    negative: u64,
    /// Rows without a decision, by reason: how many, and what was wrong with the first.
    undecided: BTreeMap<&'static str, (u64, String)>,
}

impl<'r> Decider<'r> {
    /// Of a rule; where `lenient`, rows on which it cannot decide get no decision; `commas` may stand before decimals.
    pub fn new(rule: &'r Rule, lenient: bool, commas: bool) -> Self {
        let needs = rule.needs();
        Decider {
            rule,
            needs,
            lenient,
            commas,
            margin: false,
            review: None,
            outside: Outside::Tell,
            far: None,
            onlooker: Onlooker::new(rule),
            near: 0,
            positive: 0,
            negative: 0,
            undecided: BTreeMap::new(),
        }
    }

    /// A decision for each row; none where the rule cannot decide and that is allowed.
    pub fn decide(&mut self, rows: &Rows) -> Result<Edit, IngestError> {
        let mut decisions = Vec::with_capacity(rows.rows());
        let mut margins = Vec::with_capacity(rows.rows());
        for row in 0..rows.rows() {
            let fields: Vec<Option<&str>> =
                rows.columns.iter().map(|values| values[row].as_deref()).collect();
            let margin = self.of_row(&fields).and_then(|(margin, far)| match far {
                Some(place) if self.outside != Outside::Tell => Err((place, RuleProblem::Outside)),
                Some(place) => {
                    let first =
                        || (0, rows.error(row, place, Problem::Rule(RuleProblem::Outside)).place.to_string());
                    self.far.get_or_insert_with(first).0 += 1;
                    Ok(margin)
                }
                None => Ok(margin),
            });
            margins.push(margin.as_ref().ok().copied());
            let decision = match margin {
                Ok(margin) if margin > 0.0 => {
                    self.positive += 1;
                    Some(self.rule.positive().to_owned())
                }
                Ok(_) => {
                    self.negative += 1;
                    Some(self.rule.negative().to_owned())
                }
                Err((column, problem)) => {
                    let kind = problem.kind();
                    let error = rows.error(row, column, Problem::Rule(problem));
                    let outside = kind == RuleProblem::Outside.kind();
                    let empty = if outside { self.outside == Outside::Empty } else { self.lenient };
                    if !empty {
                        return Err(error);
                    }
                    let first = || (0, format!("{}: {}", error.place, error.problem.refusal().found));
                    self.undecided.entry(kind).or_insert_with(first).0 += 1;
                    None
                }
            };
            decisions.push(decision);
        }
        let mut numbers = Vec::new();
        if let Some(width) = self.review {
            let near = |margin: f64| margin.abs() <= width;
            self.near += margins.iter().flatten().filter(|margin| near(**margin)).count() as u64;
            numbers.push(margins.iter().map(|margin| margin.map(|m| f64::from(u8::from(near(m))))).collect());
        }
        if self.margin {
            numbers.insert(0, margins);
        }
        Ok(Edit { added: vec![decisions], numbers, ..Edit::default() })
    }

    /// The margin of one row and which of its values is far outside, or which stands against a margin.
    fn of_row(&mut self, fields: &[Option<&str>]) -> Result<(f64, Option<usize>), (usize, RuleProblem)> {
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
        let margin = self.rule.margin(&values).map_err(|error| self.reason(&error, &texts))?;
        let far = self.rule.outside(&values);
        self.onlooker.look(&values);
        Ok((margin, far))
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
            if let Some(width) = self.review {
                tell(&format!("within {width:?} of the cut, for a person to look at: {} rows", self.near));
            }
        }
        for doubt in self.doubts("--outside") {
            format!("warning: {doubt}").lines().for_each(tell);
        }
    }

    /// What speaks against relying on the decisions: rows far outside, people of another kind, rows without a decision. Rows far outside are
    /// treated as `setting` says.
    pub fn doubts(&self, setting: &str) -> Vec<String> {
        let mut doubts = Vec::new();
        if let Some((rows, first)) = &self.far {
            doubts.push(format!(
                "{rows} rows are far outside of what the rule was learned from, and were decided about all the same ({setting}); the first is {first}"
            ));
        }
        let differences = self.onlooker.differences();
        if !differences.is_empty() {
            let told = differences.iter().take(MOST_TOLD).map(|words| format!("\n  {}", visible(words)));
            doubts.push(format!(
                "these people differ from those that the rule was learned from; what was measured does not speak of them:{}",
                told.collect::<String>()
            ));
        }
        let undecided: u64 = self.undecided.values().map(|(rows, _)| rows).sum();
        if undecided > 0 {
            let reasons = self.undecided.iter();
            let told = reasons.map(|(kind, (rows, first))| format!("\n  {kind}: {rows} rows, first {first}"));
            doubts.push(format!("{undecided} rows have no decision{}", told.collect::<String>()));
        }
        doubts
    }
}
