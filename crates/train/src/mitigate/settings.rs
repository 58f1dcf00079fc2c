//! What is asked of a mitigation.

use super::MitigateError;
use fairveil_core::mitigate::{Method, OperatingPoint, WeightsError};
use fairveil_core::{Criterion, Settings};

/// Which rows a rule is measured on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Measuring {
    /// All of them, cross-fitted, where they are few; else a share that is held out.
    #[default]
    Auto,
    /// This share, which the rule does not learn from.
    HeldOut(f64),
    /// All of them, each decided about by a rule that learned from others. It takes as many times as long as there are folds.
    CrossFitted,
}

impl Measuring {
    /// The share that is held out where none is asked for.
    pub const SHARE: f64 = 0.3;
}

/// What is asked of a mitigation.
#[derive(Debug, Clone, PartialEq)]
pub struct MitigateSettings {
    /// The criterion whose gap is to be reduced.
    pub criterion: Criterion,
    /// How.
    pub method: Method,
    /// The gap that may stay.
    pub tolerance: f64,
    /// Where decisions are cut.
    pub operating_point: OperatingPoint,
    /// Which rows are measured on, where the table does not say it.
    pub measuring: Measuring,
    /// Other methods, to be tried on the same rows.
    pub beside: Vec<Method>,
    /// Folds of the cross-fit.
    pub folds: usize,
    /// Into how many bins of the score rows are cut, each with error rates of its own; 1 for none.
    pub noise_bins: usize,
    /// Whether each decision before has error rates of its own, fixed before training: local calibration.
    pub local: bool,
    /// Whether missing features have a place.
    pub impute: bool,
    /// Whether the score is put on the scale of the labels first.
    pub recalibrate: bool,
    /// Whether other tolerances are tried for the trade-off curve.
    pub curve: bool,
    /// How noise is estimated and intervals are made; its criteria and scope are not looked at.
    pub audit: Settings,
}

impl Default for MitigateSettings {
    fn default() -> Self {
        MitigateSettings {
            criterion: Criterion::DemographicParity,
            method: Method::PlugIn,
            tolerance: 0.0,
            operating_point: OperatingPoint::Kept,
            measuring: Measuring::Auto,
            beside: Vec::new(),
            folds: 5,
            noise_bins: 1,
            local: false,
            impute: false,
            recalibrate: false,
            curve: true,
            audit: Settings::default(),
        }
    }
}

impl MitigateSettings {
    pub(crate) fn check(&self) -> Result<(), MitigateError> {
        if !self.criterion.is_about_decisions() {
            return Err(WeightsError::NotDecisions { criterion: self.criterion }.into());
        }
        let within = |name, value: f64, needed, is: bool| {
            if is { Ok(()) } else { Err(MitigateError::Setting { name, value: value.to_string(), needed }) }
        };
        within("tolerance", self.tolerance, "from 0 to below 1", (0.0..1.0).contains(&self.tolerance))?;
        let between = "above 0 and below 1";
        let inside = |value: f64| value > 0.0 && value < 1.0;
        match self.operating_point {
            OperatingPoint::Kept => {}
            OperatingPoint::Rate { share } => within("rate", share, between, inside(share))?,
            OperatingPoint::Threshold { chance } => within("threshold", chance, between, inside(chance))?,
            OperatingPoint::Costs { false_positive: fp, false_negative: fn_ } => {
                let finite = |cost: f64| cost.is_finite() && cost > 0.0;
                if !(finite(fp) && finite(fn_)) {
                    let (name, value) = ("costs", format!("fp={fp}, fn={fn_}"));
                    return Err(MitigateError::Setting { name, value, needed: "two numbers above 0" });
                }
            }
        }
        if let Measuring::HeldOut(share) = self.measuring {
            within("held-out", share, "from 0.05 to 0.9", (0.05..=0.9).contains(&share))?;
        }
        if self.local && (self.noise_bins > 1 || self.audit.given.is_some()) {
            let (name, needed) = ("local", "neither bins of the score nor given error rates beside it");
            return Err(MitigateError::Setting { name, value: "true".into(), needed });
        }
        let all = || std::iter::once(self.method).chain(self.beside.iter().copied());
        if let Some(twice) = all().enumerate().find_map(|(i, one)| all().take(i).find(|other| *other == one))
        {
            let (name, needed) = ("method", "each method once");
            return Err(MitigateError::Setting { name, value: format!("{}, twice", twice.name()), needed });
        }
        within("folds", self.folds as f64, "from 2 to 20", (2..=20).contains(&self.folds))?;
        within("noise-bins", self.noise_bins as f64, "from 1 to 10", (1..=10).contains(&self.noise_bins))
    }
}
