//! Before and after, measured on rows that were held out.

use super::gaps::{RowWeights, largest};
use super::noise::Noise;
use super::part::{Part, Patterns};
use super::{MitigateError, MitigateSettings};
use crate::Rows;
use fairveil_core::mitigate::{
    Approvals, CalibratedWeights, ConstantRecord, CriterionChange, MitigatedSide, RateRecord,
};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::record::IntervalRecord;
use fairveil_core::vocabulary::Class;
use fairveil_core::{
    Aggregate, Audit, AuditError, Counts, Criterion, EstimatorChoice, Finding, Interval, Scope, ScopeChoice,
    Settings,
};

/// What is measured on, and how.
pub(crate) struct Measure<'a> {
    pub rows: &'a Rows,
    pub patterns: &'a Patterns,
    pub part: &'a Part,
    pub noise: &'a Noise,
    pub settings: &'a MitigateSettings,
    /// Error rates by bin, and the bin of every row of the part, where they were asked for.
    pub binned: Option<(&'a [TransitionMatrix], &'a [u8])>,
}

/// One set of decisions, measured.
pub(crate) struct Measured {
    pub side: MitigatedSide,
    pub findings: Vec<Finding>,
    /// The calibrated gap, largest difference, and its interval.
    pub gap: Option<f64>,
    pub interval: Option<IntervalRecord>,
    /// The same by every criterion that was measured, and the true one.
    criteria: Vec<OneGap>,
}

/// A gap by one criterion.
struct OneGap {
    criterion: Criterion,
    gap: Option<f64>,
    interval: Option<IntervalRecord>,
    truth: Option<f64>,
}

