//! The threads that the draws are shared out over.

use anyhow::Context;

/// Does the work with this many threads, or with one for each core. The answer does not depend on it.
pub fn with_threads<T: Send>(threads: Option<u64>, work: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    let threads = threads.unwrap_or(0) as usize; // 0: one for each core
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool.context("threads cannot be started; try --threads 1")?.install(work))
}
