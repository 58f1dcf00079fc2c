//! Whoever waits for an answer: sees how far it is, and may call the work off.
//!
//! Statistics know no clock, terminal or signal. A front end that has them makes a [`Watch`], works under it and looks at it from
//! another thread. Long loops ask [`pause`] whether to go on; work that was called off ends there, without an answer.
//!
//! ```
//! use fairveil_core::watch::{Watch, CalledOff, pause};
//!
//! let watch = Watch::default();
//! assert_eq!(watch.over(|| { pause(); 1 }), Ok(1));
//! watch.call_off();
//! assert_eq!(watch.over(|| { pause(); 1 }), Err(CalledOff));
//! // Nobody waits here: nothing can be called off.
//! pause();
//! ```
//!
//! Where a panic ends the program (browsers), nothing must be called off.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A look at work that is done elsewhere; its copies are one.
#[derive(Debug, Clone, Default)]
pub struct Watch(Arc<Seen>);

#[derive(Debug, Default)]
struct Seen {
    off: AtomicBool,
    draws: AtomicU64,
}

/// The work was called off: there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the work was called off")]
pub struct CalledOff;

thread_local! {
    static CURRENT: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

impl Watch {
    /// Calls the work off: it ends at its next pause.
    pub fn call_off(&self) {
        self.0.off.store(true, Ordering::Relaxed);
    }

    /// Whether it was called off.
    pub fn is_off(&self) -> bool {
        self.0.off.load(Ordering::Relaxed)
    }

    /// Draws and other parts of the work that are done.
    pub fn draws(&self) -> u64 {
        self.0.draws.load(Ordering::Relaxed)
    }

    /// The one that this thread works under.
    pub fn current() -> Option<Watch> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Works under it, in this thread and those that share its draws.
    pub fn over<T>(&self, work: impl FnOnce() -> T) -> Result<T, CalledOff> {
        // What was called off is not looked at again.
        match catch_unwind(AssertUnwindSafe(|| self.under(work))) {
            Ok(answer) => Ok(answer),
            Err(panic) if panic.is::<CalledOff>() => Err(CalledOff),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Takes the watch of another thread along, where there is one, for work that is handed to this thread.
    pub fn along<T>(watch: Option<&Watch>, work: impl FnOnce() -> T) -> T {
        match watch {
            Some(watch) => watch.under(work),
            None => work(),
        }
    }

    /// The same for a part of the work, which ends with all of it.
    fn under<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Before(Option<Watch>);
        impl Drop for Before {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }
        let _before = Before(CURRENT.replace(Some(self.clone())));
        work()
    }

    /// One part of work that is shared out over threads.
    pub(crate) fn part<T>(watch: Option<&Watch>, work: impl FnOnce() -> T) -> T {
        Watch::along(watch, || {
            pause();
            let done = work();
            if let Some(watch) = watch {
                watch.0.draws.fetch_add(1, Ordering::Relaxed);
            }
            done
        })
    }
}

/// Goes on, unless the work was called off.
pub fn pause() {
    let off = CURRENT.with_borrow(|watch| watch.as_ref().is_some_and(Watch::is_off));
    if off {
        // No message: whoever called it off knows.
        resume_unwind(Box::new(CalledOff));
    }
}
