//! People whom a rule was not learned from: rows far outside, and a table that differs as a whole.
//!
//! ```text
//! a row is outside     x < low − (high − low)/2   or   x > high + (high − low)/2
//! a number differs     |mean here − mean| / deviation > 0.25, beyond chance
//! a category differs   |share here − share| > 0.1, beyond chance
//! many are outside     more than one row in a hundred, and ten
//! ```
//! The mean is that of values that are not far outside: one slip would move it.
//! `low` and `high` are the tenth smallest and the tenth largest value of the rows that a rule was learned from: a rule is handed around,
//! and the smallest and the largest would be those of one person. Half of the range more leaves room for the nine beyond.

use crate::encode::EncodedFeature;
use crate::{Rule, Value};

/// Deviations by which a mean differs, and shares by which a level does.
const FAR: f64 = 0.25;
const OTHER: f64 = 0.1;
/// The share of values far outside that is told of a table, and how many they must be.
const MANY: f64 = 0.01;
const FEW: f64 = 10.0;
/// Standard errors past which a difference is no chance: many features are looked at.
const CLEAR: f64 = 5.0;

impl Rule {
    /// The first value that is far outside of what the rule was learned from, by its place among the values.
    pub fn outside(&self, values: &[Value]) -> Option<usize> {
        let ranges = self.encoding.features().iter().map(range_of).chain([self.score_range()]);
        let outside = |(range, value): (Option<[f64; 2]>, &Value)| match value {
            Value::Number(value) => is_outside(range, *value),
            _ => false,
        };
        ranges.zip(values).position(outside)
    }

    fn score_range(&self) -> Option<[f64; 2]> {
        self.seen_score().and_then(|(_, seen)| seen.range)
    }
}

fn range_of(feature: &EncodedFeature) -> Option<[f64; 2]> {
    match feature {
        EncodedFeature::Number { range, .. } => *range,
        EncodedFeature::Category { .. } => None,
    }
}

fn is_outside(range: Option<[f64; 2]>, value: f64) -> bool {
    range.is_some_and(|[low, high]| {
        let room = (high - low) / 2.0;
        !(low - room..=high + room).contains(&value)
    })
}

/// What was seen of one feature.
#[derive(Debug, Clone)]
enum Seen {
    Number(Total),
    Category { rows: f64, levels: Vec<f64> },
}

/// Looks at the rows that a rule decides about, to tell whether they are people like those it was learned from.
#[derive(Debug, Clone)]
pub struct Onlooker<'r> {
    rule: &'r Rule,
    seen: Vec<Seen>,
    scores: Total,
}

/// Numbers so far.
#[derive(Debug, Clone, Copy, Default)]
struct Total {
    rows: f64,
    sum: f64,
    /// Values far outside, which are not in the sum.
    outside: f64,
}

impl Total {
    fn add(&mut self, value: f64, range: Option<[f64; 2]>) {
        if is_outside(range, value) {
            self.outside += 1.0;
        } else {
            self.rows += 1.0;
            self.sum += value;
        }
    }

    /// By how much the mean differs, as a multiple of what is told, and in words; if it does, beyond chance.
    fn differs(&self, name: &str, mean: f64, deviation: f64) -> Option<(f64, String)> {
        let share = self.outside / (self.rows + self.outside);
        if share > MANY && self.outside > FEW {
            let words =
                format!("{name}: {:.0} % of the values are far outside of what was seen", 100.0 * share);
            return Some((share / MANY, words));
        }
        let here = self.sum / self.rows;
        let off = (here - mean).abs() / deviation;
        let words = || format!("{name}: mean {here:.4} for {mean:.4} ({off:.2} standard deviations)");
        (off.is_finite() && off > FAR && off * self.rows.sqrt() > CLEAR).then(|| (off / FAR, words()))
    }
}

impl<'r> Onlooker<'r> {
    /// Has seen no row.
    pub fn new(rule: &'r Rule) -> Self {
        let nothing = |feature: &EncodedFeature| match feature {
            EncodedFeature::Number { .. } => Seen::Number(Total::default()),
            EncodedFeature::Category { levels, .. } => {
                // The last place is for all others.
                Seen::Category { rows: 0.0, levels: vec![0.0; levels.len() + 1] }
            }
        };
        let seen = rule.encoding.features().iter().map(nothing).collect();
        Onlooker { rule, seen, scores: Total::default() }
    }

    /// Looks at the values of one row.
    pub fn look(&mut self, values: &[Value]) {
        let features = self.rule.encoding.features().iter();
        for ((feature, seen), value) in features.zip(&mut self.seen).zip(values) {
            match (feature, seen, value) {
                (EncodedFeature::Number { range, .. }, Seen::Number(total), Value::Number(value)) => {
                    total.add(*value, *range);
                }
                (
                    EncodedFeature::Category { levels: known, .. },
                    Seen::Category { rows, levels },
                    Value::Text(text),
                ) => {
                    *rows += 1.0;
                    let place =
                        known.binary_search_by(|level| level.as_str().cmp(text)).unwrap_or(known.len());
                    levels[place] += 1.0;
                }
                _ => {}
            }
        }
        // The score comes after the features.
        if let Some(Value::Number(score)) = values.get(self.seen.len()) {
            self.scores.add(*score, self.rule.score_range());
        }
    }

    /// How the rows differ from those that the rule was learned from, in words, the largest difference first.
    pub fn differences(&self) -> Vec<String> {
        let mut found: Vec<(f64, String)> = Vec::new();
        for (feature, seen) in self.rule.encoding.features().iter().zip(&self.seen) {
            match (feature, seen) {
                (
                    EncodedFeature::Number { name, mean, deviation, range: Some(_), .. },
                    Seen::Number(total),
                ) => found.extend(total.differs(name, *mean, *deviation)),
                (
                    EncodedFeature::Category { name, levels, shares, .. },
                    Seen::Category { rows, levels: met },
                ) if *rows > 0.0 && !shares.is_empty() => {
                    let names = levels.iter().map(String::as_str).chain(["others"]);
                    let differs = |((level, share), times): ((&str, &f64), &f64)| {
                        let here = times / rows;
                        let off = (here - share).abs();
                        let error = (share * (1.0 - share) / rows).sqrt().max(0.5 / rows);
                        (off > OTHER && off > CLEAR * error).then(|| {
                            let percent = |share: f64| 100.0 * share;
                            let words = format!(
                                "{name}: {level} {:.0} % for {:.0} %",
                                percent(here),
                                percent(*share)
                            );
                            (off / OTHER, words)
                        })
                    };
                    found.extend(
                        names.zip(shares).zip(met).filter_map(differs).max_by(|a, b| a.0.total_cmp(&b.0)),
                    );
                }
                _ => {}
            }
        }
        if let Some((name, seen)) = self.rule.seen_score() {
            found.extend(self.scores.differs(name, seen.mean, seen.deviation));
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|(_, words)| words).collect()
    }
}
