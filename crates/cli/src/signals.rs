//! Being told to stop: what is finished is put in its place, and nothing else is left behind.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// Temporary files that have names, to be removed.
static NAMED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Holds back the end of the program while files take their names together.
pub fn wait() -> MutexGuard<'static, Vec<PathBuf>> {
    listen();
    NAMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file that is removed where the program is told to stop.
pub struct Removed(PathBuf);

impl Removed {
    pub fn new(path: &Path) -> Self {
        wait().push(path.to_owned());
        Removed(path.to_owned())
    }
}

impl Drop for Removed {
    fn drop(&mut self) {
        // Files take their names under the lock, and there is nothing more to remove then.
        if let Ok(mut named) = NAMED.try_lock() {
            named.retain(|path| *path != self.0);
        }
    }
}

/// Begins to listen for what tells the program to stop, but for what it was started to ignore.
fn listen() {
    static LISTENS: Once = Once::new();
    #[cfg(unix)]
    LISTENS.call_once(|| {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let ignored = ignored();
        let heard: Vec<i32> =
            [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0).collect();
        let Ok(mut signals) = signal_hook::iterator::Signals::new(&heard) else { return };
        // Without a thread the program stops at once, as it did before.
        let handle = signals.handle();
        let started = std::thread::Builder::new().name("signals".into()).spawn(move || {
            if let Some(signal) = signals.forever().next() {
                let named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
                named.iter().for_each(|path| drop(std::fs::remove_file(path)));
                // What a shell expects of who was stopped; where that cannot be had, the number it would show.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
                std::process::exit(128 + signal);
            }
        });
        if started.is_err() {
            handle.close();
        }
    });
    #[cfg(not(unix))]
    LISTENS.call_once(|| {});
}

/// Signals that whoever started the program made it ignore, as `nohup` does: a bit for each.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
