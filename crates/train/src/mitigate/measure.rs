//! Before and after, measured on rows that were held out.

use super::gaps::{RowWeights, largest};
use super::noise::Noise;
use super::part::{Part, Patterns};
use super::{MitigateError, MitigateSettings};
use crate::Rows;
use fairveil_core::mitigate::{CalibratedWeights, ConstantRecord, MitigatedSide, RateRecord};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::record::IntervalRecord;
use fairveil_core::vocabulary::Class;
use fairveil_core::{
    Aggregate, Audit, AuditError, Counts, EstimatorChoice, Finding, Interval, Scope, ScopeChoice, Settings,
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
}

impl Measure<'_> {
    pub fn decisions(&self, decided: &[bool]) -> Result<Measured, MitigateError> {
        let settings = self.settings;
        let legend = &self.rows.legend;
        let negative = Class(1 - legend.positive.0.min(1));
        let class = |row: usize| if decided[row] { legend.positive } else { negative };
        let (counts, truth) = self.part.tally(self.rows, self.patterns, legend.clone(), class)?;
        let asked = Settings {
            criteria: vec![settings.criterion],
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
        let is_true_gap = |value: &&fairveil_core::record::TrueValue| {
            value.criterion == settings.criterion && value.aggregate == Aggregate::Difference
        };
        let true_gap =
            audit.truth.as_ref().and_then(|all| all.iter().find(is_true_gap)).and_then(|t| t.value);
        let side = MitigatedSide {
            accuracy: self.rate(|row| decided[row] == self.part.target[row]),
            positive_rate: self.rate(|row| decided[row]),
            rates,
            true_gap,
            binned_gap: self.binned_gap(&counts, decided)?,
            results: audit.results,
        };
        Ok(Measured { side, findings: audit.findings, gap, interval })
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
