//! The flow of a mitigation, from rows to a rule and all that a report may say about it.
//!
//! ```text
//! Rows ──► Split ──► fitted ──► η ──► T ──► V ──► Learner ──► Rule
//!            │                                                 │ decides
//!            └────► held out ──────────────────► Audit before, after, along the tolerance ──► MitigationRecord
//! ```
//! The rule is learned from the fitted rows alone. Everything that is told about it is measured on rows it has not seen,
//! hard decisions, by an audit of their own.

mod error;
mod eta;
mod gaps;
mod learner;
mod measure;
mod noise;
mod part;
mod settings;
mod weights_only;

pub use error::MitigateError;
pub use settings::{Method, MitigateSettings};
pub use weights_only::{ExportedWeights, calibrated_weights};

use crate::plug_in::{Task, predict};
use crate::rule::{Eta, RULE_SCHEMA};
use crate::{Encoding, Rows, Rule};
use fairveil_core::{
    CalibratedWeights, Class, CurvePoint, Doubt, DriftRecord, Finding, GroupPair, MitigationInput,
    MitigationRecord, MitigationSettings, Multiplier, TransitionMatrix, drift, rows_to_tell,
};
use gaps::{PairedGap, RowWeights, largest, widest};
use learner::{Learned, Learner};
use measure::{Measure, Measured, binned_legend, quantile};
use noise::Noise;
use part::{Part, Patterns, Split};

/// A rule, and all that a report may say about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Mitigated {
    /// The rule.
    pub rule: Rule,
    /// What became of the gap.
    pub record: MitigationRecord,
}

/// Bins of the score in which the proxies' errors are compared.
const DRIFT_BINS: usize = 3;
/// Tolerances of the trade-off curve, as far as they are below the gap that is there.
const TOLERANCES: [f64; 6] = [0.0, 0.01, 0.02, 0.05, 0.1, 0.2];
/// Below this part of the rarer decision before, what is left is a constant.
const COLLAPSED: f64 = 0.1;

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
    fit.refuse_constant(&learned)?;
    let rule = ground.rule(rows, settings, &learned);

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
        after: &after,
        constant: (constant.accuracy, &constant.decision),
        scale: scale_found(rows, &ground.fitted, settings)?,
    };
    let findings = findings(&seen, &before, &after);
    let (drift, drift_unavailable) = match &ground.drift {
        Ok(drift) => (Some(drift.clone()), None),
        Err(reason) => (None, Some(reason.clone())),
    };
    let record = MitigationRecord {
        criterion: settings.criterion,
        method: settings.method.name(),
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
    fit.refuse_constant(&learned)?;
    Ok(ground.rule(rows, settings, &learned))
}

/// What a rule is learned on: rows as numbers, the chance of the label, how the proxies err, and the weights.
struct Ground {
    patterns: Patterns,
    encoding: Encoding,
    fitted: Part,
    eta: eta::Learned,
    noise: Noise,
    drift: Result<DriftRecord, String>,
    binned: Option<Binned>,
    weights: CalibratedWeights,
    table: RowWeights,
    /// The gaps that are constrained, the label that each is among, and `V` of each row.
    pairs: Vec<GroupPair>,
    within: Vec<Option<bool>>,
    constraints: Vec<Vec<f64>>,
}

