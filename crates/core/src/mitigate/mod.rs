//! The calibrated constraint as one weight per row and group, and what a report on a mitigation may say.

mod record;

pub use record::{
    ConstantRecord, CurvePoint, DriftBin, DriftRecord, MitigatedSide, MitigationInput, MitigationRecord,
    MitigationSettings, Multiplier, RateRecord,
};
