//! From a slowdown matrix to who shares a machine with whom.
//!
//! Every job runs once, alone or beside one other job. [`best_pairing`] tries all ways to do that (764 for 8 jobs)
//! and gives the best one. Groups are looked at one by one: when which group starts, and on which machine, is not
//! planned here.
//!
//! ```
//! use cotrace_placement::{Objective, SlowdownMatrix, best_pairing};
//!
//! // 0 and 1 both want the CPU, 2 waits for the disk most of the time.
//! let solo_seconds = vec![100.0, 100.0, 120.0];
//! let slowdown = vec![
//!     vec![1.0, 1.9, 1.1], // job 0 beside itself (not used), beside job 1, beside job 2
//!     vec![1.9, 1.0, 1.2],
//!     vec![1.1, 1.2, 1.0],
//! ];
//! let matrix = SlowdownMatrix::new(solo_seconds, slowdown)?;
//! let plan = best_pairing(&matrix, Objective::MachineTime)?;
//! assert_eq!(plan.groups[0].jobs, [0, 2]);
//! assert_eq!(plan.groups[1].jobs, [1]);
//! assert_eq!(plan.machine_seconds, 132.0 + 100.0);
//! # Ok::<(), cotrace_placement::PlacementError>(())
//! ```

mod matrix;
mod plan;

pub use matrix::{PlacementError, SlowdownMatrix};
pub use plan::{Group, MAX_JOBS, Objective, Plan, best_pairing, best_pairing_within, never_share};
