//! The threads that the draws are shared out over.

use fairveil_core::watch::Watch;
use rayon::ThreadPoolBuilder;

/// Does the work with this many threads, or with one for each core; with fewer where so many cannot start. The answer does not
/// depend on it.
pub fn with_threads<T: Send>(threads: Option<u64>, work: impl FnOnce() -> T + Send) -> T {
    let available = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut threads = threads.map_or_else(available, |threads| threads as usize);
    while threads > 0 {
        if let Ok(pool) = ThreadPoolBuilder::new().num_threads(threads).build() {
            let watch = Watch::current();
            return pool.install(|| Watch::along(watch.as_ref(), work));
        }
        threads /= 2;
    }
    // None can: then this one does all of it. It is told so once.
    let _ = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
    work()
}
