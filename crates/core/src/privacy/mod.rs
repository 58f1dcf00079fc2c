//! Privacy that is stated, not estimated: mechanisms we applied, and what they cost.

mod discrete_laplace;
mod randomized_response;
mod told;

pub use discrete_laplace::DiscreteLaplace;
pub use randomized_response::{Epsilon, PrivacyError, RandomizedResponse};
pub(crate) use told::{Alike, Told};
