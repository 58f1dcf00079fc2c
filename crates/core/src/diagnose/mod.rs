//! What to doubt. A finding is not an error: the number stands, the finding says how far.
//!
//! One file per finding, listed in `catalogue.rs`. Its text serves the source, `fairveil explain CODE`, the
//! reports and the website.

mod abstentions;
mod below_floor;
mod borrowed_guesses;
mod boundary;
mod catalogue;
mod constraint_missed;
mod errors_in_features;
mod few_labels;
mod few_rows_to_mitigate;
mod gap_grew;
mod gap_left;
mod gap_unclear;
mod given_shares;
mod guesses_in_features;
mod hidden_cells;
mod identical_pair;
mod independence_assumed;
mod infeasible;
mod infeasible_stratum;
mod label_in_features;
mod labels_contradict;
mod labels_show_sharing;
mod near_singular;
mod negative_shares;
mod no_interval;
mod noise_along_score;
mod noise_by_stratum;
mod noised_tally;
mod not_above_constant;
mod not_converged;
mod not_testable;
mod randomized_guesses;
mod reads_features;
mod rows_left_out;
mod rows_without_label;
mod rows_without_prediction;
mod same_source;
mod score_scale;
mod shared_people;
mod skipped_rows;
mod small_group;
mod small_stratum;
mod sparse_labels;
mod spellings;
mod stand_ins;
mod strata_against_labels;
mod suspicious_name;
mod too_few_proxies;
mod two_proxies;
mod unequal_proxies;
mod uninformative;
mod weak_agreement;

pub use catalogue::{Entry, catalogue, explain};

/// Findings about a mitigation.
pub(crate) mod mitigation {
    pub(crate) use super::constraint_missed::ConstraintMissed;
    pub(crate) use super::errors_in_features::ErrorsInFeatures;
    pub(crate) use super::few_rows_to_mitigate::FewRowsToMitigate;
    pub(crate) use super::gap_grew::GapGrew;
    pub(crate) use super::gap_left::GapLeft;
    pub(crate) use super::gap_unclear::GapUnclear;
    pub(crate) use super::guesses_in_features::GuessesInFeatures;
    pub(crate) use super::label_in_features::LabelInFeatures;
    pub(crate) use super::noise_along_score::NoiseAlongScore;
    pub(crate) use super::not_above_constant::NotAboveConstant;
    pub(crate) use super::rows_left_out::RowsLeftOut;
    pub(crate) use super::score_scale::ScoreScale;
    pub(crate) use super::stand_ins::StandIns;
}

use crate::answers::{Answers, Origin};
use crate::calibrate::repaired;
use crate::counts::{Counts, Frequencies, View};
use crate::disparity::measure;
use crate::estimate::Hoc;
use crate::noise::{NoiseError, NoiseModel, ProxyNoise};
use crate::rates::{Joint, soft_votes};
use crate::record::{Measurement, Test, TestRecord};
use crate::setting::{Dialect, Text};
use crate::settings::Settings;
use crate::uncertainty::checks::{informativeness, strata_differ};
use crate::vocabulary::{Aggregate, Criterion, Estimator, Group, Legend, Scope};
use reads_features::ReadsFeatures;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable code, as in `fairveil explain CODE`.
    pub code: Cow<'static, str>,
    /// How much it weighs.
    pub severity: Severity,
    /// The finding in a few words.
    pub title: Cow<'static, str>,
    /// What was found, with its numbers.
    pub message: Text,
    /// What to do.
    pub advice: Text,
    /// The numbers and names behind it.
    pub evidence: BTreeMap<Cow<'static, str>, Evidence>,
}

impl Finding {
    /// Puts it into the words of a front end.
    pub(crate) fn spell(&mut self, dialect: &dyn Dialect) {
        self.message.spell(dialect);
        self.advice.spell(dialect);
    }
}

