//! The flow of a mitigation, from rows to a rule and all that a report may say about it.
//!
//! ```text
//! Rows ──► Split ──► fitted ──► η ──► T ──► V ──► Learner ──► Rule
//!            │                                                 │ decides
//!            └────► held out ──────────────────► Audit before, after, along the tolerance ──► MitigationRecord
//! ```
//! The rule is learned from the fitted rows alone. Everything that is told about it is measured on rows it has not seen,
//! hard decisions, by an audit of their own.

mod along;
mod bins;
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
mod weights_only;

pub use error::MitigateError;
pub use fairveil_core::mitigate::Method;
pub use settings::MitigateSettings;
pub use weights_only::{ExportedWeights, calibrated_weights};

use crate::{Rows, Rule};
use fairveil_core::mitigate::MitigationRecord;
use fit::Fit;
use ground::Ground;
use measure::Measure;
use part::{Part, Split};
use told::{Seen, findings, input, multipliers, point, scale_found, settings_record};

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
    let split = Split::of(rows, settings, settings.held_out)?;
    let ground = Ground::of(rows, settings, &split, progress)?;
    let learner = ground.learner(settings, progress);
    let fit = Fit::of(rows, settings, &ground, &learner, progress)?;
    let learned = fit.at_tolerance(settings.tolerance, progress)?;
    let rule = ground.rule(rows, settings, &learned);
    fit.refuse_constant(&rule, &ground.fitted)?;

    progress("measuring before and after on held-out rows".into());
    let held_out = Part::of(rows, &split.held_out, &ground.encoding, &ground.patterns)?;
    let binned = ground.binned.as_ref();
    let held_bins = binned.map(|binned| binned.bins_of(&eta::predict(&ground.eta.model, &held_out)));
    let measure = Measure {
        rows,
        patterns: &ground.patterns,
        part: &held_out,
        noise: &ground.noise,
        settings,
        binned: binned.map(|binned| binned.matrices.as_slice()).zip(held_bins.as_deref()),
    };
    let measured = |rule: &Rule| measure.decisions(&rule.decide_all(&held_out.features, &held_out.scores));
    let before = measure.decisions(&fit.before(&held_out))?;
    let after = measured(&rule)?;
    let mut curve = vec![point(settings.tolerance, &after)];
    let apart = |tolerance: &f64| (*tolerance - settings.tolerance).abs() > 1e-9;
    let most = fit.gap_before.map_or(fit.there, |found| found.gap.abs().min(fit.there));
    let others = TOLERANCES.into_iter().filter(|t| settings.curve && *t < most && apart(t));
    for tolerance in others {
        progress(format!("trying a tolerance of {tolerance}"));
        let other = fit.at_tolerance(tolerance, progress)?;
        curve.push(point(tolerance, &measured(&ground.rule(rows, settings, &other))?));
    }
    curve.sort_by(|a, b| a.tolerance.total_cmp(&b.tolerance));

    let constant = measure.constant();
    let seen = Seen {
        settings,
        ground: &ground,
        fit: &fit,
        learned: &learned,
        constant: &constant,
        scale: scale_found(rows, &ground.fitted, settings)?,
        along: along::along(rows, &ground),
        left_out: split.left_out,
        rows: rows.rows,
        free_accuracy: rows.labels.as_ref().map(|_| {
            let decided = fit.free_rule.decide_all(&held_out.features, &held_out.scores);
            held_out.share(|row| decided[row] == held_out.target[row])
        }),
    };
    let findings = findings(&seen, &before, &after);
    let (drift, drift_unavailable) = match &ground.drift {
        Ok(drift) => (Some(drift.clone()), None),
        Err(reason) => (None, Some(reason.clone())),
    };
    let record = MitigationRecord {
        criterion: settings.criterion,
        method: settings.method,
        input: input(rows, &split, &ground.encoding),
        settings: settings_record(settings, &ground.noise),
        noise: ground.noise.records.clone(),
        before: before.side,
        after: after.side,
        constant,
        curve,
        drift,
        drift_unavailable,
        multipliers: multipliers(rows, &ground.pairs, &learned),
        stopped: learned.stopped.clone(),
        findings,
    };
    Ok(Mitigated { rule, record })
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
    let ground = Ground::of(rows, settings, &Split::of(rows, settings, 0.0)?, progress)?;
    let learner = ground.learner(settings, progress);
    let fit = Fit::of(rows, settings, &ground, &learner, progress)?;
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
    if settings.criterion.needs_labels() && rows.labels.is_none() {
        return Err(MitigateError::NoLabels { criterion: settings.criterion });
    }
    if rows.features.is_empty() && (rows.score.is_none() || settings.method != Method::PlugIn) {
        return Err(MitigateError::NoFeatures);
    }
    Ok(())
}
