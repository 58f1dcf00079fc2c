//! Two attributes at once: rates of the groups that they make together, such as women of one origin.
//!
//! Errors of the proxies of each attribute are learned by themselves, as an audit does. With `R₁` and `R₂` what a row's guesses say
//! about the groups of either (`undo`):
//! ```text
//! h[a,b] = Σ R₁[a]·R₂[b]·selected / Σ R₁[a]·R₂[b]
//! ```
//! It is exact if, inside every group of both and decision, the proxies of one attribute err independently of those of the other. A
//! name that tells both breaks that; it is named in a finding, for nothing in the table shows it. Groups of few people are refused.
//!
//! What chance leaves open: the rows, and both sets of errors, which tables drawn anew give. Intervals hold for all groups at once
//! (Bonferroni).

mod table;

use crate::counts::{Cell, Counts, View};
use crate::diagnose::{Finding, of_intersection};
use crate::measures::Estimate;
use crate::monitor::{Watch, Watching};
use crate::record::{Input, Origin};
use crate::segments::Segment;
use crate::setting::{Dialect, Refusal, Refuses};
use crate::settings::{AuditError, Settings};
use crate::uncertainty::design::rows_of;
use crate::uncertainty::effective::effective_rows;
use crate::uncertainty::{Interval, normal_quantile};
use crate::vocabulary::{Criterion, Guess, Legend};
use crate::{shows_refusal, text};
use serde::{Deserialize, Serialize};
use table::{Joint, Rates};

/// Rows of which the proxies of the second attribute say the same.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// What each of them guesses, in the order in which they were named; nothing where it abstains.
    pub guesses: Vec<Option<String>>,
    /// The tally of these rows by the proxies of the first.
    pub counts: Counts,
}

impl From<Segment> for Pattern {
    /// A segment that was cut by the proxies of the second attribute.
    fn from(segment: Segment) -> Pattern {
        let said = |value: String| Some(value).filter(|value| !value.is_empty());
        Pattern { guesses: segment.values.into_iter().map(said).collect(), counts: segment.counts }
    }
}

/// Two attributes of the same rows.
#[derive(Debug, Clone, Copy)]
pub struct Attributes<'a> {
    /// What they are called.
    pub names: [&'a str; 2],
    /// The tally by the proxies of the first, and by those of the second.
    pub counts: [&'a Counts; 2],
    /// The proxies of the second, in the order in which they were named.
    pub proxies: &'a [String],
    /// All rows, by what the proxies of the second say.
    pub patterns: &'a [Pattern],
    /// The groups that others stand beside; the largest where none are named.
    pub reference: Option<[&'a str; 2]>,
}

/// Why two attributes cannot be put together.
#[derive(Debug, Clone, PartialEq)]
pub enum IntersectError {
    /// An audit of one of them is refused.
    Audit {
        /// Which.
        attribute: String,
        /// Why.
        error: AuditError,
    },
    /// A group to stand beside that nobody guesses.
    Reference {
        /// What was asked for.
        found: String,
        /// Of which attribute.
        attribute: String,
        /// What there is.
        groups: Vec<String>,
    },
}

impl Refuses for IntersectError {
    fn refusal(&self) -> Refusal {
        match self {
            IntersectError::Audit { attribute, error } => {
                let refusal = error.refusal();
                Refusal { found: text![format!("{attribute}: "), refusal.found], ..refusal }
            }
            IntersectError::Reference { found, attribute, groups } => {
                Refusal::new(format!("the reference group `{found}` is no group of {attribute}"))
                    .needed(format!("one of {}", groups.join(", ")))
                    .to_do(text!["correct {reference}"])
            }
        }
    }
}

shows_refusal!(IntersectError);

/// The groups that two attributes make together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Intersection {
    /// What was read.
    pub input: Input,
    /// The two attributes.
    pub attributes: Vec<AttributeRecord>,
    /// How often all intervals should hold at once, and each by itself.
    pub confidence: f64,
    /// The same of each.
    pub confidence_of_each: f64,
    /// The share of the proxies' agreement that may be shared error in honest intervals.
    pub shared_error: f64,
    /// Seed of the draws.
    pub seed: u64,
    /// The groups that others stand beside.
    pub reference: Option<Vec<String>>,
    /// Every pair of groups.
    pub groups: Vec<PairRecord>,
    /// What to doubt.
    pub findings: Vec<Finding>,
    /// Why nothing can be said.
    pub unavailable: Option<String>,
}

/// One attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttributeRecord {
    /// What it is called.
    pub name: String,
    /// Its groups.
    pub groups: Vec<String>,
    /// Its proxies.
    pub proxies: Vec<String>,
    /// What errors were learned by.
    pub rests_on: Option<Origin>,
}

