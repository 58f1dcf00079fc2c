//! A rule as one query.
//!
//! ```text
//! read      numbers as (x − mean)/deviation, categories as their place among the levels; nothing where there is no decision
//! hidden    the hidden units of a network
//! chance    η of a plug-in rule
//! margin    and the decision where it is above 0
//! ```
//! Each is a subquery of the next: none is computed twice. Every sum starts from a double and goes from left to right.

use crate::plug_in::Tilt;
use crate::rule::{Eta, Scale};
use crate::{EncodedFeature, Linear, Model, Rule};
use std::fmt::Write;

/// How a database spells names, texts and numbers.
pub trait SqlWords {
    /// A name in quotes that it cannot leave; the reason where no quotes hold it.
    fn name(&self, name: &str) -> Result<String, String>;
    /// A text in quotes that it cannot leave.
    fn text(&self, text: &str) -> Result<String, String>;
    /// A column, already in quotes, as a number of double precision; nothing where it is NaN.
    fn number(&self, column: &str) -> String;
    /// A column, already in quotes, as text.
    fn as_text(&self, column: &str) -> String;
    /// The type of numbers of double precision.
    fn double(&self) -> &'static str;
    /// What makes a subquery be computed once, where a database would otherwise write it out wherever it is used.
    fn kept(&self) -> &'static str {
        ""
    }
}

/// Why a rule cannot be written as SQL.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{what} {name:?} cannot be written in this dialect: {why}; rename it, or use the rule another way")]
pub struct SqlError {
    /// A column, a level or a class.
    pub what: &'static str,
    /// Which.
    pub name: String,
    /// The reason.
    pub why: String,
}

impl Rule {
    /// The rule as one query over what stands after FROM, named `fairveil_table`: all of its columns, and `fairveil_margin` and `fairveil_decision`. Columns that start
    /// with `fairveil_` before these are steps on the way.
    pub fn sql(&self, from: &str, words: &dyn SqlWords) -> Result<String, SqlError> {
        let writer = Writer { rule: self, words };
        let mut query = format!("WITH fairveil_read AS {}(\n  SELECT fairveil_table.*", words.kept());
        for (place, feature) in self.encoding.features().iter().enumerate() {
            write_to(&mut query, &format!(",\n    {} AS fairveil_x{place}", writer.read(feature)?));
        }
        if let Model::PlugIn { eta: Eta::Score { column, scale, .. }, .. } = &self.model {
            let score = writer.score(column, scale.as_ref())?;
            write_to(&mut query, &format!(",\n    {score} AS fairveil_score"));
        }
        write_to(&mut query, &format!("\n  FROM {from}\n),\n"));
        match &self.model {
            Model::Logistic { model } => {
                let logit = writer.linear(model.intercept, |column| Some(model.coefficients[column]));
                let margin = format!("{logit} - {}", number(crate::aim::log_odds(self.cut)));
                query += &writer.step("fairveil_margins", "fairveil_read", &[(margin, "fairveil_margin")]);
            }
            Model::Mlp { model } => {
                let unit = |unit: usize| {
                    let sum = writer.linear(model.biases[unit], |column| Some(model.weights[column][unit]));
                    let unit = format!("fairveil_h{unit}");
                    (sum, unit)
                };
                let units: Vec<(String, String)> = (0..model.biases.len()).map(unit).collect();
                query += &writer.step("fairveil_hidden", "fairveil_read", &units);
                let mut logit = writer.double(&number(model.output.intercept));
                for (unit, weight) in model.output.coefficients.iter().enumerate() {
                    let above = format!(
                        "CASE WHEN fairveil_h{unit} > 0 THEN fairveil_h{unit} WHEN fairveil_h{unit} <= 0 THEN 0 END"
                    );
                    logit += &format!("\n      + {} * {above}", number(*weight));
                }
                let margin = format!("{logit} - {}", number(crate::aim::log_odds(self.cut)));
                query += &writer.step("fairveil_margins", "fairveil_hidden", &[(margin, "fairveil_margin")]);
            }
            Model::PlugIn { eta, tilts } => {
                let (logit, eta) = match eta {
                    Eta::Score { scale: None, .. } => (None, "fairveil_score".to_owned()),
                    Eta::Score { scale: Some(_), .. } => {
                        (Some("fairveil_score".to_owned()), chance("fairveil_logit"))
                    }
                    Eta::Features { model } => {
                        let logit = writer.linear(model.intercept, |column| Some(model.coefficients[column]));
                        (Some(logit), chance("fairveil_logit"))
                    }
                };
                let before = match logit {
                    Some(logit) => {
                        query +=
                            &writer.step("fairveil_logits", "fairveil_read", &[(logit, "fairveil_logit")]);
                        "fairveil_logits"
                    }
                    None => "fairveil_read",
                };
                query += &writer.step("fairveil_chances", before, &[(eta, "fairveil_chance")]);
                let mut margin = "2 * fairveil_chance".to_owned();
                let moved: Vec<String> = tilts.iter().map(|tilt| writer.tilt(tilt)).collect();
                if !moved.is_empty() {
                    margin += &format!(" - ({})", moved.join("\n      + "));
                }
                margin += &format!(" - {}", number(2.0 * self.cut));
                query += &writer.step("fairveil_margins", "fairveil_chances", &[(margin, "fairveil_margin")]);
            }
        }
        let query = query.trim_end().trim_end_matches(',');
        let (yes, no) =
            (writer.word("the class", &self.positive)?, writer.word("the class", &self.negative)?);
        Ok(format!(
            "{query}\nSELECT fairveil_margins.*,\n  CASE WHEN fairveil_margin > 0 THEN {yes} WHEN fairveil_margin <= 0 THEN {no} \
             END AS fairveil_decision\nFROM fairveil_margins\n"
        ))
    }
}

