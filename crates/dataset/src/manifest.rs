//! The manifest of a measured data set: which jobs, on what node, which runs. `manifest.json` beside `runs/`.

use std::collections::BTreeMap;

use cotrace_trace::Capacity;
use serde::{Deserialize, Serialize};

/// A data set's `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this layout: 1.
    pub cotrace_dataset: u32,
    /// What the data set is called.
    pub name: String,
    /// The machine of the first sitting.
    pub node: Node,
    /// Time between samples.
    pub sample_seconds: f64,
    /// The jobs of the plan.
    pub jobs: Vec<Job>,
    /// The stretches of time in which runs were made, in order. Empty: all runs were made in one that is not described.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sittings: Vec<Sitting>,
    /// Runs of the calibration job, which is the same in every sitting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibrations: Vec<Calibration>,
    /// The runs measured so far.
    pub runs: Vec<Run>,
}

/// A machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// What it has to give; disk and network as the collector measured them.
    pub capacity: Capacity,
    /// Processor model, as the kernel names it.
    pub cpu_model: String,
    /// Kernel release.
    pub kernel: String,
    /// How jobs were told apart: `cgroup-v2`, `cgroup-v1` or `process-tree`.
    pub job_accounting: String,
    /// What else tells one machine from another: caches, microcode, clock, hypervisor, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub details: BTreeMap<String, String>,
}

/// One stretch of measuring on one machine. Runs are compared within a sitting: the next may be on another host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sitting {
    /// When it began, RFC 3339, UTC.
    pub started_at: String,
    /// The machine.
    pub node: Node,
    /// The kernel's number for this boot of the machine.
    pub boot_id: String,
}

/// One run of the calibration job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Index of its sitting.
    pub sitting: u32,
    /// How many runs of the sitting had been made before it.
    pub after_runs: u32,
    /// Its trace, relative to the manifest.
    pub file: String,
    /// When it started, RFC 3339, UTC.
    pub started_at: String,
    /// How long it took.
    pub seconds: f64,
    /// How long its parts took, by name: `cpu`, `memory`, `disk`.
    pub part_seconds: BTreeMap<String, f64>,
    /// CPU used by anything that is no job, as a share of the node.
    pub foreign_cpu_ratio: f64,
    /// CPU time the hypervisor took, as a share of the node.
    pub steal_ratio: f64,
}

/// A job of a data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Its name, unique in the data set.
    pub name: String,
    /// What kind of work: `cpu`, `memory`, `io`, `sql`, `ml`, ….
    pub kind: String,
    /// What it runs on: `spark`, `sqlite`, `native`, ….
    pub framework: String,
    /// The command, as the plan has it.
    pub command: String,
    /// One line for people.
    pub description: String,
    /// The job of which this is another input size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_of: Option<String>,
    /// What it does one after the other, where its demands change clearly in between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<String>,
}

/// Alone or together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunKind {
    /// One job alone on the node.
    Solo,
    /// Several jobs together.
    Corun,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Unique, and the stem of the file's name.
    pub id: String,
    /// Alone or together.
    pub kind: RunKind,
    /// Which repetition, from 0.
    pub repeat: u32,
    /// The trace, relative to the manifest: `runs/<id>.csv` or `runs/<id>.csv.gz`.
    pub file: String,
    /// The jobs that ran, in the plan's order.
    pub jobs: Vec<JobRun>,
    /// When it started, RFC 3339, UTC.
    pub started_at: String,
    /// CPU used by anything that is no job, as a share of the node.
    pub foreign_cpu_ratio: f64,
    /// CPU time the hypervisor took, as a share of the node.
    pub steal_ratio: f64,
    /// Whether the run was disturbed: foreign CPU over 3 % or steal over 2 %.
    pub disturbed: bool,
    /// Index of its sitting in [`Manifest::sittings`].
    #[serde(default)]
    pub sitting: u32,
    /// What was taken from the node for this run; its trace has the capacity that was left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// A smaller node made of the whole one. What is not named is as it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cut {
    /// What it is called: `one-core`, `half-memory`.
    pub name: String,
    /// The jobs were confined to this many cores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<f64>,
    /// The jobs together were limited to this much memory, page cache included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<f64>,
}

/// One job's part in a run. Times are seconds from the run's start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobRun {
    /// The job's name, as in [`Manifest::jobs`].
    pub name: String,
    /// The name of its `job.<label>.` columns: the job's name, or `<name>-2` for the second of a self-pair.
    pub label: String,
    /// The start that the plan asked for.
    pub offset_seconds: f64,
    /// When it started.
    pub start_seconds: f64,
    /// When it ended.
    pub end_seconds: f64,
    /// What it returned; 0 is success.
    pub exit_code: i32,
}

impl Run {
    /// Foreign CPU above which a run counts as disturbed, as a share of the node.
    pub const MOST_FOREIGN: f64 = 0.03;
    /// Stolen CPU above which a run counts as disturbed, as a share of the node.
    pub const MOST_STEAL: f64 = 0.02;

    /// How long a job of this run took, `[jobs]`.
    pub fn durations_seconds(&self) -> impl Iterator<Item = f64> + '_ {
        self.jobs.iter().map(|job| job.end_seconds - job.start_seconds)
    }
}
