//! A number cut into bins.

mod errors_along;
mod number_assumed;

use super::{OfCurve, kinds};

pub(super) const KINDS: &[OfCurve] = kinds![errors_along::ErrorsAlong, number_assumed::NumberAssumed];
