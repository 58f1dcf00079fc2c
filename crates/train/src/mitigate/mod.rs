//! The flow of a mitigation, from rows to a rule and all that a report may say about it.
//!
//! ```text
//! Rows ──► Split ──► fitted ──► η ──► T ──► V ──► Learner ──► Rule
//!            │                                                 │ decides
//!            └────► held out ──────────────────► Audit before, after, along the tolerance ──► MitigationRecord
//! ```
//! The rule is learned from the fitted rows alone. Everything that is told about it is measured on rows it has not seen,
//! hard decisions, by an audit of their own. Cross-fitted, the rule learns from all rows, and each row is decided about by a rule
//! that the other folds taught.

mod along;
mod bins;
mod copies;
mod error;
mod eta;
mod fit;
mod gaps;
mod ground;
mod learner;
mod measure;
mod noise;
mod part;
mod settings;
mod told;
mod tried;
mod weights_only;

pub use error::MitigateError;
pub use fairveil_core::mitigate::Method;
pub use settings::{Measuring, MitigateSettings};
pub use weights_only::{ExportedWeights, calibrated_weights};

use crate::{Rows, Rule};
use fairveil_core::mitigate::{CurvePoint, MethodRecord, MitigationRecord, OperatingRecord};
use fit::{Chance, Fit};
use ground::Ground;
use measure::Measure;
use part::{Part, Split};
use told::{
    Seen, findings, guess_feature, input, multipliers, point, scale_found, settings_record, sharpness,
};
use tried::{Tried, Try};

/// A rule, and all that a report may say about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Mitigated {
    /// The rule.
    pub rule: Rule,
    /// What became of the gap.
    pub record: MitigationRecord,
}

/// Tolerances of the trade-off curve, as far as they are below the gap that is there.
const TOLERANCES: [f64; 6] = [0.0, 0.01, 0.02, 0.05, 0.1, 0.2];

/// Learns a rule from rows and measures it on others. `progress` hears what is being done.
pub fn mitigate(
    rows: &Rows,
    settings: &MitigateSettings,
    progress: &(dyn Fn(String) + Sync),
) -> Result<Mitigated, MitigateError> {
    settings.check()?;
    check(rows, settings)?;
    let rows = &*rows.in_name_order();
    let split = Split::of(rows, settings)?;
    let ground = Ground::of(rows, settings, &split, progress)?;
    let learner = ground.learner(settings.method, settings, progress);
    let fit = Fit::of(rows, settings, &ground, &learner, Chance::Refused, progress)?;
    let learned = fit.at_tolerance(settings.tolerance, progress)?;
    let rule = ground.rule(rows, settings, &learned);
    fit.refuse_constant(&rule, &ground.fitted)?;

    progress("measuring before and after on held-out rows".into());
    let held_out = Part::of(rows, &split.held_out, &ground.encoding, &ground.patterns)?;
    let binned = ground.binned.as_ref();
    let held_bins =
        binned.map(|binned| binned.bins_of(&held_out, &eta::predict(&ground.eta.model, &held_out)));
    let measure = Measure {
        rows,
        patterns: &ground.patterns,
        part: &held_out,
        noise: &ground.noise,
        settings,
        binned: binned.map(|binned| binned.matrices.as_slice()).zip(held_bins.as_deref()),
    };
    let tolerances = tolerances(settings, &fit);
    let trying = Try { rows, settings, split: &split, part: &held_out, tolerances: &tolerances, progress };
    let own = trying.decisions(settings.method, &ground, Some(&fit))?;
    let (before, after) = (measure.side(&own.before)?, measure.side(&own.at[0])?);
    let criteria = measure.changes((&before, &own.before), (&after, &own.at[0]))?;
    let curve = curve_of(&tolerances, &own, &measure)?;
    let mut methods = Vec::new();
    for method in settings.beside.iter().filter(|method| **method != settings.method) {
        progress(format!("trying {method}"));
        let tried = trying.decisions(*method, &ground, None);
        let curve = tried.and_then(|tried| curve_of(&tolerances, &tried, &measure));
        methods.push(MethodRecord::new(
            *method,
            settings.tolerance,
            curve.map_err(|error| error.to_string()),
        ));
    }
    if !methods.is_empty() {
        methods.insert(0, MethodRecord::new(settings.method, settings.tolerance, Ok(curve.clone())));
    }

    let constant = measure.constant();
    let drift = ground.drift(rows);
    let approvals = measure.approvals(&own.before, &own.at[0], &ground.fitted);
    let seen = Seen {
        settings,
        ground: &ground,
        fit: &fit,
        learned: &learned,
        constant: &constant,
        lottery: measure.lottery(approvals.after),
        scale: scale_found(rows, &ground.fitted, settings)?,
        sharpness: sharpness(rows, &ground.fitted),
        along: along::along(rows, &ground),
        guess_feature: guess_feature(rows),
        proxies: rows.legend.proxies.len(),
        drift: &drift,
        left_out: split.left_out,
        approvals,
        criteria: &criteria,
        rows: rows.rows,
        free_accuracy: rows
            .labels
            .as_ref()
            .map(|_| held_out.share(|row| own.free[row] == held_out.target[row])),
    };
    let findings = findings(&seen, &before, &after);
    let (drift, drift_unavailable) = match drift {
        Ok(drift) => (Some(drift), None),
        Err(reason) => (None, Some(reason)),
    };
    let record = MitigationRecord {
        criterion: settings.criterion,
        method: settings.method,
        input: input(rows, &split, &ground.encoding),
        settings: settings_record(settings, &split, &ground.noise),
        operating_point: OperatingRecord {
            asked: settings.operating_point,
            wanted_rate: fit.wanted_rate(),
            cut: learned.cut,
        },
        noise: ground.noise.records.clone(),
        before: before.side,
        after: after.side,
        criteria,
        constant,
        curve,
        methods,
        drift,
        drift_unavailable,
        multipliers: multipliers(rows, &ground.pairs, &learned),
        stopped: learned.stopped.clone(),
        findings,
    };
    Ok(Mitigated { rule, record })
}

