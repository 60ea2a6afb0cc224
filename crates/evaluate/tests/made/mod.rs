//! A data set made by a rule: jobs share the cores of a node fairly.

use std::collections::BTreeMap;
use std::path::Path;

use cotrace_dataset::{Job, JobRun, Manifest, Node, Run, RunKind};
use cotrace_forecast::{Baseline, Scene, SoloInput};
use cotrace_trace::{Capacity, Column, Metric, Trace, canonical};

const NODE: Capacity = Capacity {
    cores: Some(2.0),
    memory_bytes: Some(8e9),
    disk_bytes_per_second: Some(100e6),
    network_bytes_per_second: None,
};

/// Cores that the jobs use alone, for so many seconds.
const JOBS: [(&str, f64, f64); 6] = [
    ("idle", 0.2, 12.0),
    ("half", 0.5, 10.0),
    ("one", 1.0, 14.0),
    ("more", 1.4, 10.0),
    ("most", 1.8, 16.0),
    ("all", 2.0, 11.0),
];

/// A trace with a sample each half second and one at its end; `cores` are means over whole half seconds.
fn trace(cores: &[f64], end: f64) -> Trace {
    let rows = cores.len();
    let mut cores = cores.to_vec();
    cores[rows - 1] *= 0.5 / (end - (rows - 1) as f64 / 2.0);
    let columns: BTreeMap<Column, Vec<f64>> = [
        (Column::node(Metric::CpuCores), cores),
        (Column::node(Metric::MemoryBytes), vec![1e9; rows]),
        (Column::node(Metric::DiskReadBytesPerSecond), vec![0.0; rows]),
        (Column::node(Metric::DiskWriteBytesPerSecond), vec![0.0; rows]),
    ]
    .into();
    Trace {
        capacity: NODE,
        time_seconds: (1..=rows).map(|row| (row as f64 / 2.0).min(end)).collect(),
        columns,
        ..Trace::default()
    }
}

fn solo((_, cores, seconds): (&str, f64, f64)) -> Trace {
    trace(&vec![cores; (2.0 * seconds) as usize], seconds)
}

/// Writes a data set in which jobs share the cores fairly: each alone, all pairs, some later, and one pair twice.
pub(crate) fn write(folder: &Path) {
    std::fs::create_dir_all(folder.join("runs")).unwrap();
    let mut runs = Vec::new();
    let mut add = |jobs: &[(usize, f64)], repeat: u32| {
        let solos: Vec<Trace> = jobs.iter().map(|(job, _)| solo(JOBS[*job])).collect();
        let inputs: Vec<SoloInput<'_>> = jobs
            .iter()
            .zip(&solos)
            .map(|((job, offset), trace)| SoloInput {
                name: JOBS[*job].0.to_owned(),
                trace,
                offset_seconds: *offset,
            })
            .collect();
        let outcome = Baseline::FairShare.run(&Scene::on_grid(&inputs, NODE, 0.5).unwrap());
        let id = format!("run_{}", runs.len());
        let part = |index: usize, (job, offset): (usize, f64)| JobRun {
            name: JOBS[job].0.to_owned(),
            label: JOBS[job].0.to_owned(),
            offset_seconds: offset,
            start_seconds: offset,
            end_seconds: outcome.finish_seconds[index],
            exit_code: 0,
        };
        let run = Run {
            id: id.clone(),
            kind: if jobs.len() == 1 { RunKind::Solo } else { RunKind::Corun },
            repeat,
            file: format!("runs/{id}.csv"),
            jobs: jobs.iter().enumerate().map(|(index, job)| part(index, *job)).collect(),
            started_at: "2026-01-01T00:00:00Z".to_owned(),
            foreign_cpu_ratio: 0.0,
            steal_ratio: 0.0,
            disturbed: false,
            sitting: 0,
            cut: None,
        };
        let mut bytes = Vec::new();
        let trace = trace(&outcome.totals[&Metric::CpuCores], outcome.makespan_seconds());
        canonical::write_csv(&trace, &mut bytes).unwrap();
        std::fs::write(folder.join(&run.file), bytes).unwrap();
        runs.push(run);
    };
    for a in 0..JOBS.len() {
        add(&[(a, 0.0)], 0);
        for b in a + 1..JOBS.len() {
            add(&[(a, 0.0), (b, 0.0)], 0);
            if (a + b).is_multiple_of(3) {
                add(&[(a, 0.0), (b, 5.0)], 0);
            }
        }
    }
    for (a, b) in [(0, 3), (2, 4), (3, 5), (1, 5)] {
        add(&[(a, 0.0), (b, 0.0)], 1);
    }
    let job = |(name, _, _): &(&str, f64, f64)| Job {
        name: (*name).to_owned(),
        kind: "cpu".to_owned(),
        framework: "native".to_owned(),
        command: "true".to_owned(),
        description: String::new(),
        size_of: None,
        phases: Vec::new(),
    };
    let manifest = Manifest {
        cotrace_dataset: 1,
        name: "made-up".to_owned(),
        node: Node { capacity: NODE, ..Node::default() },
        sample_seconds: 0.5,
        jobs: JOBS.iter().map(job).collect(),
        sittings: Vec::new(),
        calibrations: Vec::new(),
        runs,
    };
    std::fs::write(folder.join("manifest.json"), serde_json::to_vec(&manifest).unwrap()).unwrap();
}
