//! Several solo runs of one job as one trace.

mod common;

use common::trace_of;
use cotrace_trace::{
    Capacity, Column, FindingKind, JobSpan, Metric, Resource, RunsError, Severity, Trace, Warning,
    WarningKind, average, check,
};

const CPU: Metric = Metric::CpuCores;
const NAN: f64 = f64::NAN;

fn run(name: &str, times: &[f64], values: &[f64]) -> Trace {
    let mut trace = trace_of(times, CPU, values);
    name.clone_into(&mut trace.name);
    trace.capacity = Capacity { cores: Some(2.0), ..Capacity::default() };
    trace.provenance.insert(Column::node(CPU), "%usr".to_owned());
    trace
}

/// A run of `count` samples, `step` apart, all `value`.
fn even(name: &str, count: u32, step: f64, value: f64) -> Trace {
    let times: Vec<f64> = (1..=count).map(|k| f64::from(k) * step).collect();
    run(name, &times, &vec![value; count as usize])
}

#[test]
fn the_same_part_of_the_job_meets_the_same_part() {
    // 4 s and 8 s: squeezed and stretched to 6 s, on the finest step of a run, which is an eighth.
    let short = run("sort-1", &[1.0, 2.0, 3.0, 4.0], &[2.0, 2.0, 1.0, 0.0]);
    let long =
        run("sort-2", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], &[2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 0.0, NAN]);
    let averaged = average(&[short, long]).unwrap();
    let trace = &averaged.trace;
    assert_eq!(trace.time_seconds, [0.75, 1.5, 2.25, 3.0, 3.75, 4.5, 5.25, 6.0]);
    assert_eq!(trace.node(CPU), Some(&[2.0, 2.0, 2.0, 1.5, 1.0, 1.0, 0.0, 0.0][..]));
    assert_eq!(averaged.low[&Column::node(CPU)], [2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    assert_eq!(averaged.high[&Column::node(CPU)], [2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 0.0, 0.0]);
    assert_eq!(trace.name, "sort");
    assert_eq!(trace.provenance[&Column::node(CPU)], "%usr, mean of 2 runs");
    let runs = trace.runs.as_ref().unwrap();
    assert_eq!(
        (runs.count, runs.shortest_seconds, runs.mean_seconds, runs.longest_seconds),
        (2, 4.0, 6.0, 8.0)
    );
    // Half a core of 9.5 core-steps, in half.
    assert!((runs.spread[&CPU] - 0.5 / 9.5).abs() < 1e-9, "{runs:?}");
    common::assert_sound(trace, "the mean");
}

#[test]
fn a_run_is_the_time_of_its_job() {
    let mut first = even("a", 10, 1.0, 1.0);
    first.jobs = vec![JobSpan { name: "sort".into(), start_seconds: Some(2.0), end_seconds: Some(8.0) }];
    let mut second = even("b", 6, 1.0, 2.0);
    second.jobs = vec![JobSpan { name: "sort".into(), start_seconds: None, end_seconds: None }];
    let trace = average(&[first, second]).unwrap().trace;
    assert_eq!(trace.duration_seconds(), 6.0);
    assert_eq!(trace.node(CPU), Some(&[1.5; 6][..]));
    let whole = JobSpan { name: "sort".into(), start_seconds: Some(0.0), end_seconds: Some(6.0) };
    assert_eq!(trace.jobs, [whole]);
}

#[test]
fn a_metric_that_one_run_lacks_is_that_of_the_others() {
    let mut first = even("sort", 4, 1.0, 1.0);
    first.columns.insert(Column::node(Metric::MemoryBytes), vec![1e9; 4]);
    let warned = |mut trace: Trace| {
        trace.warnings.push(Warning::new(WarningKind::CutOff, "The end is missing."));
        trace
    };
    let trace = average(&[warned(first), warned(even("sort", 4, 1.0, 1.0))]).unwrap().trace;
    assert_eq!(trace.node(Metric::MemoryBytes), Some(&[1e9; 4][..]));
    assert_eq!(trace.provenance[&Column::node(Metric::MemoryBytes)], "mean of 1 run");
    assert_eq!(trace.warnings.len(), 1, "said once: {:?}", trace.warnings);
}

#[test]
fn cores_that_one_run_knows_all_know() {
    let mut assumed = even("a", 4, 1.0, 1.0);
    assumed.assumed.insert(Resource::Cpu);
    let mut known = even("b", 4, 1.0, 2.0);
    known.capacity.cores = Some(4.0);
    let trace = average(&[assumed.clone(), known.clone()]).unwrap().trace;
    assert_eq!(trace.capacity.cores, Some(4.0));
    assert!(!trace.cores_assumed());
    assert_eq!(trace.node(CPU), Some(&[2.0; 4][..]));
    assert!(average(&[assumed.clone(), assumed]).unwrap().trace.cores_assumed());
}

#[test]
fn health_says_how_far_runs_differ() {
    let cases = [
        (&[41u32, 43, 44][..], 0.1, Severity::Info, "The mean of 3 runs, 41 s to 44 s, CPU ±10 %."),
        (&[42, 42], 0.0, Severity::Info, "The mean of 2 runs, each 42 s."),
        (&[40, 50], 0.0, Severity::Warning, "The mean of 2 runs, 40 s to 50 s."),
        (&[40], 0.0, Severity::Info, "The mean of 1 run, each 40 s."),
    ];
    for (counts, differ, severity, message) in cases {
        let runs: Vec<Trace> = counts
            .iter()
            .enumerate()
            .map(|(k, count)| even("sort", *count, 1.0, 1.0 + differ * (k as f64 - 1.0)))
            .collect();
        let health = check(&average(&runs).unwrap().trace);
        let found = health.findings.iter().find(|finding| finding.kind == FindingKind::Runs).unwrap();
        assert_eq!((found.severity, found.message.as_str()), (severity, message));
    }
}

#[test]
fn what_has_no_mean_is_refused() {
    let of_cores = |cores| {
        let mut run = even("b", 4, 1.0, 1.0);
        run.capacity.cores = Some(cores);
        run
    };
    let mut several = even("two", 4, 1.0, 1.0);
    several.jobs = vec![JobSpan { name: "a".into(), start_seconds: None, end_seconds: None }; 2];
    let cases = [
        (vec![], "no runs"),
        (vec![even("a", 4, 1.0, 1.0), of_cores(4.0)], "a was measured on 2 cores and b on 4"),
        (vec![even("a", 4, 1.0, 1.0), several], "two holds 2 jobs"),
        (vec![Trace { name: "none".into(), ..Trace::default() }], "none has no duration"),
    ];
    for (runs, wanted) in cases {
        let error: RunsError = average(&runs).expect_err(wanted);
        assert!(error.to_string().contains(wanted), "{error}, not {wanted}");
    }
}
