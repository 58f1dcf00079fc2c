//! Readers of others on bytes of anyone: a panic in one of them is a file that cannot be read, not the end of the program.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread will be told as an error.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a reader; gives what it said where it panicked. What it worked on is in no known state then: let go of it.
///
/// The message of such a panic is not printed. For that the first call puts a hook before the one there is, which hears
/// of every other panic as before.
pub(crate) fn guarded<T>(read: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // A thread that is ending has no such place any more.
            if !GUARDED.try_with(Cell::get).unwrap_or(false) {
                told(panic);
            }
        }));
    });
    let before = GUARDED.replace(true);
    let read = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(before);
    read.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it makes no sense".into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::panic)]
    fn a_panic_is_what_it_said() {
        assert_eq!(guarded(|| 1), Ok(1));
        assert_eq!(guarded(|| -> u8 { panic!("no {}", "page") }), Err("no page".into()));
        assert_eq!(guarded(|| -> u8 { panic!("no page") }), Err("no page".into()));
        assert!(!GUARDED.get());
    }
}
