//! Measured data sets: which jobs ran alone and together on what machine, and the traces they left.

mod manifest;

pub use manifest::{Calibration, Cut, Job, JobRun, Manifest, Node, Run, RunKind, Sitting};
