//! What is asked of a mitigation.

use super::MitigateError;
use fairveil_core::mitigate::{Method, WeightsError};
use fairveil_core::{Criterion, Settings};

/// What is asked of a mitigation.
#[derive(Debug, Clone, PartialEq)]
pub struct MitigateSettings {
    /// The criterion whose gap is to be reduced.
    pub criterion: Criterion,
    /// How.
    pub method: Method,
    /// The gap that may stay.
    pub tolerance: f64,
    /// The share of the rows that is held out to measure on.
    pub held_out: f64,
    /// Folds of the cross-fit.
    pub folds: usize,
    /// Into how many bins of the score rows are cut, each with error rates of its own; 1 for none.
    pub noise_bins: usize,
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
            held_out: 0.3,
            folds: 5,
            noise_bins: 1,
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
        let held_out = (0.05..=0.9).contains(&self.held_out);
        within("held-out", self.held_out, "from 0.05 to 0.9", held_out)?;
        within("folds", self.folds as f64, "from 2 to 20", (2..=20).contains(&self.folds))?;
        within("noise-bins", self.noise_bins as f64, "from 1 to 10", (1..=10).contains(&self.noise_bins))
    }
}