/// One kind of finding: its fields are the evidence.
pub(crate) trait Diagnosis {
    const CODE: &'static str;
    const TITLE: &'static str;
    fn severity(&self) -> Severity;
    fn message(&self) -> String;
    fn advice(&self) -> String;
    fn evidence(&self) -> Vec<(&'static str, Evidence)>;

    fn finding(&self) -> Finding {
        Finding {
            code: Self::CODE.into(),
            severity: self.severity(),
            title: Self::TITLE.into(),
            message: self.message().into(),
            advice: self.advice().into(),
            evidence: self.evidence().into_iter().map(|(name, value)| (name.into(), value)).collect(),
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
pub(crate) const SIGNIFICANT: f64 = 0.01;

/// What there is to look at.
pub(crate) struct Looked<'a> {
    pub counts: &'a Counts,
    pub answers: &'a [Answers],
    pub tests: &'a [TestRecord],
    pub results: &'a [Measurement],
    pub settings: &'a Settings,
    /// The method that is relied on, if any.
    pub estimator: Option<Estimator>,
}

/// Everything worth doubting, most serious first. Pure: looks, and changes nothing.
pub(crate) fn examine(looked: &Looked) -> Vec<Finding> {
    let (counts, tests) = (looked.counts, looked.tests);
    let legend = counts.legend();
    let explanations: Vec<Explanation> = looked.answers.iter().flat_map(Answers::explanations).collect();
    let mut findings = data(counts);
    findings.extend(small_strata(legend, looked.answers));
    findings.extend(proxies(counts, looked.estimator.is_some()));
    findings.extend(lent_and_told(looked));
    findings.extend(known_groups(looked));
    findings.extend(below_the_floor(looked));
    // Every method that is not relied on has its reasons in its own place; moments are what most rely on.
    let examined = |e: &&Explanation| {
        let estimator = e.origin.estimator;
        estimator == Some(Estimator::Hoc)
            || estimator == looked.estimator
            || estimator == looked.settings.estimator.fixed()
    };
    for explanation in explanations.iter().filter(examined) {
        findings.extend(noise(legend, explanation));
    }
    if looked.estimator == Some(Estimator::LatentClass)
        && let (2, Some(answers)) = (legend.proxies.len(), looked.answers.first())
    {
        findings.push(
            two_proxies::TwoProxies { statistic: strata_differ(&answers.seen, answers.rows) }.finding(),
        );
    }
    let explains = |joint: &Joint<Group>| joint.strata().any(|(_, shares)| shares.is_some());
    if explanations.iter().any(|explanation| explanation.joint.is_some_and(explains)) {
        // Labels need no independence, and show what else the table can not.
        // What neighbours must be like is a finding of its own.
        let lent = legend.proxies.iter().any(|proxy| proxy.lent_by.is_some());
        let by_agreement = looked.estimator != Some(Estimator::Audit) && !lent;
        if by_agreement {
            findings.push(independence_assumed::IndependenceAssumed::of(legend).finding());
        }
        if legend.proxies.len() > 1 && by_agreement {
            findings.push(not_testable::NotTestable::of(legend.groups.len(), legend.proxies.len()).finding());
        }
        let interval_missing =
            |r: &Measurement| r.basis.is_inferred() && r.value.is_some() && r.interval.is_none();
        if looked.results.iter().any(interval_missing) {
            findings.push(no_interval::NoInterval.finding());
        }
        let rejected = |what: Test| tests.iter().find(|test| test.test == what && test.p_value < SIGNIFICANT);
        if let Some(test) = rejected(Test::Exchangeable) {
            findings.push(unequal_proxies::UnequalProxies { test: test.clone() }.finding());
        }
        if let Some(test) = rejected(Test::SameNoise) {
            findings.push(noise_by_stratum::NoiseByStratum { test: test.clone() }.finding());
        }
    }
    findings.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.code.cmp(&b.code)));
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
    for skipped in &intake.skipped {
        let left_out: u64 = intake.skipped.iter().map(|skipped| skipped.rows).sum();
        let all = intake.rows + intake.without_prediction + left_out;
        findings.push(skipped_rows::SkippedRows { skipped: skipped.clone(), all }.finding());
    }
    if let Some(hidden) = intake.hidden.clone().filter(|hidden| hidden.rows > 0) {
        let share = hidden.weight / (hidden.weight + counts.weight());
        findings.push(hidden_cells::HiddenCells { hidden, share }.finding());
    }
    if let Some(noised) = intake.noised.clone() {
        findings.push(noised_tally::NoisedTally { noised, rows: counts.weight() }.finding());
    }
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

/// The smallest part of the table with few rows.
fn small_strata(legend: &Legend, answers: &[Answers]) -> Option<Finding> {
    let sizes = answers.iter().flat_map(|answers| {
        answers.seen.strata().map(|(stratum, cells)| {
            (stratum, answers.rows * cells.iter().map(|(_, share)| share).sum::<f64>())
        })
    });
    let (stratum, rows) =
        sizes.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, rows)| *rows < small_stratum::FEW)?;
    Some(small_stratum::SmallStratum { place: legend.stratum(stratum), rows }.finding())
}

