//! Brings the machine to rest between runs.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::CollectError;
use crate::node::NodeReader;

/// Node CPU below which the machine counts as quiet, as a share of its cores.
pub(crate) const QUIET_RATIO: f64 = 0.03;
/// Over how long that is judged.
const WINDOW: Duration = Duration::from_secs(2);
/// How long quiet is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// Writes out what is dirty and drops the page cache. Returns whether the cache could be dropped.
pub(crate) fn drop_page_cache() -> bool {
    // SAFETY: sync has no preconditions.
    unsafe {
        libc::sync();
    }
    fs::write("/proc/sys/vm/drop_caches", "3").is_ok()
}

/// Waits until the node is quiet, at most a minute. Returns the last share of CPU seen, which is over
/// [`QUIET_RATIO`] if the wait was given up or stopped.
pub(crate) fn wait_until_quiet(reader: &NodeReader, stop: &AtomicBool) -> Result<f64, CollectError> {
    let started = Instant::now();
    loop {
        let before = reader.sample()?;
        while before.at.elapsed() < WINDOW && !stop.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(100));
        }
        let after = reader.sample()?;
        let total = after.cpu.total() - before.cpu.total();
        let busy = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system;
        let ratio = if total > 0.0 { busy / total } else { 0.0 };
        if ratio < QUIET_RATIO || started.elapsed() > PATIENCE || stop.load(Ordering::SeqCst) {
            return Ok(ratio);
        }
    }
}
