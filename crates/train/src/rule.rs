//! A decision rule as a small file: all that is needed to decide about new people, and nothing about those it was learned
//! from but means and levels of features.
//!
//! ```text
//! plug-in    1[ 2η(x) − 2t > Σ_j λ_j·ŵ_j(x) ]          η a score of the table, or a logistic model of the features
//! logistic   1[ β·x + β₀ > c ]                         c = ln(t/(1 − t))
//! mlp        1[ u₀ + u·max(0, Wx + b) > c ]
//! ```
//! `t` is the cut: one half in rules that do not say. A rule needs neither a group nor a proxy.

use crate::aim::log_odds;
use crate::ordered::add_times;
use crate::plug_in::Tilt;
use crate::{Design, DesignRow, EncodeError, EncodedFeature, Encoding, Linear, Mlp, Value};
use fairveil_core::setting::{Refusal, Refuses};
use fairveil_core::{shows_refusal, text};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The name of the format.
pub const RULE_SCHEMA: &str = "fairveil.rule/1";

/// A decision rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// [`RULE_SCHEMA`].
    pub schema: String,
    /// The version of fairveil that wrote it.
    pub version: String,
    /// The criterion whose gap was reduced.
    pub criterion: String,
    /// The gap that may stay.
    pub tolerance: f64,
    /// What a positive decision is called.
    pub positive: String,
    /// What the other is called.
    pub negative: String,
    /// The chance of a positive label above which the decision is positive; of a plug-in rule, as it is moved.
    #[serde(default = "half")]
    pub cut: f64,
    /// How features become numbers.
    pub encoding: Encoding,
    /// What these numbers are called, in the order of all coefficients; those of a tilt have one more, of `2η − 1`.
    pub columns: Vec<String>,
    /// What is computed from them.
    #[serde(flatten)]
    pub model: Model,
}

/// What a rule computes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum Model {
    /// A score, moved by what features tell about the weights.
    PlugIn {
        /// The chance of a positive label.
        eta: Eta,
        /// What it is moved by, one for each gap.
        tilts: Vec<Tilt>,
    },
    /// A logistic model.
    Logistic {
        /// Its coefficients.
        model: Linear,
    },
    /// One hidden layer.
    Mlp {
        /// Its weights.
        model: Mlp,
    },
}

/// The chance of a positive label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum Eta {
    /// A column of the table.
    Score {
        /// Its name.
        column: String,
        /// How it becomes a chance; as it is, where nothing is said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scale: Option<Scale>,
        /// What it was among the rows that the rule was learned from; rules of earlier versions do not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seen: Option<SeenScore>,
    },
    /// A logistic model of the features.
    Features {
        /// Its coefficients.
        model: Linear,
    },
}

/// The scores that a rule was learned from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SeenScore {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
    /// The tenth smallest and the tenth largest; nothing where there are few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
}

impl SeenScore {
    /// Of the scores of some rows.
    pub(crate) fn of(scores: &[f64]) -> Self {
        let rows = scores.len().max(1) as f64;
        let mean = scores.iter().sum::<f64>() / rows;
        let deviation = (scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / rows).sqrt();
        SeenScore { mean, deviation, range: crate::encode::range(scores.to_vec()) }
    }

    /// Whether the numbers can be what they are called.
    fn is_sound(&self) -> bool {
        let ordered = |[low, high]: [f64; 2]| low.is_finite() && high.is_finite() && low <= high;
        self.mean.is_finite()
            && self.deviation.is_finite()
            && self.deviation >= 0.0
            && self.range.is_none_or(ordered)
    }
}

/// `σ(intercept + slope·s)`, of the score or of its log odds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// Whether the score is a chance, of which the log odds are taken (those of 10⁻⁶ for 0, and likewise for 1).
    pub log_odds: bool,
    /// The offset.
    pub intercept: f64,
    /// The slope.
    pub slope: f64,
}

impl Scale {
    /// What is scaled.
    pub(crate) fn regressor(log_odds: bool, score: f64) -> f64 {
        if log_odds {
            let inside = score.clamp(1e-6, 1.0 - 1e-6);
            (inside / (1.0 - inside)).ln()
        } else {
            score
        }
    }

    /// The chance that a score means.
    pub fn chance(&self, score: f64) -> f64 {
        chance(self.intercept + self.slope * Self::regressor(self.log_odds, score))
    }
}

/// The cut of rules that say none.
fn half() -> f64 {
    0.5
}

/// `σ`.
pub(crate) fn chance(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// A column that a rule needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Need {
    /// Its name.
    pub column: String,
    /// What it holds.
    pub kind: NeedKind,
}

/// What a needed column holds.
#[derive(Debug, Clone, PartialEq)]
pub enum NeedKind {
    /// Numbers.
    Number,
    /// One of these values.
    Category {
        /// The values that the rule knows.
        levels: Vec<String>,
    },
    /// The score.
    Score,
}