impl Measure<'_> {
    /// All criteria that the columns allow, that of the mitigation first.
    fn allowed(&self) -> Vec<Criterion> {
        let own = self.settings.criterion;
        let told = |c: &Criterion| *c != own && (self.rows.labels.is_some() || !c.needs_labels());
        [own].into_iter().chain(Criterion::ALL.into_iter().filter(told)).collect()
    }

    /// Decisions before or after, by every criterion.
    pub fn side(&self, decided: &[bool]) -> Result<Measured, MitigateError> {
        self.measured(decided, self.allowed())
    }

    /// Decisions by the criterion of the mitigation alone.
    pub fn decisions(&self, decided: &[bool]) -> Result<Measured, MitigateError> {
        self.measured(decided, vec![self.settings.criterion])
    }

    fn measured(&self, decided: &[bool], criteria: Vec<Criterion>) -> Result<Measured, MitigateError> {
        let settings = self.settings;
        let legend = &self.rows.legend;
        let negative = Class(1 - legend.positive.0.min(1));
        let class = |row: usize| if decided[row] { legend.positive } else { negative };
        let (counts, truth) = self.part.tally(self.rows, self.patterns, legend.clone(), class)?;
        let asked = Settings {
            criteria: criteria.clone(),
            estimator: EstimatorChoice::Fixed(self.noise.estimator),
            scope: ScopeChoice::Fixed(Scope::Global),
            ..settings.audit.clone()
        };
        let held_out = |reason: String| MitigateError::HeldOut { rows: self.part.rows.len(), reason };
        let audit = Audit::run(&counts, truth.as_ref(), &asked).map_err(|error| match error {
            AuditError::Setting { .. } => MitigateError::Audit(error),
            AuditError::Estimator { reason, .. } => held_out(reason),
            other => held_out(other.to_string()),
        })?;
        let chosen = audit.recommended(settings.criterion, Aggregate::Difference);
        let relied_on =
            |r: &&fairveil_core::record::RatesRecord| chosen.is_some_and(|c| c.origin == r.origin);
        let (gap, interval) = (chosen.and_then(|c| c.value), chosen.and_then(|c| c.interval.clone()));
        let rates = audit.rates.iter().find(relied_on).cloned();
        let true_gap = |criterion: Criterion| {
            let is = |value: &&fairveil_core::record::TrueValue| {
                value.criterion == criterion && value.aggregate == Aggregate::Difference
            };
            audit.truth.as_ref().and_then(|all| all.iter().find(is)).and_then(|t| t.value)
        };
        let one_gap = |criterion: Criterion| {
            let chosen = audit.recommended(criterion, Aggregate::Difference);
            OneGap {
                criterion,
                gap: chosen.and_then(|c| c.value),
                interval: chosen.and_then(|c| c.interval.clone()),
                truth: true_gap(criterion),
            }
        };
        let criteria = criteria.into_iter().map(one_gap).collect();
        let side = MitigatedSide {
            accuracy: self.rate(|row| decided[row] == self.part.target[row]),
            positive_rate: self.rate(|row| decided[row]),
            rates,
            true_gap: true_gap(settings.criterion),
            binned_gap: self.binned_gap(&counts, decided)?,
            results: audit.results.into_iter().filter(|r| r.criterion == settings.criterion).collect(),
        };
        Ok(Measured { side, findings: audit.findings, gap, interval, criteria })
    }

    /// Every criterion before and after.
    pub fn changes(
        &self,
        (before, was): (&Measured, &[bool]),
        (after, is): (&Measured, &[bool]),
    ) -> Result<Vec<CriterionChange>, MitigateError> {
        let mut changes = Vec::new();
        for (first, second) in before.criteria.iter().zip(&after.criteria) {
            changes.push(CriterionChange {
                criterion: first.criterion,
                before: first.gap,
                before_interval: first.interval.clone(),
                after: second.gap,
                after_interval: second.interval.clone(),
                true_before: first.truth,
                true_after: second.truth,
                wider_by: self.wider(first.criterion, was, is)?,
            });
        }
        Ok(changes)
    }

    /// How much wider the largest gap is after. Nothing where a gap is no sum over decisions, or there are no weights.
    fn wider(
        &self,
        criterion: Criterion,
        was: &[bool],
        is: &[bool],
    ) -> Result<Option<RateRecord>, MitigateError> {
        let legend = &self.rows.legend;
        let negative = Class(1 - legend.positive.0.min(1));
        let class = |row: usize| if is[row] { legend.positive } else { negative };
        let (counts, _) = self.part.tally(self.rows, self.patterns, legend.clone(), class)?;
        let noise = std::slice::from_ref(&self.noise.transition);
        let Ok(weights) = CalibratedWeights::new(&counts, criterion, noise) else { return Ok(None) };
        let table = RowWeights::new(&weights, self.patterns, legend.groups.len(), 1);
        let found = table.wider(&weights.all_pairs(), self.part, was, is);
        let z = quantile(self.settings.audit.confidence);
        Ok(found.map(|(value, error)| {
            let interval = Interval { low: value - z * error, high: value + z * error };
            RateRecord { value, interval }
        }))
    }

    /// How many are decided positive before and after, and how far chance moves the difference: on these rows, and on the fitted
    /// ones, which the cut was made for.
    pub fn approvals(&self, was: &[bool], is: &[bool], fitted: &Part) -> Approvals {
        let moved = |row: usize| f64::from(u8::from(is[row])) - f64::from(u8::from(was[row]));
        let (before, after) = (self.part.share(|row| was[row]), self.part.share(|row| is[row]));
        let square = |row: usize| (self.part.weights[row] * (moved(row) - (after - before))).powi(2);
        let error = (0..is.len()).map(square).sum::<f64>().sqrt() / self.part.total();
        let both = (1.0 + self.part.effective() / fitted.effective()).sqrt();
        let reach = quantile(0.99) * error * both;
        Approvals { before, after, reach, asked: self.settings.operating_point }
    }

    /// Deciding alike for everyone.
    pub fn constant(&self) -> ConstantRecord {
        let legend = &self.rows.legend;
        let positive = self.part.share(|row| self.part.target[row]);
        let (class, accuracy) = if positive > 0.5 {
            (legend.positive, positive)
        } else {
            (Class(1 - legend.positive.0.min(1)), 1.0 - positive)
        };
        ConstantRecord { decision: legend.class(class).to_owned(), accuracy }
    }

    /// How often a lottery is right that decides this share positive.
    pub fn lottery(&self, share: f64) -> f64 {
        let positive = self.part.share(|row| self.part.target[row]);
        share * positive + (1.0 - share) * (1.0 - positive)
    }

    /// A share of the rows with Wilson's interval.
    fn rate(&self, holds: impl Fn(usize) -> bool) -> RateRecord {
        let value = self.part.share(holds);
        let rows = self.part.effective();
        let z2 = quantile(self.settings.audit.confidence).powi(2);
        let centre = (value + z2 / (2.0 * rows)) / (1.0 + z2 / rows);
        let reach =
            (z2 * (value * (1.0 - value) / rows + z2 / (4.0 * rows * rows))).sqrt() / (1.0 + z2 / rows);
        let interval = Interval { low: (centre - reach).max(0.0), high: (centre + reach).min(1.0) };
        RateRecord { value, interval }
    }

    /// The largest gap with error rates of their own in every bin.
    fn binned_gap(&self, counts: &Counts, decided: &[bool]) -> Result<Option<RateRecord>, MitigateError> {
        let Some((noise, bins)) = self.binned else { return Ok(None) };
        let legend = binned_legend(&self.rows.legend, noise.len());
        let bin = |row: usize| Class(usize::from(bins[row]));
        let (tally, _) = self.part.tally(self.rows, self.patterns, legend, bin)?;
        let weights = CalibratedWeights::new(&tally, self.settings.criterion, noise)?;
        let groups = counts.legend().groups.len();
        let table = RowWeights::new(&weights, self.patterns, groups, noise.len());
        let gaps = table.gaps(&weights.all_pairs(), self.part, bins, decided);
        let z = quantile(self.settings.audit.confidence);
        Ok(largest(&gaps).map(|found| {
            let value = found.gap.abs();
            let interval =
                Interval { low: (value - z * found.error).max(0.0), high: value + z * found.error };
            RateRecord { value, interval }
        }))
    }
}

/// The legend of a tally whose predictions are bins.
pub(crate) fn binned_legend(
    legend: &fairveil_core::vocabulary::Legend,
    bins: usize,
) -> fairveil_core::vocabulary::Legend {
    let classes = (0..bins.max(2)).map(|bin| format!("bin {}", bin + 1)).collect();
    fairveil_core::vocabulary::Legend { classes, prediction: "score".into(), ..legend.clone() }
}

/// Two-sided normal quantile.
pub(crate) fn quantile(confidence: f64) -> f64 {
    fairveil_core::uncertainty::normal_quantile(confidence)
}
