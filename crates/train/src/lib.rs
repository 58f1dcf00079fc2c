//! Decision rules with a smaller gap between groups, learned from weak proxies only.
//!
//! The one crate that needs rows: a rule is learned from people's features. It hands out rules and weights, never a
//! group of a person, and its rules need neither a group nor a proxy at decision time.

mod design;
mod encode;
pub mod lbfgs;
mod logistic;
mod mlp;
mod multipliers;
mod network;
mod ordered;
mod pass;
mod problem;
mod rows;

pub use design::Design;
pub use encode::{EncodeError, EncodedFeature, Encoding, Feature, FeatureValues, Value};
pub use logistic::{Linear, LogisticSettings, logistic};
pub use mlp::{MlpSettings, mlp};
pub use network::Mlp;
pub use problem::{Problem, ProblemError, Stage, Step, Stopped, Trained};
pub use rows::Rows;
