//! What a report may say: findings, and what was read and asked.

use super::fit::Fit;
use super::gaps::widest;
use super::ground::Ground;
use super::learner::{Learned, Learner};
use super::measure::{Measured, quantile};
use super::noise::Noise;
use super::part::{Part, Split};
use super::{Measuring, MitigateError, MitigateSettings, eta};
use crate::{Encoding, Feature, FeatureValues, Rows};
use fairveil_core::Finding;
use fairveil_core::diagnose::{Evidence, Severity};
use fairveil_core::mitigate::{
    Along, Approvals, CLEAR, ConstantRecord, CriterionChange, CurvePoint, DriftRecord, ExplainedShare,
    FittedGap, GroupPair, MeasuredOn, MitigationInput, MitigationSettings, Multiplier, OperatingPoint, Scale,
    Sharpness, Target, Trial,
};

pub(super) fn point(tolerance: f64, measured: &Measured) -> CurvePoint {
    CurvePoint {
        tolerance,
        gap: measured.gap,
        interval: measured.interval.clone(),
        accuracy: measured.side.accuracy.value,
        positive_rate: measured.side.positive_rate.value,
        true_gap: measured.side.true_gap,
    }
}

/// What was seen on the way, to be doubted.
pub(super) struct Seen<'a> {
    pub settings: &'a MitigateSettings,
    pub ground: &'a Ground,
    pub fit: &'a Fit<'a>,
    pub learned: &'a Learned,
    pub constant: &'a ConstantRecord,
    /// Accuracy of a lottery that decides as many positive.
    pub lottery: f64,
    pub scale: Option<Scale>,
    pub sharpness: Option<Sharpness>,
    pub along: Option<Along>,
    /// A feature whose values are the names of the groups.
    pub guess_feature: Option<&'a str>,
    pub proxies: usize,
    pub drift: &'a Result<DriftRecord, String>,
    /// Rows left out.
    pub left_out: usize,
    pub approvals: Approvals,
    pub criteria: &'a [CriterionChange],
    /// All rows.
    pub rows: usize,
    /// Accuracy of the rule without a constraint, where there are labels.
    pub free_accuracy: Option<f64>,
}