impl Ground {
    fn of(
        rows: &Rows,
        settings: &MitigateSettings,
        split: &Split,
        progress: &(dyn Fn(String) + Sync),
    ) -> Result<Self, MitigateError> {
        let patterns = Patterns::of(rows);
        // Levels and spreads of features are of all rows: they say nothing about labels or guesses.
        let mut taking_part: Vec<usize> = split.fitted.iter().chain(&split.held_out).copied().collect();
        let encoding = Encoding::fit(&rows.features, &taking_part, settings.impute).or_else(|_| {
            // What is wrong is told of the first row of the table.
            taking_part.sort_unstable();
            Encoding::fit(&rows.features, &taking_part, settings.impute)
        })?;
        let fitted = Part::of(rows, &split.fitted, &encoding, &patterns)?;
        both_classes(rows, &fitted)?;
        progress("learning the chance of the label".into());
        let eta = eta::learn(rows, &fitted, settings, progress)?;
        progress("learning how the proxies err".into());
        let legend = &rows.legend;
        // The noise is one for all strata, so any decisions will do; the right ones are always there.
        let negative = Class(1 - legend.positive.0.min(1));
        let class = |row: usize| if fitted.target[row] { legend.positive } else { negative };
        let (counts, _) = fitted.tally(rows, &patterns, legend.clone(), class)?;
        let noise = noise::learn(&counts, settings)?;
        let drift = drift_of(rows, &patterns, &fitted, &eta.of_rows, DRIFT_BINS);
        let binned = match settings.noise_bins {
            1 => None,
            bins => Some(Binned::of(rows, &patterns, &fitted, &eta.of_rows, bins)?),
        };
        let weights = match &binned {
            None => {
                let matrix = std::slice::from_ref(&noise.transition);
                CalibratedWeights::new(&counts, settings.criterion, matrix)?
            }
            Some(binned) => binned.weights(rows, &patterns, &fitted, settings)?,
        };
        let table = RowWeights::new(&weights, &patterns, legend.groups.len(), settings.noise_bins);
        let pairs = weights.constraints();
        let bins = binned.as_ref().map_or(&[][..], |binned| &binned.of_rows);
        let constraints = pairs.iter().map(|pair| table.values(*pair, &fitted, bins)).collect();
        let within = pairs.iter().map(|pair| pair.label.map(|label| label == legend.positive)).collect();
        Ok(Ground {
            patterns,
            encoding,
            fitted,
            eta,
            noise,
            drift,
            binned,
            weights,
            table,
            pairs,
            within,
            constraints,
        })
    }

    /// The bin of every fitted row; empty where there are none.
    fn bins(&self) -> &[u8] {
        self.binned.as_ref().map_or(&[], |binned| &binned.of_rows)
    }

    fn learner(&self, settings: &MitigateSettings, progress: &(dyn Fn(String) + Sync)) -> Learner<'_> {
        let (part, constraints) = (&self.fitted, self.constraints.as_slice());
        match settings.method {
            Method::PlugIn => {
                progress("learning what features tell about the weights".into());
                let task = Task {
                    features: &part.features,
                    eta: &self.eta.of_rows,
                    labels: &part.target,
                    weights: &part.weights,
                    constraints,
                    within: &self.within,
                    folds: settings.folds,
                };
                let predicted = predict(&task);
                Learner::PlugIn { task, predicted, eta: self.eta.model.clone() }
            }
            Method::Logistic => {
                let start = match &self.eta.model {
                    Eta::Features { model } => Some(model.clone()),
                    Eta::Score { .. } => None,
                };
                Learner::Logistic { part, constraints, start }
            }
            Method::Mlp => Learner::Mlp { part, constraints, seed: settings.audit.seed },
        }
    }

    fn rule(&self, rows: &Rows, settings: &MitigateSettings, learned: &Learned) -> Rule {
        let legend = &rows.legend;
        Rule {
            schema: RULE_SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            criterion: settings.criterion.name().into(),
            tolerance: settings.tolerance,
            positive: legend.class(legend.positive).into(),
            negative: legend.class(Class(1 - legend.positive.0.min(1))).into(),
            encoding: self.encoding.clone(),
            model: learned.model.clone(),
        }
    }
}

/// Rules on one ground: the one that nothing holds back, and those with a tolerance.
struct Fit<'a> {
    learner: &'a Learner<'a>,
    free: Learned,
    free_rule: Rule,
    /// The widest gap of the rule that nothing holds back.
    there: f64,
    /// The largest gap before, and rows that would tell it to half of its size.
    gap_before: Option<PairedGap>,
    rows_needed: Option<f64>,
    share_before: f64,
    pairs: &'a [GroupPair],
}

