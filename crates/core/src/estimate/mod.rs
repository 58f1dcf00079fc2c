//! Learning how the proxies err, from the way they agree and disagree. One file per method;
//! `contract.rs` holds the tests that every method passes.

mod audit_sample;
mod by_source;
mod confident_joint;
#[cfg(test)]
mod contract;
mod given;
mod hoc;
mod latent_class;
pub(crate) mod mixture;
mod moments;
mod solver;
mod stated;

pub use audit_sample::{AuditLabels, AuditSample, Population};
pub use confident_joint::{ConfidentJoint, ConfidentTally};
pub use given::{Given, GivenNoise};
pub use hoc::Hoc;
pub use latent_class::LatentClass;
pub use mixture::Errors;
pub(crate) use moments::Moments;
pub use stated::{StatedError, StatedNoise};

use crate::calibrate::calibrate;
use crate::counts::{Counts, Frequencies, View};
use crate::noise::{NoiseError, NoiseModel};
use crate::rates::Joint;
use crate::settings::Settings;
use crate::uncertainty::{Redraw, resampled};
use crate::vocabulary::{Basis, Estimator, Group, Scope};
use std::sync::Arc;

/// A way to learn a noise model from frequencies: a settings struct with one pure method. What else is asked of it has an
/// answer that suits most.
pub trait NoiseEstimator: Send + Sync {
    /// Which estimator this is.
    fn kind(&self) -> Estimator;

    /// Same frequencies and settings, same answer.
    fn fit(&self, seen: &Frequencies) -> Result<NoiseModel, NoiseError>;

    /// The noise and the joint table that explains what is seen. Methods that learn the table along with the noise
    /// give their own; the others undo the noise by [`calibrate`].
    fn explain(&self, seen: &Frequencies, view: View) -> Result<Explained, NoiseError> {
        let noise = self.fit(seen)?;
        Ok(Explained { joint: calibrate(seen, view, &noise), noise })
    }

    /// One set of errors for all strata, or one for each.
    fn scope(&self) -> Scope {
        Scope::Global
    }

    /// What its numbers are computed from.
    fn basis(&self) -> Basis {
        Basis::Calibrated
    }

    /// One model is learned from all rows and used in every view.
    fn learns_from_all_rows(&self) -> bool {
        false
    }

    /// It learns from guesses alone, so that rows drawn anew are all that it needs.
    fn learns_from_guesses_alone(&self) -> bool {
        true
    }

    /// It takes agreement for skill, so that mistakes which proxies share mislead it.
    fn trusts_agreement(&self) -> bool {
        false
    }

    /// Its numbers need proxies that err independently of each other.
    fn needs_independence(&self) -> bool {
        true
    }

    /// What it assumes about how the proxies err, where it maximises the likelihood of that.
    fn errors(&self) -> Option<Errors> {
        None
    }

    /// Where it stands in the likelihood of proxies that err alike in all strata, if that says how far chance moves it.
    fn in_likelihood(&self) -> Option<Place> {
        None
    }

    /// The share of the proxies' agreement that is error they share, where it can tell.
    fn shared_error(&self, _seen: &Frequencies) -> Option<f64> {
        None
    }

    /// The joint table of rows that differ little from those that `near` explains.
    fn again(&self, seen: &Frequencies, view: View, _near: &Explained) -> Option<Joint<Group>> {
        self.explain(seen, view).ok().map(|explained| explained.joint)
    }

    /// Joint tables of rows drawn anew; `None` for a draw without an estimate.
    fn draws(&self, table: Redraw) -> Vec<Option<Joint<Group>>> {
        resampled(table, 0.0, |seen| self.explain(seen, table.view).ok().map(|explained| explained.joint))
    }
}

/// How the proxies err, and what must be true to explain what they say.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// How the proxies err.
    pub noise: NoiseModel,
    /// Strata and groups.
    pub joint: Joint<Group>,
}

/// Where an estimate stands in a likelihood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It is the maximum.
    Top,
    /// Near it: another estimate of the same.
    Beside,
}

/// A table that estimators may explain.
pub(crate) struct Offered<'a> {
    pub counts: &'a Counts,
    pub settings: &'a Settings,
    pub view: View,
    pub seen: &'a Frequencies,
    /// The effective number of rows.
    pub rows: f64,
    /// One matrix for all rows of the table by moments, learned once for all views.
    pub by_moments: &'a Result<NoiseModel, NoiseError>,
}

/// An estimator and what it makes of a table.
pub(crate) type Offer = (Arc<dyn NoiseEstimator>, Result<Explained, NoiseError>);

impl Offered<'_> {
    /// Everything that estimators make of it, in the order of reports.
    pub fn explanations(&self) -> impl Iterator<Item = Offer> {
        let all: [fn(&Offered) -> Vec<Offer>; 5] =
            [Hoc::offers, LatentClass::offers, Given::offers, ConfidentJoint::offers, AuditSample::offers];
        all.into_iter().flat_map(|offers| offers(self))
    }

    /// What an estimator that is there makes of it.
    fn by<E: NoiseEstimator + 'static>(&self, estimator: Option<E>) -> Vec<Offer> {
        let offer = |estimator: E| {
            let explained = estimator.explain(self.seen, self.view);
            (Arc::new(estimator) as Arc<dyn NoiseEstimator>, explained)
        };
        estimator.map(offer).into_iter().collect()
    }
}
