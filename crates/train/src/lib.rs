//! Decision rules with a smaller gap between groups, learned from weak proxies only.
//!
//! The one crate that needs rows: a rule is learned from people's features. It hands out rules and weights, never a
//! group of a person, and its rules need neither a group nor a proxy at decision time.

mod design;
mod encode;
mod linear;
mod order;
mod plug_in;
mod ridge;
mod rows;

pub use design::Design;
pub use encode::{Feature, FeatureValues};
pub use linear::Linear;
pub use plug_in::Tilt;
pub use rows::Rows;