impl<'a> Fit<'a> {
    fn of(
        rows: &Rows,
        settings: &MitigateSettings,
        ground: &'a Ground,
        learner: &'a Learner<'a>,
        progress: &(dyn Fn(String) + Sync),
    ) -> Result<Self, MitigateError> {
        let free = learner.learn(None, progress)?;
        let free_rule = ground.rule(rows, settings, &free);
        let there = widest(&ground.pairs, &free.gaps);
        let pairs = ground.pairs.as_slice();
        let mut fit = Fit {
            learner,
            free,
            free_rule,
            there,
            gap_before: None,
            rows_needed: None,
            share_before: 0.0,
            pairs,
        };
        let fitted = &ground.fitted;
        let before = fit.before(fitted);
        let gaps = ground.table.gaps(&ground.weights.all_pairs(), fitted, ground.bins(), &before);
        fit.gap_before = largest(&gaps);
        fit.share_before = fitted.share(|row| before[row]);
        fit.rows_needed = refuse_chance(fit.gap_before, ground, rows)?;
        Ok(fit)
    }

    /// The decisions before.
    fn before(&self, part: &Part) -> Vec<bool> {
        match &part.before {
            Some(before) => before.clone(),
            None => self.free_rule.decide_all(&part.features, &part.scores),
        }
    }

    /// The rule with this gap left.
    fn at_tolerance(
        &self,
        tolerance: f64,
        progress: &(dyn Fn(String) + Sync),
    ) -> Result<Learned, MitigateError> {
        if self.there <= tolerance {
            return Ok(self.free.clone());
        }
        // All gaps shrink by one factor, so that the widest is what may stay.
        let targets: Vec<f64> = self.free.gaps.iter().map(|gap| tolerance / self.there * gap).collect();
        self.learner.learn(Some(&targets), progress)
    }

    /// Deciding alike for everyone closes every gap.
    fn refuse_constant(&self, learned: &Learned) -> Result<(), MitigateError> {
        let rarer = |share: f64| share.min(1.0 - share);
        match rarer(learned.positive) < COLLAPSED * rarer(self.share_before) {
            true => Err(MitigateError::Collapsed { share: learned.positive, before: self.share_before }),
            false => Ok(()),
        }
    }
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
    match rows.features.is_empty() && (rows.score.is_none() || settings.method != Method::PlugIn) {
        true => Err(MitigateError::NoFeatures),
        false => Ok(()),
    }
}

fn both_classes(rows: &Rows, fitted: &Part) -> Result<(), MitigateError> {
    let positives = fitted.target.iter().filter(|target| **target).count();
    let legend = &rows.legend;
    let one = |class: Class| Err(MitigateError::OneClass { class: legend.class(class).to_owned() });
    match positives {
        0 => one(Class(1 - legend.positive.0.min(1))),
        all if all == fitted.target.len() => one(legend.positive),
        _ => Ok(()),
    }
}

/// Error rates by bin of the score, fixed before training.
struct Binned {
    matrices: Vec<TransitionMatrix>,
    /// Scores up to which each bin but the last reaches.
    ends: Vec<f64>,
    of_rows: Vec<u8>,
}

impl Binned {
    fn of(
        rows: &Rows,
        patterns: &Patterns,
        part: &Part,
        eta: &[f64],
        bins: usize,
    ) -> Result<Self, MitigateError> {
        let found = drift_of(rows, patterns, part, eta, bins);
        let found = found.map_err(|reason| MitigateError::Noise { reason })?;
        if found.bins.len() < bins {
            let reason = format!("the score has too few different values for {bins} bins");
            return Err(MitigateError::Noise { reason });
        }
        let matrix = |(place, bin): (usize, &fairveil_core::DriftBin)| {
            let reason = || bin.reason.clone().unwrap_or_default();
            let reason =
                || MitigateError::Noise { reason: format!("bin {} of the score: {}", place + 1, reason()) };
            let rows = bin.transition.clone().ok_or_else(reason)?;
            TransitionMatrix::new(rows).map_err(|error| MitigateError::Noise { reason: error.to_string() })
        };
        let matrices = found.bins.iter().enumerate().map(matrix).collect::<Result<Vec<_>, _>>()?;
        let ends: Vec<f64> = found.bins.iter().take(bins - 1).map(|bin| bin.high).collect();
        let mut binned = Binned { matrices, ends, of_rows: Vec::new() };
        binned.of_rows = binned.bins_of(eta);
        Ok(binned)
    }

