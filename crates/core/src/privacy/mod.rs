//! Privacy that is stated, not estimated: mechanisms we applied, and what they cost.

mod cost;
mod discrete_laplace;
mod randomized_response;
mod told;

pub use cost::{CostError, PrivacyCurve, PrivacyPoint};
pub use discrete_laplace::DiscreteLaplace;
/// The traits of generators, in the version that [`DiscreteLaplace`] draws from.
pub use rand_pcg::rand_core;
pub use randomized_response::{Epsilon, PrivacyError, RandomizedResponse};
pub(crate) use told::{Alike, Told};

/// How likely frequencies at least as far from the expected ones are.
#[cfg(test)]
fn chi_square_p_value(seen: &[f64], expected: &[f64]) -> f64 {
    use statrs::distribution::{ChiSquared, ContinuousCDF};
    let far: f64 =
        seen.iter().zip(expected).map(|(seen, expected)| (seen - expected).powi(2) / expected).sum();
    ChiSquared::new((seen.len() - 1) as f64).unwrap().sf(far)
}
