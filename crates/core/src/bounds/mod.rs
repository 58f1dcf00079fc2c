//! How far off a number can be: what is known without any belief in the proxies.

mod assumption_free;
#[cfg(test)]
mod linear_programme;

pub use assumption_free::{AssumptionFree, BoundError, intersect, non_differential_floor};
