//! Measured data sets: which jobs ran alone and together on what machine, and the traces they left.
//!
//! [`DataSet::read`] reads one, [`check`] says all that is wrong with one, [`Slowdowns`] and [`Noise`] say what its
//! durations mean and how far to trust them, [`Splits`] what is trained on and what is held out, [`report`] shows it
//! to people, and [`import`] makes one of other people's measurements.

pub mod check;
pub mod checksums;
pub mod import;
mod manifest;
pub mod noise;
pub mod plot;
mod random;
mod read;
pub mod report;
mod shape;
mod slowdown;
mod splits;
mod stats;
#[cfg(test)]
mod testing;

pub use manifest::{Calibration, Cut, Job, JobRun, Manifest, Node, Run, RunKind, Sitting};
pub use noise::Noise;
pub use random::Random;
pub use read::{DataError, DataSet};
pub use shape::{Counts, Shape};
pub use slowdown::{Slowdowns, SoloSpread};
pub use splits::{Judged, Leak, SplitRuns, Splits, SplitsError};
pub use stats::Stats;
