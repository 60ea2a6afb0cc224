//! A measured data set in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cotrace_dataset::{Manifest, Run, RunKind};
use cotrace_evaluate::Measured;
use cotrace_forecast::SoloInput;
use cotrace_trace::{ReadOptions, Trace};

/// Why a folder is no usable data set.
#[derive(Debug)]
pub enum DataError {
    /// A file can't be read.
    File(PathBuf, std::io::Error),
    /// The manifest is not what this version reads.
    Manifest(PathBuf, serde_json::Error),
    /// A run's trace is not readable.
    Trace(PathBuf, Box<cotrace_trace::ReadError>),
    /// What the manifest says does not fit.
    Inconsistent(PathBuf, String),
}

impl std::fmt::Display for DataError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DataError::File(path, error) => write!(f, "{}: {error}", path.display()),
            DataError::Manifest(path, error) => {
                write!(f, "{}: not a data set's manifest: {error}", path.display())
            }
            DataError::Trace(path, error) => write!(f, "{}: {error}", path.display()),
            DataError::Inconsistent(path, what) => write!(f, "{}: {what}", path.display()),
        }
    }
}

impl std::error::Error for DataError {}

/// A data set: its manifest and the traces of its runs.
#[derive(Clone, Debug)]
pub struct DataSet {
    /// What was measured.
    pub manifest: Manifest,
    /// Traces by run.
    traces: BTreeMap<String, Trace>,
}

/// A measured co-run of two jobs with a solo run of each.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredPair<'a> {
    /// The co-run.
    pub run: &'a Run,
    /// Its trace.
    pub trace: &'a Trace,
    /// The solo run of each job whose duration is the median of its repeats, in the co-run's order.
    pub solos: [(&'a Run, &'a Trace); 2],
}

impl DataSet {
    /// Reads the data set in a folder.
    ///
    /// # Errors
    /// See [`DataError`].
    pub fn read(folder: &Path) -> Result<DataSet, DataError> {
        let path = folder.join("manifest.json");
        let text = std::fs::read(&path).map_err(|error| DataError::File(path.clone(), error))?;
        let manifest: Manifest =
            serde_json::from_slice(&text).map_err(|error| DataError::Manifest(path.clone(), error))?;
        if manifest.cotrace_dataset != 1 {
            let what = format!("layout {} is not known; this version reads 1", manifest.cotrace_dataset);
            return Err(DataError::Inconsistent(path, what));
        }
        let mut traces = BTreeMap::new();
        for run in &manifest.runs {
            let path = folder.join(&run.file);
            let bytes = std::fs::read(&path).map_err(|error| DataError::File(path.clone(), error))?;
            let mut trace = cotrace_trace::read(&run.file, &bytes, &ReadOptions::default())
                .map_err(|error| DataError::Trace(path.clone(), Box::new(error)))?;
            trace.capacity = trace.capacity.or(manifest.node.capacity);
            traces.insert(run.id.clone(), trace);
        }
        let data = DataSet { manifest, traces };
        data.check(&path)?;
        Ok(data)
    }

    fn check(&self, path: &Path) -> Result<(), DataError> {
        for run in &self.manifest.runs {
            for job in &run.jobs {
                if self.solo_runs(&job.name).next().is_none() {
                    let what =
                        format!("run {} has job {}, which has no undisturbed solo run", run.id, job.name);
                    return Err(DataError::Inconsistent(path.to_owned(), what));
                }
                let length = job.end_seconds - job.start_seconds;
                if !(length > 0.0 && length.is_finite()) {
                    let what = format!("run {}: job {} ends before it starts", run.id, job.name);
                    return Err(DataError::Inconsistent(path.to_owned(), what));
                }
            }
        }
        Ok(())
    }

    /// The trace of a run.
    pub fn trace(&self, run: &Run) -> Option<&Trace> {
        self.traces.get(&run.id)
    }

    /// Undisturbed solo runs of a job on the whole node, of any sitting.
    pub fn solo_runs<'a>(&'a self, job: &'a str) -> impl Iterator<Item = (&'a Run, &'a Trace)> {
        self.manifest
            .runs
            .iter()
            .filter(move |run| {
                run.kind == RunKind::Solo && !run.disturbed && run.cut.is_none() && run.jobs[0].name == job
            })
            .filter_map(|run| Some((run, self.trace(run)?)))
    }

    /// The solo run of a job whose duration is the median of its repeats.
    pub fn median_solo<'a>(&'a self, job: &'a str) -> Option<(&'a Run, &'a Trace)> {
        median(self.solo_runs(job).collect())
    }

    /// The same of the repeats in one sitting: another may have been on another host.
    fn median_solo_in<'a>(&'a self, job: &'a str, sitting: u32) -> Option<(&'a Run, &'a Trace)> {
        median(self.solo_runs(job).filter(|(run, _)| run.sitting == sitting).collect())
    }

    /// Undisturbed co-runs of two jobs on the whole node, in the manifest's order.
    pub fn pairs(&self) -> Vec<MeasuredPair<'_>> {
        self.manifest
            .runs
            .iter()
            .filter(|run| {
                run.kind == RunKind::Corun && !run.disturbed && run.cut.is_none() && run.jobs.len() == 2
            })
            .filter_map(|run| {
                let solo = |j: usize| self.median_solo_in(&run.jobs[j].name, run.sitting);
                let solos = [solo(0)?, solo(1)?];
                Some(MeasuredPair { run, trace: self.trace(run)?, solos })
            })
            .collect()
    }
}

impl<'a> MeasuredPair<'a> {
    /// The co-run alone.
    pub fn measured(&self) -> Measured<'a> {
        Measured { run: self.run, trace: self.trace }
    }

    /// `a + b`.
    pub fn label(&self) -> String {
        format!("{} + {}", self.run.jobs[0].name, self.run.jobs[1].name)
    }

    /// The solo traces as a scene takes them, with the measured offsets.
    pub fn inputs(&self) -> [SoloInput<'_>; 2] {
        inputs(self.run, [self.solos[0].1, self.solos[1].1])
    }

    /// Measured slowdown of each job: co-run duration over the median solo duration.
    pub fn slowdowns(&self) -> [f64; 2] {
        [0, 1].map(|j| {
            let job = &self.run.jobs[j];
            (job.end_seconds - job.start_seconds) / solo_seconds(self.solos[j].0)
        })
    }
}

fn median<'a>(mut runs: Vec<(&'a Run, &'a Trace)>) -> Option<(&'a Run, &'a Trace)> {
    runs.sort_by(|a, b| solo_seconds(a.0).total_cmp(&solo_seconds(b.0)));
    runs.get(runs.len() / 2).copied()
}

/// Two solo traces with the offsets of a co-run, the first job's start being zero.
pub(crate) fn inputs<'a>(run: &Run, solos: [&'a Trace; 2]) -> [SoloInput<'a>; 2] {
    let first = run.jobs.iter().map(|job| job.start_seconds).fold(f64::INFINITY, f64::min);
    [0, 1].map(|j| SoloInput {
        name: run.jobs[j].label.clone(),
        trace: solos[j],
        offset_seconds: run.jobs[j].start_seconds - first,
    })
}

/// How long the job of a solo run took.
pub(crate) fn solo_seconds(run: &Run) -> f64 {
    run.durations_seconds().next().unwrap_or(f64::NAN)
}
