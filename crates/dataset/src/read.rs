//! A measured data set in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cotrace_trace::{ReadOptions, Trace};

use crate::{Cut, Job, Manifest, Node, Run, RunKind, Shape};

/// The version of the layout that is read and written.
pub(crate) const LAYOUT: u32 = 1;

/// Why a folder is no usable data set.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A file can't be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The manifest is not what this version reads.
    #[error("{}: not a data set's manifest: {source}", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it, and in which line.
        source: serde_json::Error,
    },
    /// The manifest is of a layout that this version doesn't know.
    #[error("{}: layout {version} is not known; this version reads 1", path.display())]
    Layout {
        /// The manifest.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// A run's trace is not readable.
    #[error("{}: {source}", path.display())]
    Trace {
        /// The trace.
        path: PathBuf,
        /// What is wrong with it, and where.
        source: Box<cotrace_trace::ReadError>,
    },
    /// What the manifest says does not fit.
    #[error("{}: {what}", path.display())]
    Inconsistent {
        /// The manifest.
        path: PathBuf,
        /// The run and the job, and what is wrong.
        what: String,
    },
}

impl DataError {
    /// Names the file in an error of the operating system.
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> DataError + '_ {
        move |source| DataError::File { path: path.to_owned(), source }
    }
}

/// A data set: its manifest and the traces of its runs.
#[derive(Clone, Debug)]
pub struct DataSet {
    /// What was measured.
    pub manifest: Manifest,
    /// Traces by run.
    traces: BTreeMap<String, Trace>,
}

impl Manifest {
    /// Reads the `manifest.json` of a data set's folder. Whether it makes sense is not looked at.
    ///
    /// # Errors
    /// It can't be read, is no manifest, or is of another layout.
    pub fn read(folder: &Path) -> Result<Manifest, DataError> {
        let path = folder.join("manifest.json");
        let text = std::fs::read(&path).map_err(DataError::file(&path))?;
        let manifest: Manifest = serde_json::from_slice(&text)
            .map_err(|source| DataError::Manifest { path: path.clone(), source })?;
        if manifest.cotrace_dataset != LAYOUT {
            return Err(DataError::Layout { path, version: manifest.cotrace_dataset });
        }
        Ok(manifest)
    }

    /// The job of this name.
    pub fn job(&self, name: &str) -> Option<&Job> {
        self.jobs.iter().find(|job| job.name == name)
    }

    /// The job of which `name` is another input size; else `name` itself.
    pub fn base_job<'a>(&'a self, name: &'a str) -> &'a str {
        self.job(name).and_then(|job| job.size_of.as_deref()).unwrap_or(name)
    }

    /// Whether a job is another input size of one.
    pub fn is_size(&self, name: &str) -> bool {
        self.job(name).is_some_and(|job| job.size_of.is_some())
    }

    /// How many sittings there are; one where none is described.
    pub fn sitting_count(&self) -> usize {
        self.sittings.len().max(1)
    }

    /// The machine of a sitting.
    pub fn node_of(&self, sitting: u32) -> &Node {
        self.sittings.get(sitting as usize).map_or(&self.node, |sitting| &sitting.node)
    }

    /// What is wrong with a run by itself, if anything.
    pub(crate) fn fault(&self, run: &Run) -> Option<String> {
        if run.id.is_empty() || run.file.is_empty() {
            return Some(format!(
                "run {:?} has no {}",
                run.id,
                if run.id.is_empty() { "id" } else { "file" }
            ));
        }
        if run.jobs.is_empty() {
            return Some(format!("run {} has no jobs", run.id));
        }
        if (run.kind == RunKind::Solo) != (run.jobs.len() == 1) {
            let kind = if run.kind == RunKind::Solo { "solo" } else { "corun" };
            return Some(format!("run {} is {kind} but has {} jobs", run.id, run.jobs.len()));
        }
        run.jobs.iter().find_map(|job| {
            let seconds = job.seconds();
            if job.name.is_empty() || job.label.is_empty() {
                Some(format!("run {}: a job has no name or no label", run.id))
            } else if self.job(&job.name).is_none() {
                Some(format!("run {}: job {} is not among the jobs", run.id, job.name))
            } else if !(seconds > 0.0 && seconds.is_finite()) {
                Some(format!("run {}: job {} ends before it starts", run.id, job.label))
            } else {
                None
            }
        })
    }
}

/// Reads a trace of a data set. What the trace doesn't say about its node is taken from the manifest.
pub(crate) fn read_trace(folder: &Path, file: &str, node: &Node) -> Result<Trace, DataError> {
    let path = folder.join(file);
    let bytes = std::fs::read(&path).map_err(DataError::file(&path))?;
    let mut trace = cotrace_trace::read(file, &bytes, &ReadOptions::default())
        .map_err(|source| DataError::Trace { path, source: Box::new(source) })?;
    trace.capacity = trace.capacity.or(node.capacity);
    Ok(trace)
}