fn write_to(query: &mut String, more: &str) {
    // Writing to a string does not fail.
    let _ = query.write_str(more);
}

/// A number with an exponent, which makes it a floating-point one where others are exact decimals; in brackets below 0, for two
/// minuses begin a comment.
fn number(value: f64) -> String {
    if value.is_sign_negative() { format!("({value:e})") } else { format!("{value:e}") }
}

/// `σ`; past ±700 an exponential would be out of range in some databases.
fn chance(logit: &str) -> String {
    format!(
        "CASE WHEN {logit} > 700 THEN 1 WHEN {logit} < -700 THEN 0 WHEN {logit} <= 700 THEN 1e0 / (1e0 + EXP(-{logit})) END"
    )
}

struct Writer<'w> {
    rule: &'w Rule,
    words: &'w dyn SqlWords,
}

impl Writer<'_> {
    fn quoted(&self, what: &'static str, name: &str) -> Result<String, SqlError> {
        self.words.name(name).map_err(|why| SqlError { what, name: name.to_owned(), why })
    }

    fn word(&self, what: &'static str, text: &str) -> Result<String, SqlError> {
        self.words.text(text).map_err(|why| SqlError { what, name: text.to_owned(), why })
    }

    /// One subquery more.
    fn step<N: AsRef<str>>(&self, name: &str, from: &str, columns: &[(String, N)]) -> String {
        let columns: Vec<String> =
            columns.iter().map(|(value, name)| format!("{value} AS {}", name.as_ref())).collect();
        let columns = columns.join(",\n    ");
        format!("{name} AS {}(\n  SELECT {from}.*,\n    {columns}\n  FROM {from}\n),\n", self.words.kept())
    }

    fn double(&self, value: &str) -> String {
        format!("CAST({value} AS {})", self.words.double())
    }

    /// A number standardised, or the place of a level; what has no place is nothing. A missing number with a place is one past
    /// all others, which no number is.
    fn read(&self, feature: &EncodedFeature) -> Result<String, SqlError> {
        let column = format!("fairveil_table.{}", self.quoted("the column", feature.name())?);
        Ok(match feature {
            EncodedFeature::Number { mean, deviation, missing, .. } => {
                let value = self.words.number(&column);
                let most = number(f64::from(f32::MAX));
                let absent = if *missing {
                    format!("WHEN {value} IS NULL THEN {} ", self.double(MISSING))
                } else {
                    String::new()
                };
                format!(
                    "CASE {absent}WHEN {value} >= -{most} AND {value} <= {most} THEN ({value} - {}) / {} END",
                    number(*mean),
                    number(*deviation)
                )
            }
            EncodedFeature::Category { levels, others, missing, .. } => {
                let value = format!("TRIM({})", self.words.as_text(&column));
                let mut case = format!("CASE WHEN {value} IS NULL OR {value} = ''");
                let last = levels.len() + usize::from(*others);
                case += &if *missing { format!(" THEN {last}") } else { " THEN NULL".to_owned() };
                for (place, level) in levels.iter().enumerate() {
                    case +=
                        &format!("\n      WHEN {value} = {} THEN {place}", self.word("the level", level)?);
                }
                if *others {
                    case += &format!("\n      ELSE {}", levels.len());
                }
                case + " END"
            }
        })
    }

    fn score(&self, column: &str, scale: Option<&Scale>) -> Result<String, SqlError> {
        let score = self.words.number(&format!("fairveil_table.{}", self.quoted("the column", column)?));
        Ok(match scale {
            None => format!("CASE WHEN {score} >= 0 AND {score} <= 1 THEN {score} END"),
            Some(Scale { log_odds, intercept, slope }) => {
                let (intercept, slope) = (self.double(&number(*intercept)), number(*slope));
                if *log_odds {
                    let odds = |chance: &str| format!("LN({chance} / (1e0 - {chance}))");
                    let (least, most) = (number(1e-6), number(1.0 - 1e-6));
                    format!(
                        "{intercept} + {slope} * CASE WHEN {score} >= 0 AND {score} <= {least} THEN {} WHEN {score} >= {most} AND \
                         {score} <= 1 THEN {} WHEN {score} >= 0 AND {score} <= 1 THEN {} END",
                        odds(&self.double(&least)),
                        odds(&self.double(&most)),
                        odds(&score)
                    )
                } else {
                    let most = number(f64::MAX);
                    format!(
                        "{intercept} + {slope} * CASE WHEN {score} >= -{most} AND {score} <= {most} THEN {score} END"
                    )
                }
            }
        })
    }

    /// `intercept + Σ coefficient·x`.
    fn linear(&self, intercept: f64, coefficient: impl Fn(usize) -> Option<f64>) -> String {
        let mut sum = self.double(&number(intercept));
        let mut first = 0;
        for (place, feature) in self.rule.encoding.features().iter().enumerate() {
            let of = |column: usize| number(coefficient(first + column).unwrap_or(0.0));
            let x = format!("fairveil_x{place}");
            sum += "\n      + ";
            sum += &match feature {
                EncodedFeature::Number { missing: false, .. } => format!("{} * {x}", of(0)),
                EncodedFeature::Number { missing: true, .. } => {
                    format!("CASE WHEN {x} = {MISSING} THEN {} ELSE {} * {x} END", of(1), of(0))
                }
                EncodedFeature::Category { .. } => {
                    let levels: Vec<String> = (0..feature.columns())
                        .map(|level| format!("WHEN {x} = {level} THEN {}", of(level)))
                        .collect();
                    format!("CASE {} END", levels.join(" "))
                }
            };
            first += feature.columns();
        }
        sum
    }

    /// `λ·ŵ(x)`.
    fn tilt(&self, tilt: &Tilt) -> String {
        let Linear { intercept, coefficients } = &tilt.weight;
        let weight = self.linear(*intercept, |column| coefficients.get(column).copied());
        let last = number(coefficients.last().copied().unwrap_or(0.0));
        let within = match tilt.label {
            None => "",
            Some(true) => "fairveil_chance * ",
            Some(false) => "(1e0 - fairveil_chance) * ",
        };
        let within = if within.is_empty() { self.double("1e0") + " * " } else { within.to_owned() };
        format!("{} * ({within}({weight} + {last} * (2 * fairveil_chance - 1)))", number(tilt.multiplier))
    }
}

/// Where a missing number is kept: past every number that a rule takes, after standardising.
const MISSING: &str = "1e300";
