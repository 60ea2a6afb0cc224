//! How to measure, what is happening meanwhile, and what came of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cotrace_dataset::{Calibration, Manifest, Run};

use crate::{Accounting, CollectError, Plan, Planned, schedule};

/// How to measure a plan.
#[derive(Clone, Debug)]
pub struct Options {
    /// The data set's folder. Runs found there are kept and not made again.
    pub out: PathBuf,
    /// Measure these jobs only, by name.
    pub only: Option<Vec<String>>,
    /// Measure co-runs of this pair only.
    pub only_pair: Option<(String, String)>,
    /// Time between samples, instead of the plan's.
    pub sample_seconds: Option<f64>,
    /// Write traces compressed.
    pub gzip: bool,
    /// Stop after this many runs.
    pub max_runs: Option<usize>,
    /// Choose as many runs as fit into this time, and start none that would end later.
    pub seconds: Option<f64>,
    /// Tell jobs apart this way, instead of the best that works.
    pub accounting: Option<Accounting>,
    /// Drop the page cache and wait until the machine is quiet before each run, and make disturbed runs again. Left
    /// out in trials on a busy machine.
    pub settle: bool,
    /// Measure the disk's throughput for a new data set; otherwise it stays unknown. Writes and reads 1 GiB.
    pub measure_disk: bool,
    /// The scratch folder, `{work}` in commands, instead of `/var/tmp/cotrace-<plan>`.
    pub work: Option<PathBuf>,
    /// Raised from outside to stop. The run under way is discarded.
    pub stop: Arc<AtomicBool>,
}

impl Options {
    /// The usual way, into the folder `out`.
    pub fn new(out: impl Into<PathBuf>) -> Options {
        Options {
            out: out.into(),
            only: None,
            only_pair: None,
            sample_seconds: None,
            gzip: false,
            max_runs: None,
            seconds: None,
            accounting: None,
            settle: true,
            measure_disk: true,
            work: None,
            stop: Arc::default(),
        }
    }

    /// The runs of `plan` that these options ask for, in order, whether or not they were made already.
    ///
    /// # Errors
    /// The options name a job that the plan doesn't have.
    pub fn runs(&self, plan: &Plan) -> Result<Vec<Planned>, CollectError> {
        let pair = self.only_pair.as_ref().map(|(a, b)| [a, b]);
        for name in self.only.iter().flatten().chain(pair.into_iter().flatten()) {
            if plan.job(name).is_none() {
                let names: Vec<&str> = plan.jobs.iter().map(|job| job.name.as_str()).collect();
                return Err(CollectError::Options(format!(
                    "the plan has no job {name:?}; it has {}",
                    names.join(", ")
                )));
            }
        }
        let included = |name: &String| self.only.as_ref().is_none_or(|only| only.contains(name));
        let mut runs = schedule(plan, |job| included(&plan.jobs[job].name));
        if let Some([a, b]) = pair {
            runs.retain(|run| {
                let name = |index: usize| run.jobs.get(index).map(|(job, ..)| &plan.jobs[*job].name);
                let (first, second) = (name(0), name(1));
                (first, second) == (Some(a), Some(b)) || (first, second) == (Some(b), Some(a))
            });
        }
        Ok(runs)
    }
}

/// A run that is missing from the data set because a job failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The run.
    pub id: String,
    /// What happened.
    pub reason: String,
}

/// What [`crate::collect`] did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The data set as it is now.
    pub manifest: Manifest,
    /// How many runs were made this time.
    pub measured: usize,
    /// How many runs the options ask for.
    pub wanted: usize,
    /// Runs that failed and are left out.
    pub failures: Vec<Failure>,
    /// Jobs that were skipped, and why.
    pub skipped: Vec<(String, String)>,
    /// Whether it was stopped before the end.
    pub interrupted: bool,
}

/// What is happening.
#[derive(Clone, Debug)]
pub enum Progress {
    /// The disk of the node is being measured.
    MeasuringNode,
    /// A job's setup or warm-up runs.
    Preparing {
        /// The job.
        job: String,
        /// `setup` or `warm-up`.
        step: &'static str,
    },
    /// A run starts.
    Started {
        /// The run.
        id: String,
        /// How many runs are there already, and how many there will be.
        done: usize,
        /// See `done`.
        total: usize,
        /// How long the rest will take; unknown until a job has been measured.
        remaining_seconds: Option<f64>,
    },
    /// The calibration job has run.
    Calibrated(Calibration),
    /// A run is written.
    Finished {
        /// As in the manifest.
        run: Run,
        /// The collector's own part of the run's foreign CPU.
        collector_cpu_ratio: f64,
    },
    /// Something a person should know; nothing is wrong with the data set.
    Note(String),
    /// A run was given up.
    Failed(Failure),
}
