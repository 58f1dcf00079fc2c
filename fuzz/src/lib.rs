//! What the fuzz targets share: the claims, and a ceiling on memory.

#[path = "../../crates/ingest/tests/it/claims.rs"]
pub mod claims;
pub mod seeds;

/// Past a GiB there is no memory: what asks for more ends the target, and that is a finding.
#[global_allocator]
static MEMORY: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, 1 << 30);
