//! What a report may say: findings, and what was read and asked.

use super::along::Along;
use super::fit::Fit;
use super::gaps::widest;
use super::ground::Ground;
use super::learner::{Learned, Learner};
use super::measure::{Measured, quantile};
use super::noise::Noise;
use super::part::{Part, Split};
use super::{MitigateError, MitigateSettings, eta};
use crate::{Encoding, Rows};
use fairveil_core::{
    CurvePoint, Doubt, Finding, GroupPair, MitigationInput, MitigationSettings, Multiplier, Target,
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
    pub after: &'a Measured,
    pub constant: (f64, &'a str),
    pub scale: Option<(f64, f64, f64)>,
    pub along: Option<Along>,
    /// Rows left out, and all rows.
    pub left_out: (u64, u64),
    /// Accuracy of the rule without a constraint, where there are labels.
    pub free_accuracy: Option<f64>,
}

pub(super) fn findings(seen: &Seen, before: &Measured, after: &Measured) -> Vec<Finding> {
    let (settings, fit) = (seen.settings, seen.fit);
    let mut doubts = Vec::new();
    doubts.extend(seen.ground.drift.as_ref().ok().filter(|_| settings.noise_bins == 1).map(Doubt::Drift));
    let accuracy = after.side.accuracy.value;
    doubts.push(Doubt::Constant(accuracy, seen.constant.0, seen.constant.1));
    if let Some(found) = fit.gap_before {
        let rows = seen.ground.fitted.rows.len() as f64;
        let (error, gap, needed) = (found.error, found.gap.abs(), fit.rows_needed);
        doubts.push(Doubt::FewRows { error, gap, rows, needed });
        // The largest of several gaps is large by chance more often than one.
        let pairs = seen.ground.weights.all_pairs().len() as f64;
        let reach = quantile(settings.audit.confidence.powf(1.0 / pairs)) * found.error;
        doubts.push(Doubt::Unclear(found.gap, found.gap - reach, found.gap + reach));
    }
    if let Some(Along { proxies: [proxy, other], statistic, freedom }) = &seen.along {
        doubts.push(Doubt::Errors(proxy, other, *statistic, *freedom));
    }
    doubts.push(Doubt::LeftOut(seen.left_out.0, seen.left_out.1));
    if let (Some(was), Some(is)) = (before.gap, after.gap) {
        doubts.push(Doubt::Grew(was, is));
    }
    // Without a column of decisions the rule without a constraint is what was before.
    let had = seen.ground.fitted.before.as_ref().map(|_| before.side.accuracy.value);
    doubts.extend(seen.free_accuracy.map(|free| Doubt::Label(free, had)));
    let (wanted, reached) = (settings.tolerance.min(fit.there), widest(fit.pairs, &seen.learned.gaps));
    doubts.push(Doubt::Missed(wanted, reached, &seen.learned.stopped));
    doubts
        .extend(seen.scale.map(|(slope, intercept, difference)| Doubt::Score(slope, intercept, difference)));
    if let Learner::PlugIn { predicted, .. } = fit.learner {
        let told = predicted.explained.iter().copied().fold(0.0, f64::max);
        let of_gap =
            |gap: usize| Doubt::Guesses(predicted.explained[gap], seen.ground.explained_by_group(gap));
        let guesses = (0..predicted.explained.len()).map(of_gap).find(|doubt| doubt.finding().is_some());
        // That no proxy is looked at is not to be said where one is among the features.
        doubts.push(guesses.unwrap_or(Doubt::StandIns(told)));
    }
    if let (Some(gap), Some(interval)) = (seen.after.gap, &seen.after.interval) {
        doubts.push(Doubt::Left(gap, interval.low, interval.high, settings.tolerance));
    }
    let mut findings: Vec<Finding> = doubts.iter().filter_map(Doubt::finding).collect();
    for finding in after.findings.iter().chain(&before.findings) {
        if !findings.iter().any(|known| known.code == finding.code) {
            findings.push(finding.clone());
        }
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

/// Whether the score is a chance: slope, offset, and how far its mean is from that of the labels.
pub(super) fn scale_found(
    rows: &Rows,
    fitted: &Part,
    settings: &MitigateSettings,
) -> Result<Option<(f64, f64, f64)>, MitigateError> {
    if rows.score.is_none() || rows.labels.is_none() || settings.recalibrate {
        return Ok(None);
    }
    let scale = eta::scale(fitted, true, 1e-6)?;
    let total = fitted.total();
    let mean = fitted.scores.iter().zip(&fitted.weights).map(|(s, w)| s * w).sum::<f64>() / total;
    let difference = fitted.share(|row| fitted.target[row]) - mean;
    Ok(Some((scale.slope, scale.intercept, difference)))
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

pub(super) fn settings_record(settings: &MitigateSettings, noise: &Noise) -> MitigationSettings {
    MitigationSettings {
        tolerance: settings.tolerance,
        held_out: settings.held_out,
        folds: settings.folds,
        noise_bins: settings.noise_bins,
        estimator: noise.estimator,
        confidence: settings.audit.confidence,
        shared_error: settings.audit.shared_error,
        n_boot: settings.audit.n_boot,
        seed: settings.audit.seed,
    }
}
