//! How jobs slow each other down, in pairs.

use thiserror::Error;

/// Why no plan can be made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PlacementError {
    /// There is nothing to place.
    #[error("there are no jobs to place")]
    NoJobs,
    /// Trying all pairings of so many would take too long.
    #[error("{jobs} jobs are too many, at most {most} can be placed at once")]
    TooManyJobs {
        /// How many there are.
        jobs: usize,
        /// How many there may be.
        most: usize,
    },
    /// The matrix isn't square or doesn't fit the solo durations.
    #[error("the slowdowns of job {job} must be {wanted} numbers, one for each job, but are {found}")]
    Shape {
        /// Whose row, from 0; the number of jobs if a row is missing.
        job: usize,
        /// How long rows must be.
        wanted: usize,
        /// How long it is.
        found: usize,
    },
    /// A duration is none.
    #[error("job {job} takes {seconds} s alone, which is no duration")]
    SoloSeconds {
        /// Which job, from 0.
        job: usize,
        /// What it should take.
        seconds: f64,
    },
    /// A slowdown is none.
    #[error("the slowdown of job {job} beside job {beside} is {slowdown}, which must be a number above 0")]
    Slowdown {
        /// Which job, from 0.
        job: usize,
        /// Its neighbour, from 0.
        beside: usize,
        /// What its slowdown should be.
        slowdown: f64,
    },
    /// Even with every job sharing there are too few machines.
    #[error("{jobs} jobs, two to a machine at most, don't fit {machines} machines")]
    TooFewMachines {
        /// How many jobs there are.
        jobs: usize,
        /// How many machines there are.
        machines: usize,
    },
}

/// How much each job is slowed beside each other job, and how long it takes alone.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowdownMatrix {
    solo_seconds: Vec<f64>,
    slowdown: Vec<Vec<f64>>,
}

impl SlowdownMatrix {
    /// A matrix of `slowdown[i][j]`: the co-run duration of job `i` beside job `j` over its solo duration, `[jobs,
    /// jobs]`, and `solo_seconds`, `[jobs]`. The diagonal isn't used, as every job is there once; it may hold
    /// anything.
    ///
    /// # Errors
    /// [`PlacementError`] if there are no jobs, shapes don't fit, or a number can't be.
    pub fn new(solo_seconds: Vec<f64>, slowdown: Vec<Vec<f64>>) -> Result<SlowdownMatrix, PlacementError> {
        let jobs = solo_seconds.len();
        if jobs == 0 {
            return Err(PlacementError::NoJobs);
        }
        if slowdown.len() != jobs {
            // One row too many is that of a job that isn't there; a missing one is of no length.
            let job = slowdown.len().min(jobs);
            let found = slowdown.get(job).map_or(0, Vec::len);
            return Err(PlacementError::Shape { job, wanted: jobs, found });
        }
        for (job, row) in slowdown.iter().enumerate() {
            if row.len() != jobs {
                return Err(PlacementError::Shape { job, wanted: jobs, found: row.len() });
            }
        }
        for (job, &seconds) in solo_seconds.iter().enumerate() {
            if !(seconds.is_finite() && seconds > 0.0) {
                return Err(PlacementError::SoloSeconds { job, seconds });
            }
        }
        for (job, row) in slowdown.iter().enumerate() {
            for (beside, &slowdown) in row.iter().enumerate() {
                if job != beside && !(slowdown.is_finite() && slowdown > 0.0) {
                    return Err(PlacementError::Slowdown { job, beside, slowdown });
                }
            }
        }
        Ok(SlowdownMatrix { solo_seconds, slowdown })
    }

    /// How many jobs there are.
    pub fn jobs(&self) -> usize {
        self.solo_seconds.len()
    }

    /// How long job `job` takes alone.
    ///
    /// # Panics
    /// If there is no such job.
    pub fn solo_seconds(&self, job: usize) -> f64 {
        self.solo_seconds[job]
    }

    /// The slowdown of job `job` beside job `beside`.
    ///
    /// # Panics
    /// If there is no such job.
    pub fn slowdown(&self, job: usize, beside: usize) -> f64 {
        self.slowdown[job][beside]
    }
}
