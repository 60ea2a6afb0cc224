//! Made-up data sets for tests.

use std::collections::BTreeMap;
use std::path::Path;

use cotrace_trace::{Capacity, Column, JobSpan, Metric, Trace, canonical};

use crate::{Cut, Job, JobRun, Manifest, Node, Run, RunKind, Sitting};

/// A manifest that grows run by run.
pub(crate) struct Made {
    pub(crate) manifest: Manifest,
}

/// A run that is being made up.
#[derive(Clone)]
pub(crate) struct MadeRun(pub(crate) Run);

/// A job alone.
pub(crate) fn solo(job: &str, seconds: f64) -> MadeRun {
    run(&[(job, seconds)])
}

/// Jobs together from the same moment, with the seconds that each takes.
pub(crate) fn run(jobs: &[(&str, f64)]) -> MadeRun {
    let part = |index: usize, name: &str, seconds: f64| JobRun {
        name: name.to_owned(),
        label: if jobs[..index].iter().any(|(other, _)| *other == name) {
            format!("{name}-2")
        } else {
            name.to_owned()
        },
        offset_seconds: 0.0,
        start_seconds: 0.0,
        end_seconds: seconds,
        exit_code: 0,
    };
    MadeRun(Run {
        id: String::new(),
        kind: if jobs.len() == 1 { RunKind::Solo } else { RunKind::Corun },
        repeat: 0,
        file: String::new(),
        jobs: jobs.iter().enumerate().map(|(index, (name, seconds))| part(index, name, *seconds)).collect(),
        started_at: "2026-01-01T00:00:00Z".to_owned(),
        foreign_cpu_ratio: 0.0,
        steal_ratio: 0.0,
        disturbed: false,
        sitting: 0,
        cut: None,
    })
}

impl MadeRun {
    pub(crate) fn in_sitting(mut self, sitting: u32) -> MadeRun {
        self.0.sitting = sitting;
        self
    }

    pub(crate) fn repeat(mut self, repeat: u32) -> MadeRun {
        self.0.repeat = repeat;
        self
    }

    pub(crate) fn disturbed(mut self) -> MadeRun {
        self.0.disturbed = true;
        self.0.foreign_cpu_ratio = 0.05;
        self
    }

    pub(crate) fn cut(mut self, name: &str) -> MadeRun {
        self.0.cut = Some(Cut { name: name.to_owned(), cores: Some(1.0), memory_bytes: None });
        self
    }

    /// The second job was started later.
    pub(crate) fn offset(mut self, seconds: f64) -> MadeRun {
        let job = &mut self.0.jobs[1];
        job.offset_seconds = seconds;
        job.start_seconds += seconds;
        job.end_seconds += seconds;
        self
    }
}

impl Made {
    /// Jobs called like this (`name-large` is a size of `name`), of two kinds in turn, and so many sittings.
    pub(crate) fn new(jobs: &[&str], sittings: usize) -> Made {
        let node = Node {
            capacity: Capacity { cores: Some(2.0), memory_bytes: Some(8e9), ..Capacity::default() },
            cpu_model: "made up".to_owned(),
            ..Node::default()
        };
        let job = |index: usize, name: &str| Job {
            name: name.to_owned(),
            kind: ["cpu", "io"][index % 2].to_owned(),
            framework: "native".to_owned(),
            command: "true".to_owned(),
            description: String::new(),
            size_of: name.strip_suffix("-large").map(str::to_owned),
            phases: Vec::new(),
        };
        let sitting = |index: usize| Sitting {
            started_at: format!("2026-01-0{}T00:00:00Z", index + 1),
            node: node.clone(),
            boot_id: index.to_string(),
        };
        Made {
            manifest: Manifest {
                cotrace_dataset: 1,
                name: "made-up".to_owned(),
                node: node.clone(),
                sample_seconds: 1.0,
                jobs: jobs.iter().enumerate().map(|(index, name)| job(index, name)).collect(),
                sittings: (0..sittings).map(sitting).collect(),
                calibrations: Vec::new(),
                runs: Vec::new(),
            },
        }
    }

    /// Adds a run under an id of its own, which is given back.
    pub(crate) fn push(&mut self, run: MadeRun) -> String {
        let mut run = run.0;
        let jobs: Vec<&str> = run.jobs.iter().map(|job| &*job.name).collect();
        run.id = format!("{}_{}", jobs.join("_"), self.manifest.runs.len());
        run.file = format!("runs/{}.csv", run.id);
        self.manifest.runs.push(run);
        self.manifest.runs.last().expect("just pushed").id.clone()
    }

    /// Writes the data set, each job of a run using one core and 1 GB while it runs.
    pub(crate) fn write(&self, folder: &Path) {
        std::fs::create_dir_all(folder.join("runs")).unwrap();
        for run in &self.manifest.runs {
            write_trace(folder, &run.file, &trace(run));
        }
        self.write_manifest(folder);
    }

    pub(crate) fn write_manifest(&self, folder: &Path) {
        std::fs::write(folder.join("manifest.json"), serde_json::to_string(&self.manifest).unwrap()).unwrap();
    }
}

/// Writes a trace as a file of a data set.
pub(crate) fn write_trace(folder: &Path, file: &str, trace: &Trace) {
    let mut bytes = Vec::new();
    canonical::write_csv(trace, &mut bytes).unwrap();
    std::fs::write(folder.join(file), bytes).unwrap();
}

/// A trace of a run with samples each second: one core and 1 GB for each job while it runs, 0.5 GB for nobody.
pub(crate) fn trace(run: &Run) -> Trace {
    let end = run.jobs.iter().map(|job| job.end_seconds).fold(0.0, f64::max);
    let time_seconds: Vec<f64> = (1..=end.ceil() as usize).map(|row| (row as f64).min(end)).collect();
    let mut columns = BTreeMap::new();
    let (mut cores, mut memory) = (vec![0.0; time_seconds.len()], vec![5e8; time_seconds.len()]);
    for job in &run.jobs {
        // A second's share in which the job ran.
        let active: Vec<f64> = (0..time_seconds.len())
            .map(|row| {
                let from = if row == 0 { 0.0 } else { time_seconds[row - 1] };
                let to = time_seconds[row];
                (to.min(job.end_seconds) - from.max(job.start_seconds)).max(0.0) / (to - from)
            })
            .collect();
        for (row, share) in active.iter().enumerate() {
            cores[row] += share;
            memory[row] += 1e9 * share;
        }
        let held = active.iter().map(|share| 1e9 * share).collect();
        columns.insert(Column::job(&job.label, Metric::MemoryBytes), held);
        columns.insert(Column::job(&job.label, Metric::CpuCores), active);
    }
    columns.insert(Column::node(Metric::CpuCores), cores);
    columns.insert(Column::node(Metric::MemoryBytes), memory);
    for metric in [Metric::DiskReadBytesPerSecond, Metric::DiskWriteBytesPerSecond] {
        columns.insert(Column::node(metric), vec![0.0; time_seconds.len()]);
    }
    Trace {
        jobs: run
            .jobs
            .iter()
            .map(|job| JobSpan {
                name: job.label.clone(),
                start_seconds: Some(job.start_seconds),
                end_seconds: Some(job.end_seconds),
            })
            .collect(),
        capacity: Capacity { cores: Some(2.0), memory_bytes: Some(8e9), ..Capacity::default() },
        time_seconds,
        columns,
        ..Trace::default()
    }
}
