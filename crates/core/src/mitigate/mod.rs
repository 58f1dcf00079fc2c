//! The calibrated constraint as one weight per row and group, and what a report on a mitigation may say.

mod drift;
mod findings;
mod record;
mod weights;

pub use drift::drift;
pub use findings::{Doubt, rows_to_tell};
pub use record::{
    ConstantRecord, CurvePoint, DriftBin, DriftRecord, Method, MitigatedSide, MitigationInput,
    MitigationRecord, MitigationSettings, Multiplier, RateRecord, Target,
};
pub use weights::{CalibratedWeights, GroupPair, WeightsError};
