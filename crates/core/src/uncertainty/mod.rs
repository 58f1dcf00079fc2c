//! How sure we are: intervals from chance, and what shared mistakes would change.

pub(crate) mod attach;
pub(crate) mod bootstrap;
pub(crate) mod checks;
mod copying;
pub(crate) mod draws;
pub(crate) mod intervals;
pub(crate) mod likelihood;

pub use copying::{agreement, without_copying};