/// What rows of known groups, and error rates from elsewhere, make doubtful.
fn known_groups(looked: &Looked) -> Vec<Finding> {
    let legend = looked.counts.legend();
    let mut findings = Vec::new();
    if let Some(labels) = looked.counts.audit_labels() {
        let sizes = legend.all_groups().map(|group| (group, labels.of_group(group)));
        let fewest = sizes.min_by_key(|(_, n)| *n).filter(|(_, n)| *n < few_labels::FEW);
        if let Some((group, n)) = fewest {
            let group = legend.group(group).to_owned();
            findings.push(few_labels::FewLabels { group, labels: n, all: labels.rows() }.finding());
        }
        let for_each = labels.for_each_pattern(legend.groups.len());
        if for_each < sparse_labels::FEW {
            findings.push(sparse_labels::SparseLabels { labels: labels.rows(), for_each }.finding());
        }
        // Strata that err in ways of their own look like shared error to one table of errors for all.
        let apart =
            looked.tests.iter().any(|test| test.test == Test::SameNoise && test.p_value < SIGNIFICANT);
        if apart {
            findings.push(strata_against_labels::StrataAgainstLabels.finding());
        }
        for group in legend.all_groups() {
            if let Some((right, by_chance)) = labels.guessed(group).filter(|(right, other)| right <= other) {
                let group = legend.group(group).to_owned();
                findings.push(labels_contradict::LabelsContradict { group, right, by_chance }.finding());
            }
        }
        let about_all = looked.answers.iter().find(|answers| answers.view == View::Predictions);
        let share = about_all.and_then(|answers| answers.audit.as_ref()?.shared_error(&answers.seen));
        if let Some(share) = share.filter(|_| !apart && for_each >= sparse_labels::FEW) {
            let (assumed, labels) = (looked.settings.shared_error, labels.rows());
            findings.push(labels_show_sharing::LabelsShowSharing { share, assumed, labels }.finding());
        }
    }
    for given in looked.settings.given.iter().flat_map(|given| &given.noise) {
        let about_all = looked.answers.iter().find(|answers| answers.view == View::Predictions);
        let model = about_all.and_then(|answers| {
            let own = |origin: &Origin| origin.estimator == Some(Estimator::Given);
            answers.noise.iter().find(|(origin, _)| own(origin)).and_then(|(_, model)| model.as_ref().ok())
        });
        if let (Some(NoiseModel::Global(fit)), Some(shares)) = (model, &given.group_shares) {
            let off = |group: &Group| (shares[*group] - fit.value.group_shares[*group]).abs();
            let worst = legend.all_groups().max_by(|a, b| off(a).total_cmp(&off(b)));
            if let Some(group) = worst.filter(|group| off(group) > given_shares::FAR) {
                let (given, found) = (shares[group], fit.value.group_shares[group]);
                let group = legend.group(group).to_owned();
                findings.push(given_shares::GivenShares { group, given, found }.finding());
            }
        }
    }
    findings
}

/// How the proxies err by moments, one matrix for all rows, if that can be told.
fn by_moments(about_all: Option<&Answers>) -> Option<&ProxyNoise> {
    let global =
        |origin: &Origin| (origin.estimator, origin.scope) == (Some(Estimator::Hoc), Some(Scope::Global));
    let (_, model) = about_all?.noise.iter().find(|(origin, _)| global(origin))?;
    match model {
        Ok(NoiseModel::Global(fit)) => Some(&fit.value),
        _ => None,
    }
}

