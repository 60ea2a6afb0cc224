//! Made-up cases for tests.

use cotrace_dataset::{JobRun, Run, RunKind};
use cotrace_trace::{Capacity, Column, Metric, Trace};

use crate::Case;
use crate::case::SceneGrid;

const NODE: Capacity = Capacity {
    cores: Some(2.0),
    memory_bytes: Some(8e9),
    disk_bytes_per_second: Some(100e6),
    network_bytes_per_second: None,
};

/// A solo trace of a job that uses so many cores for so many seconds.
pub(crate) fn solo(seconds: f64, cores: f64) -> Trace {
    trace(seconds, &[(Metric::CpuCores, cores), (Metric::MemoryBytes, 1e9)])
}

/// A trace with a sample each half second, all the same.
fn trace(seconds: f64, metrics: &[(Metric, f64)]) -> Trace {
    let rows = (2.0 * seconds).round() as usize;
    Trace {
        capacity: NODE,
        time_seconds: (1..=rows).map(|row| row as f64 / 2.0).collect(),
        columns: metrics.iter().map(|(metric, value)| (Column::node(*metric), vec![*value; rows])).collect(),
        ..Trace::default()
    }
}

/// A co-run of jobs `a`, `b`, …, the second `offset` seconds after the first, that ended at `ends`, using both cores until
/// the last end.
pub(crate) fn case(solos: &[Trace], offset: f64, ends: &[f64]) -> Case {
    let names = ["a", "b", "c"];
    let last = ends.iter().copied().fold(0.0, f64::max);
    let part = |index: usize, end: f64| {
        let start_seconds = if index == 1 { offset } else { 0.0 };
        JobRun {
            name: names[index].to_owned(),
            label: names[index].to_owned(),
            offset_seconds: start_seconds,
            start_seconds,
            end_seconds: end,
            exit_code: 0,
        }
    };
    let run = Run {
        id: format!("{}_{offset}", names[..ends.len()].join("_")),
        kind: RunKind::Corun,
        repeat: 0,
        file: String::new(),
        jobs: ends.iter().enumerate().map(|(index, end)| part(index, *end)).collect(),
        started_at: String::new(),
        foreign_cpu_ratio: 0.0,
        steal_ratio: 0.0,
        disturbed: false,
        sitting: 0,
        cut: None,
    };
    let solos: Vec<&Trace> = solos.iter().collect();
    Case::with_solos(&run, &solo(last, 2.0), &solos, SceneGrid::Seconds(0.5)).expect("good traces")
}
