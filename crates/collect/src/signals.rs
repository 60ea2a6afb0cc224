//! Turns Ctrl-C and SIGTERM into a flag.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

extern "C" fn on_signal(_signal: libc::c_int) {
    // Only an atomic load and store: all that a signal handler may do safely.
    if let Some(stop) = STOP.get() {
        stop.store(true, Ordering::SeqCst);
    }
}

/// A flag that Ctrl-C (SIGINT) and SIGTERM raise from now on, for [`crate::Options::stop`].
///
/// A second signal is ignored: the first one is being answered by killing the jobs under way.
pub fn stop_on_signals() -> Arc<AtomicBool> {
    let stop = STOP.get_or_init(|| Arc::new(AtomicBool::new(false)));
    let handler = on_signal as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // SAFETY: the handler only touches an atomic that is initialised above and lives for ever.
    unsafe {
        libc::signal(libc::SIGINT, handler);
        libc::signal(libc::SIGTERM, handler);
    }
    Arc::clone(stop)
}
