//! Group disparities of a model, estimated from weak proxies only.
//!
//! The groups of people were never recorded; proxies (a name, an address) guess them, and err. This crate
//! learns how they err from the way they agree and disagree, and undoes it. It holds all statistics of
//! fairveil and nothing else: no files, no clock, no printing. It builds for wasm32.
//!
//! ```
//! use fairveil_core::*;
//!
//! // A simulated population: loans, two groups, three weak proxies.
//! let (counts, _) = World::lending().sample(20_000, 7)?;
//! let audit = Audit::run(&counts, None, &Settings::default())?;
//! let gap = |basis| {
//!     let same = |r: &&Measurement| r.basis == basis && r.criterion == Criterion::DemographicParity;
//!     audit.results.iter().find(same).and_then(|r| r.value).unwrap()
//! };
//! // Read directly, a proxy shows little more than half of the gap that explains how the proxies agree.
//! assert!(gap(Basis::Proxy) < 0.7 * gap(Basis::Calibrated));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In reading order: the words ([`Group`], [`Guess`], [`Stratum`], [`Criterion`]), the tally ([`Counts`],
//! [`Frequencies`]), what the proxies say ([`base`], [`soft_votes`]), how they err ([`NoiseEstimator`],
//! [`Hoc`], [`NoiseModel`]), what must be true ([`calibrate()`], [`Joint`]), one number ([`measure`]), what to
//! doubt ([`Finding`], [`catalogue`]), and the flow ([`Audit::run`]). Beside it: what is known without belief in
//! the proxies ([`AssumptionFree`]) and the paper's theorems ([`RawErrorBound`], [`CalibratedErrorBound`]). A
//! [`World`] is a population with known truth to test them on.

mod advise;
mod answers;
mod audit;
pub mod bounds;
mod calibrate;
pub mod compare;
pub mod counts;
pub mod diagnose;
mod disparity;
pub mod estimate;
mod exact_sum;
pub mod gate;
mod linalg;
pub mod mitigate;
mod named;
pub mod noise;
mod pairwise;
pub mod plan;
pub mod privacy;
pub mod rates;
pub mod record;
pub mod segments;
pub mod setting;
mod settings;
pub mod uncertainty;
pub mod vocabulary;
pub mod world;

pub use bounds::{
    AssumptionFree, Belief, BinaryRawError, BinaryRawErrorPart, BoundError, CalibratedErrorBound,
    CalibratedErrorPart, CalibrationThreshold, KnownProxy, RawErrorBound, RawErrorPart, TheoremError,
    intersect, non_differential_floor,
};
pub use calibrate::{calibrate, repaired, unmix};
pub use compare::{Candidate, Comparison, ModelPair, ModelRecord, PairedCell};
pub use counts::{
    Borrowed, BorrowedGuesses, Cell, ComparedPairs, Counts, CountsError, Frequencies, Hidden, Intake,
    MechanismError, Noised, ScoreTotals, Skipped, Spelling, Tally, View,
};
pub use diagnose::{Entry, Evidence, Finding, Severity, catalogue, explain};
pub use disparity::{ErrorMeasures, Pair, measure, pairs};
pub use estimate::{
    AuditLabels, AuditSample, ConfidentJoint, ConfidentTally, Errors, Explained, Given, GivenNoise, Hoc,
    LatentClass, NoiseEstimator, Population, StatedError, StatedNoise,
};
pub use exact_sum::ExactSum;
pub use mitigate::{
    Along, CalibratedWeights, ConstantRecord, CurvePoint, DriftBin, DriftRecord, ExplainedShare, FittedGap,
    GroupPair, Method, MitigatedSide, MitigationInput, MitigationRecord, MitigationSettings, Multiplier,
    RateRecord, Scale, Target, Trial, WeightsError, drift,
};
pub use named::{Choice, UnknownName};
pub use noise::{Fit, NoiseError, NoiseModel, ProxyNoise, Stopped, TransitionMatrix};
pub use plan::{FromAuditError, Plan, PlanError, PlanPoint, Situation};
pub use privacy::{DiscreteLaplace, Epsilon, PrivacyError, RandomizedResponse};
/// The traits of generators, in the version that [`DiscreteLaplace`] draws from.
pub use rand_pcg::rand_core;
pub use rates::{GroupRates, Joint, Shares, Unavailable, base, soft_scores, soft_votes, true_joint};
pub use record::{
    Advice, AgreementRecord, Assumption, Audit, BoundRecord, ErrorRecord, GroupRate, GroupRatesRecord,
    HonestRecord, Input, IntervalMethod, IntervalRecord, LearnedFrom, Measurement, MechanismRecord, NextStep,
    NoiseRecord, PairGap, ProxyErrorRecord, ProxyRecord, RateIntervals, RatesRecord, SegmentRecord,
    SettingsRecord, SharedErrorPoint, SharedErrorRecord, SolverEnd, Step, StratumRecord, Test, TestRecord,
    TrueValue,
};
pub use segments::Segment;
pub use settings::{AuditError, EstimatorChoice, ScopeChoice, Settings};
pub use uncertainty::{Interval, agreement, normal_quantile, sampling_intervals, without_copying};
pub use vocabulary::{
    Aggregate, Axis, Basis, Class, Criterion, Estimator, Group, Guess, Legend, Proxy, ProxyId, Scope, Stratum,
};
pub use world::{Copying, SimulatedPerson, Truth, World, WorldError, WorldStratum};

/// The pages under `docs/methods`, so that their formulas are executed.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/methods/bounds.md")]
    pub struct Bounds;
    #[doc = include_str!("../../../docs/methods/calibration.md")]
    pub struct Calibration;
    #[doc = include_str!("../../../docs/methods/disparities.md")]
    pub struct Disparities;
    #[doc = include_str!("../../../docs/methods/estimators.md")]
    pub struct Estimators;
    #[doc = include_str!("../../../docs/methods/mitigation.md")]
    pub struct Mitigation;
    #[doc = include_str!("../../../docs/methods/planning.md")]
    pub struct Planning;
    #[doc = include_str!("../../../docs/methods/neighbors.md")]
    pub struct NearestNeighbors;
    #[doc = include_str!("../../../docs/methods/hoc.md")]
    pub struct ExactHoc;
    #[doc = include_str!("../../../docs/methods/uncertainty.md")]
    pub struct Uncertainty;
}