/// People of a group of each attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairRecord {
    /// The group of each.
    pub groups: Vec<String>,
    /// Their people, by weight, as estimated.
    pub people: Option<f64>,
    /// How often they are selected.
    pub rate: Estimate,
    /// The rate less that of the reference.
    pub difference: Estimate,
    /// The rate over that of the reference.
    pub adverse_impact_ratio: Estimate,
    /// Why there are no numbers.
    pub unavailable: Option<String>,
}

/// Fewer people than this, as estimated, are not told of.
pub const LEAST_PEOPLE: f64 = 100.0;
/// A rate whose standard error is larger says nothing.
const MOST_ERROR: f64 = 0.1;

impl Intersection {
    /// Rates of all pairs of groups.
    pub fn run(asked: &Attributes, settings: &Settings) -> Result<Intersection, IntersectError> {
        let of = |i: usize| {
            let plain = Settings { reference: None, ..settings.clone() };
            Watch::of(asked.counts[i], Criterion::DemographicParity, &plain)
                .map_err(|error| IntersectError::Audit { attribute: asked.names[i].to_owned(), error })
        };
        let watches = [of(0)?, of(1)?];
        let legends = watches.each_ref().map(|watch| watch.counts().legend());
        let pairs = legends[0].groups.len() * legends[1].groups.len();
        let each = 1.0 - (1.0 - settings.confidence) / pairs.saturating_sub(1).max(1) as f64;
        let attribute = |i: usize| AttributeRecord {
            name: asked.names[i].to_owned(),
            groups: legends[i].groups.clone(),
            proxies: legends[i].proxies.iter().map(|proxy| proxy.name.clone()).collect(),
            rests_on: None,
        };
        let mut record = Intersection {
            input: watches[0].audit().input.clone(),
            attributes: vec![attribute(0), attribute(1)],
            confidence: settings.confidence,
            confidence_of_each: each,
            shared_error: settings.shared_error,
            seed: settings.seed,
            reference: None,
            groups: Vec::new(),
            findings: findings(&watches, asked.names),
            unavailable: None,
        };
        let reference = asked.reference.map(|names| named(names, asked.names, legends)).transpose()?;
        let why = |i: usize, reason: String| format!("{}: {reason}", asked.names[i]);
        let watching = (watches[0].watching().map_err(|reason| why(0, reason)))
            .and_then(|first| Ok((first, watches[1].watching().map_err(|reason| why(1, reason))?)));
        match watching {
            Err(reason) => record.unavailable = Some(reason),
            Ok((first, second)) => {
                record.attributes[0].rests_on = Some(first.origin().clone());
                record.attributes[1].rests_on = Some(second.origin().clone());
                Told::of(asked, &watches, [&first, &second], reference, each).fill(&mut record, legends);
            }
        }
        Ok(record)
    }

    /// The same in the words of a front end.
    pub fn spelled(mut self, dialect: &dyn Dialect) -> Self {
        self.findings.iter_mut().for_each(|finding| finding.spell(dialect));
        self
    }
}