/// A reason why a rule cannot be read, or cannot decide.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleError {
    /// It is no JSON of a rule.
    NoRule {
        /// What is wrong.
        reason: String,
    },
    /// It is of another version.
    Schema {
        /// The format.
        found: String,
    },
    /// A feature of a row.
    Feature(EncodeError),
    /// A score that is missing or no number.
    Score {
        /// The column.
        column: String,
        /// What was found.
        found: Option<f64>,
    },
    /// Numbers of the rule that are past all bounds on a row.
    Margin,
}

impl From<EncodeError> for RuleError {
    fn from(error: EncodeError) -> Self {
        RuleError::Feature(error)
    }
}

impl Refuses for RuleError {
    fn refusal(&self) -> Refusal {
        match self {
            RuleError::NoRule { reason } => Refusal::new(format!("this is no rule: {reason}"))
                .needed(text!["a file that {!mitigate} wrote"])
                .to_do("name that file"),
            RuleError::Schema { found } => Refusal::new(format!("the rule has the format {found}"))
                .needed(RULE_SCHEMA)
                .to_do("use the version of fairveil that wrote it, or write it again"),
            RuleError::Feature(error) => Refusal::new(error.to_string()),
            RuleError::Margin => Refusal::new("the rule's numbers are past all bounds on this row")
                .needed("a rule whose numbers stay finite")
                .to_do("check the features of the row, or learn the rule again"),
            RuleError::Score { column, found } => {
                let found = found.map_or("missing".to_owned(), |found| found.to_string());
                Refusal::new(format!("the score in column {column} is {found}"))
            }
        }
    }
}

shows_refusal!(RuleError);

impl Rule {
    /// Reads a rule.
    pub fn from_json(text: &str) -> Result<Rule, RuleError> {
        #[derive(Deserialize)]
        struct Named {
            schema: String,
        }
        let reason = |error: serde_json::Error| RuleError::NoRule { reason: error.to_string() };
        let named: Named = serde_json::from_str(text).map_err(reason)?;
        if named.schema.starts_with("fairveil.") && !named.schema.starts_with("fairveil.rule/") {
            let reason = format!("it is a report ({})", named.schema);
            return Err(RuleError::NoRule { reason });
        }
        if named.schema != RULE_SCHEMA {
            return Err(RuleError::Schema { found: named.schema });
        }
        let rule: Rule = serde_json::from_str(text).map_err(reason)?;
        rule.check()?;
        Ok(rule)
    }

    /// The rule as JSON, for people to read too.
    pub fn to_json(&self) -> Result<String, RuleError> {
        let text = serde_json::to_string_pretty(self);
        text.map(|text| text + "\n").map_err(|error| RuleError::NoRule { reason: error.to_string() })
    }

    /// Numbers that fit each other and are finite.
    fn check(&self) -> Result<(), RuleError> {
        let columns = self.encoding.columns();
        if self.columns != self.encoding.column_names() {
            return Err(RuleError::NoRule { reason: "its columns are not those of its features".into() });
        }
        let refuse = |reason: &str| Err(RuleError::NoRule { reason: reason.to_owned() });
        let fits = |linear: &Linear, wanted: usize| {
            linear.coefficients.len() == wanted
                && linear.intercept.is_finite()
                && linear.coefficients.iter().all(|b| b.is_finite())
        };
        let sound = match &self.model {
            Model::PlugIn { eta, tilts } => {
                let eta = match eta {
                    Eta::Features { model } => fits(model, columns),
                    Eta::Score { scale, seen, .. } => {
                        scale.is_none_or(|scale| scale.intercept.is_finite() && scale.slope.is_finite())
                            && seen.is_none_or(|seen| seen.is_sound())
                    }
                };
                eta && tilts.iter().all(|t| t.multiplier.is_finite() && fits(&t.weight, columns + 1))
            }
            Model::Logistic { model } => fits(model, columns),
            Model::Mlp { model } => model.fits(columns),
        };
        if !sound {
            return refuse("its coefficients do not fit its features");
        }
        let inside = matches!(self.model, Model::PlugIn { .. }) || (self.cut > 0.0 && self.cut < 1.0);
        if !(self.cut.is_finite() && inside) {
            return refuse("its cut is no chance");
        }
        if self.positive == self.negative {
            return refuse("both decisions have one name");
        }
        Ok(())
    }

    /// What a positive decision is called.
    pub fn positive(&self) -> &str {
        &self.positive
    }

    /// What the other is called.
    pub fn negative(&self) -> &str {
        &self.negative
    }

    fn score_column(&self) -> Option<&str> {
        match &self.model {
            Model::PlugIn { eta: Eta::Score { column, .. }, .. } => Some(column),
            _ => None,
        }
    }