pub(super) fn findings(seen: &Seen, before: &Measured, after: &Measured) -> Vec<Finding> {
    let (settings, ground, fit) = (seen.settings, seen.ground, seen.fit);
    // The largest of several gaps is large by chance more often than one.
    let pairs = ground.weights.all_pairs().len() as f64;
    let reach = quantile(settings.audit.confidence.powf(1.0 / pairs));
    let trial = Trial {
        rows: seen.rows as u64,
        left_out: seen.left_out as u64,
        fitted: fit.gap_before.map(|found| FittedGap {
            gap: found.gap,
            error: found.error,
            reach: reach * found.error,
            rows: ground.fitted.rows.len() as f64,
            needed: fit.rows_needed,
        }),
        drift: seen.drift.as_ref().ok().filter(|_| settings.noise_bins == 1),
        along: seen.along.as_ref(),
        guess_feature: seen.guess_feature,
        proxies: seen.proxies,
        scale: seen.scale,
        sharpness: seen.sharpness,
        explained: match fit.learner {
            Learner::PlugIn { predicted, .. } => {
                let explained = predicted.explained.iter().enumerate();
                let share = |(gap, explained): (usize, &f64)| ExplainedShare {
                    explained: *explained,
                    possible: ground.explained_by_group(gap),
                };
                Some(explained.map(share).collect())
            }
            _ => None,
        },
        wanted: settings.tolerance.min(fit.there),
        reached: widest(fit.pairs, &seen.learned.gaps),
        stopped: &seen.learned.stopped,
        // Without a column of decisions the rule without a constraint is what was before.
        // Cut elsewhere, decisions are not comparable with those before.
        accuracy_before: (ground.fitted.before.as_ref())
            .filter(|_| settings.operating_point == OperatingPoint::Kept)
            .map(|_| before.side.accuracy.value),
        accuracy_free: seen.free_accuracy,
        accuracy: after.side.accuracy.value,
        constant: Some(seen.constant),
        lottery: Some(seen.lottery),
        approvals: Some(seen.approvals),
        criterion: Some(settings.criterion),
        criteria: seen.criteria,
        gap_after: after.gap,
        interval_after: after.interval.as_ref(),
        tolerance: settings.tolerance,
    };
    let mut findings = trial.findings();
    let twice = unclear(&before.findings) && unclear(&after.findings);
    // New decisions may point another way than labels without either being turned round.
    let after =
        after.findings.iter().filter(|found| found.code != "D18").map(|finding| weighed(finding, true));
    let before = before.findings.iter().map(|finding| weighed(finding, false));
    let all = after.chain(before).filter(|found| concerns(found, &ground.noise));
    for finding in all.filter(|found| twice || !unclear(std::slice::from_ref(found))) {
        match findings.iter_mut().find(|known| known.code == finding.code) {
            Some(known) if known.severity >= finding.severity => {}
            Some(known) => *known = finding,
            None => findings.push(finding),
        }
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

/// Whether what an audit found concerns a rule: one matrix for all rows is used, and strata have none; and where that is the mean of
/// each proxy's own, proxies that err differently are what it is for.
fn concerns(finding: &Finding, noise: &Noise) -> bool {
    let stratum = match finding.evidence.get("place") {
        Some(Evidence::Text(place)) => place != "all rows",
        _ => false,
    };
    let own = noise.records.iter().any(|record| record.proxy.is_some());
    !(stratum || own && finding.code == "P07")
}

/// Whether errors seem to go with the decision, and no more. Two audits are looked at, and what chance shows in one of fifteen is told where
/// both show it.
fn unclear(findings: &[Finding]) -> bool {
    let by_chance =
        |found: &Finding| matches!(found.evidence.get("p_value"), Some(Evidence::Number(p)) if *p >= CLEAR);
    findings.iter().any(|found| found.code == "N07" && by_chance(found))
}

/// What is less clear than [`CLEAR`] is told of a rule, and is no more than a warning. Nor is it serious that explanations disagree about who
/// is favoured after a gap was closed: each is near zero.
fn weighed(finding: &Finding, closed: bool) -> Finding {
    let unclear = matches!(finding.evidence.get("p_value"), Some(Evidence::Number(p)) if *p >= CLEAR);
    let lighter = finding.code == "N07" && unclear || finding.code == "U03" && closed;
    let severity = if lighter { Severity::Warning } else { finding.severity };
    Finding { severity, ..finding.clone() }
}

/// The score against the labels, where there are both and it is to be taken as it is.
pub(super) fn scale_found(
    rows: &Rows,
    fitted: &Part,
    settings: &MitigateSettings,
) -> Result<Option<Scale>, MitigateError> {
    if rows.score.is_none() || rows.labels.is_none() || settings.recalibrate {
        return Ok(None);
    }
    let scale = eta::scale(fitted, true, 1e-6)?;
    let total = fitted.total();
    let mean = fitted.scores.iter().zip(&fitted.weights).map(|(s, w)| s * w).sum::<f64>() / total;
    let mean_difference = fitted.share(|row| fitted.target[row]) - mean;
    Ok(Some(Scale { slope: scale.slope, intercept: scale.intercept, mean_difference }))
}

/// How closely labels follow a score from 0 to 1.
pub(super) fn sharpness(rows: &Rows, fitted: &Part) -> Option<Sharpness> {
    let inside = fitted.scores.iter().all(|score| (0.0..=1.0).contains(score));
    if rows.score.is_none() || rows.labels.is_none() || !inside {
        return None;
    }
    let (mut found, mut claimed, mut spread) = (0.0, 0.0, 0.0);
    for ((score, weight), target) in fitted.scores.iter().zip(&fitted.weights).zip(&fitted.target) {
        let (label, p) = (f64::from(u8::from(*target)), score * (1.0 - score));
        found += weight * (label - score).powi(2);
        claimed += weight * p;
        // The variance of (y − s)² for a chance s.
        spread += weight * weight * p * (1.0 - 2.0 * score).powi(2);
    }
    if claimed <= 0.0 && found <= 0.01 * fitted.total() {
        // Zeros and ones that labels follow: an unpruned tree on its own rows.
        return Some(Sharpness { ratio: 0.0, error: 1.0 / fitted.effective().sqrt() });
    }
    (claimed > 0.0).then(|| Sharpness { ratio: found / claimed, error: spread.sqrt().max(1e-9) / claimed })
}

/// The first feature whose values are all names of groups, two of them or more.
pub(super) fn guess_feature(rows: &Rows) -> Option<&str> {
    let groups = &rows.legend.groups;
    let is_guess = |feature: &&Feature| match &feature.values {
        FeatureValues::Categories { levels, .. } => {
            levels.len() > 1 && levels.iter().all(|level| groups.contains(level))
        }
        FeatureValues::Numbers(_) => false,
    };
    rows.features.iter().find(is_guess).map(|feature| feature.name.as_str())
}

pub(super) fn multipliers(rows: &Rows, pairs: &[GroupPair], learned: &Learned) -> Vec<Multiplier> {
    let legend = &rows.legend;
    let one = |((pair, value), gap): ((&GroupPair, &f64), &f64)| Multiplier {
        a: legend.group(pair.a).to_owned(),
        b: legend.group(pair.b).to_owned(),
        label: pair.label.map(|label| legend.class(label).to_owned()),
        value: *value,
        gap: *gap,
    };
    pairs.iter().zip(&learned.multipliers).zip(&learned.gaps).map(one).collect()
}

pub(super) fn input(rows: &Rows, split: &Split, encoding: &Encoding) -> MitigationInput {
    let legend = &rows.legend;
    MitigationInput {
        rows_fitted: split.fitted.len() as u64,
        rows_held_out: split.held_out.len() as u64,
        rows_left_out: split.left_out as u64,
        prediction: rows.predictions.as_ref().map(|_| legend.prediction.clone()),
        label: rows.labels.as_ref().and(legend.label.clone()),
        score: rows.score.clone(),
        target: if rows.labels.is_some() { Target::Label } else { Target::Decision },
        features: rows.features.iter().map(|feature| feature.name.clone()).collect(),
        encoded_features: encoding.columns(),
        groups: legend.groups.clone(),
        positive: legend.class(legend.positive).to_owned(),
        proxies: legend.proxies.iter().map(|proxy| proxy.name.clone()).collect(),
    }
}

pub(super) fn settings_record(
    settings: &MitigateSettings,
    split: &Split,
    noise: &Noise,
) -> MitigationSettings {
    let held_out = match (&split.measured_on, settings.measuring) {
        (MeasuredOn::CrossFitted { folds }, _) => 1.0 / *folds as f64,
        (MeasuredOn::HeldOut, Measuring::HeldOut(share)) => share,
        (MeasuredOn::HeldOut, _) => Measuring::SHARE,
        (MeasuredOn::Column { .. }, _) => {
            split.held_out.len() as f64 / (split.held_out.len() + split.fitted.len()) as f64
        }
    };
    MitigationSettings {
        tolerance: settings.tolerance,
        held_out,
        measured_on: split.measured_on.clone(),
        folds: settings.folds,
        noise_bins: settings.noise_bins,
        local: settings.local,
        estimator: noise.estimator,
        confidence: settings.audit.confidence,
        shared_error: settings.audit.shared_error,
        n_boot: settings.audit.n_boot,
        seed: settings.audit.seed,
    }
}