/// The places of groups that were named.
fn named(
    names: [&str; 2],
    attributes: [&str; 2],
    legends: [&Legend; 2],
) -> Result<[usize; 2], IntersectError> {
    let place = |i: usize| {
        let found = legends[i].groups.iter().position(|group| group == names[i]);
        found.ok_or_else(|| IntersectError::Reference {
            found: names[i].to_owned(),
            attribute: attributes[i].to_owned(),
            groups: legends[i].groups.clone(),
        })
    };
    Ok([place(0)?, place(1)?])
}

/// What is to be doubted of either, and of both together.
fn findings(watches: &[Watch; 2], names: [&str; 2]) -> Vec<Finding> {
    // They were asked for no interval.
    let own =
        watches.iter().flat_map(|watch| &watch.audit().findings).filter(|finding| finding.code != "U01");
    let mut all = of_intersection(&names.map(str::to_owned));
    for finding in own {
        if !all.iter().any(|other| (&other.code, &other.message) == (&finding.code, &finding.message)) {
            all.push(finding.clone());
        }
    }
    all.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.code.cmp(&b.code)));
    all
}

/// Rates of all pairs, by errors that were learned and by others that may be true.
struct Told {
    found: Option<Rates>,
    drawn: Vec<Rates>,
    others: Vec<Rates>,
    rows: f64,
    weight: f64,
    each: f64,
    reference: Option<usize>,
    groups: [usize; 2],
}

impl Told {
    fn of(
        asked: &Attributes,
        watches: &[Watch; 2],
        watching: [&Watching; 2],
        reference: Option<[usize; 2]>,
        each: f64,
    ) -> Told {
        let counts = watches[0].counts();
        let groups = watches.each_ref().map(|watch| watch.counts().legend().groups.len());
        let joint = Joint::of(asked, watches[1].counts().legend(), counts.legend().positive);
        let rows = match counts.frequencies().view(View::Predictions) {
            Some(seen) => {
                let rows = rows_of(counts, View::Predictions, None);
                effective_rows(counts, View::Predictions, &seen, rows).calibrated
            }
            None => counts.effective_rows(),
        };
        let rates = |first, second| joint.rates(first, second, groups);
        let found = rates(watching[0].undo(), watching[1].undo());
        let drawn = watching[0].drawn().iter().zip(watching[1].drawn());
        let drawn = drawn.filter_map(|(first, second)| rates(first, second)).collect();
        let first = watching[0].others().iter().filter_map(|other| rates(other, watching[1].undo()));
        let second = watching[1].others().iter().filter_map(|other| rates(watching[0].undo(), other));
        let others = first.chain(second).collect();
        let largest = |rates: &Rates| {
            (0..rates.people.len()).max_by(|a, b| rates.people[*a].total_cmp(&rates.people[*b]))
        };
        let reference = match reference {
            Some([a, b]) => Some(a * groups[1] + b),
            None => found.as_ref().and_then(largest),
        };
        Told { found, drawn, others, rows, weight: counts.weight(), each, reference, groups }
    }

    fn fill(&self, record: &mut Intersection, legends: [&Legend; 2]) {
        let named = |pair: usize| -> Vec<String> {
            let (a, b) = (pair / self.groups[1], pair % self.groups[1]);
            vec![legends[0].groups[a].clone(), legends[1].groups[b].clone()]
        };
        let Some(found) = &self.found else {
            record.unavailable = Some("no row has guesses of both attributes".into());
            return;
        };
        record.reference = self.reference.map(named);
        let pairs = 0..self.groups[0] * self.groups[1];
        record.groups = pairs.map(|pair| self.pair(found, pair, named(pair))).collect();
    }

