//! A linear model.

use serde::{Deserialize, Serialize};

/// An intercept and a coefficient for each encoded feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    /// The intercept.
    pub intercept: f64,
    /// The coefficients.
    pub coefficients: Vec<f64>,
}
