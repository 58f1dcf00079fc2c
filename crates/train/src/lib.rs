//! Decision rules with a smaller gap between groups, learned from weak proxies only.
//!
//! The one crate that needs rows: a rule is learned from people's features. It hands out rules and weights, never a
//! group of a person, and its rules need neither a group nor a proxy at decision time.

mod design;
mod encode;
pub mod lbfgs;
mod logistic;
mod mitigate;
mod mlp;
mod multipliers;
mod network;
mod order;
mod ordered;
mod pass;
mod plug_in;
mod problem;
mod ridge;
mod rows;
mod rule;

pub use design::Design;
pub use encode::{EncodeError, EncodedFeature, Encoding, Feature, FeatureValues, Value};
pub use logistic::{Linear, LogisticSettings, logistic};
pub use mitigate::{
    ExportedWeights, Method, MitigateError, MitigateSettings, Mitigated, calibrated_weights, learn_rule,
    mitigate,
};
pub use mlp::{MlpSettings, mlp};
pub use network::Mlp;
pub use plug_in::Tilt;
pub use problem::{Problem, ProblemError, Stage, Step, Stopped, Trained};
pub use rows::Rows;
pub use rule::{Eta, Model, Need, NeedKind, RULE_SCHEMA, Rule, RuleError, Scale};
