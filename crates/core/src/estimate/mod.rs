//! Learning how the proxies err, from the way they agree and disagree. One file per method;
//! `contract.rs` holds the tests that every method passes.

mod audit_sample;
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
use crate::counts::{Frequencies, View};
use crate::noise::{NoiseError, NoiseModel};
use crate::rates::Joint;
use crate::vocabulary::{Estimator, Group};

/// A way to learn a noise model from frequencies. A settings struct with one pure method.
pub trait NoiseEstimator {
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
}

/// How the proxies err, and what must be true to explain what they say.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// How the proxies err.
    pub noise: NoiseModel,
    /// Strata and groups.
    pub joint: Joint<Group>,
}