    /// The scores that the rule was learned from, where it has one.
    pub(crate) fn seen_score(&self) -> Option<(&str, SeenScore)> {
        match &self.model {
            Model::PlugIn { eta: Eta::Score { column, seen, .. }, .. } => Some((column, (*seen)?)),
            _ => None,
        }
    }

    /// Whether a number can be a score of this rule.
    fn takes(&self, score: f64) -> bool {
        match &self.model {
            Model::PlugIn { eta: Eta::Score { scale, .. }, .. } => {
                let chance = scale.is_none_or(|scale| scale.log_odds);
                if chance { (0.0..=1.0).contains(&score) } else { score.is_finite() }
            }
            _ => true,
        }
    }

    /// The columns that a decision needs, in the order of the values of [`decide`](Self::decide).
    pub fn needs(&self) -> Vec<Need> {
        let feature = |feature: &EncodedFeature| Need {
            column: feature.name().to_owned(),
            kind: match feature {
                EncodedFeature::Number { .. } => NeedKind::Number,
                EncodedFeature::Category { levels, .. } => NeedKind::Category { levels: levels.clone() },
            },
        };
        let score = self.score_column().map(|column| Need { column: column.into(), kind: NeedKind::Score });
        self.encoding.features().iter().map(feature).chain(score).collect()
    }

    /// Whether one person is decided positive.
    pub fn decide(&self, values: &[Value]) -> Result<bool, RuleError> {
        Ok(self.margin(values)? > 0.0)
    }

    /// How far one person is on the positive side, in double precision: sums go from left to right, as they do in SQL.
    pub fn margin(&self, values: &[Value]) -> Result<f64, RuleError> {
        let features = self.encoding.features().len();
        let (of_features, rest) = values.split_at(features.min(values.len()));
        let score = match (self.score_column(), rest.first()) {
            (None, _) => 0.0,
            (Some(_), Some(Value::Number(score))) if self.takes(*score) => *score,
            (Some(column), Some(Value::Number(score))) => {
                return Err(RuleError::Score { column: column.into(), found: Some(*score) });
            }
            (Some(column), _) => return Err(RuleError::Score { column: column.into(), found: None }),
        };
        let row = self.encoding.encode_row(of_features)?;
        let linear = |model: &Linear| {
            row.iter().fold(model.intercept, |sum, (column, x)| sum + model.coefficients[*column] * x)
        };
        let margin = match &self.model {
            Model::Logistic { model } => linear(model) - log_odds(self.cut),
            Model::Mlp { model } => {
                let mut units = model.biases.clone();
                row.iter().for_each(|(column, x)| add_times(&mut units, *x, &model.weights[*column]));
                let output = units.iter().zip(&model.output.coefficients);
                let logit =
                    output.fold(model.output.intercept, |sum, (unit, weight)| sum + weight * unit.max(0.0));
                logit - log_odds(self.cut)
            }
            Model::PlugIn { eta, tilts } => {
                let eta = match eta {
                    Eta::Score { scale: None, .. } => score,
                    Eta::Score { scale: Some(scale), .. } => scale.chance(score),
                    Eta::Features { model } => chance(linear(model)),
                };
                let moved = |tilt: &Tilt| {
                    let last = tilt.weight.coefficients.last().copied().unwrap_or(0.0);
                    let weight = linear(&tilt.weight) + last * (2.0 * eta - 1.0);
                    let within = match tilt.label {
                        None => 1.0,
                        Some(true) => eta,
                        Some(false) => 1.0 - eta,
                    };
                    tilt.multiplier * (within * weight)
                };
                2.0 * eta - tilts.iter().map(moved).sum::<f64>() - 2.0 * self.cut
            }
        };
        if margin.is_finite() { Ok(margin) } else { Err(RuleError::Margin) }
    }

    /// Decisions about many rows that are encoded already, in single precision as they were fitted on; scores may be empty where
    /// the rule needs none.
    pub fn decide_all(&self, features: &Design, scores: &[f64]) -> Vec<bool> {
        let score = |row: usize| scores.get(row).copied().unwrap_or(0.0);
        (0..features.rows())
            .into_par_iter()
            .map(|row| self.encoded_margin(features.row(row), score(row)) > 0.0)
            .collect()
    }

    /// How far an encoded row is on the positive side.
    fn encoded_margin(&self, row: DesignRow<'_>, score: f64) -> f64 {
        match &self.model {
            Model::Logistic { model } => model.logit(row) - log_odds(self.cut),
            Model::Mlp { model } => model.logit(row) - log_odds(self.cut),
            Model::PlugIn { eta, tilts } => {
                let eta = match eta {
                    Eta::Score { scale: None, .. } => score,
                    Eta::Score { scale: Some(scale), .. } => scale.chance(score),
                    Eta::Features { model } => chance(model.logit(row)),
                };
                let moved: f64 = tilts.iter().map(|t| t.multiplier * t.weight_at(row, eta)).sum();
                2.0 * eta - moved - 2.0 * self.cut
            }
        }
    }
}
