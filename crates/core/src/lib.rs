//! Group disparities of a model, estimated from weak proxies only.
//!
//! The groups of people were never recorded; proxies (a name, an address) guess them, and err. This crate
//! learns how they err from the way they agree and disagree, and undoes it. It holds all statistics of
//! fairveil and nothing else: no files, no clock, no printing. It builds for wasm32.
//!
//! ```
//! use fairveil_core::{Audit, Basis, Criterion, Settings, World};
//!
//! // A simulated population: loans, two groups, three weak proxies.
//! let (counts, _) = World::lending().sample(20_000, 7)?;
//! let audit = Audit::run(&counts, None, &Settings::default())?;
//! let gap = |basis| {
//!     let same = |r: &&fairveil_core::record::Measurement| {
//!         r.origin.basis == basis && r.criterion == Criterion::DemographicParity
//!     };
//!     audit.results.iter().find(same).and_then(|r| r.value).unwrap()
//! };
//! // Read directly, a proxy shows little more than half of the gap that explains how the proxies agree.
//! assert!(gap(Basis::Proxy) < 0.7 * gap(Basis::Calibrated));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An [`Audit`] of [`Counts`] with [`Settings`] is all that most callers need; a [`CountsBuilder`] makes the tally from rows.
//! The rest stands in modules, in reading order:
//!
//! | module | holds |
//! |---|---|
//! | [`vocabulary`] | the words as types: group and guess, class, stratum, criterion |
//! | [`counts`] | the tally, and its shares |
//! | [`rates`] | what the proxies say |
//! | [`noise`], [`estimate`] | how they err, and the ways to learn it |
//! | [`evidence`] | what tables of names and places say, as likelihoods and not as guesses |
//! | [`labels`] | what rows with a known group say without that |
//! | [`mod@calibrate`], [`disparity`] | what must be true to explain it; one number |
//! | [`uncertainty`], [`bounds`] | intervals; what is known without belief in the proxies |
//! | [`diagnose`] | what to doubt |
//! | [`headline`] | what may stand on top |
//! | [`record`] | the audit as plain data |
//! | [`measures`] | one group beside a reference, under the names that rules and practice use |
//! | [`monitor`] | the gap by period, and an alarm |
//! | [`segments`], [`compare`], [`gate`], [`plan`] | parts of a table, several models, limits, rows and labels that are needed |
//! | [`privacy`], [`mitigate`] | randomised guesses and their price; weights for rules with a smaller gap |
//! | [`setting`] | settings by name, spelled by each front end |
//! | [`world`] | populations with known truth |

mod advise;
mod answers;
mod audit;
pub mod bounds;
pub mod calibrate;
pub mod compare;
pub mod counts;
pub mod criterion;
pub mod curve;
pub mod diagnose;
pub mod disparity;
pub mod estimate;
pub mod evidence;
mod exact_sum;
pub mod gate;
pub mod headline;
pub mod intersect;
pub mod labels;
mod linalg;
pub mod measures;
pub mod mitigate;
pub mod monitor;
mod named;
pub mod noise;
pub mod outcome;
mod pairwise;
pub mod plan;
pub mod privacy;
pub mod rates;
pub mod record;
mod redrawn;
pub mod segments;
pub mod setting;
mod settings;
pub mod uncertainty;
mod undo;
pub mod vocabulary;
pub mod watch;
pub mod world;

pub use compare::Comparison;
pub use counts::{Counts, CountsBuilder};
pub use curve::Curve;
pub use diagnose::Finding;
pub use monitor::Monitor;
pub use named::UnknownName;
pub use record::Audit;
pub use settings::{AuditError, EstimatorChoice, ScopeChoice, Settings};
pub use uncertainty::Interval;
pub use vocabulary::{Aggregate, Basis, Criterion, Estimator, Scope, SelectedIs};
pub use world::World;

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
    #[doc = include_str!("../../../docs/methods/evidence.md")]
    pub struct Evidence;
    #[doc = include_str!("../../../docs/methods/headline.md")]
    pub struct Headline;
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
