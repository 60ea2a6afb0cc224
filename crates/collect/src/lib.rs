//! Measures batch jobs on this machine: each alone, then together, sampling what the node and each job use.
//!
//! [`Plan::read`] reads what to measure, [`collect`] measures it and writes a data set: `manifest.json`
//! ([`cotrace_dataset::Manifest`]) and one trace per run under `runs/`. It can be stopped and started again:
//! finished runs are kept, a run that was under way is discarded.
//!
//! Linux only: everything is read from `/proc` and from control groups. See this crate's README for the layout of
//! a data set and for where each number comes from.

mod accounting;
mod bench;
mod campaign;
mod capacity;
mod error;
mod estimate;
mod manifest;
mod node;
mod options;
mod output;
mod plan;
mod procfs;
mod quiet;
mod record;
mod run;
mod schedule;
mod signals;
mod sitting;
mod stage;
mod tree;

pub use accounting::Accounting;
pub use campaign::collect;
pub use error::CollectError;
pub use options::{Failure, Options, Outcome, Progress};
pub use plan::{JobCommand, Late, Pairs, Plan, PlanCalibration, PlanCut, PlanJob, Repeated, Sizes, Which};
pub use schedule::{Planned, counts, schedule};
pub use signals::stop_on_signals;
