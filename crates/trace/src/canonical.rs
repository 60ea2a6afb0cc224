//! The canonical trace, version 1: what Cotrace writes, in two forms with the same content.
//!
//! As CSV (UTF-8, comma, point decimals, an empty cell where a value isn't known):
//!
//! ```text
//! # cotrace-trace 1
//! # node cores=2 memory_bytes=25195884544
//! # job name=sort start_seconds=0 end_seconds=2
//! time_seconds,cpu_cores,memory_bytes
//! 1,1.75,800000000
//! 2,0.5,
//! ```
//!
//! - `# node`: what the node has; what isn't known is left out. `# assumed cpu` below it says that the number of
//!   cores is an assumption, and so is `cpu_cores` with it; `# assumed step` that the time between samples is one.
//! - `# job`: a job that ran, and when. White space and `%` in its name are percent-encoded.
//! - `time_seconds` comes first: the end of each row's interval, from the run's start, rising.
//! - The other columns are [`Metric`](crate::Metric)s of the node, or `job.<name>.<metric>` for one job's part.
//!   Columns of other names are left out with a warning.
//! - Other lines that start with `#` are comments.
//!
//! As JSON:
//!
//! ```text
//! {"cotrace_trace":1,"name":"sort","node":{"cores":2.0,"memory_bytes":25195884544.0},
//!  "jobs":[{"name":"sort","start_seconds":0.0,"end_seconds":2.0}],
//!  "time_seconds":[1.0,2.0],"columns":{"cpu_cores":[1.75,0.5],"memory_bytes":[800000000.0,null]}}
//! ```
//!
//! Writing what was read gives the same bytes again. Provenance and warnings are about a reading and aren't kept.

use std::io;

use crate::formats::{canonical_csv, canonical_json};
use crate::{Format, ReadError, ReadOptions, Trace};

/// Writes a trace as canonical CSV. The name of a trace that has not exactly one job is not in it.
///
/// # Errors
/// What `out` says; [`io::ErrorKind::InvalidInput`] if times don't rise, a column is not as long as the time, or a
/// name is empty.
pub fn write_csv(trace: &Trace, out: impl io::Write) -> io::Result<()> {
    canonical_csv::write(trace, out)
}

/// Reads canonical CSV from the file called `name`. See [`read`](crate::read) for any format.
///
/// # Errors
/// [`ReadError`] with the place and what to do.
pub fn read_csv(name: &str, bytes: &[u8]) -> Result<Trace, ReadError> {
    crate::read_as(Format::CotraceCsv, name, bytes, &ReadOptions::default())
}

/// Writes a trace as canonical JSON, one line.
///
/// # Errors
/// As [`write_csv`].
pub fn write_json(trace: &Trace, out: impl io::Write) -> io::Result<()> {
    canonical_json::write(trace, out)
}

/// Reads canonical JSON from the file called `name`. See [`read`](crate::read) for any format.
///
/// # Errors
/// [`ReadError`] with the place and what to do.
pub fn read_json(name: &str, bytes: &[u8]) -> Result<Trace, ReadError> {
    crate::read_as(Format::CotraceJson, name, bytes, &ReadOptions::default())
}