    fn bins_of(&self, eta: &[f64]) -> Vec<u8> {
        eta.iter().map(|eta| self.ends.partition_point(|end| end < eta) as u8).collect()
    }

    fn weights(
        &self,
        rows: &Rows,
        patterns: &Patterns,
        part: &Part,
        settings: &MitigateSettings,
    ) -> Result<CalibratedWeights, MitigateError> {
        let legend = binned_legend(&rows.legend, self.matrices.len());
        let bin = |row: usize| Class(usize::from(self.of_rows[row]));
        let (tally, _) = part.tally(rows, patterns, legend, bin)?;
        Ok(CalibratedWeights::new(&tally, settings.criterion, &self.matrices)?)
    }
}

/// Compares the proxies' errors between bins with about as many rows each.
fn drift_of(
    rows: &Rows,
    patterns: &Patterns,
    part: &Part,
    eta: &[f64],
    bins: usize,
) -> Result<DriftRecord, String> {
    let mut sorted = eta.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut ends: Vec<f64> = (1..bins).map(|bin| sorted[bin * sorted.len() / bins]).collect();
    ends.push(f64::INFINITY);
    ends.dedup();
    let last = sorted.last().copied().unwrap_or(0.0);
    // A bin up to the largest score is the last.
    ends.retain(|end| *end < last || end.is_infinite());
    if ends.len() < 2 {
        return Err("the score has too few different values to be cut into bins".into());
    }
    let of = |eta: f64| ends.partition_point(|end| *end < eta);
    let mut bounds = vec![(f64::INFINITY, f64::NEG_INFINITY, 0); ends.len()];
    for eta in eta {
        let bound: &mut (f64, f64, u64) = &mut bounds[of(*eta)];
        *bound = (bound.0.min(*eta), bound.1.max(*eta), bound.2 + 1);
    }
    let legend = binned_legend(&rows.legend, ends.len());
    let tally = part.tally(rows, patterns, legend, |row| Class(of(eta[row])));
    let (counts, _) = tally.map_err(|error| error.to_string())?;
    drift(&counts, &bounds)
}

/// A gap that drowns in chance is not to be reduced; gives the rows that would tell it to half of its size.
fn refuse_chance(gap: Option<PairedGap>, ground: &Ground, rows: &Rows) -> Result<Option<f64>, MitigateError> {
    let Some(found) = gap else { return Ok(None) };
    let (size, fitted) = (found.gap.abs(), &ground.fitted);
    let shares = ground.weights.shares(found.pair.label);
    // A plan for rates of 0 or 1 would be one for no chance at all.
    let inside = |rate: f64| rate.clamp(0.01, 0.99);
    let rate = |group: usize| match group {
        g if g == found.pair.a.0 => inside(found.rates[0]),
        g if g == found.pair.b.0 => inside(found.rates[1]),
        _ => inside((found.rates[0] + found.rates[1]) / 2.0),
    };
    let rates: Vec<f64> = (0..shares.len()).map(rate).collect();
    let proxies = rows.legend.proxies.len();
    let among = match found.pair.label {
        None => 1.0,
        Some(label) => fitted.share(|row| fitted.target[row] == (label == rows.legend.positive)),
    };
    let needed = rows_to_tell(&shares, &rates, &ground.noise.transition, proxies, size / 2.0);
    let needed = needed.map(|rows| rows / among);
    match found.error >= size {
        true => {
            Err(MitigateError::TooFewRows { rows: fitted.rows.len(), gap: size, error: found.error, needed })
        }
        false => Ok(needed),
    }
}

