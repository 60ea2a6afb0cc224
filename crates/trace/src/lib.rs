//! What a trace is: the metrics of one run over time, with the capacity of its node.
//!
//! This crate knows no browser, no operating system and no network. It reads bytes and gives [`Trace`]s,
//! puts them on even time grids ([`Grid`]), writes them in the canonical form, and says what is wrong with them.
//!
//! ```
//! use cotrace_trace::{Metric, ReadOptions, canonical, read};
//!
//! let file = b"# cotrace-trace 1\n# node cores=2\n\
//!              time_seconds,cpu_cores\n\
//!              1,2\n\
//!              2,1\n\
//!              3,0.5\n";
//! // Any format: the content says which.
//! let trace = read("sort.csv", file, &ReadOptions::default())?;
//! assert_eq!(trace.name, "sort");
//! assert_eq!(trace.capacity.cores, Some(2.0));
//!
//! // On a grid of 2 s: means over time. The last step is covered by one second only.
//! let grid = trace.regrid(2.0);
//! assert_eq!(grid.node(Metric::CpuCores), Some(&[1.5, 0.5][..]));
//!
//! let mut out = Vec::new();
//! canonical::write_csv(&trace, &mut out)?;
//! assert_eq!(out, file);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod busy;
mod capacity;
mod error;
mod formats;
mod grid;
mod guess;
mod health;
mod join;
mod metric;
mod read;
mod record;
mod runs;
mod text;
mod trace;
mod warning;

pub mod canonical;
pub mod words;

pub use busy::BusyStretch;
pub use capacity::{Capacity, Resource};
pub use error::{ReadError, ReadErrorKind};
pub use formats::Format;
pub use grid::Grid;
pub use guess::{Guess, GuessedColumn, Mapping, Role};
pub use health::{Finding, FindingKind, Health, Place, Severity, Status, check};
pub use join::{JoinError, join};
pub use metric::{Metric, MetricKind};
pub use read::{ReadOptions, read, read_as};
pub use runs::{Averaged, Runs, RunsError, average};
pub use trace::{Column, JobSpan, Trace};
pub use warning::{Warning, WarningKind};
