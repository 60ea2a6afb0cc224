//! A whole training on a small data set made here: it is written, stopped, resumed, read.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use cotrace_dataset::{self as dataset, JobRun, Manifest, Node, Run, RunKind};
use cotrace_model::{Forecaster, Job, Options};
use cotrace_trace::{Capacity, Column, JobSpan, Metric, Trace, canonical};
use cotrace_train::{DataError, DataSet, FitConfig, Split, Stopped, TrainOptions, train};

const JOBS: [(&str, &str, f64); 5] = [
    ("pack", "cpu", 2.0),
    ("scan", "io", 0.4),
    ("learn", "ml", 1.8),
    ("sort", "io", 0.9),
    ("query", "sql", 1.2),
];
const SOLO_SECONDS: f64 = 10.0;

/// Jobs that use a steady number of cores; together they are slowed as the cores run out.
fn write_data(folder: &Path) {
    std::fs::create_dir_all(folder.join("runs")).expect("a folder");
    let capacity = Capacity { cores: Some(2.0), memory_bytes: Some(8e9), ..Capacity::default() };
    let mut runs = Vec::new();
    let mut add = |id: String, kind, jobs: Vec<(&str, f64)>, cores: f64| {
        let file = format!("runs/{id}.csv");
        let last = jobs.iter().map(|job| job.1).fold(0.0, f64::max);
        let rows = (last / 0.5).ceil() as usize;
        let trace = Trace {
            capacity,
            jobs: jobs
                .iter()
                .map(|(name, end)| JobSpan {
                    name: (*name).to_owned(),
                    start_seconds: Some(0.0),
                    end_seconds: Some(*end),
                })
                .collect(),
            time_seconds: (1..=rows).map(|row| (row as f64 * 0.5).min(last)).collect(),
            columns: [(Metric::CpuCores, cores), (Metric::MemoryBytes, 1e9)]
                .into_iter()
                .map(|(metric, value)| (Column::node(metric), vec![value; rows]))
                .collect(),
            ..Trace::default()
        };
        let out = std::fs::File::create(folder.join(&file)).expect("a file");
        canonical::write_csv(&trace, out).expect("written");
        runs.push(Run {
            id,
            kind,
            repeat: 0,
            file,
            jobs: jobs
                .iter()
                .map(|(name, end)| JobRun {
                    name: (*name).to_owned(),
                    label: (*name).to_owned(),
                    offset_seconds: 0.0,
                    start_seconds: 0.0,
                    end_seconds: *end,
                    exit_code: 0,
                })
                .collect(),
            started_at: "2026-01-01T00:00:00Z".to_owned(),
            foreign_cpu_ratio: 0.0,
            steal_ratio: 0.0,
            disturbed: false,
            sitting: 0,
            cut: None,
        });
    };
    for (name, _, cores) in JOBS {
        add(format!("solo-{name}"), RunKind::Solo, vec![(name, SOLO_SECONDS)], cores);
    }
    for (at, (a, _, a_cores)) in JOBS.iter().enumerate() {
        for (b, _, b_cores) in &JOBS[at + 1..] {
            let stretch = ((a_cores + b_cores) / 2.0).max(1.0);
            let end = SOLO_SECONDS * stretch;
            add(format!("{a}+{b}"), RunKind::Corun, vec![(a, end), (b, end)], (a_cores + b_cores) / stretch);
        }
    }
    let manifest = Manifest {
        cotrace_dataset: 1,
        name: "made".to_owned(),
        node: Node { capacity, ..Node::default() },
        sample_seconds: 0.5,
        jobs: JOBS
            .iter()
            .map(|(name, kind, _)| dataset::Job {
                name: (*name).to_owned(),
                kind: (*kind).to_owned(),
                framework: "none".to_owned(),
                command: "true".to_owned(),
                description: String::new(),
                size_of: None,
                phases: Vec::new(),
            })
            .collect(),
        sittings: Vec::new(),
        calibrations: Vec::new(),
        runs,
    };
    let text = serde_json::to_vec_pretty(&manifest).expect("JSON");
    std::fs::write(folder.join("manifest.json"), text).expect("written");
}

fn options(data: &Path, out: &Path) -> TrainOptions {
    TrainOptions {
        data: data.to_owned(),
        out: out.to_owned(),
        config: FitConfig { hidden: 8, steps: 12, batch: 4, ..FitConfig::default() },
        hold_out_pairs: 0.2,
        job_folds: 2,
        resume: false,
    }
}

