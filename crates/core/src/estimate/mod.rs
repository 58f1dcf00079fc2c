//! Learning how the proxies err, from the way they agree and disagree. One file per method;
//! `contract.rs` holds the tests that every method passes.

#[cfg(test)]
mod contract;
mod hoc;
mod moments;
mod solver;

pub use hoc::Hoc;
pub(crate) use moments::Moments;

use crate::counts::Frequencies;
use crate::noise::{NoiseError, NoiseModel};

/// A way to learn a noise model from frequencies. A settings struct with one pure method.
pub trait NoiseEstimator {
    /// The one name used in reports, on the command line and in Python.
    fn name(&self) -> &'static str;

    /// Same frequencies and settings, same answer.
    fn fit(&self, seen: &Frequencies) -> Result<NoiseModel, NoiseError>;
}
