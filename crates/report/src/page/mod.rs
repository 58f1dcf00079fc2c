//! One self-contained page for people: no network, no script, light and dark, paper.
//!
//! The policy in its head allows its own style sheet, known by its digest, and nothing else: whatever a name from the
//! table says, nothing runs and nothing is fetched. In the order that a sceptic reads: the answer, the evidence, what to
//! doubt, what to do next, where it came from, how it was done.

pub(crate) mod frame;
pub(crate) mod parts;
pub(crate) mod reference;