/// The tolerance that is asked for and, for the curve, others below the gap that is there.
fn tolerances(settings: &MitigateSettings, fit: &Fit) -> Vec<f64> {
    let most = fit.gap_before.map_or(fit.there, |found| found.gap.abs().min(fit.there));
    let apart = |tolerance: &f64| (*tolerance - settings.tolerance).abs() > 1e-9;
    let others = TOLERANCES.into_iter().filter(|t| settings.curve && *t < most && apart(t));
    [settings.tolerance].into_iter().chain(others).collect()
}

/// What each tolerance gives, smallest first.
fn curve_of(tolerances: &[f64], tried: &Tried, measure: &Measure) -> Result<Vec<CurvePoint>, MitigateError> {
    let one = |(tolerance, decided): (&f64, &Vec<bool>)| Ok(point(*tolerance, &measure.decisions(decided)?));
    let mut curve = tolerances.iter().zip(&tried.at).map(one).collect::<Result<Vec<_>, MitigateError>>()?;
    curve.sort_by(|a, b| a.tolerance.total_cmp(&b.tolerance));
    Ok(curve)
}

/// Learns a rule from all rows. Nothing is held out, so nothing is known about what it does to others: for those who measure
/// elsewhere.
pub fn learn_rule(
    rows: &Rows,
    settings: &MitigateSettings,
    progress: &(dyn Fn(String) + Sync),
) -> Result<Rule, MitigateError> {
    settings.check()?;
    check(rows, settings)?;
    let rows = &*rows.in_name_order();
    let ground = Ground::of(rows, settings, &Split::whole(rows, settings)?, progress)?;
    let learner = ground.learner(settings.method, settings, progress);
    let fit = Fit::of(rows, settings, &ground, &learner, Chance::Refused, progress)?;
    let learned = fit.at_tolerance(settings.tolerance, progress)?;
    let rule = ground.rule(rows, settings, &learned);
    fit.refuse_constant(&rule, &ground.fitted)?;
    Ok(rule)
}

/// What the table must have.
fn check(rows: &Rows, settings: &MitigateSettings) -> Result<(), MitigateError> {
    if rows.legend.classes.len() != 2 {
        return Err(MitigateError::Classes { found: rows.legend.classes.len() });
    }
    if rows.labels.is_none() && rows.predictions.is_none() {
        return Err(MitigateError::NoTarget);
    }
    if settings.local && rows.predictions.is_none() {
        return Err(MitigateError::NoDecisions);
    }
    if settings.operating_point.threshold().is_some() && rows.labels.is_none() {
        return Err(MitigateError::NoChance);
    }
    if settings.criterion.needs_labels() && rows.labels.is_none() {
        return Err(MitigateError::NoLabels { criterion: settings.criterion });
    }
    let trained = |method: &Method| *method != Method::PlugIn;
    let trains = trained(&settings.method) || settings.beside.iter().any(trained);
    if rows.features.is_empty() && (rows.score.is_none() || trains) {
        return Err(MitigateError::NoFeatures);
    }
    Ok(())
}