impl DataSet {
    /// Reads the data set in a folder, with all its traces.
    ///
    /// # Errors
    /// See [`DataError`]. The first thing that is wrong ends it; [`check`](crate::check::check) lists them all.
    pub fn read(folder: &Path) -> Result<DataSet, DataError> {
        let manifest = Manifest::read(folder)?;
        let inconsistent = |what| DataError::Inconsistent { path: folder.join("manifest.json"), what };
        let mut traces = BTreeMap::new();
        for run in &manifest.runs {
            if let Some(fault) = manifest.fault(run) {
                return Err(inconsistent(fault));
            }
            let trace = read_trace(folder, &run.file, manifest.node_of(run.sitting))?;
            if traces.insert(run.id.clone(), trace).is_some() {
                return Err(inconsistent(format!("two runs are called {}", run.id)));
            }
        }
        Ok(DataSet { manifest, traces })
    }

    /// The trace of a run.
    pub fn trace(&self, run: &Run) -> Option<&Trace> {
        self.traces.get(&run.id)
    }

    /// Puts another trace in the place of a run's.
    #[cfg(test)]
    pub(crate) fn set_trace(&mut self, id: &str, trace: Trace) {
        self.traces.insert(id.to_owned(), trace);
    }

    /// Every run with its trace, in the manifest's order.
    pub fn runs(&self) -> impl Iterator<Item = (&Run, &Trace)> {
        self.manifest.runs.iter().filter_map(|run| Some((run, self.trace(run)?)))
    }

    /// Undisturbed solo runs of a job in a sitting on the node cut like this (`None`: the whole node).
    pub fn solo_runs<'a>(
        &'a self,
        job: &'a str,
        sitting: u32,
        cut: Option<&'a Cut>,
    ) -> impl Iterator<Item = (&'a Run, &'a Trace)> {
        self.all_solo_runs(job)
            .filter(move |(run, _)| run.sitting == sitting && run.cut_name() == cut.map(|cut| &*cut.name))
    }

    /// Undisturbed solo runs of a job: all sittings, cut nodes too.
    pub fn all_solo_runs<'a>(&'a self, job: &'a str) -> impl Iterator<Item = (&'a Run, &'a Trace)> {
        self.runs().filter(move |(run, _)| {
            run.kind == RunKind::Solo && !run.disturbed && run.jobs.iter().all(|in_run| in_run.name == job)
        })
    }

    /// The solo run that stands for a job in a sitting: that of the median duration; of an even number, the earlier
    /// repeat of the two in the middle, so that neither the longer nor the shorter is preferred.
    pub fn median_solo<'a>(
        &'a self,
        job: &'a str,
        sitting: u32,
        cut: Option<&'a Cut>,
    ) -> Option<(&'a Run, &'a Trace)> {
        let mut runs: Vec<_> = self.solo_runs(job, sitting, cut).collect();
        runs.sort_by(|a, b| a.0.jobs[0].seconds().total_cmp(&b.0.jobs[0].seconds()));
        let middle = runs.len().checked_sub(1)? / 2..=runs.len() / 2;
        runs[middle].iter().min_by_key(|(run, _)| run.repeat).copied()
    }

    /// What a forecast of a run is given: for each of its jobs the solo run that stands for it in the run's sitting, on
    /// the whole node. `None`: a job was not measured alone there.
    pub fn inputs<'a>(&'a self, run: &'a Run) -> Option<Vec<(&'a Run, &'a Trace)>> {
        run.jobs.iter().map(|job| self.median_solo(&job.name, run.sitting, None)).collect()
    }

    /// Undisturbed co-runs of a shape on the whole node, in the manifest's order.
    pub fn coruns(&self, shape: Shape) -> impl Iterator<Item = (&Run, &Trace)> {
        self.runs().filter(move |(run, _)| !run.disturbed && run.cut.is_none() && run.shape() == shape)
    }

    /// Undisturbed runs on a node cut like this, alone and together.
    pub fn cut_runs<'a>(&'a self, cut: &'a str) -> impl Iterator<Item = (&'a Run, &'a Trace)> {
        self.runs().filter(move |(run, _)| !run.disturbed && run.cut_name() == Some(cut))
    }

    /// Undisturbed runs with a job of another input size, alone and together.
    pub fn size_runs(&self) -> impl Iterator<Item = (&Run, &Trace)> {
        self.runs()
            .filter(|(run, _)| !run.disturbed && run.jobs.iter().any(|job| self.manifest.is_size(&job.name)))
    }
}

#[cfg(test)]
mod tests;
