//! A trace: samples over time, with the node they were taken on.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::formats::clock;
use crate::{Capacity, Guess, Metric, Resource, Runs, Warning, WarningKind};

/// Whether a node can have so many cores. Shares of a core are for containers.
pub(crate) fn is_plausible_cores(cores: f64) -> bool {
    (1e-3..=1e6).contains(&cores)
}

/// Names a series of a trace: a metric of the node, or of one job on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column {
    /// `None`: the whole node. `Some(name)`: that job alone.
    pub job: Option<String>,
    /// What is measured.
    pub metric: Metric,
}

impl Column {
    /// The node's column of `metric`.
    pub fn node(metric: Metric) -> Column {
        Column { job: None, metric }
    }

    /// The column of `metric` for one job of a co-run.
    pub fn job(job: &str, metric: Metric) -> Column {
        Column { job: Some(job.to_owned()), metric }
    }

    /// The name in a file: `cpu_cores`, or `job.<name>.cpu_cores`.
    pub fn header(&self) -> String {
        match &self.job {
            None => self.metric.name().to_owned(),
            Some(job) => format!("job.{job}.{}", self.metric.name()),
        }
    }

    /// The column that a file calls `header`, or `None` if it is none of ours.
    pub fn from_header(header: &str) -> Option<Column> {
        match header.strip_prefix("job.") {
            None => Metric::from_name(header).map(Column::node),
            Some(rest) => {
                let (job, metric) = rest.rsplit_once('.')?;
                (!job.is_empty())
                    .then_some(Column { job: Some(job.to_owned()), metric: Metric::from_name(metric)? })
            }
        }
    }
}

/// A job in a trace and when it ran, in seconds from the run's start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobSpan {
    /// The job's name.
    pub name: String,
    /// When it started. `None`: not recorded.
    pub start_seconds: Option<f64>,
    /// When it ended. `None`: not recorded.
    pub end_seconds: Option<f64>,
}

/// The metrics of one run over time.
///
/// Row `i` speaks of the time from the row before it (or the run's start) to `time_seconds[i]`: rates are the mean
/// over that interval, levels are what was seen at its end. A value that is not known is `NaN`, never zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// What the trace is called: the job's name, or the file's.
    pub name: String,
    /// The node it was measured on.
    pub capacity: Capacity,
    /// The jobs that ran, where the file says so. A solo run has at most one.
    pub jobs: Vec<JobSpan>,
    /// End of each row's interval, in seconds from the run's start, rising.
    pub time_seconds: Vec<f64>,
    /// The series, each as long as `time_seconds`.
    pub columns: BTreeMap<Column, Vec<f64>>,
    /// Where each column came from, in words: the file's column, its unit, what was done to it.
    pub provenance: BTreeMap<Column, String>,
    /// The format it was read from, for example `sar-csv`.
    pub format: String,
    /// What a reader noticed and a person should know.
    pub warnings: Vec<Warning>,
    /// The parts of `capacity` that the file doesn't say and the reader assumed, with a warning. For
    /// [`Resource::Cpu`] the CPU columns depend on it: see [`Trace::state_cores`].
    pub assumed: BTreeSet<Resource>,
    /// Whether the file says no times, so that the step between samples is an assumption: see
    /// [`Trace::state_step`].
    pub step_assumed: bool,
    /// The time at which the run started, in seconds since 1970 by the clock of the file, where it has dates.
    pub start_unix_seconds: Option<f64>,
    /// What a table's columns were taken for, if that was a guess.
    pub guess: Option<Guess>,
    /// Of a trace that is the mean of several runs: how far they differ. See [`average`](crate::average).
    pub runs: Option<Runs>,
}

impl Trace {
    /// The node's series of `metric`, `[time]`.
    pub fn node(&self, metric: Metric) -> Option<&[f64]> {
        self.columns.get(&Column::node(metric)).map(Vec::as_slice)
    }

    /// The series of `metric` for one job, `[time]`.
    pub fn job(&self, job: &str, metric: Metric) -> Option<&[f64]> {
        self.columns.get(&Column::job(job, metric)).map(Vec::as_slice)
    }

    /// Whether the number of cores is an assumption of the reader, so that CPU values are only as good as it is.
    pub fn cores_assumed(&self) -> bool {
        self.assumed.contains(&Resource::Cpu)
    }

    /// Says how many cores the node has, where the file doesn't: rescales the columns counted in cores and drops
    /// the assumption with its warning. A number of cores that isn't an assumption stays as it is, and so does one
    /// for which `cores` can't be a number of cores. Returns whether it was taken.
    pub fn state_cores(&mut self, cores: f64) -> bool {
        let Some(before) = self.capacity.cores else {
            return false;
        };
        if !(self.cores_assumed() && is_plausible_cores(cores)) {
            return false;
        }
        for (column, values) in &mut self.columns {
            if column.metric.resource() == Some(Resource::Cpu) {
                for value in values {
                    *value *= cores / before;
                }
            }
        }
        self.capacity.cores = Some(cores);
        self.assumed.remove(&Resource::Cpu);
        self.warnings.retain(|warning| warning.kind != WarningKind::CoresAssumed);
        true
    }

    /// Says how many seconds there are from one sample to the next, where the file says no times: rescales the time
    /// and drops the assumption with its warning. Rates stay as they are. Returns whether it was taken.
    pub fn state_step(&mut self, seconds: f64) -> bool {
        let before = self.step_seconds();
        if !(self.step_assumed && before > 0.0 && (1e-3..=1e6).contains(&seconds)) {
            return false;
        }
        for time in &mut self.time_seconds {
            *time = (*time / before * seconds * 1e6).round() / 1e6;
        }
        self.step_assumed = false;
        self.warnings.retain(|warning| warning.kind != WarningKind::StepAssumed);
        true
    }

    /// The moment that `text` says, in seconds from the run's start: a time of day (`12:30:05`, `12:30`), or one with
    /// a date (`2024-05-01 12:30:05`), by the clock of the file. A time of day is the first one in the run, or the
    /// one nearest to it. `None`: it is no time, or the file has no dates, so that nobody knows when the run started.
    pub fn moment(&self, text: &str) -> Option<f64> {
        let start = self.start_unix_seconds?;
        let stamp = clock::stamp(text).or_else(|| clock::stamp(&format!("{text}:00")))?;
        if stamp.dated {
            return Some(stamp.seconds - start);
        }
        let after = (stamp.seconds - start).rem_euclid(clock::DAY_SECONDS);
        let before = after - clock::DAY_SECONDS;
        Some(if after - self.duration_seconds() <= -before { after } else { before })
    }

    /// Seconds from the run's start to the last sample.
    pub fn duration_seconds(&self) -> f64 {
        self.time_seconds.last().copied().unwrap_or(0.0)
    }
}