fn point(tolerance: f64, measured: &Measured) -> CurvePoint {
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
struct Seen<'a> {
    settings: &'a MitigateSettings,
    ground: &'a Ground,
    fit: &'a Fit<'a>,
    learned: &'a Learned,
    after: &'a Measured,
    constant: (f64, &'a str),
    scale: Option<(f64, f64, f64)>,
}

fn findings(seen: &Seen, before: &Measured, after: &Measured) -> Vec<Finding> {
    let (settings, fit) = (seen.settings, seen.fit);
    let mut doubts = Vec::new();
    doubts.extend(seen.ground.drift.as_ref().ok().filter(|_| settings.noise_bins == 1).map(Doubt::Drift));
    let accuracy = after.side.accuracy.value;
    doubts.push(Doubt::Constant(accuracy, seen.constant.0, seen.constant.1));
    if let Some(found) = fit.gap_before {
        let rows = seen.ground.fitted.rows.len() as f64;
        let (error, gap, needed) = (found.error, found.gap.abs(), fit.rows_needed);
        doubts.push(Doubt::FewRows { error, gap, rows, needed });
        let reach = quantile(settings.audit.confidence) * found.error;
        doubts.push(Doubt::Unclear(found.gap, found.gap - reach, found.gap + reach));
    }
    let (wanted, reached) = (settings.tolerance.min(fit.there), widest(fit.pairs, &seen.learned.gaps));
    doubts.push(Doubt::Missed(wanted, reached, &seen.learned.stopped));
    doubts
        .extend(seen.scale.map(|(slope, intercept, difference)| Doubt::Score(slope, intercept, difference)));
    if let Learner::PlugIn { predicted, .. } = fit.learner {
        doubts.push(Doubt::StandIns(predicted.explained.max(0.0)));
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
fn scale_found(
    rows: &Rows,
    fitted: &Part,
    settings: &MitigateSettings,
) -> Result<Option<(f64, f64, f64)>, MitigateError> {
    if rows.score.is_none() || rows.labels.is_none() || settings.recalibrate {
        return Ok(None);
    }
    let scale = eta::scale(fitted, true)?;
    let total = fitted.total();
    let mean = fitted.scores.iter().zip(&fitted.weights).map(|(s, w)| s * w).sum::<f64>() / total;
    let difference = fitted.share(|row| fitted.target[row]) - mean;
    Ok(Some((scale.slope, scale.intercept, difference)))
}

fn multipliers(rows: &Rows, pairs: &[GroupPair], learned: &Learned) -> Vec<Multiplier> {
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

fn input(rows: &Rows, split: &Split, encoding: &Encoding) -> MitigationInput {
    let legend = &rows.legend;
    MitigationInput {
        rows_fitted: split.fitted.len() as u64,
        rows_held_out: split.held_out.len() as u64,
        rows_left_out: split.left_out as u64,
        prediction: rows.predictions.as_ref().map(|_| legend.prediction.clone()),
        label: rows.labels.as_ref().and(legend.label.clone()),
        score: rows.score.clone(),
        target: if rows.labels.is_some() { "label" } else { "decision" },
        features: rows.features.iter().map(|feature| feature.name.clone()).collect(),
        encoded_features: encoding.columns(),
        groups: legend.groups.clone(),
        positive: legend.class(legend.positive).to_owned(),
        proxies: legend.proxies.iter().map(|proxy| proxy.name.clone()).collect(),
    }
}

fn settings_record(settings: &MitigateSettings, noise: &Noise) -> MitigationSettings {
    MitigationSettings {
        tolerance: settings.tolerance,
        held_out: settings.held_out,
        folds: settings.folds,
        noise_bins: settings.noise_bins,
        estimator: noise.name.to_owned(),
        confidence: settings.audit.confidence,
        shared_error: settings.audit.shared_error,
        n_boot: settings.audit.n_boot,
        seed: settings.audit.seed,
    }
}
