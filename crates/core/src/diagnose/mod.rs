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
mod noise_by_stratum;
mod not_converged;
mod rows_without_label;
mod rows_without_prediction;
mod same_source;
mod small_group;
mod spellings;
mod suspicious_name;
mod too_few_proxies;
mod unequal_proxies;
mod uninformative;
mod weak_agreement;

pub use catalogue::{Entry, catalogue, explain};

use crate::answers::Origin;
use crate::calibrate::repaired;
use crate::counts::{Counts, Frequencies, View};
use crate::disparity::measure;
use crate::noise::{NoiseError, NoiseModel};
use crate::rates::{Joint, soft_votes};
use crate::record::TestRecord;
use crate::uncertainty::checks::informativeness;
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
    pub origin: Origin,
    pub view: View,
    pub seen: &'a Frequencies,
    /// The effective number of rows.
    pub rows: f64,
    pub noise: &'a Result<NoiseModel, NoiseError>,
    pub joint: Option<&'a Joint<Group>>,
}

/// A test must be clearer than usual to raise a finding: several are made.
const SIGNIFICANT: f64 = 0.01;

/// Everything worth doubting, most serious first. Pure: looks, and changes nothing.
pub(crate) fn examine(
    counts: &Counts,
    explanations: &[Explanation],
    tests: &[TestRecord],
    intervals: bool,
) -> Vec<Finding> {
    let legend = counts.legend();
    let mut findings = data(counts);
    findings.extend(proxies(counts));
    for explanation in explanations {
        findings.extend(noise(legend, explanation));
    }
    let explains = |joint: &Joint<Group>| joint.strata().any(|(_, shares)| shares.is_some());
    if explanations.iter().any(|explanation| explanation.joint.is_some_and(explains)) {
        findings.push(independence_assumed::IndependenceAssumed::of(legend).finding());
        if !intervals {
            findings.push(no_interval::NoInterval.finding());
        }
        let rejected = |name: &str| tests.iter().find(|test| test.test == name && test.p_value < SIGNIFICANT);
        if let Some(test) = rejected("exchangeable") {
            findings.push(unequal_proxies::UnequalProxies { test: test.clone() }.finding());
        }
        if let Some(test) = rejected("same_noise") {
            findings.push(noise_by_stratum::NoiseByStratum { test: test.clone() }.finding());
        }
    }
    findings.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.code.cmp(b.code)));
    // The global matrix is looked at once in each view.
    let mut told: Vec<Finding> = Vec::new();
    for finding in findings {
        if !told.contains(&finding) {
            told.push(finding);
        }
    }
    told
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
    for group in legend.groups.iter().filter(|group| suspicious_name::SuspiciousName::is(group)) {
        findings.push(suspicious_name::SuspiciousName { group: group.clone() }.finding());
    }
    findings.extend(small_groups(counts));
    findings.extend(intake.spellings.iter().map(|spelling| spellings::Spellings(spelling.clone()).finding()));
    findings
}

/// Groups with few rows by the votes of all proxies, the smallest only.
fn small_groups(counts: &Counts) -> Option<Finding> {
    let (legend, rows) = (counts.legend(), counts.effective_rows());
    let votes = soft_votes(&counts.frequencies().view(View::Predictions)?);
    let sizes = votes.axis().filter_map(|guess| Some((guess, rows * votes.share(guess).ok()?)));
    let (guess, rows) =
        sizes.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, rows)| *rows < small_group::FEW)?;
    Some(small_group::SmallGroup { group: legend.group(guess).to_owned(), rows }.finding())
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
        Ok(NoiseModel::Global(fit)) => {
            // In the labelled view the same matrix was learned from all rows, not from those with a label.
            if explanation.view == View::Predictions {
                let z = informativeness(legend.groups.len(), explanation.seen.cells(), explanation.rows);
                findings.extend(one_fit(legend, fit, "all rows".into(), z));
            }
        }
        Ok(NoiseModel::Local(fits)) => {
            for (stratum, fit) in fits {
                let place = format!("rows with {}", legend.stratum(*stratum));
                let cells =
                    explanation.seen.strata().find(|(other, _)| other == stratum).map_or(&[][..], |s| s.1);
                let share: f64 = cells.iter().map(|(_, share)| share).sum();
                let z = informativeness(legend.groups.len(), cells, explanation.rows * share);
                match fit {
                    Ok(fit) => findings.extend(one_fit(legend, fit, place, z)),
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
    informativeness: Option<f64>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(z) = informativeness.filter(|z| *z < weak_agreement::STRONG) {
        findings.push(weak_agreement::WeakAgreement { place: place.clone(), z }.finding());
    }
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
    let value =
        |joint: &Joint<Group>| measure(joint, criterion, Aggregate::MeanPairwise, legend.positive).ok();
    let found = negative_shares::NegativeShares {
        scope: explanation.origin.scope.unwrap_or(Scope::Global),
        criterion,
        place: format!("group {} among rows with {}", legend.group(group), legend.stratum(stratum)),
        share,
        value: value(joint),
        repaired: value(&repaired(explanation.seen, explanation.view, noise)),
    };
    Some(found.finding())
}
