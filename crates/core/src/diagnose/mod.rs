//! What to doubt. A finding is not an error: the number stands, the finding says how far.
//!
//! One file per finding, listed in `catalogue.rs`. Its text serves the source, `fairveil explain CODE`, the
//! reports and the website.

mod abstentions;
mod boundary;
mod catalogue;
mod identical_pair;
mod independence_assumed;
mod infeasible;
mod infeasible_stratum;
mod near_singular;
mod negative_shares;
mod no_interval;
mod not_converged;
mod rows_without_label;
mod rows_without_prediction;
mod same_source;
mod spellings;
mod too_few_proxies;
mod uninformative;

pub use catalogue::{Entry, catalogue, explain};

use crate::calibrate::repaired;
use crate::counts::{Counts, Frequencies, View};
use crate::disparity::measure;
use crate::noise::{NoiseError, NoiseModel};
use crate::rates::Joint;
use crate::vocabulary::{Aggregate, Criterion, Group, Legend, Scope};
use serde::Serialize;
use std::collections::BTreeMap;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// The number may be off.
    Warning,
    /// Do not use the number without dealing with this.
    Serious,
}

/// A number or a text behind a finding, for machines.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Evidence {
    /// A number; always finite.
    Number(f64),
    /// A text.
    Text(String),
    /// Several texts.
    List(Vec<String>),
    /// What could not be computed.
    Nothing,
}

impl From<f64> for Evidence {
    fn from(number: f64) -> Self {
        if number.is_finite() { Evidence::Number(number) } else { Evidence::Nothing }
    }
}

impl From<&str> for Evidence {
    fn from(text: &str) -> Self {
        Evidence::Text(text.to_owned())
    }
}

impl From<&[String]> for Evidence {
    fn from(texts: &[String]) -> Self {
        Evidence::List(texts.to_vec())
    }
}

/// What to doubt, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Stable code, as in `fairveil explain CODE`.
    pub code: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// The finding in a few words.
    pub title: &'static str,
    /// What was found, with its numbers.
    pub message: String,
    /// What to do.
    pub advice: String,
    /// The numbers and names behind it.
    pub evidence: BTreeMap<&'static str, Evidence>,
}

/// One kind of finding: its fields are the evidence.
trait Diagnosis {
    const CODE: &'static str;
    const TITLE: &'static str;
    fn severity(&self) -> Severity;
    fn message(&self) -> String;
    fn advice(&self) -> String;
    fn evidence(&self) -> Vec<(&'static str, Evidence)>;

    fn finding(&self) -> Finding {
        Finding {
            code: Self::CODE,
            severity: self.severity(),
            title: Self::TITLE,
            message: self.message(),
            advice: self.advice(),
            evidence: self.evidence().into_iter().collect(),
        }
    }
}

/// One estimated noise model (or why there is none) with the joint tables it leads to.
pub(crate) struct Explanation<'a> {
    pub scope: Scope,
    pub view: View,
    pub seen: &'a Frequencies,
    pub noise: &'a Result<NoiseModel, NoiseError>,
    pub joint: Option<&'a Joint<Group>>,
}

/// Everything worth doubting, most serious first. Pure: looks, and changes nothing.
pub(crate) fn examine(counts: &Counts, explanations: &[Explanation]) -> Vec<Finding> {
    let legend = counts.legend();
    let mut findings = data(counts);
    findings.extend(proxies(counts));
    for explanation in explanations {
        findings.extend(noise(legend, explanation));
    }
    let explains = |joint: &Joint<Group>| joint.strata().any(|(_, shares)| shares.is_some());
    if explanations.iter().any(|explanation| explanation.joint.is_some_and(explains)) {
        findings.push(independence_assumed::IndependenceAssumed::of(legend).finding());
        findings.push(no_interval::NoInterval.finding());
    }
    findings.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.code.cmp(b.code)));
    findings.dedup();
    findings
}

fn data(counts: &Counts) -> Vec<Finding> {
    let (legend, intake) = (counts.legend(), counts.intake());
    let mut findings = Vec::new();
    if intake.without_prediction > 0 {
        let all = intake.rows + intake.without_prediction;
        let found = rows_without_prediction::RowsWithoutPrediction { rows: intake.without_prediction, all };
        findings.push(found.finding());
    }
    if intake.without_label > 0 {
        let found = rows_without_label::RowsWithoutLabel { rows: intake.without_label, all: intake.rows };
        findings.push(found.finding());
    }
    for id in legend.all_proxies() {
        let share = counts.abstained(id) / counts.weight();
        if share > 0.0 {
            let proxy = legend.proxies[id.0].name.clone();
            findings.push(abstentions::Abstentions { proxy, share }.finding());
        }
    }
    findings.extend(intake.spellings.iter().map(|spelling| spellings::Spellings(spelling.clone()).finding()));
    findings
}