/// Proxies that look as if they followed from the features by which neighbours are near.
fn functions_of_features(counts: &Counts, noise: Option<&ProxyNoise>) -> Vec<ReadsFeatures> {
    let mut lent: Vec<String> =
        counts.legend().proxies.iter().filter_map(|proxy| proxy.lent_by.clone()).collect();
    lent.dedup();
    let mut found: Vec<ReadsFeatures> = match &counts.intake().borrowed {
        Some(borrowed) => {
            borrowed.proxies.iter().filter_map(|guesses| ReadsFeatures::of(guesses, noise)).collect()
        }
        None => lent.iter().filter_map(|proxy| ReadsFeatures::by_itself(proxy, noise?)).collect(),
    };
    if !lent.is_empty() {
        found.extend(ReadsFeatures::against_each_other(counts));
    }
    found
}

/// Why nothing that agreement says can be relied on, if a proxy clearly follows from the features.
pub(crate) fn reads_features(counts: &Counts, about_all: Option<&Answers>) -> Option<String> {
    let found = functions_of_features(counts, by_moments(about_all));
    let serious = found.iter().find(|found| found.severity() == Severity::Serious)?;
    Some(format!(
        "proxy {} looks like a function of the features by which neighbours are near (finding P13), so that its agreement with \
         them shows nothing about its errors",
        serious.proxy
    ))
}

/// Guesses that neighbours lent, and guesses that were randomised.
fn lent_and_told(looked: &Looked) -> Vec<Finding> {
    let (counts, legend) = (looked.counts, looked.counts.legend());
    let about_all = looked.answers.iter().find(|answers| answers.view == View::Predictions);
    let noise = by_moments(about_all);
    let mut findings = Vec::new();
    findings.extend(randomized_guesses::RandomizedGuesses::of(counts, noise).map(|found| found.finding()));
    let mut lent: Vec<String> = legend.proxies.iter().filter_map(|proxy| proxy.lent_by.clone()).collect();
    lent.sort();
    lent.dedup();
    let borrowed = counts.intake().borrowed.clone();
    if !lent.is_empty() {
        findings.extend(functions_of_features(counts, noise).iter().map(Diagnosis::finding));
        findings.push(borrowed_guesses::BorrowedGuesses::of(lent, borrowed, noise).finding());
    }
    if let Some(answers) =
        about_all.filter(|answers| answers.effective.calibrated < 0.999 * answers.effective.plain())
    {
        let rows = answers.effective.plain();
        findings.push(shared_people::SharedPeople { rows, effective: answers.effective }.finding());
    }
    findings
}

/// A proxy that shows more than calibration leaves, by more than chance.
fn below_the_floor(looked: &Looked) -> Option<Finding> {
    let relied_on = |r: &&Measurement| r.recommended && r.aggregate == Aggregate::Difference;
    for result in looked.results.iter().filter(relied_on) {
        let (Some(calibrated), Some(interval)) = (result.value, &result.interval) else { continue };
        let shows_more = |r: &&Measurement| {
            r.proxy.is_some()
                && (r.criterion, r.aggregate) == (result.criterion, result.aggregate)
                && r.interval.as_ref().is_some_and(|direct| direct.low > interval.high)
        };
        if let Some(direct) = looked.results.iter().find(shows_more) {
            let found = below_floor::BelowFloor {
                proxy: direct.proxy.clone().unwrap_or_default(),
                criterion: result.criterion,
                shown: direct.value.unwrap_or_default(),
                calibrated,
            };
            return Some(found.finding());
        }
    }
    None
}

fn proxies(counts: &Counts, calibrated: bool) -> Vec<Finding> {
    let legend = counts.legend();
    let mut findings = Vec::new();
    if legend.proxies.len() < Hoc::PROXIES && !calibrated {
        findings.push(too_few_proxies::TooFewProxies { found: legend.proxies.len() }.finding());
    }
    for (i, first) in legend.proxies.iter().enumerate() {
        for (j, second) in legend.proxies.iter().enumerate().skip(i + 1) {
            let pair = [first.name.clone(), second.name.clone()];
            let mut cells = counts.cells().filter(|(_, tally)| tally.weight > 0.0);
            if cells.all(|(cell, _)| cell.guesses[i] == cell.guesses[j]) {
                findings.push(identical_pair::IdenticalPair { proxies: pair.clone() }.finding());
            }
            // That guesses were lent is a finding of its own.
            let lent = first.lent_by.is_some() || second.lent_by.is_some();
            if let (Some(source), true) = (&first.source, first.source == second.source && !lent) {
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
    fit: &crate::noise::Fit<ProxyNoise>,
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
