//! Work without the interpreter's lock: Ctrl-C calls it off, and past a while it is told how far it is.

use fairveil_core::watch::Watch;
use fairveil_ingest::Progress;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often signals are looked at.
const STEP: Duration = Duration::from_millis(50);
/// Nothing is told of work that takes no longer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Does the work in another thread and waits for it. `told`, where there is one, is called with the rows read and the draws done
/// so far, and at the end, if it was called before, with nothing.
pub fn attend<T: Send>(
    py: Python,
    told: Option<&Bound<PyAny>>,
    work: impl FnOnce(&Arc<Progress>) -> T + Send,
) -> PyResult<T> {
    let (watch, progress) = (Watch::default(), Arc::new(Progress::default()));
    let begun = Instant::now();
    let (send, ended) = channel();
    // Only this thread asks; it is what may be lent while the interpreter's lock is not held.
    let ended = Mutex::new(ended);
    let wait = || ended.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(STEP);
    let mut spoke = false;
    let done = std::thread::scope(|scope| {
        let (watch_there, progress_there) = (watch.clone(), Arc::clone(&progress));
        let start = std::thread::Builder::new().spawn_scoped(scope, move || {
            let work = || watch_there.over(|| work(&progress_there));
            // Who waits is told of a panic as of an answer.
            let _ = send.send(catch_unwind(AssertUnwindSafe(work)));
        });
        start?;
        let mut interrupted = None;
        loop {
            match py.detach(wait) {
                Ok(done) => return interrupted.map_or(Ok(done), Err),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the work ended without an answer"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let mut look = || {
                py.check_signals()?;
                match told {
                    Some(told) if begun.elapsed() > PATIENCE => {
                        spoke = true;
                        told.call1((progress.rows(), watch.draws())).map(drop)
                    }
                    _ => Ok(()),
                }
            };
            if interrupted.is_none()
                && let Err(error) = look()
            {
                watch.call_off();
                interrupted = Some(error);
            }
        }
    });
    if let (true, Some(told)) = (spoke, told) {
        told.call1((py.None(), py.None()))?;
    }
    match done? {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(off)) => Err(PyRuntimeError::new_err(off.to_string())),
        // Whoever catches exceptions catches this too.
        Err(panic) => {
            let words = panic.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no word of it");
            Err(PyRuntimeError::new_err(format!("a fault of fairveil itself: {words}")))
        }
    }
}
