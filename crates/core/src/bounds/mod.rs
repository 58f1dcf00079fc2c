//! How far off a number can be: what is known without any belief in the proxies, and the theorems of the paper.
//!
//! Two kinds of bound, for two readers:
//! ```text
//! AssumptionFree        from what is seen, a known share of the group, and at most ε wrong guesses
//! RawErrorBound …       from the truth itself: how wrong a proxy, or a calibration, may be   (paper, 3.2 to 4.7)
//! ```
//! The first can be computed in an audit. The second take quantities that nobody has outside a simulated
//! [`World`](crate::World) or a labelled sample, given as a [`KnownProxy`]; they explain what the error is made
//! of. With estimates in place of the truth they are some 3 to 40 times the error and serve badly as error bars.
//! Neither kind knows of chance: all shares are taken as those of a sample without end.
//!
//! Derivations, failure modes and references are in `docs/methods/bounds.md`.

mod assumption_free;
mod calibrated;
pub(crate) mod in_audit;
mod known;
pub(crate) mod known_errors;
#[cfg(test)]
mod linear_programme;
mod raw;
#[cfg(test)]
mod theorem_tests;

pub use assumption_free::{AssumptionFree, BoundError, intersect, non_differential_floor};
pub use calibrated::{CalibratedErrorBound, CalibratedErrorPart, CalibrationThreshold};
pub use in_audit::MaxProxyError;
pub use known::{Belief, KnownProxy, TheoremError};
pub use raw::{BinaryRawError, BinaryRawErrorPart, RawErrorBound, RawErrorPart};
