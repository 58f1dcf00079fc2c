//! Decision rules with a smaller gap between groups, learned from weak proxies only.
//!
//! The one crate that needs rows: a rule is learned from people's features. It hands out rules and weights, never a
//! group of a person, and its rules need neither a group nor a proxy at decision time.
//!
//! ```
//! # use fairveil_core::privacy::rand_core::Rng;
//! # use fairveil_core::vocabulary::{Class, Guess, Legend};
//! use fairveil_train::{Feature, FeatureValues, MitigateSettings, Rows, Value, mitigate};
//!
//! # let mut random = rand_pcg::Pcg64::new(7, 7);
//! # let mut chance = |share: f64| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64 > 1.0 - share;
//! # let (mut incomes, mut years, mut labels) = (Vec::<f32>::new(), Vec::<f32>::new(), Vec::new());
//! # let mut guesses = vec![Vec::new(); 3];
//! # for _ in 0..6_000 {
//! #     let group = usize::from(chance(0.4));
//! #     let income = (0..20).filter(|_| chance(0.6 - 0.15 * group as f64)).count() as f64;
//! #     let worked = (0..20).filter(|_| chance(0.5)).count() as f64;
//! #     let repaid = chance((0.05 * (income + 2.0 * worked) - 1.0).clamp(0.02, 0.98));
//! #     labels.push(Some(Class(usize::from(repaid))));
//! #     incomes.push(income as f32);
//! #     years.push(worked as f32);
//! #     guesses.iter_mut().for_each(|g: &mut Vec<_>| g.push(Some(Guess(if chance(0.8) { group } else { 1 - group }))));
//! # }
//! // 6,000 people: what they earn, how long they have worked, whether they repaid, and what three proxies guess.
//! let feature = |name: &str, values| Feature { name: name.into(), values: FeatureValues::Numbers(values) };
//! let rows = Rows {
//!     legend: Legend::plain(2, 2, 3, true),
//!     rows: 6_000,
//!     labels: Some(labels),
//!     guesses,
//!     features: vec![feature("income", incomes), feature("years", years)],
//!     # predictions: None, weights: None, scores: None, score: None, truth: None, marks: None, split: None, held_out: None,
//! };
//! let done = mitigate(&rows, &MitigateSettings { curve: false, ..MitigateSettings::default() }, &|_| {})?;
//! // The rule reads features, nothing else.
//! assert!(done.rule.decide(&[Value::Number(10.0), Value::Number(20.0)])?);
//! assert!(!done.rule.decide(&[Value::Number(10.0), Value::Number(0.0)])?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aim;
mod design;
mod differs;
mod encode;
mod export;
pub mod lbfgs;
mod logistic;
mod metric;
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
mod rule;

pub use aim::Aim;
pub use design::{Design, DesignRow};
pub use differs::Onlooker;
pub use encode::{EncodeError, EncodedFeature, Encoding, Value};
pub use export::{SqlError, SqlWords};
pub use fairveil_core::mitigate::{Feature, FeatureValues, Rows};
pub use logistic::{Linear, LogisticSettings, logistic};
pub use mitigate::{
    ExportedWeights, Measuring, Method, MitigateError, MitigateSettings, Mitigated, calibrated_weights,
    learn_rule, mitigate,
};
pub use mlp::{MlpSettings, mlp};
pub use network::Mlp;
pub use plug_in::Tilt;
pub use problem::{Problem, ProblemError, Stage, Step, Stopped, Trained};
pub use rule::{Eta, Model, Need, NeedKind, RULE_SCHEMA, Rule, RuleError, Scale};
