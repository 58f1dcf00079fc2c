//! The calibrated constraint as one weight per row and group, and what a report on a mitigation may say.

mod drift;
mod record;
mod rows;
mod trial;
mod weights;

pub use drift::{ScoreBin, drift};
pub use record::{
    ConstantRecord, CriterionChange, CurvePoint, DriftBin, DriftRecord, MeasuredOn, Method, MethodRecord,
    MitigatedSide, MitigationInput, MitigationRecord, MitigationSettings, Multiplier, OperatingPoint,
    OperatingRecord, RateRecord, Target,
};
pub use rows::{Feature, FeatureValues, Rows};
pub use trial::{Along, Approvals, CLEAR, ExplainedShare, FittedGap, Scale, Sharpness, Trial};
pub use weights::{CalibratedWeights, GroupPair, WeightsError};