    /// Why a pair is not told of.
    fn refused(&self, found: &Rates, pair: usize) -> Option<String> {
        let people = found.people[pair] * self.rows;
        if people < LEAST_PEOPLE {
            let about = people.max(0.0).round();
            return Some(format!("about {about} people are estimated, and {LEAST_PEOPLE} are needed"));
        }
        let error = self
            .error(found, &|rates: &Rates| rates.variance(pair, None), &|rates: &Rates| rates.rates[pair]);
        (error > MOST_ERROR || !(-0.05..=1.05).contains(&found.rates[pair]))
            .then(|| "too little is known of its rate".to_owned())
    }

    /// By the rows, and by not knowing the errors.
    fn error(&self, found: &Rates, own: &dyn Fn(&Rates) -> f64, of: &dyn Fn(&Rates) -> f64) -> f64 {
        let values: Vec<f64> = self.drawn.iter().map(of).filter(|value| value.is_finite()).collect();
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let errors = if values.len() < 10 { 0.0 } else { spread / (values.len() - 1) as f64 };
        (own(found) / self.rows + errors).sqrt()
    }

    fn pair(&self, found: &Rates, pair: usize, groups: Vec<String>) -> PairRecord {
        if let Some(reason) = self.refused(found, pair) {
            let none = || Estimate::none(reason.clone());
            return PairRecord {
                groups,
                people: None,
                rate: none(),
                difference: none(),
                adverse_impact_ratio: none(),
                unavailable: Some(reason),
            };
        }
        let beside = self.reference.filter(|reference| self.refused(found, *reference).is_none());
        let against = |of: &dyn Fn(usize) -> Estimate| match (self.reference, beside) {
            (Some(reference), _) if reference == pair => Estimate::none("these are the reference groups"),
            (_, Some(beside)) => of(beside),
            _ => Estimate::none("too little is known of the reference groups"),
        };
        PairRecord {
            people: Some(found.people[pair] * self.weight),
            rate: self.estimate(found, Interval::UNIT, &|rates| rates.variance(pair, None), &|rates| {
                rates.rates[pair]
            }),
            difference: against(&|beside| {
                self.estimate(
                    found,
                    Interval::SIGNED,
                    &|rates| rates.variance(pair, Some(beside)),
                    &|rates| rates.rates[pair] - rates.rates[beside],
                )
            }),
            adverse_impact_ratio: against(&|beside| self.ratio(found, pair, beside)),
            groups,
            unavailable: None,
        }
    }

    fn estimate(
        &self,
        found: &Rates,
        bounds: Interval,
        own: &dyn Fn(&Rates) -> f64,
        of: &dyn Fn(&Rates) -> f64,
    ) -> Estimate {
        let reach = normal_quantile(self.each) * self.error(found, own, of);
        let around = |value: f64| Interval { low: value - reach, high: value + reach }.within(bounds);
        let value = of(found);
        let interval = around(value);
        let honest = self.others.iter().map(|other| around(of(other))).fold(interval, Interval::and);
        Estimate {
            value: Some(value),
            interval: Some(interval),
            honest_interval: Some(honest).filter(|_| !self.others.is_empty()),
            unavailable: None,
        }
    }

    /// On the scale of logarithms.
    fn ratio(&self, found: &Rates, pair: usize, beside: usize) -> Estimate {
        let log = |rates: &Rates| (rates.rates[pair] / rates.rates[beside]).ln();
        if found.rates[pair] <= 0.0 || found.rates[beside] <= 0.0 {
            return Estimate::none("a ratio needs rates above 0");
        }
        let own = |rates: &Rates| rates.log_variance(pair, beside);
        let reach = normal_quantile(self.each) * self.error(found, &own, &log);
        let around = |value: f64| Interval { low: (value - reach).exp(), high: (value + reach).exp() };
        let interval = around(log(found));
        let others = self.others.iter().map(log).filter(|log| log.is_finite());
        let honest = others.map(around).fold(interval, Interval::and);
        Estimate {
            value: Some(log(found).exp()),
            interval: Some(interval),
            honest_interval: Some(honest).filter(|_| !self.others.is_empty()),
            unavailable: None,
        }
    }
}
