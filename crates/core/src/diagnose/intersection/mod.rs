//! Two attributes at once.

mod errors_apart;

use super::{OfIntersection, kinds};

pub(super) const KINDS: &[OfIntersection] = kinds![errors_apart::ErrorsApart];