fn proxies(counts: &Counts) -> Vec<Finding> {
    let legend = counts.legend();
    let mut findings = Vec::new();
    if legend.proxies.len() < crate::estimate::Hoc::PROXIES {
        findings.push(too_few_proxies::TooFewProxies { found: legend.proxies.len() }.finding());
    }
    for (i, first) in legend.proxies.iter().enumerate() {
        for (j, second) in legend.proxies.iter().enumerate().skip(i + 1) {
            let pair = [first.name.clone(), second.name.clone()];
            let mut cells = counts.cells().filter(|(_, tally)| tally.weight > 0.0);
            if cells.all(|(cell, _)| cell.guesses[i] == cell.guesses[j]) {
                findings.push(identical_pair::IdenticalPair { proxies: pair.clone() }.finding());
            }
            if let (Some(source), true) = (&first.source, first.source == second.source) {
                findings.push(same_source::SameSource { proxies: pair, source: source.clone() }.finding());
            }
        }
    }
    findings
}

fn noise(legend: &Legend, explanation: &Explanation) -> Vec<Finding> {
    let mut findings = Vec::new();
    match explanation.noise {
        Err(NoiseError::TooFewProxies { .. }) => {} // said once, by `proxies`
        Err(reason) => {
            findings.push(infeasible::Infeasible { reason: reason.describe(legend) }.finding());
        }
        Ok(NoiseModel::Global(fit)) => findings.extend(one_fit(legend, fit, "all rows".into())),
        Ok(NoiseModel::Local(fits)) => {
            for (stratum, fit) in fits {
                let place = format!("rows with {}", legend.stratum(*stratum));
                match fit {
                    Ok(fit) => findings.extend(one_fit(legend, fit, place)),
                    Err(reason) => {
                        let reason = reason.describe(legend);
                        findings.push(infeasible_stratum::InfeasibleStratum { place, reason }.finding());
                    }
                }
            }
        }
    }
    findings.extend(negative_shares(legend, explanation));
    findings
}

fn one_fit(
    legend: &Legend,
    fit: &crate::noise::Fit<crate::noise::ProxyNoise>,
    place: String,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let name = |a: Group| legend.group(a).to_owned();
    if let Some((group, right)) = uninformative::worst(&fit.value) {
        let found = uninformative::Uninformative { place: place.clone(), group: name(group), right };
        findings.push(found.finding());
    }
    let condition = fit.value.transition.condition();
    if condition >= near_singular::LIMIT {
        findings.push(near_singular::NearSingular { place: place.clone(), condition }.finding());
    }
    if let Some((group, guess)) = boundary::at_zero(fit) {
        let (group, guess) = (name(group), name(Group(guess)));
        findings
            .push(boundary::Boundary { place: place.clone(), group, guess, misfit: fit.misfit }.finding());
    }
    if let crate::noise::Stopped::IterationLimit { iterations } = fit.stopped {
        findings.push(not_converged::NotConverged { place, iterations }.finding());
    }
    findings
}

/// Below this a negative share is rounding.
const NEGATIVE: f64 = -1e-9;

fn negative_shares(legend: &Legend, explanation: &Explanation) -> Option<Finding> {
    let (joint, noise) = (explanation.joint?, explanation.noise.as_ref().ok()?);
    let cells = joint.strata().filter_map(|(stratum, shares)| Some((stratum, shares?)));
    let cells = cells
        .flat_map(|(stratum, shares)| legend.all_groups().map(move |group| (stratum, group, shares[group])));
    let (stratum, group, share) =
        cells.min_by(|a, b| a.2.total_cmp(&b.2)).filter(|cell| cell.2 < NEGATIVE)?;
    let criterion = match explanation.view {
        View::Predictions => Criterion::DemographicParity,
        View::Labelled => Criterion::EqualizedOdds,
    };
    let value = |joint: &Joint<Group>| {
        measure(joint, criterion, Aggregate::MeanPairwise, legend.positive).unwrap_or(f64::NAN)
    };
    let found = negative_shares::NegativeShares {
        scope: explanation.scope,
        criterion,
        place: format!("group {} among rows with {}", legend.group(group), legend.stratum(stratum)),
        share,
        value: value(joint),
        repaired: value(&repaired(explanation.seen, explanation.view, noise)),
    };
    Some(found.finding())
}