#[test]
fn trains_and_resumes_to_the_same_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    write_data(&data);
    let (straight, stopped) = (folder.path().join("straight"), folder.path().join("stopped"));
    let go = AtomicBool::new(false);
    let report = train(&options(&data, &straight), &go, &|_| ()).expect("trained");
    assert_eq!(report.sections.len(), 2, "unseen pairs and unseen jobs");
    assert_eq!(report.sections[0].rows[0].1.pairs, 2, "a fifth of ten pairs");
    assert_eq!(report.sections[0].rows.len(), 3, "the model and two baselines");
    for file in ["resourcenet.cotrace", "report.json", "report.md", "README.md"] {
        assert!(straight.join(file).is_file(), "{file} is missing");
    }
    assert!(!straight.join("checkpoints").exists(), "a finished training leaves no checkpoints");

    let halt = AtomicBool::new(false);
    let error = train(&options(&data, &stopped), &halt, &|progress| {
        if progress.index == 0 && progress.step == 5 {
            halt.store(true, Ordering::Relaxed);
        }
    })
    .expect_err("it was stopped");
    assert!(error.downcast_ref::<Stopped>().is_some(), "{error:#}");
    let resumed = TrainOptions { resume: true, ..options(&data, &stopped) };
    let mut other = resumed.clone();
    other.config.hidden = 9;
    let error = train(&other, &go, &|_| ()).expect_err("another configuration");
    assert!(error.to_string().contains("another configuration"), "{error:#}");
    train(&resumed, &go, &|_| ()).expect("trained");
    let forecast = |folder: &Path| {
        let bytes = std::fs::read(folder.join("resourcenet.cotrace")).expect("the model");
        let forecaster = Forecaster::from_bytes(&bytes).expect("a model");
        let read = |name: &str| {
            let path = data.join(format!("runs/solo-{name}.csv"));
            canonical::read_csv(name, &std::fs::read(path).expect("a trace")).expect("a trace")
        };
        let (a, b) = (read("pack"), read("query"));
        let job = |name: &str, trace| Job { name: name.to_owned(), trace, offset_seconds: 0.0 };
        forecaster.forecast(&[job("pack", &a), job("query", &b)], &Options::default()).expect("a forecast")
    };
    let (one, other) = (forecast(&straight), forecast(&stopped));
    for (a, b) in one.jobs.iter().zip(&other.jobs) {
        assert!((a.slowdown - b.slowdown).abs() < 1e-5, "{} straight on, {} resumed", a.slowdown, b.slowdown);
    }
}

#[test]
fn held_out_pairs_are_not_trained_on() {
    let folder = tempfile::tempdir().expect("a folder");
    write_data(folder.path());
    let data = DataSet::read(folder.path()).expect("a data set");
    assert_eq!(data.pairs().len(), 10);
    let split = Split::by_pairs(&data, 0.3, 7);
    assert_eq!(split.pairs.len(), 3);
    assert_eq!(split, Split::by_pairs(&data, 0.3, 7), "the same seed, the same split");
    let trained = data.pairs().iter().filter(|pair| split.trains_on(pair)).count();
    assert_eq!(trained, 7);
    let folds = Split::job_folds(&data, 2, 7);
    let held: Vec<usize> = folds.iter().map(|fold| fold.jobs.len()).collect();
    assert_eq!(held.iter().sum::<usize>(), 5, "every job is left out once");
    for fold in &folds {
        for pair in data.pairs().iter().filter(|pair| fold.trains_on(pair)) {
            assert!(pair.run.jobs.iter().all(|job| !fold.jobs.contains(&job.name)), "{}", pair.label());
        }
    }
}

#[test]
fn data_that_cannot_be_used_says_where() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(matches!(DataSet::read(folder.path()), Err(DataError::File(..))));
    std::fs::write(folder.path().join("manifest.json"), "{}").expect("written");
    assert!(matches!(DataSet::read(folder.path()), Err(DataError::Manifest(..))));
    write_data(folder.path());
    std::fs::write(folder.path().join("runs/solo-pack.csv"), "<html>").expect("written");
    let error = DataSet::read(folder.path()).expect_err("a web page is no trace");
    assert!(error.to_string().contains("solo-pack.csv"), "{error}");
    write_data(folder.path());
    std::fs::remove_file(folder.path().join("runs/solo-scan.csv")).expect("removed");
    let error = DataSet::read(folder.path()).expect_err("a run is missing");
    assert!(error.to_string().contains("solo-scan.csv"), "{error}");
}
